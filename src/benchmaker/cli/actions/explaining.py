"""A score explained: its arithmetic from the store, and the same computed again."""

from typing import TYPE_CHECKING

from benchmaker.cli.context import Context
from benchmaker.cli.database import open_store
from benchmaker.cli.options.name_lookup import model_of_run, only_model
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.record import Run, Trial
    from benchmaker.report.runs.explain import Explanation
    from benchmaker.store import Store

_NAMED = 12


def explanations(
    context: Context, run: str, case_id: str, *, model: str | None = None
) -> "list[Explanation]":
    """The explanation of a score, one for each run of a series.

    Raises:
        SpecError: no such run, case or model; or several models and none was named.
    """
    with open_store(context) as store:
        runs = [store.run(run_id) for run_id in store.resolve(run).run_ids]
        chosen = model_of_run(runs[0], model) if model else only_model(runs[0])
        return [_explain_trial(store, one, case_id, chosen) for one in runs]


def _explain_trial(store: "Store", run: "Run", case_id: str, model: str) -> "Explanation":
    from benchmaker.engine.runs.recomputing import recompute_score
    from benchmaker.engine.trials.setup_cases import case_of_setup
    from benchmaker.report.runs.explain import explain

    trial = trial_of_case(store, run, case_id, model)
    case = store.case(run.suite_hash, trial.position)
    again = recompute_score(store, run, trial, case)
    case = case_of_setup(store, run, trial.model, case)
    return explain(trial, case=case, recomputed=again, run=run)


def trial_of_case(store: "Store", run: "Run", case_id: str, model: str) -> "Trial":
    """Return the trial of a case by a model or setup.

    Raises:
        SpecError: there is none, with the nearest case.
    """
    trial = next(store.trials(run.id, model=model, case_id=case_id), None)
    if trial is None:
        raise SpecError(
            f"run {run.id} has no trial of case {case_id!r}.",
            hint=_case_hint(store, run, case_id, model),
        )
    return trial


def _case_hint(store: "Store", run: "Run", case_id: str, model: str) -> str:
    """The cases that variables made of one with this id, else the nearest id, else a command."""
    from benchmaker.spec.documents.suggestions import did_you_mean

    known = [trial.case_id for trial in store.trials(run.id, model=model)]
    made = [name for name in known if name.rpartition("/")[0] == case_id]
    if made:
        more = f" and {len(made) - _NAMED:,} more" if len(made) > _NAMED else ""
        return f"Its variables make several cases: {', '.join(made[:_NAMED])}{more}."
    listing = f"List them with: benchmaker show {run.id}"
    return f"{did_you_mean(case_id, known)} {listing}".strip()
