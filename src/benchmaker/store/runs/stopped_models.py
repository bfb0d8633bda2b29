"""Models that were stopped or dropped before the end of their runs, with the reasons."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import and_, func, select

from benchmaker.record import MODEL_STOPPED, Run
from benchmaker.record.run_command import DROPPED
from benchmaker.store.database.database import Room
from benchmaker.store.database.escaping import unescape_or_none
from benchmaker.store.database.tables import run_models, runs, trials


class StoppedModel(NamedTuple):
    """A stopped model, the error that stopped it, and the number of trials left.

    A model that a command dropped has no type of error.
    """

    model: str
    error_type: str
    error: str
    left: int
    planned: int

    @property
    def is_dropped(self) -> bool:
        """True if a command dropped it: it is not queried again unless it is added to the run."""
        return not self.error_type and self.error == DROPPED


class StoppedModelStore(Room):
    """Models stopped by a failure before the end of their runs."""

    def stopped_models(self, of: Sequence[Run]) -> tuple[StoppedModel, ...]:
        """Return the models stopped by a failure, first ones first, then dropped ones."""
        mine = runs.c.id.in_([run.id for run in of])
        joined = trials.join(runs, runs.c.seq == trials.c.run_seq).join(
            run_models,
            and_(
                run_models.c.run_seq == trials.c.run_seq, run_models.c.rank == trials.c.model_rank
            ),
        )
        failures = (
            select(run_models.c.model, trials.c.error_type, trials.c.error)
            .select_from(joined)
            .where(mine, trials.c.flags.like(f'%"{MODEL_STOPPED}"%'))
            .order_by(trials.c.seq)
        )
        with self.database.read() as connection:
            found = connection.execute(failures).all()
            dropped = [name for run in of for name in run.dropped]
            if not found and not dropped:
                return ()
            counted = connection.execute(
                select(run_models.c.model, func.count())
                .select_from(joined)
                .where(mine)
                .group_by(run_models.c.model)
            ).all()
        recorded: dict[str, int] = {row[0]: row[1] for row in counted}
        first = dict.fromkeys(dropped, ("", DROPPED))
        first |= {name: (kind, error) for name, kind, error in reversed(found)}
        return tuple(
            _stopped_model(name, *first[name], recorded.get(name, 0), of)
            for name in dict.fromkeys([*(name for name, *_ in found), *dropped])
        )


def _stopped_model(
    model: str, error_type: str | None, error: str | None, recorded: int, of: Sequence[Run]
) -> StoppedModel:
    planned = sum(run.planned // len(run.models) for run in of if model in run.models)
    return StoppedModel(
        model,
        unescape_or_none(error_type) or "",
        unescape_or_none(error) or "",
        max(0, planned - recorded),
        planned,
    )
