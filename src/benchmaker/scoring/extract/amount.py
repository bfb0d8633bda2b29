# ruff: noqa: RUF001  the marks of other scripts
"""The number that a reply states as its result, found without the expected one.

The reply is split into sentences; the deciding one is a conclusion, a short opening answer, or the
last with a number. Bold text in it takes precedence.
"""

import re
from dataclasses import dataclass

from benchmaker.scoring.extract.calculation import is_start
from benchmaker.scoring.extract.cues import Cue
from benchmaker.scoring.extract.discourse import GIVEN_UP
from benchmaker.scoring.extract.doubts import PAUSE
from benchmaker.scoring.extract.marks import find_emphasised, strip_marks
from benchmaker.scoring.extract.number_lists import PlacedNumber
from benchmaker.scoring.extract.number_words import to_figures
from benchmaker.scoring.extract.phrases import ANSWER, CONCLUSION, NOT, NOT_A_DENIAL, RESULT
from benchmaker.scoring.extract.reply import shorten_reply
from benchmaker.scoring.extract.restated import drop_restatements
from benchmaker.scoring.extract.result import find_result
from benchmaker.scoring.extract.sentences import Sentence, after_correction, sentences
from benchmaker.scoring.numbers import Number, locate_numbers
from benchmaker.scoring.symbols import to_plain_signs


@dataclass(frozen=True, slots=True)
class Amount:
    """A reply's stated number, or the reason why there is none.

    ``also`` is the same quantity in another unit: the 120 of "2 hours (120 minutes)".
    """

    number: Number | None
    text: str
    why: str = ""
    also: tuple[Number, ...] = ()


NONE = Amount(None, "", "it states no number")


def stated_amount(reply: str) -> Amount:
    """The number that a reply without a mark of an answer states.

    >>> stated_amount("So the total is 42 apples, in 3 boxes.").number.value
    42
    >>> stated_amount("It is either 42 or 43.").why
    'it names several numbers'
    """
    text = after_correction(shorten_reply(reply, head=200, tail=500))
    found = sentences(text)
    if not found:
        return NONE
    if _declines(text, found[-1]) and not _is_short(found[0].text):
        return Amount(None, found[-1].text, "it declines to answer")
    for it in _rank_sentences(found):
        amount = amount_of_sentence(_end_of(it.text))
        if amount.number is not None or amount.why != NONE.why:
            return amount
    return NONE


def _declines(text: str, last: Sentence) -> bool:
    return GIVEN_UP.may_hold(text) and GIVEN_UP.search(last.text) is not None


def _end_of(sentence: str) -> str:
    """Return the end of a long sentence, which holds its result."""
    end = sentence[-_LONGEST:]
    if len(sentence) <= _LONGEST or not any(map(str.isdigit, end)):
        return sentence
    return end.partition(" ")[2] or end


_LONGEST = 240


def _rank_sentences(found: list[Sentence]) -> list[Sentence]:
    """The sentences by their claim to decide."""
    found = _without_side_fields(found)
    found = _without_background(found) if len(found) > 1 else found
    deciding = _find_conclusion(found) or _find_closing_answer(found) or _find_opening_answer(found)
    rest = list(reversed(found))
    return [deciding, *rest] if deciding else rest


def _without_side_fields(found: list[Sentence]) -> list[Sentence]:
    """Without the fields about the reply itself that follow the field of a total."""
    end = len(found)
    while end > 1 and _SIDE_FIELD.match(found[end - 1].text):
        end -= 1
    is_total = end < len(found) and _TOTAL_FIELD.match(found[end - 1].text)
    return found[:end] if is_total else found


def _without_background(found: list[Sentence]) -> list[Sentence]:
    """Drop a last sentence about the initial state if the one before it states the rest."""
    if not _AT_FIRST.search(found[-1].text):
        return found
    before = found[-2].text
    is_rest = _REST.search(before) and _has_number(before) and not _AT_FIRST.search(before)
    return found[:-1] if is_rest and not CONCLUSION.match(found[-1].text.strip(" *_")) else found


_REST = re.compile(
    r"\b(?:left|remain(?:s|ed|ing)?|leftover|keeps?|ends? up with|übrig|bleib\w*|rest\w{1,3}"
    r"|queda\w*)\b",
    re.IGNORECASE,
)
_AT_FIRST = Cue(
    (r"\b(?:start(?:s|ed)?(?: out| off)? with|beg[ai]n(?:s)? with|began|originally|initially"
        r"|at first|at the (?:start|beginning|outset)|to begin with|beforehand|anfangs|ursprünglich"
        r"|zu beginn|au départ|au début|al principio|inicialmente)\b"),
    (
        "start", "beg", "origin", "initial", "at first", "outset", "beforehand", "anfangs",
        "rünglich", "au d", "al principio", "inicial",
    ),
)  # fmt: skip
_TOTAL_FIELD = re.compile(
    rf"[\W_]*(?:\w+\s+){{0,3}}(?:total|sum|{ANSWER}|{RESULT})\b[^:=\n\d]{{0,40}}[:=]", re.IGNORECASE
)
_SIDE_FIELD = re.compile(
    r"[\W_]*(?:time|duration|elapsed|processing|thinking|confidence|certainty|tokens?|steps?"
    r"|difficulty|level|attempts?|iterations?|model|date)\b[^:=\n\d]{0,30}:[^=]*\Z",
    re.IGNORECASE,
)


def _find_conclusion(found: list[Sentence]) -> Sentence | None:
    """Return the last concluding sentence, unless a short answer follows it."""
    for it in reversed(found[1:]):
        if CONCLUSION.match(it.text.strip(" *_")) and _has_number(it.text):
            closing = _find_closing_answer(found)
            return it if closing in {None, it} else None
    return None


