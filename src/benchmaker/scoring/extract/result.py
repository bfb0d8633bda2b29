# ruff: noqa: RUF001  the marks of other scripts
"""Selects the result among the numbers of a sentence, if there is one.

Numbers that are denied, compared with or mentioned in passing do not count. Among the others, the
result is the one after the last equals sign, otherwise the one after the last verb of result, next
to a word such as "altogether", or by position. Ranges and two numbers joined by "or" are not
results.
"""

import re
from dataclasses import dataclass

from benchmaker.scoring.extract.cues import AnyCase, Cue, whole_words
from benchmaker.scoring.extract.doubts import is_doubted, possible_doubts
from benchmaker.scoring.extract.number_lists import PlacedNumber, is_joined
from benchmaker.scoring.extract.phrases import (
    ARROW,
    CONCEDED,
    NOT,
    TOTAL,
    TURN,
)

SEVERAL = "it names several numbers"
DENIED = "it is denied"

_SPLIT = Cue(
    rf"{TURN}|;|而是|ではなく",
    (
        ";",
        "but",
        "however",
        "yet",
        "instead",
        "rather",
        "sondern",
        "aber",
        "jedoch",
        "mais",
        "cependant",
        "sino",
        "pero",
        "sin embargo",
        "ma",
        "bensì",
        "mas",
        "maar",
        "ale",
        "lecz",
        "но",
        "а",
        "而是",
        "ではなく",
    ),
)
_SIDE = Cue(
    (
        r"(?:,\s*(?:which|who|where|whereas|while|because|since|as|given|assuming|with|using"
        r"|leaving|including|or about|or roughly|or approximately|not"
        r"|compared|up from|down from|rounded|on|in|over|across|per|from|that is \d+ (?:more|less)"
        r"|i\.e|denn|weil|da|car|parce|porque|ya que|que))\b|\s+(?:because|since|given that"
        r"|assuming|so that|even though|"
        r"denn|weil|parce que|porque)\b"
    ),
    (
        ",",
        "so that",
        "because",
        "since",
        "given that",
        "assuming",
        "even though",
        "denn",
        "weil",
        "parce que",
        "porque",
    ),
)
_FRONT = re.compile(
    r"\s*(?:if|when|since|given|because|with|as|for|after|in|at|from|of|by|on|out of|once"
    r"|using|starting|considering|assuming|wenn|da|bei|mit|nach|si|avec|con|après"
    r"|puisque)\b[^,]*,\s*",
    re.IGNORECASE,
)
_VERBS = (
    r"is|are|was|were|be|equals?|makes?|gives?|yields?|totals?|totall?ed"
    r"|comes? (?:out )?to|came (?:out )?to|amounts? to|works out to|adds? up to|results? in"
    r"|leaves?|becomes?"
    r"|ist|sind|war|beträgt|ergibt|macht|lautet|est|sont|fait|donne|égale|vaut|es|son|da"
    r"|equivale a|è|sono|fa|é|são|dá|это|равно|составляет|هو|هي|يساوي"
)
_RESULT = AnyCase(rf"{whole_words(_VERBS)}|'s\b|’s\b|是|为|等于|は|共有|{ARROW}|≈|≃|=")
_HAS = AnyCase(
    r"(?=[hngbotieи])(?<![\w'])(?:have|has|had|needs?|needed|get|gets|got|hat|haben|braucht|brauchen"
    r"|ont|tienen|tiene|hay|hanno|ha|tem|têm|имеют|имеет|there are|es gibt|il y a)(?![\w'])"
    r"|有|ある|あり"
)
_RELATIVE = re.compile(
    r"\b(?:than|by|unlike|instead of|rather than|out of|of the|compared (?:to|with)|from"
    r"|times as \w+ as|step|question|problem|option|part|day|week|year|chapter|als|que"
    r"|de)\s*[$€£¥]?\s*$|(?:步骤|第)\s*$",
    re.IGNORECASE,
)
_ALSO = Cue(
    (
        r"(?:,\s*|\band\s+|\s)(?:so|thus|therefore|hence|which (?:means|gives|makes|is|equals)"
        r"|that(?:['’]s| is| makes| leaves| gives)|also|daher|somit|donc|así que|por lo tanto|所以"
        r"|因此)\b"
    ),
    (
        "so",
        "thus",
        "therefore",
        "hence",
        "which",
        "that",
        "also",
        "daher",
        "somit",
        "donc",
        "así",
        "por lo",
        "所以",
        "因此",
    ),
)


