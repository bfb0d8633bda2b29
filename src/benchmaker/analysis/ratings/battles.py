"""Battles from votes, or from the scores of a suite compared in pairs."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.comparison.pairing import CaseTable
from benchmaker.errors import AnalysisError, NotEnoughData, SpecError
from benchmaker.record.battle import Battle
from benchmaker.stats.ratings import Battles, battles
from benchmaker.stats.ratings.codes import LOST, TIED, WON

Cluster: TypeAlias = Literal["voter", "prompt", "both", "none"]

MOST = 20_000_000
"""Maximum number of battles made from scores."""

_EQUAL = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Rounds:
    """One row per battle, with the voter, the prompt and the time, if known.

    ``case`` has the case within a group of cases, which is then the prompt. ``features`` holds, by
    name, measures of both answers (such as their lengths), for style
    control. ``n_prompts`` counts the cases or prompts, None if unknown.
    """

    battles: Battles
    source: Literal["suite", "votes"]
    voter: Sequence[Hashable] | None = None
    prompt: Sequence[Hashable] | None = None
    at: Sequence[str] | None = None
    features: Mapping[str, tuple[Sequence[float], Sequence[float]]] = field(default_factory=dict)
    n_prompts: int | None = None
    case: Sequence[Hashable] | None = None

    def usual_cluster(self) -> Cluster:
        """Return the default clustering: a suite by case; votes by voter and prompt, if known."""
        if self.source == "suite":
            return "prompt"
        match (_repeats(self.voter), _repeats(self.prompt)):
            case (True, True):
                return "both"
            case (True, False):
                return "voter"
            case (False, True):
                return "prompt"
            case _:
                return "none"

    def labels(self, cluster: Cluster) -> tuple[Sequence[Hashable], ...]:
        """Return the labels to cluster by: none, one or two columns.

        Raises:
            SpecError: the battles lack voters or prompts.
        """
        wanted = {"voter": ["voter"], "prompt": ["prompt"], "both": ["voter", "prompt"], "none": []}
        found = [(name, getattr(self, name)) for name in wanted[cluster]]
        for name, column in found:
            if column is None:
                raise SpecError(
                    f"The battles have no column {name!r} to cluster by.",
                    hint=f"Choose another of voter, prompt, both and none, not {cluster!r}.",
                )
        return tuple(column for _, column in found)


def rounds_of_scores(table: CaseTable) -> Rounds:
    """Every case as a round: each pair of models with a score there, the higher one wins.

    A battle weighs as its case; cases that share a group are one prompt. Names are sorted.
    """
    names = tuple(sorted(name for name in table.models if len(table.cases_of(name))))
    if len(names) < 2:  # noqa: PLR2004  a battle takes two
        raise NotEnoughData(
            f"A ranking needs 2 scored models, found {len(names)} of {len(table.models)}.",
            needed=2,
            got=len(names),
            hint="Run another model on the same suite, or add a run that has one.",
        )
    _refuse_too_many(table, len(names))
    parts = [_duel(table.select_models(names), i, j) for i, j in combinations(range(len(names)), 2)]
    case, a, b, outcome = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((b, a, case))
    case, a, b, outcome = (column[order] for column in (case, a, b, outcome))
    if not len(case):
        raise NotEnoughData(
            "No case has scores for two models, so there are no battles.",
            needed=1,
            got=0,
            hint="Use runs with common cases.",
        )
    weight = table.weights[case] if table.is_weighted else None
    cases, groups = np.unique(case), np.unique(table.cluster[case])
    return Rounds(
        battles=Battles(names, a, b, outcome, weight),
        source="suite",
        prompt=table.cluster[case].tolist(),
        n_prompts=len(cases),
        case=case.tolist() if len(groups) < len(cases) else None,
    )


def rounds_of_battles(rows: Iterable[Battle]) -> Rounds:
    """Return recorded verdicts as columns; the voter is the actor, the prompt the case.

    Raises:
        AnalysisError: a model against itself, an invalid weight; with row numbers.
        NotEnoughData: there is no battle, or only one model.
    """
    listed = list(rows)
    weights = [row.weight for row in listed]
    prompts = [row.case_id for row in listed]
    known = any(prompt is not None for prompt in prompts)
    stamps = [row.at for row in listed]
    return Rounds(
        battles=battles(
            [row.a for row in listed],
            [row.b for row in listed],
            [row.outcome.value for row in listed],
            weight=weights if set(weights) != {1.0} else None,
        ),
        source="votes",
        voter=[row.actor for row in listed],
        prompt=prompts if known else None,
        at=stamps if all(stamps) else None,
        n_prompts=len(set(prompts)) if known else None,
    )


def _refuse_too_many(table: CaseTable, models: int) -> None:
    made = models * (models - 1) // 2 * len(table)
    if made > MOST:
        raise AnalysisError(
            f"{models} models over {len(table):,} cases make {made:,} battles, more than {MOST:,}.",
            hint="Rank fewer models at a time.",
        )


def _duel(
    table: CaseTable, i: int, j: int
) -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.int32], NDArray[np.int8]]:
    """The cases that both are scored in, both places, and who won."""
    scored = table.is_scored
    cases = np.flatnonzero(scored[:, i] & scored[:, j])
    away = table.scores[cases, i] - table.scores[cases, j]
    result = np.where(away > _EQUAL, WON, np.where(away < -_EQUAL, LOST, TIED)).astype(np.int8)
    ones = np.ones(len(cases), np.int32)
    return cases, ones * np.int32(i), ones * np.int32(j), result


def _repeats(labels: Sequence[Hashable] | None) -> bool:
    """True if there are at least two labels, and some are repeated."""
    if labels is None:
        return False
    return 1 < len(set(labels)) < len(labels)