def _find_closing_answer(found: list[Sentence]) -> Sentence | None:
    """Return the last sentence if it is a short answer on its own line."""
    last = found[-1]
    is_alone = len(found) > 1 and last.is_alone and not last.is_item
    return last if is_alone and _is_short(last.text) and _has_number(last.text) else None


def _find_opening_answer(found: list[Sentence]) -> Sentence | None:
    """The first sentence, where it is a short answer and neither a step nor part of a list."""
    first = found[0].text
    is_answer = _is_short(first) and _has_number(first) and not _STEPPED.match(first)
    is_alone = is_answer and not _is_in_list(found) and not is_start(found)
    return found[0] if is_alone else None


def _is_in_list(found: list[Sentence]) -> bool:
    """True if the first sentence is one item of a list, or a field that leads to a sum."""
    if found[0].is_item:
        return sum(it.is_item and _has_number(it.text) for it in found) > 1
    is_record = all(it.is_alone and _VALUE.match(it.text) for it in found)
    return is_record and "=" in found[-1].text


_VALUE = re.compile(r"[\W_]*[^\W\d][^:=\n]{0,40}:[*_\s]*[^\n]*\d")


_STEPPED = re.compile(r"\W*(?:step|schritt|étape|paso)\b|\W*\d+[.)]\s+\D", re.IGNORECASE)


def _has_number(text: str) -> bool:
    return any(it.isdigit() for it in text) or bool(_numbers(text)[1])


_VERB = re.compile(
    r"(?<![\w'])(?:is|are|was|were|be|has|have|had|does|do|did|will|can|could|would|should|may"
    r"|must|equals?|gives?|makes?|ist|sind|war|hat|est|sont|es|son|hay|we|i|they|she|he|it|you"
    r"|let|if|each|add|then|first|subtract|multiply|divide"
    r"|\w+ed|takes|needs|gets|sells|buys|pays|costs|earns|holds|makes|runs|drives|walks|eats"
    r"|wants|says)(?![\w'])|['’]s\b|=",
    re.IGNORECASE,
)


_FEW_WORDS = 6


def _is_short(text: str) -> bool:
    """True if it is a bare answer: a number with its unit."""
    return (
        len(text.split()) <= _FEW_WORDS
        and not _VERB.search(strip_marks(text))
        and not text.rstrip("*_ ").endswith((":", "?"))
    )


def _numbers(text: str) -> tuple[str, list[PlacedNumber]]:
    """The text in figures and its numbers; small number words count where nothing else is one."""
    ready = to_figures(to_plain_signs(text))
    found = [PlacedNumber(*it) for it in locate_numbers(ready) if it[0].value is not None]
    if not found:
        ready = to_figures(to_plain_signs(text), small=True)
        found = [PlacedNumber(*it) for it in locate_numbers(ready) if it[0].value is not None]
    return ready, found


def amount_of_sentence(sentence: str, *, is_anchored: bool = False) -> Amount:
    """The number that one sentence states.

    >>> amount_of_sentence("The temperature was minus 5 degrees").number.value
    -5
    """
    if sentence.rstrip("*_ ").endswith(("?", "？")):
        return NONE
    bold = [it for it in find_emphasised(sentence) if any(ch.isdigit() for ch in it)]
    whole = drop_restatements(strip_marks(NOT_A_DENIAL.sub(" ", sentence)))
    text = _without_parentheses(whole.text)
    if (
        bold
        and not is_anchored
        and len(bold) == 1
        and not _is_denied_before(text, strip_marks(bold[0]))
    ):
        text = drop_restatements(strip_marks(bold[0])).text
    if _CHANCE.search(text):
        text = _ONE_IN.sub(r"\1/\2", text)
    ready, found = _numbers(text)
    if not found:
        return NONE
    pick, why = find_result(ready, found, is_anchored=is_anchored)
    if pick is None:
        return Amount(None, sentence, why)
    return Amount(pick.number, pick.number.text, also=whole.equal_numbers(pick.number))


_CHANCE = Cue(
    r"probabilit|chance|odds|likelihood|wahrscheinlichkeit",
    ("prob", "chance", "odds", "likel", "wahrsch"),
)
_ONE_IN = re.compile(r"\b(\d+) (?:in|out of) (\d+)\b")


def _is_denied_before(text: str, bold: str) -> bool:
    at = text.find(bold)
    return at >= 0 and bool(NOT.search(PAUSE.split(text[:at])[-1]))


_PARENTHESIS = re.compile(r"\([^()]*\)")


def _without_parentheses(text: str) -> str:
    if "(" not in text:
        return text
    rest = _PARENTHESIS.sub(lambda it: " " if _is_remark(it) else it[0], text)
    return rest if _holds_digit(rest) or not _holds_digit(text) else text


def _is_remark(found: re.Match[str]) -> bool:
    """True if the brackets hold words, or a measure other than the final result: "(1500 m)"."""
    if _WORDS.search(found[0]):
        return True
    text, start = found.string, found.start()
    is_last = not _LETTER.search(text, found.end())
    is_result = is_last and not _MEASURED.search(text, max(start - _NEAR, 0), start)
    return bool(_UNIT.search(found[0])) and not is_result


_NEAR = 16
_WORDS = re.compile(r"[A-Za-z=≈]{2}|=")
_UNIT = re.compile(r"[^\W\d_]|[%°$€£¥]")
_LETTER = re.compile(r"[^\W\d_]")
_MEASURED = re.compile(r"\d[\s%°]*+[^\W\d_]{0,3}\s*\Z")


def _holds_digit(text: str) -> bool:
    return any(map(str.isdigit, text))
