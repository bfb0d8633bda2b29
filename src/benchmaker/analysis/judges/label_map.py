"""Maps judges' scores to the human scale by a map fitted on labels."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchmaker.analysis.judges.labelled_scores import Floats, LabelledScores
from benchmaker.documents import Document
from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.agreement.recalibration import (
    ENOUGH_FOR_A_LINE,
    ENOUGH_FOR_STEPS,
    Map,
    fit_isotonic,
    fit_linear,
    leave_one_out,
)

MapName = Literal["linear", "isotonic"]

_FOLDS = 10
_FITS: dict[MapName, tuple[Callable[[Floats, Floats], Map], int]] = {
    "linear": (fit_linear, ENOUGH_FOR_A_LINE),
    "isotonic": (fit_isotonic, ENOUGH_FOR_STEPS),
}


@dataclass(frozen=True, slots=True)
class LabelMap(Document):
    """The kind of map, its number of labels, and its effect on the error for unseen labels.

    ``error_before`` and ``error_after`` are mean absolute errors from 0 to 1, each label excluded
    from the fit of its map.
    """

    name: MapName
    n: int
    error_before: float
    error_after: float
    method: str


def learn_map(side: LabelledScores, name: MapName) -> tuple[LabelMap, Floats]:
    """Return the map, and all scores on the human scale.

    One map serves all models. A labelled answer is mapped by a fit on other cases, in ten folds;
    the others by the mean of the ten (Zrnic & Candès 2024, Cross-prediction-powered inference, PNAS
    121, e2322083121).

    Raises:
        NotEnoughData: fewer than 50 labelled answers for a line, or 200 for steps.
        SpecError: unknown map.
    """
    if name not in _FITS:
        raise SpecError(f"Unknown map {name!r}.", hint=f"Use one of {' or '.join(_FITS)}.")
    fit, needed = _FITS[name]
    rows = side.all_rows()
    has = rows.is_labelled
    judge, label = rows.judge[has], rows.label[has]
    if len(judge) < needed:
        raise NotEnoughData(
            f"The {name} map needs {needed} labelled answers drawn at random, found {len(judge)}; "
            "with fewer, it may make scores worse.",
            needed=needed,
            got=len(judge),
            hint="Label more answers, or omit the map: the correction works without it.",
        )
    made = leave_one_out(fit, judge, label)
    learned = LabelMap(
        name, len(judge), made.raw, made.mapped, f"{name}, in {_FOLDS} parts by case"
    )
    return learned, _map_out_of_fold(side, fit)


def _map_out_of_fold(side: LabelledScores, fit: Callable[[Floats, Floats], Map]) -> Floats:
    table = side.columns
    rows = side.all_rows()
    has = rows.is_labelled
    part = np.unique(rows.cluster, return_inverse=True)[1] % _FOLDS
    maps = {
        fold: fit(rows.judge[has & (part != fold)], rows.label[has & (part != fold)])
        for fold in range(_FOLDS)
    }
    each = np.array([one.predict(rows.judge).values for one in maps.values()])
    own = each[part, np.arange(len(part))]
    scores = table.score.copy()
    scores[~np.isnan(table.score) & (table.weight > 0)] = np.where(has, own, each.mean(axis=0))
    return scores
