"""Judgements in plain words: a line ``score: 8``, a choice such as ``[[A]]``.

A line counts only if all of it is understood: "7-8", "85/100" on another scale, or two numbers are
claims without a value, which no other line can override. A scale in brackets next to the score
("Score (0-10): 7") is not a score; if it differs from the declared scale, no score is read.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from benchmaker.record import Verdict
from benchmaker.scoring.judge.categories import JudgeCategory, NoCategory, read_category
from benchmaker.scoring.judge.expect import Expect
from benchmaker.scoring.judge.scale import NotOnScale

_NOUN = r"(?:output|response|answer|assistant|option|candidate|model)"
_LEAD = r"^[ \t>*_#•-]{0,20}(?:(?:the|my|final|overall|total|so)[ \t]{1,4}){0,4}"
_SCALE = (
    r"[(\[][ \t]{0,4}(?:(?:on|from|a|the|scale|of)\b[.:]?[ \t]{0,4}){0,5}"
    r"(?:(?P<low>[0-9]{1,6})[ \t]{0,4}(?:-|–|—|to|\.\.)[ \t]{0,4}(?P<high>[0-9]{1,6})"
    r"|(?:/|out[ \t]of|max(?:imum|\.)?:?)[ \t]{0,4}(?P<most>[0-9]{1,6}))"
    r"(?:[ \t]{0,4}(?:scale|points?|max(?:imum)?))?[ \t]{0,4}[)\]]"
)
_SCALE_BEHIND = re.compile(rf"(?<=[^\s*_])[ \t*_]{{0,8}}{_SCALE}[\s*_.]{{0,8}}\Z", re.IGNORECASE)
_SCORE = re.compile(
    rf"{_LEAD}(?:score|rating|grade)[ \t*_]{{0,8}}(?P<scale>{_SCALE}[ \t*_]{{0,8}})?"
    r"(?:is\b|:|=|：)(?P<rest>[^\n]*)$",  # noqa: RUF001
    re.IGNORECASE | re.MULTILINE,
)
_BEHIND = (
    r"(?<=[,;.:!?…)—–-])[ \t*_]{1,8}"
    r"(?:(?:the|my|final|overall|total|so|actually|rather|new|corrected)[ \t]{1,4}){0,4}"
)
_SCORE_BEHIND = re.compile(
    rf"{_BEHIND}(?:score|rating|grade)[ \t*_]{{0,8}}[:=：](?P<rest>[^\n]*)$",  # noqa: RUF001
    re.IGNORECASE | re.MULTILINE,
)
_CHOICE_BEHIND = re.compile(
    rf"{_BEHIND}(?:verdict|winner|choice|decision|category)[ \t*_]{{0,8}}"
    r"[:=：](?P<rest>[^\n]*)$",  # noqa: RUF001
    re.IGNORECASE | re.MULTILINE,
)
_CHOICE_LINE = re.compile(
    rf"{_LEAD}(?:verdict|winner|choice|decision|category)[ \t*_]{{0,8}}"
    r"(?:is\b|:|=|：)(?P<rest>[^\n]*)$",  # noqa: RUF001
    re.IGNORECASE | re.MULTILINE,
)
_BRACKETS = re.compile(r"\[\[(?P<rest>[^\[\]\n]{1,20})\]\]")
_BETTER = re.compile(
    rf"\b{_NOUN}[ _]?(?P<rest>\([abAB]\)|[AB]\b)[ \t]is[ \t](?:the[ \t])?"
    r"(?:(?:clearly|slightly|much|therefore|also|still)[ \t])?(?:better|best)(?![-\w])"
    rf"(?![ \t](?:[a-z]+[ \t]){{0,3}}(?:than[ \t](?!{_NOUN})))",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[.!?\n,;:]|\b(?:so|therefore|thus|hence|but|and|while|whereas|because|since|as|then)\b",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:not|never|neither|nor|cannot|hardly|if|whether|unless|would|might|may|could)\b|n['’]t\b",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    rf"(?:{_NOUN}[ _]?)?(?P<side>[ab]|\([ab]\)|tie|draw)(?:[ \t]is[ \t](?:better|the winner))?",
    re.IGNORECASE,
)
_BEGINS = re.compile(r"\s{0,4}[^\s,;(]{1,32}(?:\s{0,3}/\s{0,3}[0-9]{1,6}|\s{1,3}out\s{1,3}of\s{1,3}[0-9]{1,6}|\s{1,3}%)?")  # fmt: skip  # noqa: E501
_REMARK = re.compile(r"\s{0,4}(?:[.,;(–—]|-\s|because\b|since\b|points?\b)[^0-9]*\Z")
_MARKS = " \t\r\n*_`\"'[]#>"


class NoChoice(ValueError):
    """The value names neither answer; the message explains it in plain words."""


@dataclass(frozen=True, slots=True)
class WordedJudgement:
    """A judgement in words: its place, the words, and its value or fault."""

    start: int
    end: int
    text: str
    value: float | Verdict | JudgeCategory | str


def find_judgements(text: str, expect: Expect) -> list[WordedJudgement]:
    """The judgements in words, in their order; none where the score is summed from criteria."""
    if expect.mode == "pairwise":
        better = (it for it in _BETTER.finditer(text) if _is_stated(text, it.start()))
        found = [*_CHOICE_LINE.finditer(text), *_BRACKETS.finditer(text), *better]
    elif expect.categories:
        found = list(_CHOICE_LINE.finditer(text))
    elif expect.sums:
        found = []
    else:
        found = list(_SCORE.finditer(text))
    return [_worded_judgement(it, expect) for it in sorted(found, key=re.Match.start)]


def find_later_judgements(text: str, expect: Expect) -> list[WordedJudgement]:
    """The judgements that follow a clause in a line: "wait, score: 3".

    They count against other judgements only, since such words may also be about a score.
    """
    if expect.sums:
        return []
    is_choice = expect.mode == "pairwise" or expect.categories
    pattern = _CHOICE_BEHIND if is_choice else _SCORE_BEHIND
    return [_worded_judgement(it, expect) for it in pattern.finditer(text)]


def bare_judgement(text: str, expect: Expect) -> WordedJudgement | None:
    """The whole reply as a judgement: "8", "Output (a)"; None where it is more than that."""
    if expect.sums or len(text) > 40:  # noqa: PLR2004  "Output (b) is better." and blanks
        return None
    claim = WordedJudgement(0, len(text), text, _value(text, expect))
    is_number = any(sign.isdigit() for sign in text) and not any(map(str.isspace, text.strip()))
    return claim if is_number or not _is_problem(claim) else None


def read_choice(value: object, *, ties: bool = True) -> Verdict:
    """Return the verdict for a text: "A", "(b)", "Output (b)", "tie".

    Raises:
        NoChoice: any other text, or a tie if ties are not allowed.
    """
    names = "A, B or tie" if ties else "A or B"
    found = _CHOICE.fullmatch(value.strip(_MARKS).rstrip(" .!").strip(_MARKS)) if isinstance(value, str) else None  # fmt: skip  # noqa: E501
    if found is None:
        shown = repr(value)[:60]
        raise NoChoice(f"the verdict must be {names}, not {shown}")
    side = found["side"].strip("()").casefold()
    if side in ("a", "b"):
        return Verdict(side)
    if not ties:
        raise NoChoice("the verdict must be A or B; ties are not allowed")
    return Verdict.TIE


def _is_stated(text: str, at: int) -> bool:
    """True if the clause before a place neither denies nor doubts the statement."""
    clause = _CLAUSE.split(text[max(0, at - 160) : at])[-1]
    return not _UNSURE.search(clause)


def _is_problem(claim: WordedJudgement) -> bool:
    return not isinstance(claim.value, float | Verdict | JudgeCategory)


def _worded_judgement(found: re.Match[str], expect: Expect) -> WordedJudgement:
    value = _value(found["rest"], expect)
    if found.re is _SCORE and found["scale"] and (problem := _other_scale(found, expect)):
        value = problem
    return WordedJudgement(found.start(), found.end(), found[0], value)


def _value(words: str, expect: Expect) -> float | Verdict | JudgeCategory | str:
    """Return the value of the words, or their fault."""
    words = words.strip()
    try:
        if expect.mode == "pairwise":
            return read_choice(words, ties=expect.ties)
        if expect.categories:
            return read_category(words, expect.categories)
        behind = _SCALE_BEHIND.search(words)
        if behind and (problem := _other_scale(behind, expect)):
            return problem
        return expect.scale.read(_drop_remark(words[: behind.start()] if behind else words))
    except (NoChoice, NotOnScale, NoCategory) as exc:
        return str(exc)


def _other_scale(found: re.Match[str], expect: Expect) -> str:
    """Return the fault of a scale named in brackets; empty if it is the declared one."""
    low, high = float(found["low"] or 0), float(found["high"] or found["most"])
    scale = expect.scale
    if (low, high) == (scale.minimum, scale.maximum):
        return ""
    return f"the scale is {scale}, but the reply names one of {low:g} to {high:g}"


def _drop_remark(words: str) -> str:
    """The words without a remark behind the score that holds no further number."""
    plain = words.strip(_MARKS)
    begin = _BEGINS.match(plain)
    if begin and _REMARK.match(plain.removeprefix(begin[0]).lstrip(_MARKS)):
        return begin[0]
    return plain


def judgements_outside(
    found: list[WordedJudgement], spans: list[tuple[int, int]]
) -> Iterator[WordedJudgement]:
    """Return the judgements outside the given spans."""
    for claim in found:
        if not any(start < claim.end and claim.start < end for start, end in spans):
            yield claim
