"""The exact scorer: a ladder from equality down to likeness."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from msgspec.structs import replace
from rapidfuzz.distance.Levenshtein import distance as levenshtein

from benchmaker.errors import SpecError
from benchmaker.plugins import scorer
from benchmaker.record import Score, Trial
from benchmaker.scoring.base import Objection, auto_pass, nothing_extracted
from benchmaker.scoring.extract import (
    NOTHING,
    Rules,
    as_rules,
    extract,
    has_pattern,
    pattern_faults,
    steps,
    taken_line,
)
from benchmaker.scoring.normalise import DEFAULT, StepName, normalise
from benchmaker.scoring.numbers import written
from benchmaker.scoring.words import contains_words
from benchmaker.spec import Case, Family

_CELLS = 20_000_000_000
_SHOWN = 200


@scorer
@dataclass(frozen=True, slots=True)
class Exact:
    """Full marks for the expected text itself, less for what contains it or is like it.

    With r the reply, e the expected text, |·| the length in code points, the first that holds:
    r = e gives 1; equal ignoring case .95; e inside r max(.60, .95 − .35·x) with
    x = 1 − |e|/|r|; the same ignoring case max(.55, .90 − .35·x); else with the similarity
    s = 1 − levenshtein/longer length .7·s above .5, .4·s above .2, and 0. No expected text gives 1,
    flagged ``auto_pass``. Case is ignored by case folding, as Unicode defines it: ß equals SS.

    Classic compares the whole reply, white space at its ends removed. Robust compares what
    ``extract`` takes, both sides normalised by the list ``normalise``; e counts inside r only at
    word boundaries. ``extract_expected`` takes the expected text out of a longer one.

    Source: the published method, section 4.1.

    Example:
        ``scorer: {id: exact, extract: [answer_is, whole], normalise: [spaces, final_stop]}``
    """

    extract: Rules = "auto"
    normalise: tuple[StepName, ...] = DEFAULT
    extract_expected: Rules = "none"
    family: Family = Family.CLASSIC

    check_needs: ClassVar = ("extract_expected", "normalise")
    robust_only: ClassVar = ("extract", "normalise", "extract_expected")

    def __post_init__(self) -> None:
        as_rules(self, "extract", "extract_expected", "normalise")
        steps(self.extract, "exact")
        steps(self.extract_expected, "exact")
        normalise("", self.normalise)

    def score(self, case: Case, trial: Trial) -> Score | Awaitable[Score]:
        """The first rung that holds; every figure of it in ``detail``.

        A pattern in ``extract`` is searched in another thread, and the score is awaited.
        """
        if self.family is Family.CLASSIC:
            return _classic(trial.text.strip(), (case.expected or "").strip())
        if has_pattern(self.extract):
            return asyncio.to_thread(self._robust, case, trial)
        return self._robust(case, trial)

    def faults(self) -> list[Objection]:
        """The patterns in ``extract`` and ``extract_expected`` that are none."""
        return pattern_faults(extract=self.extract, extract_expected=self.extract_expected)

    def check(self, case: Case) -> list[str]:
        """Says it when ``extract_expected`` finds nothing in the expected text."""
        if self.family is Family.CLASSIC or not (case.expected or "").strip():
            return []
        try:
            _expected(case.expected or "", self.extract_expected, self.normalise)
        except SpecError as exc:
            return [str(exc)]
        return []

    def explain(self, score: Score) -> list[str]:
        """What was compared, the rung that held, and its arithmetic."""
        lines = [taken_line(score)]
        if "reply" in score.detail:
            detail = score.detail
            lines.append(f"normalised: {detail['reply']!r}, expected {detail['expected']!r}")
        return [*lines, *_arithmetic(score)]

    def _robust(self, case: Case, trial: Trial) -> Score:
        if not (case.expected or "").strip():
            return auto_pass()
        wanted = _expected(case.expected or "", self.extract_expected, self.normalise)
        extraction = extract(trial.text, self.extract, kind="exact")
        if extraction is NOTHING:
            return nothing_extracted(extraction)
        reply = normalise(extraction.text, self.normalise)
        score = _robust(reply, wanted)
        if reply != extraction.text and score.score is not None:
            score.detail.update(reply=reply[:_SHOWN], expected=wanted[:_SHOWN])
        return replace(score, extraction=extraction)


@lru_cache(maxsize=512)
def _expected(text: str, rules: Rules, steps: tuple[str, ...]) -> str:
    """The expected text, extracted and normalised."""
    extraction = extract(text, rules, kind="exact")
    if extraction is NOTHING:
        raise SpecError(f"extract_expected finds nothing in {text[:_SHOWN]!r}.")
    return normalise(extraction.text, steps)


def _classic(reply: str, expected: str) -> Score:
    if not expected:
        return auto_pass()
    if reply == expected:
        return _equal()
    folded, wanted = reply.casefold(), expected.casefold()
    if folded == wanted:
        return _equal_ignoring_case()
    if expected in reply:
        return _contains(len(reply), len(expected))
    if wanted in folded:
        return _contains_ignoring_case(len(folded), len(wanted))
    return _alike(reply, expected)


def _robust(reply: str, expected: str) -> Score:
    if reply == expected:
        return _equal()
    if contains_words(reply, expected):
        return _contains(len(reply), len(expected))
    folded, wanted = reply.casefold(), expected.casefold()
    if folded == wanted:
        return _equal_ignoring_case()
    if folded != reply and contains_words(folded, wanted):
        return _contains_ignoring_case(len(folded), len(wanted))
    return _alike(reply, expected)


def _equal() -> Score:
    return Score(score=1.0, confidence=1.0, notes="equal", detail={"rung": "equal"})


def _equal_ignoring_case() -> Score:
    return Score(
        score=0.95,
        confidence=1.0,
        notes="equal ignoring case",
        detail={"rung": "equal_ignoring_case"},
    )


def _contains(reply: int, expected: int) -> Score:
    x = 1 - expected / reply
    return Score(
        score=max(0.60, 0.95 - 0.35 * x),
        confidence=0.9,
        notes="the expected text stands in the answer",
        detail={"rung": "contains", "reply_length": reply, "expected_length": expected},
    )


def _contains_ignoring_case(reply: int, expected: int) -> Score:
    x = 1 - expected / reply
    return Score(
        score=max(0.55, 0.90 - 0.35 * x),
        confidence=0.85,
        notes="the expected text stands in the answer, ignoring case",
        detail={
            "rung": "contains_ignoring_case",
            "reply_length": reply,
            "expected_length": expected,
        },
    )


def _alike(reply: str, expected: str) -> Score:
    """By edit distance; it is not computed where the lengths alone rule out more than .2."""
    shorter, longer = sorted((len(reply), len(expected)))
    detail: dict[str, Any] = {
        "rung": "different", "reply_length": len(reply), "expected_length": len(expected)
    }  # fmt: skip
    if 5 * shorter <= longer:
        return _likeness(0.0, 1.0, "different", detail)
    if shorter * longer > _CELLS:
        return Score.unscored("the texts are too long to be compared by edit distance")
    detail["distance"] = distance = levenshtein(reply, expected)
    same = longer - distance
    s = 1 - distance / longer
    if 2 * same > longer:
        detail["rung"] = "similar"
        return _likeness(0.7 * s, max(0.4, 0.8 * s), "similar", detail)
    if 5 * same > longer:
        detail["rung"] = "somewhat_similar"
        return _likeness(0.4 * s, 0.3, "somewhat similar", detail)
    return _likeness(0.0, 1.0, "different", detail)


def _likeness(points: float, confidence: float, notes: str, detail: dict[str, Any]) -> Score:
    return Score(score=points, confidence=confidence, notes=notes, detail=detail)


_PLAIN = {
    "auto_pass": "nothing is expected: 1, counted as auto-pass",
    "equal": "the answer equals the expected text: 1",
    "equal_ignoring_case": "the answer equals the expected text but for case: 0.95",
}


def _arithmetic(score: Score) -> list[str]:
    """The lines of the rung that held."""
    rung = score.detail.get("rung")
    match rung:
        case "contains":
            return _containment_lines(score, "0.60", "0.95")
        case "contains_ignoring_case":
            return _containment_lines(score, "0.55", "0.90")
        case "similar" | "somewhat_similar" | "different":
            return [_similarity_line(score)]
        case _:
            return [_PLAIN.get(str(rung), score.notes)]


def _containment_lines(score: Score, floor: str, top: str) -> list[str]:
    reply, expected = score.detail["reply_length"], score.detail["expected_length"]
    x = written(1 - expected / reply)
    points = written(score.score or 0.0)
    how = " ignoring case" if top == "0.90" else ""
    return [
        f"the expected text stands in the answer{how}: {expected} of {reply} code points",
        f"x = 1 − {expected}/{reply} = {x}; max({floor}, {top} − 0.35·{x}) = {points}",
    ]


def _similarity_line(score: Score) -> str:
    reply, expected = score.detail["reply_length"], score.detail["expected_length"]
    longer = max(reply, expected)
    distance = score.detail.get("distance")
    if distance is None:
        most = written(min(reply, expected) / longer)
        lengths = f"{min(reply, expected)}/{longer}"
        return f"s is at most {lengths} = {most} by the lengths; not above 0.2: 0"
    s = written(1 - distance / longer)
    start = f"s = 1 − levenshtein/longer length = 1 − {distance}/{longer} = {s}"
    match score.detail["rung"]:
        case "similar":
            return f"{start}; above 0.5: 0.7·{s} = {written(score.score or 0.0)}"
        case "somewhat_similar":
            return f"{start}; above 0.2, up to 0.5: 0.4·{s} = {written(score.score or 0.0)}"
        case _:
            return f"{start}; not above 0.2: 0"
