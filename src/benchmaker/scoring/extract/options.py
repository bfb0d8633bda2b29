"""The naming of multiple-choice options in a reply: by letter, text, place or number.

Each mention of an option is replaced by one sign, so that "the second option",
"(B)" and "B) Rome" read alike.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from benchmaker.scoring.extract.cues import Cue
from benchmaker.scoring.extract.marks import unwrap
from benchmaker.scoring.extract.slots import SLOT, insert_slot
from benchmaker.scoring.normalise import normalise

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_BASE = 0xE100
SIGNS = f"{chr(_BASE)}-{chr(_BASE + len(LETTERS) - 1)}"
"""The signs of all options, as a range in a class of characters."""

_WORDS = (
    r"(?:option|choice|answer|letter|alternative|antwort|lösung|réponse|opción|respuesta"
    r"|opzione|alternativa|buchstabe|lettre|letra|选项|選択肢)"
)


def whole_option(reply: str, choices: Sequence[str], number: int) -> str | None:
    """The letter, where the whole reply is one or is the text of an option.

    >>> whole_option("**(b)**", ("Paris", "Rome"), 2), whole_option("Paris.", ("Paris", "Rome"), 2)
    ('B', 'A')
    """
    for text in unwrap(reply):
        plain = text.strip("()[].: \n\t")
        if len(plain) == 1 and plain.upper() in LETTERS[:number]:
            return plain.upper()
        answer = normalise(text)
        same = [i for i, choice in enumerate(choices) if _normalised(choice) == answer]
        if len(same) == 1:
            return LETTERS[same[0]]
    return None


_normalised = lru_cache(maxsize=4096)(normalise)


def insert_signs(reply: str, choices: Sequence[str], number: int) -> str:
    """The reply with one sign wherever an option is named.

    >>> find_signs(insert_signs("Not the first option, (B) Rome.", ("Paris", "Rome"), 2))
    [('A', 4), ('B', 7)]
    """
    text = reply
    for index in sorted(range(len(choices)), key=lambda i: -len(choices[i])):
        if choices[index].strip():
            sign = chr(_BASE + index)
            text = insert_slot(text, choices[index].strip().rstrip(".")).replace(SLOT, sign)
    text = _by_place(text, choices)
    text = _small_letter(number).sub(_capitalise, text)
    text = _letter_pattern(number).sub(lambda it: _sign(it, number), text)
    for _ in range(2):
        text = _PAIR.sub(r"\1", text)
    return text


_MARKS = r"[ \t\r\u00a0\u3000.:)\]*_`\"'“”—–=-]*"
_PAIR = re.compile(rf"([{SIGNS}]){_MARKS}+(?:\n{_MARKS}+)?(?:is\s+)?[(\[\"'“*_`]*\1[)\]\"'”*_`]*")
"""An option that is named twice in a row, in one paragraph."""


def find_signs(text: str) -> list[tuple[str, int]]:
    """The letters of the options that are named in a text with signs, and where."""
    return [(LETTERS[ord(it[0]) - _BASE], it.start()) for it in _SIGN.finditer(text)]


_SIGN = re.compile(f"[{SIGNS}]")


def restore_options(text: str, choices: Sequence[str]) -> str:
    """Return the text with letters, and the texts of options if any, in place of signs."""

    def format_option(found: re.Match[str]) -> str:
        index = ord(found[0]) - _BASE
        return f"({LETTERS[index]})" + (f" {choices[index]}" if index < len(choices) else "")

    return _SIGN.sub(format_option, text)


_PLACES = {
    word: place
    for place, words in {
        0: "first erste ersten première premier primera primero prima primeira",
        1: "second zweite zweiten deuxième seconde segunda segundo seconda",
        2: "third dritte dritten troisième tercera tercero terza terceira",
        3: "fourth vierte vierten quatrième cuarta cuarto quarta",
        4: "fifth fünfte fünften cinquième quinta quinto",
        5: "sixth sechste sechsten sixième sexta sesta",
        -1: "last letzte letzten dernière última ultima",
    }.items()
    for word in words.split()
}
_CJK_PLACES = {sign: place for place, sign in enumerate("一二三四五六")}
_PLACE = "|".join(_PLACES)
_ARTICLE = r"(?:the|die|der|den|la|le|el|il)"
_OPTION = r"(?:option|alternative|opción|opcion|alternativa|opzione|opção|möglichkeit|proposition)"
_ANSWER = r"(?:one|choice|answer|candidate|antwort|réponse|respuesta|risposta|resposta)"
_RIGHT = r"(?:right|correct|true|best|richtig|korrekt|juste|correcta?|bonne|vraie)"
_BY_PLACE = Cue(
    (
        rf"\b(?:{_ARTICLE}\s+)?(?P<option>{_PLACE})\s+{_OPTION}\b"
        rf"|\b{_ARTICLE}\s+(?P<answer>{_PLACE})\s+{_ANSWER}\b"
        rf"|(?:\A|(?<=[\n.!]))[\s*_\"'“(]{{0,40}}+(?P<one>{_PLACE})\s+one(?=[\s*_\"'”)]*(?:[.!,;\n]|\Z))"
        rf"|\b{_ARTICLE}\s+(?P<alone>{_PLACE})(?=[\s*_\"'”)]*(?:[.!\n]|\Z)"
        rf"|\s+(?:is|ist|est|es|è)\s+(?:{_ARTICLE}\s+)?{_RIGHT}\b)"
        r"|第(?P<cjk>[一二三四五六])(?:个|個)?(?:选项|選項|项|答案)"
    ),
    (*_PLACES, "第"),
)
_BY_NUMBER = re.compile(
    r"\b(?:option|alternative|choice|opción|opzione)\s+(?:number\s+|no\.?\s*|#\s*)?([1-9])"
    r"(?![\d%]|[.,:]\d)",
    re.IGNORECASE,
)


def _by_place(text: str, choices: Sequence[str]) -> str:
    """The text with signs for "the second option" and "option 2", where there are as many."""
    if not choices:
        return text
    text = _BY_PLACE.sub(lambda it: _sign_at(_place(it), it[0], len(choices)), text)
    if any(map(str.isdigit, "".join(choices))):
        return text
    return _BY_NUMBER.sub(lambda it: _sign_at(int(it[1]) - 1, it[0], len(choices)), text)


def _place(found: re.Match[str]) -> int:
    if found["cjk"]:
        return _CJK_PLACES[found["cjk"]]
    word = found["option"] or found["answer"] or found["one"] or found["alone"]
    return _PLACES[word.casefold()]


def _sign_at(place: int, words: str, number: int) -> str:
    """The sign of an option by its place, the last being -1; the words where there are fewer."""
    index = number - 1 if place < 0 else place
    return chr(_BASE + index) if index < number else words


@lru_cache(maxsize=256)
def _small_letter(number: int) -> re.Pattern[str]:
    """A small letter that closes a sentence."""
    own = LETTERS[:number].lower()
    return re.compile(rf"(?<![\w'’.-])[{own}](?=[\"'”*_`]*\s*(?:\Z|[.!](?:\s|\Z)))")


_CHOOSING = re.compile(
    r"(?<![\w'’])(?:go(?:ing)? (?:with|for)|went with|pick|chose|choos(?:e|ing)|select|take|say"
    r"|guess|is|be|nehme|wähle|ist|choisis|est|elijo|es|scelgo|è)\s*:?\s+(?:(?:the|die|la|le)\s+)?"
    r"[\"'“*_`]*\Z",
    re.IGNORECASE,
)


def _capitalise(found: re.Match[str]) -> str:
    """The letter as a capital behind a word of choosing: "I'm going with a."."""
    before = found.string[max(found.start() - _NEAR, 0) : found.start()]
    return found[0].upper() if _CHOOSING.search(before) else found[0]


@lru_cache(maxsize=256)
def _letter_pattern(number: int) -> re.Pattern[str]:
    """Letters that stand for an option: ``(B)``, ``B)``, ``B.``, ``Option B``, or B alone."""
    own = f"[{LETTERS[:number]}{LETTERS[:number].lower()}]"
    upper = f"[{LETTERS[:number]}]"
    return re.compile(
        rf"[(\[]\s*(?P<round>{own})\s*[)\]]"
        rf"|(?<![\w'’])(?P<bracket>{own})\)"
        rf"|(?<![\w'’]){_WORDS}[\s:#]*[(\[]?(?P<named>{own})(?![\w'’])[)\]]?"
        rf"|(?<![A-Za-z0-9_'’.-])(?P<stop>{upper})(?=[.:]\s+\S|[.:]?\s*$|[,;]|\s+[—–-]\s)"
        rf"|(?<![A-Za-z0-9_'’.-])(?P<bare>{upper})(?![A-Za-z0-9_'’-]|\.[A-Za-z0-9])",
    )


def _sign(found: re.Match[str], number: int) -> str:
    letter = next(it for it in found.groups() if it is not None)
    if found["bare"] is not None and letter in {"A", "I"} and _is_word(found):
        return found[0]
    if found["stop"] is not None and letter == "I" and number < 9:  # noqa: PLR2004
        return found[0]
    sign = chr(_BASE + LETTERS.index(letter.upper()))
    lead = found[0][: len(found[0]) - len(found[0].lstrip())]
    return f"{lead}{sign})" if _closes_brackets(found) else f"{lead}{sign}"


def _closes_brackets(found: re.Match[str]) -> bool:
    """True if the bracket after a letter closes one opened long before it."""
    before = found.string[max(found.start() - _NEAR, 0) : found.start()]
    return found["bracket"] is not None and before.rfind("(") > before.rfind(")")


_NEAR = 60


_ARTICLE_AFTER = re.compile(r"\s+[a-z]")
_VERB_AFTER = re.compile(
    r"\s+(?:is|was|are|has|because|and|or|seems|as|since|with|but|would|must|can|cannot"
    r"|isn|looks|fits|und|oder|ist|est|et|ou|es|y|o|states|says|describes|matches|makes)\b"
)


def _is_word(found: re.Match[str]) -> bool:
    """True if A is the article and I the pronoun."""
    text, end = found.string, found.end()
    return bool(_ARTICLE_AFTER.match(text, end)) and not _VERB_AFTER.match(text, end)