def find_result(
    ready: str, found: list[PlacedNumber], *, is_anchored: bool = False
) -> tuple[PlacedNumber | None, str]:
    """Return the number that is the result of a sentence in digits; None, with a reason.

    ``is_anchored`` is true if the sentence follows an answer mark: without a verb of result the
    first number counts.
    """
    doubts = possible_doubts(ready)
    kept = [it for it in found if not is_doubted(ready, it, doubts)] if doubts else found
    if not kept:
        return None, DENIED
    start, end = _part(ready, kept)
    within = [it for it in kept if start <= it.start < end] or kept
    if is_anchored and not _RESULT.occurs(ready, start, end):
        pick = within[0]
    else:
        pick = _pick(ready, within, start, end)
    if is_joined(ready, kept, pick) or ready[: pick.start].rstrip().endswith("±"):
        return None, SEVERAL
    made, why = _resolve_expression(ready, kept, pick)
    return (made, why) if made else _leftover_result(ready, found, end, why)


def _leftover_result(
    ready: str, found: list[PlacedNumber], end: int, why: str
) -> tuple[PlacedNumber | None, str]:
    """The number that a sum leads to in the words behind it: "half of $200, leaving $100"."""
    leads = _LEADS.match(ready, end)
    if leads is None:
        return None, why
    doubts = possible_doubts(ready)
    later = [it for it in found if it.start >= leads.end()]
    behind = [it for it in later if not is_doubted(ready, it, doubts)]
    if not behind or is_joined(ready, behind, behind[0]):
        return None, why
    return _resolve_expression(ready, behind, behind[0])


_LEADS = re.compile(
    r",?\s*(?:leaving|which leaves|making|giving|yielding|totall?ing)\b", re.IGNORECASE
)


def _resolve_expression(
    ready: str, kept: list[PlacedNumber], pick: PlacedNumber
) -> tuple[PlacedNumber | None, str]:
    """The number, or the one that its expression equals: 42 in "42 = 6 * 7", none in "18 + 2"."""
    if not _is_operand(ready, kept, pick):
        return pick, ""
    left = [it for it in kept if it.end <= pick.start and _EQUALS.match(ready, it.end, pick.start)]
    if left and not _is_operand(ready, kept, left[-1]):
        return left[-1], ""
    return None, UNFINISHED


def _is_operand(ready: str, kept: list[PlacedNumber], it: PlacedNumber) -> bool:
    """True if a number is part of an expression without a computed result."""
    if _OPERATOR_BEFORE.may_hold(ready) and _OPERATOR_BEFORE.search(_text_before(ready, it)):
        return True
    if _OPERATOR_AFTER.match(ready, it.end):
        return True
    later = next((other for other in kept if other.start >= it.end), None)
    if later is None:
        return False
    operator = _OF if it.number.share is not None or "/" in it.number.text else _OPERATOR
    return bool(operator.fullmatch(ready, it.end, later.start))


_EQUALS = re.compile(r"\s*(?:=|is|equals)\s[^\d.;]{0,20}\Z|\s*(?:=|is|equals)\s*", re.IGNORECASE)
_OPERATOR = re.compile(
    r"\s*(?:[+*×·÷]|plus|minus|less|times|divided by|multiplied by|mal|geteilt durch"
    r"|to the power of)\s*[$€£(]?\s*",
    re.IGNORECASE,
)
_OF = re.compile(rf"(?:{_OPERATOR.pattern})|\s+of\s+[$€£]?", re.IGNORECASE)
_OPERATOR_BEFORE = Cue(
    (r"\b(?:twice|thrice|(?:half|double|triple|(?:a )?(?:third|quarter)|(?:the )?(?:square|cube"
        r"|square root|cube root|factorial|logarithm|reciprocal|inverse) )(?: ?of)?"
        r"|(?:third|quarter|fourth|fifth|sixth|seventh|eighth|ninth|tenth)s? of)\s*[$€£]?\s*\Z"),
    (
        "twice", "thrice", "half", "double", "triple", "third", "quarter", "square", "cube",
        "factorial", "logarithm", "reciprocal", "inverse", "fourth", "fifth", "sixth", "seventh",
        "eighth", "ninth", "tenth",
    ),
)  # fmt: skip
_OPERATOR_AFTER = re.compile(r"\s*(?:squared|cubed|factorial)\b", re.IGNORECASE)
UNFINISHED = "it states a sum and not its result"


