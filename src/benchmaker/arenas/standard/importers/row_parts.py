"""The parts of a trial that a row of another tool's file gives: answer, failed request, score."""

from benchmaker.arenas.standard.importers.evaluation import ImportedCase, ImportedRow
from benchmaker.arenas.standard.importers.row_blocks import NO_SCALE
from benchmaker.record import Completion, Score
from benchmaker.record.attempt import RECORDED, Attempt
from benchmaker.record.run import IMPORTED


def completion_of_row(row: ImportedRow) -> Completion:
    """Return the answer of a row that has one."""
    return Completion(
        text=row.output or "",
        finish=row.finish,
        usage=row.usage,
        latency_s=row.latency_s,
        cost_usd=row.cost_usd,
        model=row.answered_by,
    )


def attempts_of_row(row: ImportedRow) -> tuple[Attempt, ...]:
    """Return the request of a row that failed; empty if it has an answer all the same."""
    if row.output is not None:
        return ()
    return (
        Attempt(
            number=1,
            status=RECORDED,
            started_at=row.started_at,
            last_byte_s=row.latency_s,
            usage=row.usage,
            cost_usd=row.cost_usd,
            error_type=row.error_type or "ProviderError",
            error=row.error,
        ),
    )


def score_of_row(row: ImportedRow, case: ImportedCase, version: str) -> Score | None:
    """Return the main score of a row, by the tool of that version; None if it has no scores."""
    if row.score is None and not row.scores:
        return None
    reason = "" if row.score is not None else NO_SCALE
    expected = case.expected
    return Score(
        score=row.score,
        notes=row.notes or reason,
        scorer=row.scorer,
        scorer_version=version,
        profile=IMPORTED,
        expected=expected[0] if expected else None,
        also_expected=expected[1:],
    )
