# ruff: noqa: RUF001  the marks of other scripts
"""The number that a reply states as its result, read without knowing the expected one.

The reply is read in sentences; the one that decides is a concluding one, a short answer that opens
the reply, or the last that holds a number. In it, numbers that are denied, compared with or given
in passing do not count; what is set in bold does first, then what stands after the last equals sign
or the last verb of result. Ranges and two numbers joined by "or" are no answer.
"""

import re
from dataclasses import dataclass

from benchmaker.scoring.extract.cues import Cue
from benchmaker.scoring.extract.marks import bare, emphasised
from benchmaker.scoring.extract.number_words import in_figures
from benchmaker.scoring.extract.phrases import (
    CONCEDED,
    CONCESSION,
    CONCLUSION,
    CONTRAST,
    GIVEN_UP,
    NOT,
    NOT_A_DENIAL,
)
from benchmaker.scoring.extract.reply import shortened
from benchmaker.scoring.extract.sentences import Sentence, after_correction, sentences
from benchmaker.scoring.numbers import Number, placed_numbers
from benchmaker.scoring.signs import plain


@dataclass(frozen=True, slots=True)
class Placed:
    """A number of a sentence and where it stands."""

    number: Number
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Amount:
    """What a reply states: one number, or none and why."""

    number: Number | None
    text: str
    why: str = ""


NONE = Amount(None, "", "it states no number")
SEVERAL = "it names several numbers"

_SPLIT = Cue(
    re.compile(
    rf"(?:[;:—–]|,)?\s*\b(?:{CONTRAST})\b(?!\s+(?:than|of)\b)|;|而是|ではなく", re.IGNORECASE
),
    (";", "but", "however", "yet", "instead", "rather", "sondern", "aber", "jedoch", "mais", "cependant", "sino", "pero", "sin embargo", "ma", "bensì", "mas", "maar", "ale", "lecz", "но", "а", "而是", "ではなく"),
)
_PAUSE = re.compile(r",\s+|[;:—–(]|，|\bbut\b|\bsondern\b|\bmais\b|\bsino\b|而是|ではなく")
_SIDE = Cue(
    re.compile(
    r"(?:,\s*(?:which|who|where|whereas|while|because|since|as|given|assuming|with|using"
    r"|leaving|including|or about|or roughly|or approximately|not"
    r"|compared|up from|down from|rounded|on|in|over|across|per|from|that is \d+ (?:more|less)"
    r"|i\.e|denn|weil|da|car|parce|porque|ya que|que))\b|\s+(?:because|since|given that"
    r"|assuming|so that|even though|"
    r"denn|weil|parce que|porque)\b",
    re.IGNORECASE,
),
    (",", "because", "since", "given", "assuming", "even", "denn", "weil", "parce", "porque"),
)
_FRONT = re.compile(
    r"\s*(?:if|when|since|given|because|with|as|for|after|in|at|from|of|by|on|out of|once"
    r"|using|starting|considering|assuming|wenn|da|bei|mit|nach|si|avec|con|après"
    r"|puisque)\b[^,]*,\s*",
    re.IGNORECASE,
)
_RESULT = re.compile(
    r"(?<![\w'])(?:is|are|was|were|be|equals?|makes?|gives?|yields?|totals?|totall?ed"
    r"|comes? (?:out )?to|came (?:out )?to|amounts? to|works out to|adds? up to|results? in"
    r"|leaves?|becomes?"
    r"|ist|sind|war|beträgt|ergibt|macht|lautet|est|sont|fait|donne|égale|vaut|es|son|da"
    r"|equivale a|è|sono|fa|é|são|dá|это|равно|составляет|هو|هي|يساوي)(?![\w'])|['’]s\b|是|为|等于"
    r"|は|共有|→|⇒|->|=>|≈|≃|=",
    re.IGNORECASE,
)
_HAS = Cue(
    re.compile(
    r"(?<![\w'])(?:have|has|had|needs?|needed|get|gets|got|hat|haben|braucht|brauchen|ont|tienen"
    r"|tiene|hay|hanno|ha|tem|têm|имеют|имеет|there are|es gibt|il y a)(?![\w'])|有|ある|あり",
    re.IGNORECASE,
),
    ("ha", "need", "get", "got", "brauch", "ont", "tien", "t", "има", "име", "es gibt", "il y a", "有", "ある", "あり"),
)
_JOINED = re.compile(
    r"(?:[^\d\n.;=]{0,25}?(?<!\w)(?:or|oder|ou|o|или|або|أو)\s[^\d\n.;=]{0,25}|\s*(?:-|~|～|to"
    r"|bis|à|a|al|hasta|至|到|から)\s*[$€£¥]?\s*|.{0,20}(?:或者?|还是|または)\s*.{0,4}|\s*/\s*)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"\b(?:between|zwischen|entre|tra|fra|somewhere from|anywhere from|both|either)\b|介于",
    re.IGNORECASE,
)
_AND = re.compile(r"[^\d\n.;=]{0,20}\b(?:and|und|et|y|e)\b\s[^\d\n.;=]{0,10}", re.IGNORECASE)
_RELATIVE = re.compile(
    r"\b(?:than|by|unlike|instead of|rather than|out of|of the|compared (?:to|with)|from"
    r"|times as \w+ as|step|question|problem|option|part|day|week|year|chapter|als|que"
    r"|de)\s*[$€£¥]?\s*$|(?:步骤|第)\s*$",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"^\W{0,3}(?:more|less|fewer|greater|higher|lower|larger|smaller|mehr|weniger|de plus"
    r"|de moins|más|menos)\b.{0,20}\b(?:than|als|que)\b",
    re.IGNORECASE,
)
_TOTAL = Cue(
    re.compile(
    r"\b(?:altogether|in total|in all|total|overall|left|remain(?:s|ing)?|insgesamt|zusammen"
    r"|übrig|au total|en tout|en total|in totale)\b|一共|总共|合計|全部",
    re.IGNORECASE,
),
    ("altogether", "in total", "in all", "total", "overall", "left", "remain", "insgesamt", "zusammen", "übrig", "en tout", "共", "合計", "全部"),
)
_ALSO = Cue(
    re.compile(
    r"(?:,\s*|\band\s+|\s)(?:so|thus|therefore|hence|which (?:means|gives|makes|is|equals)"
    r"|that(?:['’]s| is| makes| leaves| gives)|also|daher|somit|donc|así que|por lo tanto|所以"
    r"|因此)\b",
    re.IGNORECASE,
),
    ("so", "thus", "therefore", "hence", "which", "that", "also", "daher", "somit", "donc", "así", "por lo", "所以", "因此"),
)
_QUESTION_OF = re.compile(r"^\W*(?:%|percent)?\s*of\s+(?:the\s+)?[$€£]?\d", re.IGNORECASE)


