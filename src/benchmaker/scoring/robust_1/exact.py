"""The exact scorer of robust/1: the extracted text on the ladder, normalised."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from msgspec.structs import replace

from benchmaker.errors import SpecError
from benchmaker.record import Score, Trial
from benchmaker.scoring.base import Objection, auto_pass, no_answer_score
from benchmaker.scoring.normalise import DEFAULT, StepName, normalise
from benchmaker.scoring.robust_1.extraction import (
    NOTHING,
    Rules,
    as_rules,
    extract,
    extraction_line,
    has_pattern,
    pattern_faults,
    steps,
)
from benchmaker.scoring.text.ladder import arithmetic, graded_score
from benchmaker.spec import Case, Family

_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Exact:
    """The extracted text on the ladder; contained text counts at word boundaries alone."""

    extract: Rules = "auto"
    normalise: tuple[StepName, ...] = DEFAULT
    extract_expected: Rules = "none"
    family: Family = Family.ROBUST

    id: ClassVar = "exact"
    version: ClassVar = "1"
    check_needs: ClassVar = ("extract_expected", "normalise")
    without_effect: ClassVar = ("auto_pass",)

    def __post_init__(self) -> None:
        as_rules(self, "extract", "extract_expected", "normalise")
        steps(self.extract, "exact")
        steps(self.extract_expected, "exact")
        normalise("", self.normalise)

    def score(self, case: Case, trial: Trial) -> Score | Awaitable[Score]:
        """The first rung that holds; every figure of it in ``detail``.

        A pattern in ``extract`` is searched in another thread, and the score is awaited.
        """
        if has_pattern(self.extract):
            return asyncio.to_thread(self._score, case, trial)
        return self._score(case, trial)

    def faults(self) -> list[Objection]:
        """The patterns in ``extract`` and ``extract_expected`` that are none."""
        return pattern_faults(extract=self.extract, extract_expected=self.extract_expected)

    def check(self, case: Case) -> list[str]:
        """Report an expected text in which ``extract_expected`` finds nothing."""
        if not (case.expected or "").strip():
            return []
        try:
            _extract_expected(case.expected or "", self.extract_expected, self.normalise)
        except SpecError as exc:
            return [str(exc)]
        return []

    def explain(self, score: Score) -> list[str]:
        """Return the compared texts, the rung that applied, and its arithmetic."""
        lines = [extraction_line(score)]
        if "reply" in score.detail:
            detail = score.detail
            lines.append(f"normalised: {detail['reply']!r}, expected {detail['expected']!r}")
        return [*lines, *arithmetic(score)]

    def _score(self, case: Case, trial: Trial) -> Score:
        if not (case.expected or "").strip():
            return auto_pass()
        wanted = _extract_expected(case.expected or "", self.extract_expected, self.normalise)
        extraction = extract(trial.text, self.extract, kind="exact")
        if extraction is NOTHING:
            return no_answer_score(extraction)
        reply = normalise(extraction.text, self.normalise)
        score = graded_score(reply, wanted)
        if reply != extraction.text and score.score is not None:
            score.detail.update(reply=reply[:_SHOWN], expected=wanted[:_SHOWN])
        return replace(score, extraction=extraction)


@lru_cache(maxsize=512)
def _extract_expected(text: str, rules: Rules, steps: tuple[str, ...]) -> str:
    """The expected text, extracted and normalised."""
    extraction = extract(text, rules, kind="exact")
    if extraction is NOTHING:
        raise SpecError(f"extract_expected found nothing in {text[:_SHOWN]!r}.")
    return normalise(extraction.text, steps)
