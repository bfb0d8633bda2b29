"""Sample sizes of comparisons: before a run, from a pilot, and after a comparison."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from benchmaker.analysis.columns import HasColumns, Scored
from benchmaker.analysis.comparison.pilot import Pilot, pilot_of
from benchmaker.analysis.comparison.probability_words import chance_words
from benchmaker.analysis.comparison.repeats_needed import (
    JudgeNoise,
    RunsNeeded,
    judge_noise,
    runs_needed,
)
from benchmaker.analysis.comparison.results import TESTS, ComparedPair, Comparison
from benchmaker.analysis.records import records_of
from benchmaker.errors import SpecError
from benchmaker.record import Trial
from benchmaker.record.counts import count
from benchmaker.record.points import exact_points, points
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.stats.power.pair_size import pair_size
from benchmaker.stats.power.power import AdditionalCases, Power, n_more
from benchmaker.stats.power.power import power as solved
from benchmaker.stats.student import alpha

USUAL_POWER = 0.8
WORST_SD = 0.5**0.5
"""Standard deviation of the difference between two independent models, each with half the cases
right.
"""

_LEAST_PILOT = 20
_FEWEST = 2


@runtime_checkable
class _HasTrials(Protocol):
    """A run's result, which reads its trials on demand."""

    def trials(self) -> Iterator[Trial]: ...


@dataclass(frozen=True, slots=True)
class PowerPlan:
    """The requested number of cases, difference or power, with its assumptions.

    Differences and standard deviations are from 0 to 1. ``runs_needed`` is for judged suites, whose
    scores vary between repeated judgments; None for others.
    """

    power: Power
    pilot: Pilot | None
    assumes: tuple[str, ...]
    warnings: tuple[str, ...]
    runs_needed: RunsNeeded | None = None

    @property
    def sentence(self) -> str:
        """The answer in words, in points of 100."""
        found = self.power
        say = points if found.solved == "delta" else exact_points
        cases, by = count(found.cases, "case"), f"{say(found.delta)} points"
        chance = chance_words(found.power, 0)
        match found.solved:
            case "n":
                return f"To detect a difference of {by} with {chance} power, you need {cases}."
            case "delta":
                if found.delta > 1.0:
                    return (
                        f"With {cases}, no possible difference (at most 100 points) is found with "
                        f"a chance of {chance}."
                    )
                return f"{cases} find a difference of {by} with a chance of {chance}."
            case "power":
                return f"{cases} find a difference of {by} with a chance of {chance}."

    def to_dict(self) -> dict[str, Any]:
        """Return the output of ``power --json``: the figures of its parts, some renamed."""
        found, pilot = self.power, self.pilot
        return {
            "scale": "0-1",
            "solved": found.solved,
            "n": found.cases,
            "delta": found.delta,
            "power": found.power,
            "sd_of_differences": found.sd_d,
            "runs": found.runs,
            "tests": found.tests,
            "alpha": found.alpha,
            "alpha_each": found.alpha_each,
            "method": found.method,
            "assumes": list(self.assumes),
            "pilot": None
            if pilot is None
            else {
                "models": list(pilot.models),
                "n": pilot.n,
                "runs": pilot.runs,
                "design_effect": pilot.design_effect,
            },
            "runs_needed": self.runs_needed.to_dict() if self.runs_needed else None,
            "warnings": list(self.warnings),
            "sentence": self.sentence,
        }


def power(
    pilot: Scored | Iterable[ScoreColumns | HasColumns] | None = None,
    *,
    n: int | None = None,
    delta: float | None = None,
    power: float | None = None,
    sd: float | None = None,
    models: Sequence[str] = (),
    runs: int = 1,
    tests: int = 1,
    level: float = 0.95,
    judged: bool | None = None,
    noise: JudgeNoise | None = None,
    metric: str | None = None,
) -> PowerPlan:
    """Calculate the cases needed to detect a difference, or the difference that cases detect.

    Of ``n``, ``delta`` and ``power`` two are given and the third is calculated; the default power
    is 0.8 unless it is the unknown. The comparison is paired by case, by the noncentral t
    distribution (Cohen 1988, Statistical Power Analysis, chapter 2).

    Args:
        pilot: earlier scores: results of runs, their columns, or trials.
        n: cases; with a pilot and without delta, its own number.
        delta: the difference to detect, from 0 to 1.
        power: the chance to find it.
        sd: the standard deviation over cases of the difference, instead of a pilot; without either,
            that of two models that are each right in half of the cases, independently.
        models: the two models of the pilot; the best two by default.
        runs: planned number of runs of every case.
        tests: number of pairs to be tested; each gets an equal part of 1 - level (Bonferroni).
        level: of the later comparison.
        judged: whether judges give the scores, so that the number of runs matters; by default as in
            the pilot. Without measurements it follows the published guideline.
        noise: noise of the judges, if the pilot does not include its trials.
        metric: of the pilot: ``mean``, ``strict`` for the share of answers that are exactly right,
            or the name of a metric of checks; None for its suite's metric.

    Raises:
        SpecError: an argument out of its range, or too few or too many of them.
        NotEnoughData: the pilot does not allow an estimate of spread.
    """
    if delta is not None and delta > 1.0:
        raise SpecError(
            f"delta = {delta:g} is out of range: scores are between 0 and 1.",
            hint=f"For {delta:g} points, use {delta / 100:g}.",
        )
    found = None if pilot is None else pilot_of(pilot, models, metric)
    if found and sd is not None:
        raise SpecError("Both a pilot and sd are given.", hint="Give one of them.")
    if n is None and delta is None:
        n = _cases_of(found)
    if power is None and (n is None or delta is None):
        power = USUAL_POWER
    components = found.components if found else None
    spread = None if components else found.sd if found else WORST_SD if sd is None else sd
    made = solved(
        n=n,
        delta=delta,
        power=power,
        sd_d=spread,
        components=components,
        runs=runs,
        alpha=alpha(level),
        tests=tests,
        method="t",
    )
    is_judged = any(run.judge for run in records_of(pilot)) if judged is None else judged
    needed = None
    if is_judged:
        needed = runs_needed(
            made.cases,
            made.delta,
            var_runs=found.var_runs if found else None,
            noise=noise or _noise(pilot),
            level=level,
            weight_cost=found.weight_cost if found else 1.0,
        )
    said = made.warnings + _doubts(made, found)
    return PowerPlan(made, found, _assumptions(made, found, sd), said, needed)


