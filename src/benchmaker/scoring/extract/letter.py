# ruff: noqa: RUF001  the marks of other scripts
"""The option that a reply to a multiple-choice question chooses, by its letter or its text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from benchmaker.scoring.extract.claims import is_fragment
from benchmaker.scoring.extract.discourse import GIVEN_UP
from benchmaker.scoring.extract.marks import bare, unwrapped
from benchmaker.scoring.extract.phrases import (
    AND,
    CONCEDED,
    CONCESSION,
    CONCLUSION,
    CONTRAST,
    DENIED_AFTER,
    ELSE,
    HEARSAY,
    NAMED_WRONG,
    NOT_A_DENIAL,
    OR,
    is_negative,
)
from benchmaker.scoring.extract.sentences import Sentence, after_correction, sentences
from benchmaker.scoring.extract.slots import slotted
from benchmaker.scoring.normalise import normalise

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_BASE = 0xE100
_WORDS = (
    r"(?:option|choice|answer|letter|alternative|antwort|lösung|réponse|opción|respuesta"
    r"|opzione|alternativa|buchstabe|lettre|letra|选项|選択肢)"
)
_ARTICLE_AFTER = re.compile(r"\s+[a-z]")


@dataclass(frozen=True, slots=True)
class Chosen:
    """The options that a reply chooses: one letter, none, or several; and where it says so."""

    letters: tuple[str, ...]
    text: str

    @property
    def letter(self) -> str | None:
        """The one letter; None where there is none or more than one."""
        return self.letters[0] if len(self.letters) == 1 else None


NONE = Chosen((), "")


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


def chosen(reply: str, choices: Sequence[str] = (), *, is_anchored: bool = False) -> Chosen:
    """The option that a reply chooses.

    >>> chosen("It is not A, it is C.", ("one", "two", "three")).letter
    'C'
    >>> chosen("Both A and B.", ("one", "two")).letters
    ('A', 'B')
    """
    number = len(choices) or 10
    whole = _whole(reply, choices, number)
    if whole is not None:
        return Chosen((whole,), reply.strip())
    text = after_correction(_marked(reply, choices, number))
    found = [Sentence(bare(it.text), it.line, it.is_item, it.is_alone) for it in sentences(text)]
    found = _without_list(found, number)
    if not found:
        return NONE
    if GIVEN_UP.search(found[-1].text) and not _tokens(found[0].text):
        return NONE
    for it in _in_order(found, is_anchored=is_anchored):
        if letters := _of_sentence(it.text):
            return Chosen(letters, _readable(it.text, choices))
    return NONE


def is_bare(reply: str, choices: Sequence[str]) -> bool:
    """Whether a reply is nothing but a letter or the text of an option."""
    return _whole(reply, choices, len(choices) or 10) is not None


def _whole(reply: str, choices: Sequence[str], number: int) -> str | None:
    """The letter, where the whole reply is one or is the text of an option."""
    for text in unwrapped(reply):
        plain = text.strip("()[].: \n\t")
        if len(plain) == 1 and plain.upper() in LETTERS[:number]:
            return plain.upper()
        same = [
            LETTERS[i] for i, choice in enumerate(choices) if normalise(choice) == normalise(text)
        ]
        if len(same) == 1:
            return same[0]
    return None


def _marked(reply: str, choices: Sequence[str], number: int) -> str:
    """The reply with one sign for each option that is named by its letter, its text, or both."""
    text = reply
    order = sorted(range(len(choices)), key=lambda i: -len(choices[i]))
    for index in order:
        if choices[index].strip():
            text = slotted(text, choices[index].strip().rstrip(".")).replace(
                "\ue000", chr(_BASE + index)
            )
    if choices:
        text = _ORDINAL.sub(lambda it: _ordinal_sign(it, len(choices)), text)
    signs = f"[{chr(_BASE)}-{chr(_BASE + 25)}]"
    pattern = _letter_pattern(number)
    text = pattern.sub(lambda it: _sign(it, text, number), text)
    pair = re.compile(rf"({signs})[\s.:)\]*_`\"'“”—–=-]*(?:is\s+)?[(\[\"'“*_`]*\1[)\]\"'”*_`]*")
    for _ in range(2):
        text = pair.sub(r"\1", text)
    return text


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_ORDINAL = re.compile(
    rf"\b(?:the\s+)?({'|'.join(_ORDINALS)}|last)\s+(?:option|alternative)\b", re.IGNORECASE
)


def _ordinal_sign(found: re.Match[str], number: int) -> str:
    """The sign of "the second option"; the words as they are where there are fewer."""
    word = found[1].casefold()
    index = number - 1 if word == "last" else _ORDINALS.index(word)
    return chr(_BASE + index) if index < number else found[0]


def _sign(found: re.Match[str], text: str, number: int) -> str:
    letter = next(it for it in found.groups() if it is not None)
    if found["bare"] is not None and letter in {"A", "I"} and _is_word(found, text):
        return found[0]
    if found["stop"] is not None and letter == "I" and number < 9:  # noqa: PLR2004
        return found[0]
    sign = chr(_BASE + LETTERS.index(letter.upper()))
    lead = found[0][: len(found[0]) - len(found[0].lstrip())]
    return f"{lead}{sign}"


def _is_word(found: re.Match[str], text: str) -> bool:
    """Whether A is the article and I the pronoun."""
    after = text[found.end() :]
    verb = re.match(
        r"\s+(?:is|was|are|has|because|and|or|seems|as|since|with|but|would|must|can|cannot"
        r"|isn|looks|fits|und|oder|ist|est|et|ou|es|y|o|states|says|describes|matches|makes)\b",
        after,
    )
    return bool(_ARTICLE_AFTER.match(after)) and not verb


def _tokens(text: str) -> list[tuple[str, int]]:
    return [
        (LETTERS[ord(it) - _BASE], at)
        for at, it in enumerate(text)
        if 0 <= ord(it) - _BASE < len(LETTERS)
    ]


def _without_list(found: list[Sentence], number: int) -> list[Sentence]:
    """Without a repeated list of options, each with its text or a remark: it chooses nothing."""
    heads: dict[int, str] = {}
    for index, it in enumerate(found):
        tokens = _tokens(it.text)
        if tokens and not it.text[: tokens[0][1]].strip(" -*•(["):
            heads[index] = tokens[0][0]
    runs: list[int] = []
    for index in sorted(heads):
        if runs and ord(heads[index]) == ord(heads[runs[-1]]) + 1:
            runs.append(index)
        elif heads[index] == "A":
            runs = [index]
        elif len(runs) < min(number, 3):
            runs = []
        if len(runs) == number:
            break
    if len(runs) < max(2, min(number, 3)) or len({found[i].line for i in runs}) < len(runs):
        return found
    last_line = found[runs[-1]].line
    return [
        it for index, it in enumerate(found) if not (found[runs[0]].line <= it.line <= last_line)
    ]


def _in_order(found: list[Sentence], *, is_anchored: bool) -> list[Sentence]:
    if is_anchored:
        return found[:1]
    rest = list(reversed(found))
    for it in rest[:-1]:
        if CONCLUSION.match(it.text.strip(" *_")) and _tokens(it.text):
            return [it, *rest]
    is_last_bare = found[-1].is_alone and len(found) > 1 and _opens(found[-1].text)
    if _opens(found[0].text) and not is_last_bare and not _goes_through(found):
        return [found[0], *rest]
    return rest


def _goes_through(found: list[Sentence]) -> bool:
    """Whether the sentences take the options one by one."""
    heads = {_tokens(it.text)[0][0] for it in found if _opens(it.text)}
    return len(heads) >= _SEVERAL


_SEVERAL, _AT_START, _MOST = 3, 2, 12


def _opens(sentence: str) -> bool:
    """Whether a sentence is an option and no more, or calls one right."""
    tokens = _tokens(sentence)
    if not tokens:
        return False
    rest = sentence[tokens[0][1] + 1 :]
    before = sentence[: tokens[0][1]].strip(" \"'“*_`([")
    return not before and (
        is_fragment(sentence) or bool(_RIGHT.match(rest)) or rest[:1] in ".,:—–;"
    )


_RIGHT = re.compile(
    r"[\s\W]*(?:is|was|ist|est|es|would be|must be)\s+(?:\w+\s+)?(?:the\s+)?(?:right|correct"
    r"|true|best|answer|richtig|juste|correcta?|bonne)\b",
    re.IGNORECASE,
)
_WRONG = re.compile(
    r"[\s\"'”’*_`)]*(?:(?:is|was|are|ist|est|es|can be|looks|seems)\s+(?:not\b|n['’]t)"
    r"|[\s:—–(-]*(?:(?:is|was|are|ist|est|es|can be|looks|seems)\s+)?(?:also\s+|clearly\s+"
    r"|definitely\s+)?"
    r"(?:wrong|incorrect|false|excluded|eliminated|ruled out|out\b|falsch|fausse?))",
    re.IGNORECASE,
)
_ELIMINATED = re.compile(
    r"\b(?:eliminat\w*|discard\w*|exclud\w*|rul(?:e|ing|ed) out|reject\w*|cross(?:ing|ed)? out"
    r"|dismiss\w*)\b(?:(?!\b(?:leav\w*|so|therefore|hence|thus|left|remain\w*|gives?|choose"
    r"|answer)\b|[.;]).)*",
    re.IGNORECASE,
)
_PAUSE = re.compile(r",\s*|[;:—–(]|\bbut\b|\bsondern\b|\bmais\b|\bsino\b|\band\b")
_SPLIT = re.compile(
    rf"(?:[;:—–]|,)?\s*\b(?:{CONTRAST}|so|therefore|thus|hence)\b(?!\s+(?:than|of)\b)|;|而是|ではなく",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"(?<![\w'])(?:is|are|be|choose|pick|select|go with|say|answer|leaves|leaving|option"
    r"|it['’]s|that['’]s|lautet|ist|est|es|also)\s*(?:\w+\s+){0,2}[:(\"'“*_`]*$|[:=→]\s*$",
    re.IGNORECASE,
)


_REASON = re.compile(
    r"\b(?:because|since|given that|weil|parce que|porque)\b",
    re.IGNORECASE,
)
_AMONG = re.compile(r"\W*(?:between|among|out of|of|zwischen|entre)\b[^,;.]*[,;]", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]{3,}\)")


def _without_asides(text: str) -> str:
    """Without the options to choose among and what stands in brackets, where another is named."""
    among = _AMONG.match(text)
    if among and _tokens(text[among.end() :]):
        text = text[among.end() :]
    outside = _ASIDE.sub(" ", text)
    return outside if _tokens(outside) else text


def _of_sentence(sentence: str) -> tuple[str, ...]:
    """The options that a sentence chooses; none where it denies them all."""
    text = _without_asides(NOT_A_DENIAL.sub(" ", sentence))
    tokens = _tokens(text)
    if len(tokens) > _MOST:
        tokens = [*tokens[: _MOST // 2], *tokens[-_MOST // 2 :]]
    if not tokens or text.rstrip().endswith(("?", "？")):
        return ()
    kept = [(letter, at) for letter, at in tokens if not _is_denied(text, at)]
    if not kept:
        return ()
    reason = _REASON.search(text, kept[0][1])
    kept = [(letter, at) for letter, at in kept if reason is None or at < reason.start()]
    parts = [0, *(it.end() for it in _SPLIT.finditer(text))]
    for start in reversed(parts):
        within = [(letter, at) for letter, at in kept if at >= start]
        if within and (start == 0 or _turns(text, start, kept)):
            kept = within
            break
    return _settled(text, kept)


def _turns(text: str, start: int, kept: list[tuple[str, int]]) -> bool:
    before, after = text[:start], text[start:]
    if re.search(r"\b(?:so|therefore|thus|hence)\b\W*$", before, re.IGNORECASE):
        return True
    if before.endswith(";") and kept[0][1] <= _AT_START:
        return any(at >= start and _RIGHT.match(text, at + 1) for _, at in kept)
    if not any(at < start for _, at in kept):
        return True
    if any(
        at < start and (_RIGHT.match(text, at + 1) or _LINK.search(text[:at])) for _, at in kept
    ):
        return bool(CONCEDED.search(before))
    return bool(
        CONCEDED.search(before)
        or re.search(r"\b(?:is|was|are|has|ist|est|es)\b", after, re.IGNORECASE)
    )


def _settled(text: str, kept: list[tuple[str, int]]) -> tuple[str, ...]:
    letters = tuple(dict.fromkeys(letter for letter, _ in kept))
    if len(letters) == 1:
        return letters
    if _is_joined(text, kept):
        return letters
    right = [(letter, at) for letter, at in kept if _RIGHT.match(text, at + 1)]
    if right:
        return (right[-1][0],)
    linked = [(letter, at) for letter, at in kept if _LINK.search(text[:at])]
    if linked:
        return (linked[-1][0],)
    if kept[0][1] <= _AT_START:
        return (kept[0][0],)
    return (kept[-1][0],)


def _is_joined(text: str, kept: list[tuple[str, int]]) -> bool:
    for (one, left), (other, right) in pairwise(kept):
        if one == other:
            continue
        gap = text[left + 1 : right]
        if re.fullmatch(
            rf"[\s,\"'*_`()]*(?:(?:{OR}|{AND})\s+(?:maybe\s+|possibly\s+|perhaps\s+|also\s+"
            rf"|even\s+|the\s+)?|[/&+,])?[\s\"'*_`(]*",
            gap,
            re.IGNORECASE,
        ):
            return True
    return False


def _is_denied(text: str, at: int) -> bool:
    if DENIED_AFTER.match(text, at + 1) or _WRONG.match(text, at + 1):
        return True
    if NAMED_WRONG.search(text[:at]):
        return True
    if any(it.start() < at < it.end() for it in _ELIMINATED.finditer(text)):
        return True
    if re.search(rf"\w.*\b(?:{CONCESSION})\b[^,;.]*$", text[:at], re.IGNORECASE):
        return True
    before = _PAUSE.split(text[:at])[-1]
    if HEARSAY.search(before):
        return True
    return is_negative(before) or bool(ELSE.search(text[:at]))


def _readable(text: str, choices: Sequence[str]) -> str:
    """The sentence with letters, and texts where there are, in the place of the signs."""
    for index in range(26):
        shown = f"({LETTERS[index]})" + (f" {choices[index]}" if index < len(choices) else "")
        text = text.replace(chr(_BASE + index), shown)
    return text
