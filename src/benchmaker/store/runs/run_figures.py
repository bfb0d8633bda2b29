"""Figures over runs: usage and cost of judges, stopped models, and sums of the store."""

from collections.abc import Sequence

from benchmaker.record import Judgment, Run
from benchmaker.store.database.database import Database
from benchmaker.store.runs import costs, judgments, stopped_models, sums
from benchmaker.store.runs.judge_scorings import JudgeScorings, judge_scorings
from benchmaker.store.runs.stopped_models import StoppedModel
from benchmaker.store.runs.sums import Totals


class RunFigures:
    """Figures over runs: usage and cost of judges, stopped models, and sums of the store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def judgments_of(self, run_id: str, *, model: str, case_id: str) -> list[Judgment]:
        """The judgments of one answer, in the order in which they became durable."""
        return judgments.read_judgments(self._database, run_id, model=model, case_id=case_id)

    def judge_scorings(self, run_ids: Sequence[str]) -> JudgeScorings:
        """Return each judge's usage in these runs together, by scoring.

        Raises:
            StoreError: an unknown run.
        """
        return judge_scorings(self._database, run_ids)

    def judges_usd_after(self, run_ids: Sequence[str], number: int) -> float:
        """Return the known cost of the judgments of these runs after a row number."""
        return costs.judges_usd_after(self._database, run_ids, number)

    def stopped_models(self, of: Sequence[Run]) -> tuple[StoppedModel, ...]:
        """The models of these runs that a failure stopped, in the order of their first one."""
        return stopped_models.stopped_models(self._database, of)

    def totals(self) -> Totals:
        """Return the current sums of the store."""
        return sums.totals(self._database)