def _noise(pilot: object) -> JudgeNoise | None:
    """Return the noise of the judges from the pilot's trials; None without trials."""
    if not isinstance(pilot, _HasTrials):
        return None
    return judge_noise(trial.score for trial in pilot.trials() if trial.score is not None)


def more_cases(comparison: Comparison, pair: ComparedPair) -> AdditionalCases | None:
    """Return the number of further cases for a significant difference of the observed size.

    With a power of 80%, at the comparison's level, over all pairs that are adjusted together
    (Bonferroni, which needs at least as many as Holm), by the test that decides on the pair: see
    :func:`~benchmaker.stats.power.pair_size.pair_size`. None for pairs that differ significantly or
    are equivalent, have no difference or an unknown spread, or already have enough cases. The
    ``method`` is the test whose power the number has.
    """
    spread = _spread_of(pair)
    if pair.verdict in {"ahead", "equivalent"} or spread is None or not pair.diff:
        return None
    tests = len(comparison.family_of(pair))
    found = n_more(pair.diff, spread, pair.n, alpha=alpha(comparison.level), tests=tests)
    found = _by_its_test(found, pair)
    return found if found.more else None


def why_no_more_cases(comparison: Comparison, pair: ComparedPair) -> str:
    """Return why an open pair has no number from :func:`more_cases`; empty if it has one.

    Pairs that differ significantly or are equivalent have no reason either.
    """
    if pair.verdict in {"ahead", "equivalent"} or more_cases(comparison, pair) is not None:
        return ""
    if pair.test == "welch":
        return "the models have no common cases"
    if not pair.diff:
        return "the means are equal"
    if _spread_of(pair) is None:
        return pair.reason or "the spread of the differences is unknown"
    return pair.reason or "the cases would already suffice for a difference of this size"


def _by_its_test(found: AdditionalCases, pair: ComparedPair) -> AdditionalCases:
    """The same by the test that decides on the pair, named as the method.

    Where all differences are equal, t has no number; the other tests do.
    """
    found = replace(found, method=TESTS["t"])
    rows = pair.differences() if pair.differences is not None else None
    planned = _FEWEST if found.sd_d == 0.0 else found.needed
    if rows is None or planned is None:
        return found
    made = pair_size(
        rows,
        test=pair.test,
        planned=planned,
        power=found.power,
        alpha=found.alpha / found.tests,
    )
    more = max(made.cases - found.n, 0)
    return replace(found, more=more, needed=made.cases, method=TESTS[made.test], reason="")


def _spread_of(pair: ComparedPair) -> float | None:
    """The standard deviation of the differences, with what clusters and weights cost."""
    if pair.se is not None and pair.sd is not None:
        return pair.se * math.sqrt(pair.n)
    return pair.sd if pair.clusters == pair.n else None


def _cases_of(pilot: Pilot | None) -> int:
    if pilot is None:
        raise SpecError(
            "No number of cases and no difference given.",
            hint="Give n to get the detectable difference, or delta to get the number of cases.",
        )
    return pilot.n


def _assumptions(made: Power, pilot: Pilot | None, sd: float | None) -> tuple[str, ...]:
    """Return the assumptions of the result, in words."""
    say = points if sd is None else exact_points
    spread = f"standard deviation of the differences {say(made.sd_d)} points"
    if pilot:
        out_of = f"{spread}, from {count(pilot.n, 'case')} of {' and '.join(pilot.models)}"
        why: tuple[str, ...] = (out_of, *pilot.assumes)
    elif sd is None:
        why = (f"{spread}: two independent models, each with 50% accuracy",)
    else:
        why = (f"{spread} (given)",)
    runs = "every case run once" if made.runs == 1 else f"every case run {made.runs} times"
    return (
        *why,
        f"both models on the same cases, {runs}; cases are a random sample",
        f"two-sided paired test, {_level_words(made)}",
    )


def _level_words(made: Power) -> str:
    """The level of the test, which one of several has a part of."""
    whole = f"confidence {100 * (1 - made.alpha):.4g}% (significance level {made.alpha:.2g})"
    if made.tests == 1:
        return whole
    return f"{whole}, split over {made.tests} tests: {made.alpha_each:.2g} each"


def _doubts(made: Power, pilot: Pilot | None) -> tuple[str, ...]:
    said = []
    if pilot is not None and pilot.n < _LEAST_PILOT:
        said.append(f"a pilot of {count(pilot.n, 'case')} gives only a rough standard deviation")
    unsplit = pilot is None or pilot.components is None
    if unsplit and made.runs > 1:
        said.append("the gain from repeated runs is unknown and not counted")
    if made.delta > 1.0:
        said.append("scores from 0 to 100 can't differ by more than 100 points")
    return tuple(said)
