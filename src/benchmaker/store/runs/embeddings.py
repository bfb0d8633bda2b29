"""Embeddings of texts, and the requests for them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import case, func, select

from benchmaker.record import EmbeddingTotals
from benchmaker.record.judgment import EMBEDDING
from benchmaker.store.database.database import Room, retry_reads
from benchmaker.store.database.escaping import unescape
from benchmaker.store.database.tables import embeddings, judgments, runs
from benchmaker.store.runs.judgments import FAILED, UNUSABLE


class EmbeddingStore(Room):
    """Embeddings by a digest of endpoint, model, dimensions and text, and their cost by run."""

    @retry_reads
    def find_embeddings(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Return the stored embeddings under these keys, at most 500."""
        wanted = select(embeddings.c.key, embeddings.c.body).where(embeddings.c.key.in_(keys))
        with self.database.read() as connection:
            return {key: bytes(body) for key, body in connection.execute(wanted)}

    @retry_reads
    def embedding_totals(self, run_ids: Sequence[str]) -> tuple[EmbeddingTotals, ...]:
        """Return the requests of these runs for embeddings, by model."""
        table = judgments.c
        wanted = (
            select(
                table.judge,
                func.count(),
                func.sum(case((table.status.in_((FAILED, UNUSABLE)), 1), else_=0)),
                func.sum(table.cost_usd),
                func.count() - func.count(table.cost_usd),
                func.sum(table.input_tokens),
            )
            .join(runs, runs.c.seq == table.run_seq)
            .where(runs.c.id.in_(run_ids), table.purpose == EMBEDDING)
            .group_by(table.judge)
            .order_by(table.judge)
        )
        with self.database.read() as connection:
            return tuple(_totals(row) for row in connection.execute(wanted))


def _totals(row: Sequence[Any]) -> EmbeddingTotals:
    """Convert one model's row, with its columns in query order."""
    model, requests, failed, cost, unknown, tokens = row
    return EmbeddingTotals(
        model=unescape(model),
        requests=requests,
        failed=int(failed),
        cost_usd=float(cost or 0.0),
        costs_unknown=unknown,
        input_tokens=None if tokens is None else int(tokens),
    )