def _part(ready: str, kept: list[PlacedNumber]) -> tuple[int, int]:
    """The part of the sentence that states the result: conceded and side remarks are cut off."""
    start, end = 0, len(ready)
    for mark in (_SPLIT, _ALSO):
        for it in mark.finditer(ready):
            if any(it.end() <= number.start for number in kept) and (
                _goes_on(ready, it) if mark is _ALSO else _turns(ready, it, kept)
            ):
                start = max(start, it.end())
    start = _restatement_start(ready, start, kept)
    front = _FRONT.match(ready, start)
    if front and any(front.end() <= number.start for number in kept):
        start = front.end()
    for it in _SIDE.finditer(ready, start):
        if any(start <= number.start and number.end <= it.start() for number in kept):
            end = it.start()
            break
    return start, end


def _restatement_start(ready: str, start: int, kept: list[PlacedNumber]) -> int:
    """Return the start of the result after a difference: the 18 of "$14 less, i.e. $18"."""
    for it in _RESTATES.finditer(ready, start) if "," in ready else ():
        before = [number for number in kept if start <= number.start < it.start()]
        behind = next((number for number in kept if number.start >= it.end()), None)
        if behind is None or not before or not _DIFFERENCE.search(ready, start, it.start()):
            continue
        if not _restates_difference(ready, before[-1], behind):
            return it.end()
    return start


def _restates_difference(ready: str, difference: PlacedNumber, behind: PlacedNumber) -> bool:
    """True if a number restates the difference: "$14 less, i.e. $2 per day".

    A number larger than the difference is not a share of it: "$14 less, i.e. $18 per day".
    """
    if _IS_DIFFERENCE.match(ready, behind.end):
        return True
    is_smaller = abs(behind.number.value or 0.0) <= abs(difference.number.value or 0.0)
    return is_smaller and _IS_SHARE.match(ready, behind.end) is not None


_RESTATES = re.compile(
    r",\s*(?:i\.\s?e\.|that is\b(?=,|\s+[$€£¥\d])|meaning\b|in other words\b|d\.\s?h\.|das heißt\b"
    r"|c['’]est-à-dire\b|es decir\b)[,:]?",
    re.IGNORECASE,
)
_DIFFERENCE = re.compile(
    r"\d[^\s\d]*\s+(?:\w+\s+)?(?:less|more|fewer|off|cheaper|dearer|extra|lower|higher|discount"
    r"|reduction|rebate|increase|decrease|rise|weniger|mehr|rabatt|de moins|de plus|menos|más)\b"
    r"(?!\s+(?:than|als|que)\b)"
    r"|\b(?:saves?|saved|(?:discount|reduction|rebate|increase|decrease|rise) of|spart"
    r"|économise|ahorra)\s+[$€£¥]?\d",
    re.IGNORECASE,
)
_IS_SHARE = re.compile(
    r"[^\d,.;]{0,20}?\b(?:per|each|every|apiece|an?|pro|je|par|por)\b", re.IGNORECASE
)
_IS_DIFFERENCE = re.compile(r"[^\d,.;]{0,20}?\b(?:more|less|fewer)\b", re.IGNORECASE)


def _goes_on(ready: str, it: re.Match[str]) -> bool:
    """True if a conclusion leads to the result; "which is" does so if none was stated before."""
    return "which" not in it[0].lower() or not _RESULT.occurs(ready, 0, it.start())


