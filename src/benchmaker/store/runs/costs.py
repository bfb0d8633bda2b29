"""Costs of requests: all of a trial's, and those to judges."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import case, func, or_, select

from benchmaker.record.attempt import RECORDED
from benchmaker.record.judgment import EMBEDDING
from benchmaker.record.trial import CACHE_HIT
from benchmaker.store.database.database import Room, retry_reads
from benchmaker.store.database.tables import attempts, completions, judgments, runs, trials

IS_OURS = attempts.c.status != RECORDED
"""True for a request made by its run; a recorded one has its recorded cost, and spends nothing."""

COST = (
    select(
        case(
            (func.count() == 0, completions.c.cost_usd),
            (func.count() == func.count(attempts.c.cost_usd), func.sum(attempts.c.cost_usd)),
        )
    )
    .where(attempts.c.trial_seq == trials.c.seq)
    .correlate(trials, completions)
    .scalar_subquery()
)
"""The cost of all requests of a trial; without any, that of the recorded answer."""


_IS_REUSED = or_(
    func.coalesce(trials.c.flags, "").contains(f'"{CACHE_HIT}"'),
    func.coalesce(completions.c.flags, "").contains(f'"{CACHE_HIT}"'),
)
"""True for an answer of another run, for which this one spends nothing."""

_KNOWN_COST = (
    select(
        case(
            (func.count() == 0, completions.c.cost_usd),
            else_=func.sum(attempts.c.cost_usd),
        )
    )
    .where(attempts.c.trial_seq == trials.c.seq)
    .correlate(trials, completions)
    .scalar_subquery()
)
"""The cost of a trial's requests as far as known."""


class Costs(NamedTuple):
    """The spending of runs: on trials, on judges, and on embeddings, as far as known.

    ``unknown`` counts the trials, ``judgments_unknown`` the judgments, ``embeddings_unknown`` the
    requests for embeddings of unknown cost; of such trials, ``models_usd`` includes the requests of
    known cost.
    """

    models_usd: float
    unknown: int
    judges_usd: float
    judgments_unknown: int
    embeddings_usd: float = 0.0
    embeddings_unknown: int = 0

    @property
    def known_usd(self) -> float:
        """The known total."""
        return self.models_usd + self.judges_usd + self.embeddings_usd

    @property
    def is_whole(self) -> bool:
        """True if no cost is unknown."""
        return not (self.unknown or self.judgments_unknown or self.embeddings_unknown)


class CostStore(Room):
    """The cost of requests."""

    @retry_reads
    def costs(self, run_ids: Sequence[str]) -> Costs:
        """Return the costs of these runs' requests: models, judges and embeddings separately.

        An answer from another run costs nothing.
        """
        numbers = select(runs.c.seq).where(runs.c.id.in_(run_ids))
        each = (
            select(
                case((_IS_REUSED, 0.0), else_=COST).label("cost"),
                case((_IS_REUSED, 0.0), else_=_KNOWN_COST).label("known"),
            )
            .select_from(trials.outerjoin(completions, completions.c.trial_seq == trials.c.seq))
            .where(trials.c.run_seq.in_(numbers))
            .subquery()
        )
        paid = select(func.sum(each.c.known), func.count() - func.count(each.c.cost)).select_from(
            each
        )
        kind = judgments.c.purpose == EMBEDDING
        judged = (
            select(
                kind,
                func.sum(judgments.c.cost_usd),
                func.count() - func.count(judgments.c.cost_usd),
            )
            .where(judgments.c.run_seq.in_(numbers))
            .group_by(kind)
        )
        with self.database.read() as connection:
            models, unknown = connection.execute(paid).one()
            asked = {bool(it): (float(usd or 0.0), n) for it, usd, n in connection.execute(judged)}
        nothing = (0.0, 0)
        return Costs(
            float(models or 0.0), unknown, *asked.get(False, nothing), *asked.get(True, nothing)
        )

    def judges_usd_after(self, run_ids: Sequence[str], number: int) -> float:
        """Return the known cost of judges and embeddings of these runs after a row number."""
        numbers = select(runs.c.seq).where(runs.c.id.in_(run_ids))
        wanted = select(func.sum(judgments.c.cost_usd)).where(
            judgments.c.run_seq.in_(numbers), judgments.c.seq > number
        )
        with self.database.read() as connection:
            return float(connection.scalar(wanted) or 0.0)
