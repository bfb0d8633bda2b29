"""The usual figures of one system at one task, and a submission compared with them.

Used for "against its own usual" and for drift; never inside a composite.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchmaker.analysis.composite.baselines import CLASSIC_LEAST
from benchmaker.analysis.composite.snapshots import FigureSpread
from benchmaker.documents import Document
from benchmaker.record.submissions.metrics import Metrics, TokensView
from benchmaker.record.submissions.scored_figures import FIGURES, Figure
from benchmaker.record.submissions.submission import Status
from benchmaker.stats.means.proportions import Proportion, proportion


@dataclass(frozen=True, slots=True)
class SystemBaseline(Document):
    """One system at one task, over at least five eligible submissions.

    ``figures`` are over the submissions that have them; ``success`` is the share of known verdicts
    with its interval, None if none is known. ``tokens`` is the token count used.
    """

    system: str
    task_id: str
    n: int
    figures: Mapping[Figure, FigureSpread]
    success: Proportion | None
    tokens: TokensView = "fresh"

    def ratios(self, row: Metrics) -> dict[Figure, float]:
        """A submission's figures over the system's median; those that are known and above 0.

        1 is as usual, 2 twice as much.
        """
        return {
            name: value / spread.median
            for name, spread in self.figures.items()
            if (value := row.figure(name, tokens=self.tokens)) is not None and spread.median > 0
        }


def system_baselines(
    rows: Iterable[Metrics], *, tokens: TokensView = "fresh"
) -> tuple[SystemBaseline, ...]:
    """Return every system at every task with five or more eligible submissions, by task and system.

    Eligible submissions are neither quarantined, refused nor infrastructure failures.

    Args:
        rows: in any order.
        tokens: the token count to use.
    """
    groups: dict[tuple[str, str], list[Metrics]] = defaultdict(list)
    for row in rows:
        if not row.quarantined and row.outcome is not Status.INFRA_ERROR and not row.faults:
            groups[row.task_id, row.system].append(row)
    return tuple(
        _baseline(task, system, groups[task, system], tokens)
        for task, system in sorted(groups)
        if len(groups[task, system]) >= CLASSIC_LEAST
    )


def _baseline(
    task_id: str, system: str, rows: Iterable[Metrics], tokens: TokensView
) -> SystemBaseline:
    own = sorted(rows, key=lambda row: row.order)
    known = {
        name: [value for row in own if (value := row.figure(name, tokens=tokens)) is not None]
        for name in FIGURES
    }
    verdicts = [row.success for row in own if row.success is not None]
    return SystemBaseline(
        system=system,
        task_id=task_id,
        n=len(own),
        figures={name: FigureSpread.of(values) for name, values in known.items() if values},
        success=proportion(sum(verdicts), len(verdicts)) if verdicts else None,
        tokens=tokens,
    )
