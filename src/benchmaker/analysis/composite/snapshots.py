"""The contents of a baseline snapshot, published and robust."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from benchmaker.analysis.composite.counting_figures import Counting, EarlierCounting
from benchmaker.documents import Document
from benchmaker.record.counts import count
from benchmaker.record.submissions.metrics import Metrics, TokensView
from benchmaker.record.submissions.scored_figures import Figure
from benchmaker.record.submissions.submission import EvidenceLevel

PUBLISHED_WORDS: Mapping[Figure, str] = {"seconds": "execution_time"}
"""The document's name of a figure, if it differs."""


@dataclass(frozen=True, slots=True)
class FigureSpread:
    """The distribution of one figure in a snapshot's rows; quartiles from two rows on.

    Quartiles are those of the exclusive method, as published.
    """

    n: int
    minimum: float
    q25: float | None
    median: float
    q75: float | None
    maximum: float

    @classmethod
    def of(cls, figures: Sequence[float]) -> "FigureSpread":
        """Of at least one figure."""
        quartiles = statistics.quantiles(figures, n=4) if len(figures) > 1 else (None, None, None)
        return cls(
            n=len(figures),
            minimum=min(figures),
            q25=quartiles[0],
            median=statistics.median(figures),
            q75=quartiles[2],
            maximum=max(figures),
        )


@dataclass(frozen=True, slots=True)
class ClassicSnapshot(Document):
    """The published baseline; ``is_default`` below five eligible rows.

    ``figures`` has every figure; with ``n`` = 0 it is the default's, without quartiles. ``members``
    is the digest of the rows.
    """

    task_id: str
    n: int
    is_default: bool
    figures: Mapping[Figure, FigureSpread]
    members: str
    hash: str
    family: Literal["classic"] = "classic"

    def published_fields(self) -> dict[str, Any]:
        """The fields of the document's baseline, without ``last_updated``."""
        found: dict[str, Any] = {"submission_count": self.n}
        for name, spread in self.figures.items():
            word = PUBLISHED_WORDS.get(name, name)
            found[f"median_{word}"] = spread.median
            if name != "iterations":
                found |= {f"min_{word}": spread.minimum, f"max_{word}": spread.maximum}
            if name == "tokens" and not self.is_default:
                found |= {"q25_tokens": spread.q25, "q75_tokens": spread.q75}
        return found


@dataclass(frozen=True, slots=True)
class Prior:
    """The prior for missing rows: ln q10 and ln q90 of one figure.

    The medians over the ``tasks`` of the category that have reached 20 rows; with 0 tasks the
    default baseline's smallest and largest.
    """

    ln_q10: float
    ln_q90: float
    tasks: int = 0

    @property
    def source(self) -> str:
        """The source of the prior."""
        return (
            f"median over {count(self.tasks, 'task')} of the category" if self.tasks else "default"
        )


@dataclass(frozen=True, slots=True)
class Ends:
    """Between which figures one robust score runs, on the log scale: 1 at q10, 0 at q90.

    ``n`` rows went in, of which ``q10`` and ``q90`` are the own quantiles (type 7), None without a
    row. ``weight`` is that of the own ones, n/(n + 5) below 20 rows, 1 from there on; ``prior`` is
    None then.
    """

    n: int
    q10: float | None
    q90: float | None
    weight: float
    ln_q10: float
    ln_q90: float
    prior: Prior | None
    spread: FigureSpread | None


@dataclass(frozen=True, slots=True)
class RobustSnapshot(Document):
    """The ends of every figure; ``n`` counts the eligible rows used in any of them.

    ``counting`` holds the figures that count for rows whose evidence is among ``ranked``,
    ``unranked`` those for other rows; both are None in robust/1, which ignores missing figures.
    """

    task_id: str
    n: int
    tokens: TokensView
    figures: Mapping[Figure, Ends]
    members: str
    hash: str
    family: Literal["robust"] = "robust"
    ranked: tuple[EvidenceLevel, ...] = ()
    counting: Counting | None = None
    unranked: Counting | None = None

    def counting_of(self, row: Metrics) -> Counting | None:
        """Return the figures that count for a row."""
        return self.counting if row.evidence_level in self.ranked else self.unranked

    def provisional_reason(self, *, is_ranked: bool) -> str:
        """Why scores are provisional; empty if not.

        Args:
            is_ranked: the level of evidence of the row is ranked.
        """
        counting = self.counting if is_ranked else self.unranked
        return counting.provisional_reason(is_ranked=is_ranked) if counting is not None else ""

    def under_earlier_rule(self) -> "RobustSnapshot":
        """The same baseline, with the earlier rule for provisional scores."""
        counting, unranked = map(EarlierCounting.of, (self.counting, self.unranked))
        return replace(self, counting=counting, unranked=unranked)


Snapshot = ClassicSnapshot | RobustSnapshot
