# ruff: noqa: RUF001  the letters of other scripts
"""The verdict of a reply: the yes or no, true or false, that opens or closes it."""

import re
from dataclasses import dataclass

from benchmaker.scoring.extract.marks import bare, unwrapped
from benchmaker.scoring.extract.phrases import CONCLUSION, CONTRAST, GIVEN_UP, NOT
from benchmaker.scoring.extract.sentences import after_correction, sentences

_YES = [
    "yes",
    "yeah",
    "yep",
    "yup",
    "true",
    "correct",
    "right",
    "affirmative",
    "y",
    "t",
    "ja",
    "jawohl",
    "wahr",
    "richtig",
    "stimmt",
    "doch",
    "oui",
    "vrai",
    "si",
    "exact",
    "sí",
    "verdadero",
    "cierto",
    "correcto",
    "vero",
    "corretto",
    "sim",
    "verdade",
    "verdadeiro",
    "certo",
    "waar",
    "juist",
    "tak",
    "prawda",
    "да",
    "верно",
    "правда",
    "истина",
    "نعم",
    "صحيح",
    "是",
    "是的",
    "对",
    "對",
    "正确",
    "真",
    "はい",
    "正しい",
    "真です",
    "네",
    "예",
    "참",
]
_NO = [
    "no",
    "nope",
    "nah",
    "false",
    "incorrect",
    "wrong",
    "untrue",
    "negative",
    "n",
    "f",
    "nein",
    "falsch",
    "unwahr",
    "non",
    "faux",
    "falso",
    "incorrecto",
    "falsa",
    "não",
    "errado",
    "nee",
    "onwaar",
    "onjuist",
    "nie",
    "fałsz",
    "нет",
    "неверно",
    "ложь",
    "لا",
    "خطأ",
    "不",
    "不是",
    "否",
    "错",
    "錯",
    "错误",
    "假",
    "不对",
    "いいえ",
    "違います",
    "偽",
    "間違い",
    "아니요",
    "아니오",
    "거짓",
]
_WORDS = dict.fromkeys(_NO, False) | dict.fromkeys(_YES, True)
_LETTERS = frozenset("ytnf")
_BY_LENGTH = sorted((it for it in _WORDS if it not in _LETTERS), key=len, reverse=True)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_WORD = "|".join(
    re.escape(it) if _CJK.search(it) else rf"(?<![\w'’-]){re.escape(it)}(?![\w'’])"
    for it in _BY_LENGTH
)
_ANY = re.compile(rf"(?:{_WORD})", re.IGNORECASE)
_ADVERB = r"(?:definitely|certainly|absolutely|clearly|probably|most likely|in fact|indeed|actually|obviously|simply|partly|mostly|generally|entirely|completely|quite|technically)"
_OPENS = re.compile(
    rf"[\W_]*(?:(?:well|so|ok|okay|hmm|oh|the answer|answer|verdict|result|also|donc|therefore"
    rf"|thus|hence|in short|{_ADVERB})[\s,:—–-]+)*"
    rf"(?P<word>{_WORD})(?P<after>.*)",
    re.IGNORECASE | re.DOTALL,
)
_BOTH = re.compile(
    rf"(?:{_WORD})\s*(?:,\s*)?(?:/|\band\b|\bor\b|\bund\b|\boder\b|\bet\b|\bou\b|\by\b|\bo\b|或"
    rf"|和|か)\s*(?:also\s+)?(?:{_WORD})",
    re.IGNORECASE,
)
_IS_VERDICT = re.compile(
    rf"(?:(?<![\w'])(?:is|was|are|be|remains|as|would be|must be|has to be|ist|war|est|es|è|é|são"
    rf"|stimmt|是|は|为|это|a|answer|answers?|with|say|says|sage|dis|therefore|thus|hence"
    rf"|so|also|donc|:)|['’]s)"
    rf"\s*[:,]?\s*(?P<deny>not\s+|n['’]t\s+|nicht\s+|pas\s+|not quite\s+|far from\s+"
    rf"|anything but\s+|never\s+|no\s+)?(?:{_ADVERB}\s+)?(?:the\s+"
    rf"|a\s+)?(?:statement\s+)?[\"'“*_`(]*(?P<word>{_WORD})(?P<after>.*)",
    re.IGNORECASE | re.DOTALL,
)
_CONTRACTED = re.compile(
    rf"(?:is|was|are|does|ca|wo)n['’]t\s+(?:{_ADVERB}\s+)?[\"'“*_`(]*(?P<word>true|correct"
    rf"|right|false|wrong|incorrect)\b(?P<after>.*)|cannot be (?P<word2>true|false"
    rf"|correct)\b(?P<after2>.*)",
    re.IGNORECASE | re.DOTALL,
)
_NOT_CASE = re.compile(
    r"\b(?:is|it['’]s) not the case\b|\bstimmt (?:so )?nicht\b|\btrifft nicht zu\b"
    r"|\bne(?:\s+est)? pas vrai\b",
    re.IGNORECASE,
)
_CASE = re.compile(r"\b(?:is|it['’]s) the case\b(?!\s+that)", re.IGNORECASE)
_ABSOLUTELY_NOT = re.compile(
    r"[\W_]*(?:(?:no,? )?(?:definitely|certainly|absolutely|of course|clearly) not|not at all"
    r"|by no means|no way|not true|not correct|not really|keineswegs|auf keinen fall|pas du tout"
    r"|en absoluto)\b",
    re.IGNORECASE,
)
_SURELY = re.compile(
    r"[\W_]*(?:absolutely|certainly|definitely|of course|indeed|exactly|natürlich|bien sûr"
    r"|claro(?: que sí)?|por supuesto)[\W_]*",
    re.IGNORECASE,
)
_NO_NOUN = re.compile(
    r"\s+(?!(?:it|that|this|there|they|he|she|we|you|i|because|since|as|for|the|a|an|91"
    r"|not)\b)[a-zà-ÿ]",
    re.IGNORECASE,
)
_NO_WORDS = frozenset({"no", "right", "non", "wrong", "correct", "true", "si", "exact", "false"})
_ATTRIBUTE = re.compile(
    r"\s+(?:answer|number|statement|question|that|if|for|in|of|to|only|about|when|enough|way"
    r"|idea|doubt|evidence|claim|love|north|now|away|one|ones|story)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reply says: true, false, or None where it says neither"
    " or both; the words as well."""

    value: bool | None
    text: str


NONE = Verdict(None, "")


def verdict_word(text: str) -> bool | None:
    """The verdict that a whole text is; None where it is anything else.

    >>> verdict_word("Yes."), verdict_word("oui"), verdict_word("I have no idea")
    (True, True, None)
    """
    for plain in unwrapped(text):
        word = plain.strip(" .!。！").casefold()
        if word in _WORDS:
            return _WORDS[word]
    return None


def stated_verdict(reply: str, *, is_anchored: bool = False) -> Verdict:
    """The verdict that opens a reply, or else closes it.

    >>> stated_verdict("No. It is true that 2 is prime, but it is the only one.").value
    False
    >>> stated_verdict("Yes and no.").value is None
    True
    """
    whole = verdict_word(reply)
    if whole is not None:
        return Verdict(whole, reply.strip())
    text = after_correction(reply)
    found = [bare(it.text).replace("\n", " ") for it in sentences(text)]
    found = [it for it in found if not it.rstrip().endswith("?")] or found
    if not found:
        found = [bare(text)]
    if GIVEN_UP.search(found[-1]) and len(found) == 1:
        return NONE
    closing = _of_conclusion(found)
    if closing is not None:
        return closing
    first = _opening(found[0], len(found) == 1 or is_anchored)
    if first is not None:
        if (
            first.value is not None
            and len(found) > 1
            and (last := _whole(found[-1])) is not None
            and last != first.value
        ):
            return Verdict(last, found[-1])
        return first
    if is_anchored:
        return _closing(found[0]) or NONE
    for sentence in reversed(found):
        if (said := _whole(sentence)) is not None:
            return Verdict(said, sentence)
        if (at_end := _closing(sentence)) is not None:
            return at_end
        if sentence is not found[-1] and len(found) > _FEW:
            break
    return NONE


_FEW = 3


def _whole(sentence: str) -> bool | None:
    return verdict_word(
        re.sub(
            r"^[\W_]*(?:so|therefore|thus|hence|answer|also|donc)[\s,:]+",
            "",
            sentence,
            flags=re.IGNORECASE,
        )
    )


def _of_conclusion(found: list[str]) -> Verdict | None:
    """The verdict of a concluding last sentence, where another opens the reply."""
    if len(found) > 1 and CONCLUSION.match(found[-1].strip(" *_")):
        said = _whole(found[-1])
        if said is not None:
            return Verdict(said, found[-1])
        return _closing(found[-1])
    return None


def _opening(sentence: str, _is_only: bool) -> Verdict | None:
    rest = _BOTH.sub("", sentence)
    if rest != sentence:
        return _after_both(rest)
    if _ABSOLUTELY_NOT.match(sentence):
        return Verdict(False, sentence)
    found = _OPENS.fullmatch(sentence)
    if found is None:
        return Verdict(True, sentence) if _SURELY.fullmatch(sentence) else None
    word, after = found["word"].casefold(), found["after"]
    if word in _NO_WORDS and _ATTRIBUTE.match(after):
        return None
    if word in {"no", "non", "si", "right", "wrong"} and _NO_NOUN.match(after):
        return None
    if re.search(
        rf",?\s*(?:but|and|or|aber|mais)\s+(?:also\s+)?(?:{_WORD})[\s.!]*$", after, re.IGNORECASE
    ):
        return Verdict(None, sentence)
    turned = re.search(
        rf"\b(?:{CONTRAST}|so|therefore|thus)\b[,:]?\s+(?:the answer is |it is "
        rf"|it['’]s )?[\"'*]*(?P<word>{_WORD})[\s.!\"'*]*$",
        after,
        re.IGNORECASE,
    )
    if turned:
        return Verdict(_WORDS[turned["word"].casefold()], sentence)
    return Verdict(_WORDS[word], found["word"])


def _after_both(rest: str) -> Verdict | None:
    """Where both words stand together: what follows them, as in "a yes or no: no"."""
    found = list(_ANY.finditer(rest))
    tail = rest[found[-1].start() :] if found else ""
    if found and re.fullmatch(rf"(?:{_WORD})[\W_]*", tail, re.IGNORECASE):
        return Verdict(_WORDS[found[-1][0].casefold()], found[-1][0])
    return Verdict(None, rest)


def _closing(sentence: str) -> Verdict | None:
    """The verdict in which a sentence ends: "the statement is not true"."""
    if sentence.rstrip().endswith("?"):
        return None
    if _BOTH.search(sentence):
        return _after_both(_BOTH.sub("", sentence))
    if _NOT_CASE.search(sentence):
        return Verdict(False, sentence)
    for pattern in (_CONTRACTED, _IS_VERDICT):
        found = None
        at = 0
        while (following := pattern.search(sentence, at)) is not None and _ends(following):
            found, at = following, following.start() + 1
        if following is not None and found is None:
            found = _last_fitting(pattern, sentence)
        if found is not None:
            groups = found.groupdict()
            word = (groups["word"] or groups.get("word2") or "").casefold()
            denied = (
                pattern is _CONTRACTED or bool(groups.get("deny")) or _is_denied(sentence, found)
            )
            return Verdict(_WORDS[word] != denied, sentence)
    return _at_the_end(sentence)


def _last_fitting(pattern: re.Pattern[str], sentence: str) -> re.Match[str] | None:
    at, fitting = 0, None
    while (found := pattern.search(sentence, at)) is not None:
        if _ends(found):
            fitting = found
        at = found.start() + 1
    return fitting


def _ends(found: re.Match[str]) -> bool:
    groups = found.groupdict()
    after = groups.get("after") or groups.get("after2") or ""
    return bool(
        re.match(
            r"[\s\"'”’*_`)]*(?:[.!,;:—–(]|$|(?:statement|claim|assertion|proposition|because"
            r"|since|as|for|in|here|by|due|that is|and|but|です|であ|。)(?!\w))",
            after,
        )
    ) and not re.match(r"\s*,?\s*(?:that|enough)\b", after)


def _is_denied(sentence: str, found: re.Match[str]) -> bool:
    before = re.split(r"[,;:—–]", sentence[: found.start("word")])[-1]
    head = before[: -len(found["deny"])] if found.groupdict().get("deny") else before
    return (
        len(list(NOT.finditer(head))) % 2 == 1
        if not re.search(r"\b(?:that|which|who)\b", head)
        else False
    )


_END = re.compile(
    rf"(?:[,:;—–]|\bso\b|\btherefore\b|\bthus\b|\bhence\b|->|=>"
    rf"|→)\s*[\"'“*_`(]*(?P<word>{_WORD})[\W_]*\Z",
    re.IGNORECASE,
)


def _at_the_end(sentence: str) -> Verdict | None:
    found = _END.search(sentence)
    if found is None:
        return None
    return Verdict(_WORDS[found["word"].casefold()], found["word"])


def last_verdict(text: str) -> str | None:
    """The last word of a text that is a verdict.

    >>> last_verdict("Yes. No, wait: it is true")
    'true'
    """
    found = [it[0] for it in _ANY.finditer(text)]
    return found[-1] if found else None
