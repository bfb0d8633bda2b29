"""A score explained: its arithmetic from the store, and the same computed again."""

import asyncio
from typing import TYPE_CHECKING

from benchmaker.cli.context import Context
from benchmaker.cli.database import open_store
from benchmaker.cli.naming import asked_model, only_model
from benchmaker.errors import BenchmakerError, SpecError

if TYPE_CHECKING:
    from benchmaker.record import Run, Score, Trial
    from benchmaker.report.explain import Explanation
    from benchmaker.spec import Case
    from benchmaker.store import Store


def explanations(
    context: Context, run: str, case_id: str, *, model: str | None = None
) -> "list[Explanation]":
    """The explanation of a score, one for each run of a series.

    Raises:
        SpecError: no such run, case or model; or several models and none was named.
    """
    with open_store(context) as store:
        runs = [store.run(run_id) for run_id in store.resolve(run).run_ids]
        chosen = asked_model(runs[0], model) if model else only_model(runs[0])
        return [_explained(store, one, case_id, chosen) for one in runs]


def _explained(store: "Store", run: "Run", case_id: str, model: str) -> "Explanation":
    from benchmaker.report.explain import explain  # noqa: PLC0415

    trial = next(store.trials(run.id, model=model, case_id=case_id), None)
    if trial is None:
        raise SpecError(
            f"run {run.id} has no trial of case {case_id!r}.",
            hint=f"List them with: benchmaker show {run.id}",
        )
    case = store.case(run.suite_hash, trial.position)
    recomputed = _recomputed(store, run, trial, case)
    return explain(trial, case=case, recomputed=recomputed, run=run)


def _recomputed(store: "Store", run: "Run", trial: "Trial", case: "Case") -> "Score | None":
    """The score as it comes out now; None where it can't be computed without asking a model."""
    from benchmaker.engine.mark import Judgement, instructed, mark  # noqa: PLC0415
    from benchmaker.engine.remembered import Remembered  # noqa: PLC0415
    from benchmaker.scoring.build import build  # noqa: PLC0415
    from benchmaker.spec import ScorerSpec, profile  # noqa: PLC0415

    stored = trial.score
    if stored is None or not stored.scorer:
        return None
    try:
        spec = ScorerSpec.model_validate({**stored.parameters, "id": stored.scorer})
        family = profile(stored.profile.partition("/")[0])
        suite = store.suite(run.suite_hash)
        judgement = Judgement(build(instructed(spec, suite), family), spec, family)
        judges = Remembered(store, run, trial.model)
        marked = asyncio.run(mark(trial, case, judgement, policies=suite.policies, ask=judges))
    except BenchmakerError:
        return None
    return None if judges.is_missing else marked.score
