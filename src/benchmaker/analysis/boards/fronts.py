"""The cost of success in one value: front, cost per success, budgets, pass@k and pass^k."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final

import numpy as np

from benchmaker.analysis.boards.board import Rules, Unit, words_for
from benchmaker.analysis.boards.frontier import (
    Front,
    PerSuccess,
    WithinBudget,
    attempts_by_task,
    pareto,
    passes,
    per_success,
    within_budget,
)
from benchmaker.documents import Document, Key
from benchmaker.record.counts import count
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metrics import EVIDENCE_LEVELS
from benchmaker.stats.means.pass_at_k import PassRate

KS: Final = (1, 2, 3, 5, 10)
BUDGETS: Final = 64
"""Maximum number of steps of a budget's curve."""


Passes = Mapping[str, Mapping[int, tuple[PassRate, PassRate]]]
"""By unit and k, pass@k and pass^k."""


@dataclass(frozen=True, slots=True)
class PassShare(Document):
    """A pass@k or pass^k as documents have it; ``tasks`` counts them."""

    mean: float | None
    low: float | None
    high: float | None
    se: float | None
    tasks: int
    reason: str

    @classmethod
    def of(cls, one: PassRate) -> "PassShare":
        """That of a rate."""
        return cls(one.mean, one.low, one.high, one.se, len(one.tasks), one.reason)


@dataclass(frozen=True, slots=True)
class PassesAtK(Document):
    """Both of one unit at one k."""

    system: str
    k: int
    pass_at_k: PassShare
    pass_hat_k: PassShare


def _pass_rows(passes: Passes) -> tuple[PassesAtK, ...]:
    return tuple(
        PassesAtK(name, k, PassShare.of(at), PassShare.of(hat))
        for name, by_k in passes.items()
        for k, (at, hat) in by_k.items()
    )


def _thin_curves(curves: Sequence[WithinBudget]) -> tuple[WithinBudget, ...]:
    return tuple(map(_thin_curve, curves))


def _thin_curve(one: WithinBudget) -> WithinBudget:
    chosen = thin(len(one.budgets))
    budgets = tuple(one.budgets[at] for at in chosen)
    return replace(one, budgets=budgets, shares=tuple(one.shares[at] for at in chosen))


def thin(size: int) -> Sequence[int]:
    """Return at most 64 of ``size`` positions, first and last included."""
    if size <= BUDGETS:
        return range(size)
    return [round(at * (size - 1) / (BUDGETS - 1)) for at in range(BUDGETS)]


@dataclass(frozen=True, slots=True)
class Fronts(Document, scale="0-1"):
    """Units by one figure against success; submissions of lower evidence are ``hollow``.

    ``untested`` holds, by unit, why its place on the front is not tested. ``passes`` holds, by
    unit and k, pass@k and pass^k over the tasks; no verdict counts as failed. Documents have the
    curves of ``within`` in at most 64 steps.
    """

    unit: Unit
    level: float
    hollow: int
    untested: Mapping[str, str]
    front: Front
    per_success: tuple[PerSuccess, ...]
    within: Annotated[tuple[WithinBudget, ...], Key("within_budget", form=_thin_curves)]
    passes: Annotated[Passes, Key(form=_pass_rows)]

    @classmethod
    def of(
        cls,
        columns: MetricColumns,
        *,
        figure: str = "dollars",
        unit: Unit = "system",
        rules: Rules | None = None,
    ) -> "Fronts":
        """All of it for the submissions whose evidence is ranked."""
        (made,) = cls.for_figures(columns, (figure,), unit=unit, rules=rules)
        return made

    @classmethod
    def for_figures(
        cls,
        columns: MetricColumns,
        figures: Iterable[str],
        *,
        unit: Unit = "system",
        rules: Rules | None = None,
    ) -> "list[Fronts]":
        """Return fronts for several figures; parts independent of the figure are computed once."""
        rules = rules or Rules()
        levels = [EVIDENCE_LEVELS.index(level) for level in rules.evidence]
        is_solid = np.isin(columns.evidence, levels)
        solid = columns.take(is_solid)
        hollow = int((~is_solid & ~columns.quarantined).sum())
        by_k = _passes(solid, unit, rules.level)
        made = []
        for figure in figures:
            front = pareto(solid, figure=figure, unit=unit, rules=rules, seed=rules.seed)
            made.append(
                cls(
                    front=front,
                    per_success=per_success(solid, figure=figure, unit=unit, rules=rules),
                    within=within_budget(solid, figure=figure, unit=unit, rules=rules),
                    passes=by_k,
                    unit=unit,
                    level=rules.level,
                    hollow=hollow,
                    untested=_untested_reasons(front, rules),
                )
            )
        return made


def _untested_reasons(front: Front, rules: Rules) -> dict[str, str]:
    """Return the reasons why units are not tested: few attempts or units, or a missing figure."""
    least, needed = rules.least_submissions, rules.least_systems
    enough = sum(point.n >= least for point in front.points)
    few = f"{needed} systems with at least {least} attempts are needed, {enough} available"
    return {
        point.system: (
            f"{count(point.n, 'attempt')}, at least {least} are needed" if point.n < least else few
        )
        for point in front.points
        if point.n < least or enough < needed
    } | {
        point.system: f"{count(point.lacking, 'attempt')} without {words_for(front.figure)}"
        for point in front.points
        if point.lacking and rules.needs_all_figures
    }


def _passes(
    columns: MetricColumns, unit: Unit, level: float
) -> dict[str, dict[int, tuple[PassRate, PassRate]]]:
    """For each k up to the attempts that some unit has at every one of its tasks."""
    attempts = attempts_by_task(columns, unit)
    found: dict[str, dict[int, tuple[PassRate, PassRate]]] = {}
    for k in KS:
        for name, both in passes(attempts, k, level=level).items():
            if both[0].mean is not None:
                found.setdefault(name, {})[k] = both
    return dict(sorted(found.items()))
