"""The source of each figure of a submission."""

from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple

from benchmaker.record.submissions.submission import FIGURE_ROWS, Provenance, Submission

_VERDICT = ("outcome.success", "outcome.reward")


class _Label(NamedTuple):
    """The label of a metric at a path, where the metric is known."""

    path: str
    provenance: Provenance
    metric: Callable[[Submission], Any]


def provenance_of(
    submission: Submission, *, read: Provenance, stated: Mapping[str, Any]
) -> dict[str, Provenance]:
    """Return the provenance of every known metric, by its dotted path.

    ``read`` is the label of values in the log; ``stated`` names the final figures that it states.
    Sums of kinds, times between events, prices and shares are computed.
    """
    labels = _labels(
        read,
        is_wall_stated="wall_s" in stated,
        is_active_stated="active_s" in stated,
        is_total_stated=submission.usage.total is None,
    )
    return {one.path: one.provenance for one in labels if one.metric(submission) is not None}


@cache
def _labels(
    read: Provenance, *, is_wall_stated: bool, is_active_stated: bool, is_total_stated: bool
) -> tuple[_Label, ...]:
    """The labels of all metrics, by path."""
    ours = Provenance.COMPUTED if read is Provenance.IMPORTED else read
    labels = {path: ours if row.is_computed else read for path, row in FIGURE_ROWS.items()}
    labels |= dict.fromkeys(_VERDICT, read)
    labels["time.wall_s"] = read if is_wall_stated else ours
    labels["time.active_s"] = read if is_active_stated else ours
    labels["total_tokens"] = read if is_total_stated else ours
    made = [_Label(path, label, attrgetter(path)) for path, label in labels.items()]
    return tuple(sorted([*made, _Label("artifacts.files", read, _files)]))


def _files(submission: Submission) -> tuple[str, ...] | None:
    return submission.artifacts.files_created or submission.artifacts.files_modified or None