def _turns(ready: str, it: re.Match[str], kept: list[PlacedNumber]) -> bool:
    before, after = ready[: it.start()], ready[it.end() :]
    if not any(number.end <= it.start() for number in kept):
        return True
    return bool(CONCEDED.search(before) or NOT.search(before)) or bool(
        re.match(
            r"\W*(?:the|it|that|this|actual\w*|correct)\b.*\b(?:is|was|are)\b", after, re.IGNORECASE
        )
        and not _RESULT.occurs(before)
    )


_NEAR = 40
_OF_WHOLE = Cue(
    r"\d\w*\s+(?:\w+\s+)?(?:out )?of (?:the|those|these|all|his|her|their)\s+$",
    ("of ",),
)
_ASIDE = re.compile(
    r"\w+\s+(?:for|in|on|per|with|at|by|from|over|across|after|among|between|für|auf|pour|dans"
    r"|para|en)\b(?!\s+(?:total|all))",
    re.IGNORECASE,
)


def _pick(ready: str, within: list[PlacedNumber], start: int, end: int) -> PlacedNumber:
    """The number that is the result: by an equals sign, a verb, a word such as "total", a place."""
    if len(within) == 1:
        return within[0]
    rest = within
    if _OF_WHOLE.may_hold(ready):
        rest = [it for it in within if not _OF_WHOLE.search(_text_before(ready, it))] or within
    clause = _Clause(ready, rest, start, end)
    return (
        clause.after_equals() or clause.after_verb() or clause.beside_total() or clause.by_place()
    )


def _text_before(ready: str, it: PlacedNumber, start: int = 0) -> str:
    return ready[max(start, it.start - _NEAR) : it.start]


@dataclass(frozen=True, slots=True)
class _Clause:
    """The part of a sentence that states the result, and its numbers."""

    ready: str
    numbers: list[PlacedNumber]
    start: int
    end: int

    def after_equals(self) -> PlacedNumber | None:
        """The number behind the last equals sign, where no verb follows it."""
        equals = max(self.ready.rfind(sign, self.start, self.end) for sign in ("=", "≈"))
        after = self._numbers_after(equals) if equals >= 0 else []
        if not after:
            return None
        verbs = [
            it for it in self._verbs() if it.start() > equals and self._numbers_after(it.end())
        ]
        return None if verbs else after[0]

    def after_verb(self) -> PlacedNumber | None:
        """The number behind the last verb of result; else behind the last of having."""
        for verb in reversed(self._verbs()):
            after, before = self._numbers_after(verb.end()), self._numbers_until(verb.start())
            if after and before and _ASIDE.search(self.ready, verb.end(), after[0].start):
                return before[0]
            if after:
                return after[0]
        having = list(_HAS.finditer(self.ready, self.start, self.end))
        behind = [after for it in having if (after := self._numbers_after(it.end()))]
        return behind[-1][0] if behind else None

    def beside_total(self) -> PlacedNumber | None:
        """The number that is nearest to a word such as "altogether"."""
        totals = list(TOTAL.finditer(self.ready, self.start, self.end))
        if not totals:
            return None
        begin, stop = totals[-1].span()
        return min(self.numbers, key=lambda it: min(abs(it.start - stop), abs(begin - it.end)))

    def by_place(self) -> PlacedNumber:
        """The last number where the clause begins with an adverbial, else the first."""
        if _ADVERBIAL.match(self.ready, self.start):
            return self.numbers[-1]
        usable = [
            it
            for it in self.numbers
            if not _RELATIVE.search(_text_before(self.ready, it, self.start))
        ]
        return (usable or self.numbers)[0]

    def _verbs(self) -> list[re.Match[str]]:
        return list(_RESULT.finditer(self.ready, self.start, self.end))

    def _numbers_after(self, place: int) -> list[PlacedNumber]:
        return [it for it in self.numbers if it.start >= place]

    def _numbers_until(self, place: int) -> list[PlacedNumber]:
        return [it for it in self.numbers if it.end <= place]


_ADVERBIAL = re.compile(
    r"\s*(?:in|on|with|for|after|at|from|of|by|each|every|per)\b", re.IGNORECASE
)