def stated_amount(reply: str) -> Amount:
    """The number that a reply without a mark of an answer states.

    >>> stated_amount("So the total is 42 apples, in 3 boxes.").number.value
    42
    >>> stated_amount("It is either 42 or 43.").why
    'it names several numbers'
    """
    found = sentences(after_correction(shortened(reply, head=500, tail=900)))
    if not found:
        return NONE
    if GIVEN_UP.search(found[-1].text) and not _is_short(found[0].text):
        return Amount(None, found[-1].text, "it declines to answer")
    for it in _in_order(found):
        amount = of_sentence(_end_of(it.text))
        if amount.number is not None or amount.why != NONE.why:
            return amount
    return NONE


def _end_of(sentence: str) -> str:
    """The end of a long sentence, where its result stands."""
    end = sentence[-_LONGEST:]
    if len(sentence) <= _LONGEST or not any(map(str.isdigit, end)):
        return sentence
    return end.partition(" ")[2] or end


_LONGEST = 240


def _in_order(found: list[Sentence]) -> list[Sentence]:
    """The sentences by their claim to decide."""
    last = len(found) - 1
    concluding = [
        it
        for it in reversed(found)
        if CONCLUSION.match(it.text.strip(" *_")) and _has_number(it.text)
    ]
    rest = list(reversed(found))
    if concluding and (found.index(concluding[0]) > 0) and not _later_alone(found, concluding[0]):
        return [concluding[0], *rest]
    if (
        last
        and found[last].is_alone
        and not found[last].is_item
        and _is_short(found[last].text)
        and _has_number(found[last].text)
    ):
        return [found[last], *rest]
    if (
        _is_short(found[0].text)
        and _has_number(found[0].text)
        and not _STEPPED.match(found[0].text)
    ):
        return [found[0], *rest]
    return rest


_STEPPED = re.compile(r"\W*(?:step|schritt|étape|paso)\b|\W*\d+[.)]\s+\D", re.IGNORECASE)


def _later_alone(found: list[Sentence], one: Sentence) -> bool:
    last = found[-1]
    return (
        last is not one
        and last.is_alone
        and not last.is_item
        and _is_short(last.text)
        and _has_number(last.text)
    )


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


def _is_short(text: str) -> bool:
    """Whether it is a bare answer: a number with its unit."""
    return (
        len(text.split()) <= 6
        and not _VERB.search(bare(text))
        and not text.rstrip("*_ ").endswith((":", "?"))
    )


