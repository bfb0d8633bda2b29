"""The number of runs a judged suite needs, from the variation between repetitions."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal

from benchmaker.documents import OMITTED, Document, Key, listed
from benchmaker.record import Score
from benchmaker.record.points import points
from benchmaker.stats.quantiles import z_quantile

PUBLISHED_RUNS = (3, 5)
"""The published guideline's row for judges, from the fewest runs to the most."""

_PAIR = 2


@dataclass(frozen=True, slots=True)
class JudgeNoise:
    """The spread of a judge's replies to one question about one answer.

    ``variance`` is that of single replies, pooled over ``answers`` with ``df`` degrees of freedom,
    of scores from 0 to 1; ``repeats`` is the average number of replies per score.
    """

    variance: float
    df: int
    answers: int
    repeats: float

    @property
    def sd(self) -> float:
        """The standard deviation of single replies."""
        return math.sqrt(self.variance)


@dataclass(frozen=True, slots=True)
class RunsNeeded(Document):
    """The number of runs until repetition moves a difference by less than ``delta``.

    ``runs`` is None without measurements; ``published`` is then the guideline's row. With
    ``is_least`` only the judge's part was measured, and the models' own is added to it.
    ``moves_by`` is half the 95% interval (or that of another ``level``) of the difference between
    two models on the same ``n`` cases, if everything were repeated; ``sd_runs`` is the standard
    deviation between runs of one case, including the judge's part; ``sd_judge`` that of the judge's
    single replies. All from 0 to 1.
    """

    n: Annotated[int, OMITTED]
    delta: Annotated[float, OMITTED]
    level: Annotated[float, OMITTED]
    runs: int | None
    is_least: bool = False
    published: Annotated[tuple[int, int] | None, Key("published_guideline")] = None
    moves_by: float | None = None
    sd_runs: float | None = None
    sd_judge: float | None = None
    repeats: Annotated[float | None, Key("judge_repeats")] = None

    @property
    @listed(after="published_guideline")
    def basis(self) -> Literal["measured", "published guideline"]:
        """The basis of the number."""
        return "measured" if self.runs is not None else "published guideline"

    @property
    @listed()
    def sentence(self) -> str:
        """The answer in words, in points of 100."""
        if self.runs is None or self.moves_by is None:
            low, high = self.published or PUBLISHED_RUNS
            return (
                f"{low} to {high} runs, by the published guideline for judged suites. "
                "To measure it, run a pilot with --runs 3 and --judge-repeats 3."
            )
        least = "at least " if self.is_least else ""
        number = "1 run" if self.runs == 1 else f"{self.runs:,} runs"
        compared = "less" if self.moves_by <= self.delta else "more"
        return (
            f"{least}{number}: the difference varies by ±{points(self.moves_by)} points between "
            f"repetitions of one run ({100 * self.level:g}%), {compared} than the "
            f"{points(self.delta)} points to detect. {self._parts()}"
        )

    def _parts(self) -> str:
        said = []
        if self.sd_runs is not None:
            said.append(f"SD of a case between runs: {points(self.sd_runs)} points")
        if self.sd_judge is not None:
            said.append(
                f"SD of one judge's scores for the same answer: {points(self.sd_judge)} points, "
                f"{self.repeats:.2g} replies per score"
            )
        if self.is_least:
            said.append("variation of the models is not measured: there is only one run")
        text = "; ".join(said)
        return f"{text[:1].upper()}{text[1:]}."


def judge_noise(scores: Iterable[Score]) -> JudgeNoise | None:
    """Return the spread of judges' repeats; None if no answer was judged twice.

    Replies of one judge, about one answer, in one order of a pair form a group; their variance
    around their own mean is pooled. In a panel it is that of the judges on average.
    """
    squares, df, answers, replies, groups = 0.0, 0, 0, 0, 0
    for score in scores:
        found = _groups(score)
        answers += bool(found)
        for units in found:
            mean = math.fsum(units) / len(units)
            squares += math.fsum((unit - mean) ** 2 for unit in units)
            df += len(units) - 1
            replies += len(units)
            groups += 1
    return JudgeNoise(squares / df, df, answers, replies / groups) if df else None


def _groups(score: Score) -> list[list[float]]:
    together: dict[tuple[str, str, str], list[float]] = {}
    for check, part in score.judged_parts:
        for one in part["singles"]:
            if one.get("unit") is not None:
                key = (check, one["judge"], one.get("order", ""))
                together.setdefault(key, []).append(one["unit"])
    return list(together.values())


def runs_needed(
    n: int,
    delta: float,
    *,
    var_runs: float | None = None,
    noise: JudgeNoise | None = None,
    level: float = 0.95,
    weight_cost: float = 1.0,
) -> RunsNeeded:
    """Return the fewest runs after which repetition moves a difference by at most ``delta``.

    With K runs, the difference between two models on the same n cases varies, when everything is
    repeated on these cases, with variance (σ²_a + σ²_b) / (n K), where σ² is the variance between
    runs of one case: the model's and the judge's part together (Searle, Casella and McCulloch 1992,
    Variance Components, section 3.6). K = ⌈z² (σ²_a + σ²_b) / (n δ²)⌉.

    Args:
        n: number of cases.
        delta: the difference to detect, from 0 to 1.
        var_runs: σ²_a + σ²_b, if cases ran more than once.
        noise: noise of the judge; if no case ran twice, it is the lower bound for the whole.
        level: of the interval.
        weight_cost: the variance factor of unequal weights, n Σw²/(Σw)².

    >>> runs_needed(100, 0.01, var_runs=0.02).runs
    8
    """
    total = var_runs
    if total is None and noise is not None:
        total = _PAIR * noise.variance / noise.repeats
    if total is None:
        return RunsNeeded(n, delta, level, None, published=PUBLISHED_RUNS)
    z = z_quantile(level)
    moves_by = z * math.sqrt(weight_cost * total / n)
    return RunsNeeded(
        n,
        delta,
        level,
        max(1, math.ceil((moves_by / delta) ** 2 - 1e-9)),
        is_least=var_runs is None,
        moves_by=moves_by,
        sd_runs=None if var_runs is None else math.sqrt(var_runs / _PAIR),
        sd_judge=noise.sd if noise else None,
        repeats=noise.repeats if noise else None,
    )
