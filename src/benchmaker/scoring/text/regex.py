"""The regex scorer: is the pattern found anywhere in the answer?"""

import asyncio
from dataclasses import dataclass
from typing import Any, ClassVar

from msgspec.structs import replace

from benchmaker.errors import SpecError, TrialError
from benchmaker.plugins import scorer
from benchmaker.record import Extraction, Score, Trial
from benchmaker.scoring.base import Objection
from benchmaker.scoring.excerpts import shorten
from benchmaker.scoring.extract.rules import (
    NOTHING,
    Rules,
    as_rules,
    compile_error,
    extract,
    has_pattern,
    pattern_faults,
    steps,
)
from benchmaker.scoring.normalise import StepName, normalise
from benchmaker.scoring.pattern import Match, Pattern
from benchmaker.spec import Case, Family

WHOLE = ("none", ("none",), ())


@scorer
@dataclass(frozen=True, slots=True)
class Regex:
    r"""Full marks if the pattern is found anywhere in the answer, else 0.

    ``pattern`` is ``/source/flags`` or plain, in Python's dialect; without it, the case's expected
    text is the pattern. The flags are i, m, s, u, x; g, y, d are accepted without effect.
    JavaScript's named groups are understood. In the robust family ``extract`` selects the part of
    the answer to search and ``normalise`` its normalisation; the default is the whole answer
    unchanged, in both families.

    A search is limited to 1 s and 1 MB of text; beyond that the answer is unscored.

    Example:
        ``scorer: {id: regex, pattern: '/^\d{4}-\d{2}-\d{2}$/m'}``

        >>> import asyncio
        >>> from benchmaker.testing import a_case, a_trial
        >>> asyncio.run(Regex("/forty|42/i").score(a_case(), a_trial(text="It is 42."))).score
        1.0
    """

    pattern: str | None = None
    extract: Rules = "none"
    normalise: tuple[StepName, ...] = ()
    family: Family = Family.CLASSIC

    check_needs: ClassVar = ("pattern",)
    robust_only: ClassVar = ("extract", "normalise")
    earlier: ClassVar = {"robust/1": "benchmaker.scoring.robust_1.regex:Regex"}

    def __post_init__(self) -> None:
        as_rules(self, "extract", "normalise")
        steps(self.extract, "exact")
        normalise("", self.normalise)

    async def score(self, case: Case, trial: Trial) -> Score:
        """Return 1 if found, else 0; the position and the groups are in ``detail``.

        Raises:
            SpecError: the pattern is missing or invalid.
            ScorerTimeout: the search takes longer than a second.
            ScorerError: the answer is longer than a megabyte.
        """
        pattern = self._pattern(case)
        extraction = await self._extract(trial.text)
        if extraction is NOTHING:
            return _no_extraction_score(pattern)
        text = trial.text if extraction is None else extraction.text
        if self.family is Family.ROBUST:
            text = normalise(text, self.normalise)
        return _make_score(pattern, await pattern.asearch(text), len(text), extraction)

    def faults(self) -> list[Objection]:
        """The patterns in ``pattern`` and ``extract`` that are none."""
        message = "" if self.pattern is None else compile_error(self.pattern)
        own = [Objection(("pattern",), message)] if message else []
        return [*own, *pattern_faults(extract=self.extract)]

    def check(self, case: Case) -> list[str]:
        """Return the faults of this case's pattern; empty if it compiles in time."""
        if self.pattern is not None:
            return []
        try:
            self._pattern(case).check()
        except (SpecError, TrialError) as exc:
            return [str(exc)]
        return []

    def explain(self, score: Score) -> list[str]:
        """Return the lines with pattern, flags, searched text, match and groups."""
        if "pattern" not in score.detail:
            return [score.notes]
        return [*_searched_lines(score), *_found_lines(score.detail), f"score = {score.score:g}"]

    def _pattern(self, case: Case) -> Pattern:
        text = case.expected if self.pattern is None else self.pattern
        if text is None:
            raise SpecError(
                "no pattern given.",
                hint="Set the parameter pattern of the scorer, or expected of the case.",
            )
        return Pattern.parse(text)

    async def _extract(self, text: str) -> Extraction | None:
        """Return the text extracted by the rules; None if the whole answer is searched."""
        if self.family is Family.CLASSIC or self.extract in WHOLE:
            return None
        if has_pattern(self.extract):
            return await asyncio.to_thread(extract, text, self.extract, kind="exact")
        return extract(text, self.extract, kind="exact")


def _no_extraction_score(pattern: Pattern) -> Score:
    score = Score.of(
        0.0,
        confidence=1.0,
        notes="nothing was extracted",
        detail=_detail(pattern, None, 0),
        flags=("nothing_extracted",),
    )
    return replace(score, extraction=NOTHING)


def _make_score(
    pattern: Pattern, found: Match | None, length: int, extraction: Extraction | None
) -> Score:
    score = Score.of(
        float(found is not None),
        confidence=1.0,
        notes=f"found at {found.start}" if found else "not found",
        detail=_detail(pattern, found, length),
    )
    return replace(score, extraction=extraction)


def _detail(pattern: Pattern, found: Match | None, length: int) -> dict[str, Any]:
    detail: dict[str, Any] = {"pattern": pattern.source, "flags": pattern.flags}
    if pattern.notes:
        detail["flag_notes"] = list(pattern.notes)
    detail |= {"searched_length": length, "found": found is not None}
    if found is not None:
        detail |= {"start": found.start, "end": found.end, "match": shorten(found.text)}
        if found.groups:
            detail["groups"] = _named_groups(found)
    return detail


def _named_groups(found: Match) -> dict[str, str | None]:
    """The groups by name, or by number where they have none."""
    names = {number: name for name, number in found.names.items()}
    return {
        names.get(number, str(number)): None if text is None else shorten(text)
        for number, text in enumerate(found.groups, 1)
    }


def _searched_lines(score: Score) -> list[str]:
    detail = score.detail
    return [
        f"pattern /{detail['pattern']}/{detail['flags']}",
        *detail.get("flag_notes", ()),
        f"searched {_place(score.extraction)}: {detail['searched_length']:,} characters",
    ]


def _place(extraction: Extraction | None) -> str:
    if extraction is None:
        return "the whole answer"
    return "nothing" if extraction == NOTHING else f"text extracted by {extraction.rule}"


def _found_lines(detail: dict[str, Any]) -> list[str]:
    if not detail["found"]:
        return ["not found"]
    groups = detail.get("groups", {}).items()
    return [
        f"found at {detail['start']} to {detail['end']}: {detail['match']!r}",
        *(f"group {name}: {text!r}" for name, text in groups),
    ]