def _numbers(text: str) -> tuple[str, list[Placed]]:
    """The text in figures and its numbers; small number words count where nothing else is one."""
    ready = in_figures(plain(text))
    found = [Placed(*it) for it in placed_numbers(ready) if it[0].value is not None]
    if not found:
        ready = in_figures(plain(text), small=True)
        found = [Placed(*it) for it in placed_numbers(ready) if it[0].value is not None]
    return ready, found


def of_sentence(sentence: str, *, is_anchored: bool = False) -> Amount:
    """The number that one sentence states.

    >>> of_sentence("The temperature was minus 5 degrees").number.value
    -5
    """
    if sentence.rstrip("*_ ").endswith(("?", "？")):
        return NONE
    bold = [it for it in emphasised(sentence) if any(ch.isdigit() for ch in it)]
    text = bare(NOT_A_DENIAL.sub(" ", sentence))
    text = _without_parentheses(text)
    if bold and not is_anchored and len(bold) == 1 and not _is_denied_before(text, bare(bold[0])):
        text = bare(bold[0])
    if _CHANCE.search(text):
        text = _ONE_IN.sub(r"\1/\2", text)
    ready, found = _numbers(text)
    if not found:
        return NONE
    return _chosen(ready, found, sentence, is_anchored=is_anchored)


_CHANCE = Cue(
    re.compile(r"probabilit|chance|odds|likelihood|wahrscheinlichkeit", re.IGNORECASE),
    ("prob", "chance", "odds", "likel", "wahrsch"),
)
_ONE_IN = re.compile(r"\b(\d+) (?:in|out of) (\d+)\b")


def _is_denied_before(text: str, bold: str) -> bool:
    at = text.find(bold)
    return at >= 0 and bool(NOT.search(_PAUSE.split(text[:at])[-1]))


_PARENTHESIS = re.compile(r"\([^()]*\)")


def _without_parentheses(text: str) -> str:
    if "(" not in text:
        return text
    rest = _PARENTHESIS.sub(lambda it: " " if re.search(r"[A-Za-z=≈]{2}|=", it[0]) else it[0], text)
    return (
        rest if any(it.isdigit() for it in rest) or not any(it.isdigit() for it in text) else text
    )


def _chosen(ready: str, found: list[Placed], sentence: str, *, is_anchored: bool) -> Amount:
    kept = [it for it in found if not _is_off(ready, it)]
    if not kept:
        return Amount(None, sentence, "it is denied" if found else NONE.why)
    start, end = _part(ready, kept)
    within = [it for it in kept if start <= it.start < end] or kept
    if is_anchored and not _RESULT.search(ready[start:end]):
        pick = within[0]
    else:
        pick = _pick(ready, within, start, end)
    if _is_joined(ready, kept, pick):
        return Amount(None, sentence, SEVERAL)
    return Amount(pick.number, pick.number.text)


def _is_off(ready: str, it: Placed) -> bool:
    """Whether a number is denied or only compared with."""
    before, after = ready[max(0, it.start - _REACH) : it.start], ready[it.end : it.end + _REACH]
    if NOT.may_hold(before) and len(NOT.findall(_PAUSE.split(before)[-1])) % 2 == 1:
        return True
    if _DENIED.match(after):
        return True
    if (limited := _LIMITED.search(before)) and any(
        ch.isdigit() for ch in before[: limited.start()]
    ):
        return True
    return bool(_COMPARED.match(after) or _THAN.search(before[-_NEAR:]))


_REACH, _NEAR = 160, 40
_DENIED = re.compile(
    r"\W{0,3}(?:\w+\s+)?(?:is|was|are|would be|ist|est|es)\s*(?:not|n['’]t|nicht|pas|wrong"
    r"|incorrect|false)\b",
    re.IGNORECASE,
)
_LIMITED = Cue(
    re.compile(rf"\b(?:{CONCESSION})\b[^,;.]*$", re.IGNORECASE),
    ("though", "even if", "whereas", "while", "albeit", "obwohl", "während", "wenn", "bien que", "alors", "même", "aunque", "mientras", "sebbene", "embora", "虽", "尽管"),
)
_THAN = Cue(
    re.compile(
    r"\b(?:than|unlike|instead of|rather than|compared (?:to|with)|als|plutôt que"
    r"|en vez de)\s*[$€£¥]?\s*$",
    re.IGNORECASE,
),
    ("than", "unlike", "instead", "compared", "als", "plutôt", "vez"),
)


