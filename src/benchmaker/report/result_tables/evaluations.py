"""The table of evaluated submissions of one task in the terminal."""

from collections.abc import Sequence
from typing import Final, TypeAlias

from benchmaker.arenas.agentic.evaluation.rows import RANKED_PARTS, EvaluatedRow
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import TableColumn, TableDeclaration
from benchmaker.report.tables.sanitize import sanitise

Rows: TypeAlias = Sequence[EvaluatedRow]

_PARTS, _PERCENTILE, _COST, _SPEED, _EFFICIENCY, _EVIDENCE, _CORRECTNESS = range(1, 8)
"""What gives way first on a narrow terminal."""

_NOT_RANKED: Final = "–"


def _rank(row: EvaluatedRow, _: Rows) -> str:
    """The rank, with the best and worst possible rank if the score is a range."""
    if row.rank is None:
        return ""
    best, worst = row.rank_interval or (row.rank, row.rank)
    return f"{row.rank:,}" if best == worst else f"{row.rank:,} [{best:,}–{worst:,}]"


def _part_ranks(row: EvaluatedRow, _: Rows) -> str:
    """The ranks by efficiency, speed and cost; empty if the row has none of them."""
    ranks = [row.rankings.get(name) for name in RANKED_PARTS]
    shown = [_NOT_RANKED if rank is None else f"{rank:,}" for rank in ranks]
    return "/".join(shown) if any(ranks) else ""


def _score_text(low: float | None, high: float | None) -> str:
    if low is None:
        return ""
    ends = (low,) if high is None else (low, high)
    return "–".join(numbers.score(score / 100) for score in ends)


def _notes(row: EvaluatedRow, _: Rows) -> str:
    """The reason for a missing score, and the remarks on the row, in words."""
    notes = (
        row.reason,
        "provisional" if row.provisional else "",
        f"stand-in: {' '.join(row.stand_ins)}" if row.stand_ins else "",
        row.waiting,
        *row.flags,
        "warned" if row.warnings else "",
    )
    return sanitise(", ".join(one.replace("_", " ") for one in notes if one))


def _evidence(row: EvaluatedRow, _: Rows) -> str:
    return row.evidence_level + (f" ({row.isolation})" if row.isolation else "")


def _score(part: str, title: str, gives_way: int = 0) -> TableColumn[Rows, EvaluatedRow]:
    """A score by its part; shown if a row has it."""

    def value(row: EvaluatedRow) -> float | None:
        found: float | None = getattr(row, f"{part}_score")
        return found

    return TableColumn(
        name=f"{part}_score",
        title=title,
        text=lambda row, _: _score_text(value(row), row.upper.get(part)),
        is_shown=lambda rows, _: any(value(row) is not None for row in rows),
        gives_way=gives_way,
        folds_names=part == "correctness",
    )


EVALUATIONS: TableDeclaration[Rows, EvaluatedRow] = TableDeclaration(
    "evaluations",
    (
        TableColumn(
            name="system", title="System", text=lambda row, _: sanitise(row.system), is_right=False
        ),
        TableColumn(
            name="id",
            title="Id",
            text=lambda row, _: sanitise(row.row_id or ""),
            is_right=False,
            is_shown=lambda rows, _: any(row.row_id for row in rows),
        ),
        TableColumn(
            name="rank",
            title="Rank",
            text=_rank,
            is_shown=lambda rows, _: any(row.rank is not None for row in rows),
        ),
        _score("overall", "Score"),
        _score("efficiency", "Effi-\nciency\nscore", _EFFICIENCY),
        _score("speed", "Speed\nscore", _SPEED),
        _score("cost", "Cost\nscore", _COST),
        _score("correctness", "Correct-\nness\nscore", _CORRECTNESS),
        TableColumn(
            name="percentile",
            title="Percentile",
            text=lambda row, _: "" if row.percentile is None else f"{row.percentile:.1f}",
            is_shown=lambda rows, _: any(row.percentile is not None for row in rows),
            gives_way=_PERCENTILE,
        ),
        TableColumn(
            title="Part ranks",
            text=_part_ranks,
            is_shown=lambda rows, _: any(any(row.rankings.values()) for row in rows),
            gives_way=_PARTS,
        ),
        TableColumn(
            name="evidence_level",
            title="Evidence",
            text=_evidence,
            is_right=False,
            gives_way=_EVIDENCE,
            folds_names=True,
        ),
        TableColumn(
            name="reason",
            title="Note",
            text=_notes,
            is_right=False,
            is_shown=lambda rows, _: any(_notes(row, rows) for row in rows),
            gives_way_last=True,
        ),
    ),
    rows=lambda rows: rows,
)
"""System, rank, scores (0 to 100) and evidence of each submission."""
