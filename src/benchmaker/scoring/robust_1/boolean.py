"""The boolean scorer of robust/1: whole words in the answer, or its last verdict."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from msgspec.structs import replace

from benchmaker.errors import SpecError
from benchmaker.record import Extraction, Score, Trial
from benchmaker.scoring.base import Objection, auto_pass, no_answer_score
from benchmaker.scoring.normalise import DEFAULT, StepName, normalise
from benchmaker.scoring.robust_1.extraction import (
    ANCHORS,
    NOTHING,
    Kind,
    Rules,
    as_rules,
    extract,
    extraction_line,
    find_verdict,
    has_pattern,
    is_verdict,
    pattern_faults,
    steps,
)
from benchmaker.scoring.text.containment import lines_of, score_contained_texts
from benchmaker.scoring.words import contains_words
from benchmaker.spec import Case, Family

_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Boolean:
    """Full marks if the answer contains the expected words, or states the expected verdict."""

    any_of: tuple[str, ...] = ()
    all_of: tuple[str, ...] = ()
    not_contains: tuple[str, ...] = ()
    verdict: bool = False
    extract: Rules = "auto"
    normalise: tuple[StepName, ...] = DEFAULT
    extract_expected: Rules = "none"
    family: Family = Family.ROBUST

    id: ClassVar = "boolean"
    version: ClassVar = "1"
    check_needs: ClassVar = ("verdict", "extract_expected")
    without_effect: ClassVar = ("auto_pass",)

    def __post_init__(self) -> None:
        as_rules(self, "extract", "extract_expected")
        for name in ("any_of", "all_of", "not_contains", "normalise"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        steps(self.extract, "boolean")
        steps(self.extract_expected, "boolean")
        normalise("", self.normalise)
        if "" in (*self.any_of, *self.all_of, *self.not_contains):
            raise SpecError("any_of, all_of and not_contains must not have empty texts.")

    def score(self, case: Case, trial: Trial) -> Score | Awaitable[Score]:
        """Return 1 or 0; ``detail`` lists the texts found and missing.

        A pattern in ``extract`` is searched in another thread, and the score is awaited.
        """
        if has_pattern(self.extract):
            return asyncio.to_thread(self._score, case, trial)
        return self._score(case, trial)

    def faults(self) -> list[Objection]:
        """The patterns in ``extract`` and ``extract_expected`` that are none."""
        return pattern_faults(extract=self.extract, extract_expected=self.extract_expected)

    def check(self, case: Case) -> list[str]:
        """Report an expected text without a verdict to compare."""
        if not (case.expected or "").strip():
            return []
        try:
            expected = _extract_expected(case.expected or "", self.extract_expected)
        except SpecError as exc:
            return [str(exc)]
        if self.verdict and find_verdict(expected) is None:
            return [
                f"verdict needs true, false, yes or no as the expected answer, not {expected!r}."
            ]
        return []

    def explain(self, score: Score) -> list[str]:
        """Return the lines with the texts searched for, found and missing."""
        detail = score.detail
        if "expects" in detail:
            return [extraction_line(score), _verdict_line(score)]
        if "found" not in detail:
            return [extraction_line(score), f"{score.notes}: {score.score:g}"]
        return [extraction_line(score), *lines_of(score)]

    def _score(self, case: Case, trial: Trial) -> Score:
        expected = (case.expected or "").strip()
        if expected:
            expected = _extract_expected(case.expected or "", self.extract_expected)
        elif not (self.any_of or self.all_of or self.not_contains):
            return auto_pass()
        asks_verdict = self.verdict or is_verdict(expected)
        kind: Kind = "boolean" if asks_verdict and expected else "exact"
        extraction = extract(trial.text, self.extract, kind=kind)
        if extraction is NOTHING:
            return no_answer_score(extraction)
        if self.verdict and expected:
            score = _compare_verdicts(extraction, expected)
        else:
            score = self._score_texts(normalise(extraction.text, self.normalise), expected)
        return replace(score, extraction=extraction)

    def _score_texts(self, text: str, expected: str) -> Score:
        """The expected text and the three lists, in a text that is normalised."""
        wanted = (expected,) if expected else ()
        found = [part for part in (*wanted, *self.all_of, *self.any_of) if self._holds(text, part)]
        missing = [part for part in (*wanted, *self.all_of) if part not in found]
        if self.any_of and not any(part in found for part in self.any_of):
            missing += self.any_of
        forbidden = [part for part in self.not_contains if self._holds(text, part)]
        return score_contained_texts(found, missing, forbidden)

    def _holds(self, text: str, part: str) -> bool:
        return contains_words(text, _normalise(part, self.normalise))


@lru_cache(maxsize=1024)
def _normalise(text: str, steps: tuple[str, ...]) -> str:
    """Return the normalised search text; if nothing is left (a mark alone), the text itself."""
    return normalise(text, steps) or text


@lru_cache(maxsize=512)
def _extract_expected(text: str, rules: Rules) -> str:
    extraction = extract(text, rules, kind="boolean")
    if extraction is NOTHING:
        raise SpecError(f"extract_expected found nothing in {text[:_SHOWN]!r}.")
    return extraction.text.strip()


def _compare_verdicts(extraction: Extraction, expected: str) -> Score:
    """The verdict of the answer beside the expected one; of an anchored answer, its first."""
    says = find_verdict(extraction.text, last=extraction.rule not in ANCHORS)
    expects = find_verdict(expected)
    if expects is None:
        raise SpecError(
            f"verdict needs true, false, yes or no as the expected answer, not {expected!r}."
        )
    detail = {"says": says, "expects": expects}
    if says is None:
        return Score.of(
            0.0, confidence=1.0, notes="no verdict", detail=detail, flags=("no_verdict",)
        )
    same = says == expects
    notes = "the expected verdict" if same else "the other verdict"
    return Score.of(float(same), confidence=1.0, notes=notes, detail=detail)


def _verdict_line(score: Score) -> str:
    words = {True: "true", False: "false", None: "none"}
    says, expects = words[score.detail["says"]], words[score.detail["expects"]]
    return f"verdict {says}, expected {expects}: {score.score:g}"