def _part(ready: str, kept: list[Placed]) -> tuple[int, int]:
    """The part of the sentence that states the result: conceded and side remarks are cut off."""
    start, end = 0, len(ready)
    for mark in (_SPLIT, _ALSO):
        for it in mark.finditer(ready):
            if any(it.end() <= number.start for number in kept) and (
                _goes_on(ready, it) if mark is _ALSO else _turns(ready, it, kept)
            ):
                start = max(start, it.end())
    front = _FRONT.match(ready, start)
    if front and any(front.end() <= number.start for number in kept):
        start = front.end()
    for it in _SIDE.finditer(ready, start):
        if any(start <= number.start and number.end <= it.start() for number in kept):
            end = it.start()
            break
    return start, end


def _goes_on(ready: str, it: re.Match[str]) -> bool:
    """Whether a conclusion goes on to the result; "which is" does where none is stated before."""
    return "which" not in it[0].lower() or not _RESULT.search(ready, 0, it.start())


def _turns(ready: str, it: re.Match[str], kept: list[Placed]) -> bool:
    before, after = ready[: it.start()], ready[it.end() :]
    if not any(number.end <= it.start() for number in kept):
        return True
    return bool(CONCEDED.search(before) or NOT.search(before)) or bool(
        re.match(
            r"\W*(?:the|it|that|this|actual\w*|correct)\b.*\b(?:is|was|are)\b", after, re.IGNORECASE
        )
        and not _RESULT.search(before)
    )


_OF_WHOLE = Cue(
    re.compile(r"\d\w*\s+(?:\w+\s+)?(?:out )?of (?:the|those|these|all|his|her|their)\s+$", re.IGNORECASE),
    ("of ",),
)
_ASIDE = re.compile(
    r"\w+\s+(?:for|in|on|per|with|at|by|from|over|across|after|among|between|für|auf|pour|dans"
    r"|para|en)\b(?!\s+(?:total|all))",
    re.IGNORECASE,
)


def _pick(ready: str, within: list[Placed], start: int, end: int) -> Placed:
    if len(within) == 1:
        return within[0]
    whole = [it for it in within if not _OF_WHOLE.search(ready[max(it.start - _NEAR, 0) : it.start])]
    within = whole or within
    equals = max(ready.rfind("=", start, end), ready.rfind("≈", start, end))
    verbs = [it for it in _RESULT.finditer(ready, start, end)]
    if equals >= 0 and any(number.start > equals for number in within):
        later = [
            it
            for it in verbs
            if it.start() > equals
            and it[0] not in "=≈"
            and any(n.start >= it.end() for n in within)
        ]
        if not later:
            return next(number for number in within if number.start > equals)
    for verb in reversed(verbs):
        after = [number for number in within if number.start >= verb.end()]
        before = [number for number in within if number.end <= verb.start()]
        if after and before and _ASIDE.search(ready, verb.end(), after[0].start):
            return before[0]
        if after:
            return after[0]
    for verb in reversed(list(_HAS.finditer(ready, start, end))):
        if after := [number for number in within if number.start >= verb.end()]:
            return after[0]
    totals = list(_TOTAL.finditer(ready, start, end))
    if totals:
        return min(
            within,
            key=lambda number: min(
                abs(number.start - totals[-1].end()), abs(totals[-1].start() - number.end)
            ),
        )
    if re.match(
        r"\s*(?:in|on|with|for|after|at|from|of|by|each|every|per)\b", ready[start:], re.IGNORECASE
    ):
        return within[-1]
    usable = [
        number
        for number in within
        if not _RELATIVE.search(ready[max(start, number.start - _NEAR) : number.start])
    ]
    return (usable or within)[0]


def _is_joined(ready: str, kept: list[Placed], pick: Placed) -> bool:
    """Whether the number is an end of a range or one of two."""
    index = kept.index(pick)
    for left, right in ((index - 1, index), (index, index + 1)):
        if left < 0 or right >= len(kept):
            continue
        if kept[left].number.value == kept[right].number.value:
            continue
        gap = ready[kept[left].end : kept[right].start]
        if _JOINED.fullmatch(gap) and not (
            gap.strip() in {"to", "a", "à", "al"} and _FROM_TO.search(ready[: kept[left].start])
        ):
            return True
        if _AND.fullmatch(gap) and _BETWEEN.search(ready[: kept[left].start]):
            return True
    return right_is_signed(ready, kept, index)


_FROM_TO = re.compile(
    r"\b(?:adds?|reduced?|rounds?|increase[sd]?|according)\s*[$€£¥]?$", re.IGNORECASE
)


def right_is_signed(ready: str, kept: list[Placed], index: int) -> bool:
    """Whether a hyphen joins the number to its neighbour: 40-45."""
    for left, right in ((index - 1, index), (index, index + 1)):
        if (
            left >= 0
            and right < len(kept)
            and ready[kept[left].end : kept[right].start].strip() == "-"
        ):
            return True
    return False
