"""The runs that a person named, read together."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmaker.cli.context import Context
from benchmaker.cli.database import open_store
from benchmaker.errors import NotEnoughData

if TYPE_CHECKING:
    from benchmaker.analysis.comparison.repeats_needed import JudgeNoise
    from benchmaker.record import Run
    from benchmaker.record.label import Label
    from benchmaker.record.score_columns import ScoreColumns
    from benchmaker.spec import Case
    from benchmaker.store import Store


_PAIR = 2


@dataclass(frozen=True, slots=True)
class SelectedRuns:
    """Runs of one suite: their records, scores and labels, and optionally its cases.

    Several versions of the suite are compared over their common cases, without labels, and rescored
    answers count once, with ``warnings``. ``runs`` then have one version, and ``stored`` their
    original ones.
    """

    runs: "tuple[Run, ...]"
    stored: "tuple[Run, ...]"
    scores: "ScoreColumns"
    cases: "tuple[Case, ...]" = ()
    labels: "tuple[Label, ...]" = ()
    warnings: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """True if every run has finished."""
        return all(run.state == "finished" for run in self.runs)

    def columns(self) -> "ScoreColumns":
        """Return the scores, like every result of a run."""
        return self.scores


def select_runs(
    context: Context, names: Sequence[str], *, with_cases: bool = False
) -> SelectedRuns:
    """Return all runs with these names as one table; ``latest`` by default.

    Raises:
        SpecError: an unknown or ambiguous name.
        NotComparable: runs of different suites.
    """
    with open_store(context) as store:
        ids = [run_id for name in names or ("latest",) for run_id in store.resolve(name).run_ids]
        return read_together(store, list(dict.fromkeys(ids)), with_cases=with_cases)


@contextmanager
def reasons_in_hint(context: Context, runs: "Sequence[Run]") -> Iterator[None]:
    """Add to an error for want of scored models the command that shows why models have no scores.

    Raises:
        NotEnoughData: fewer than two models of the runs have scores.
    """
    try:
        yield
    except NotEnoughData as error:
        models = {model for run in runs for model in run.models}
        if not runs or error.got >= _PAIR or len(models) < _PAIR:
            raise
        line = context.line("results", runs[0].series_id or runs[0].id)
        error.hint = f"Show why the others have no scores: {line}"
        raise


def judge_noise_in(context: Context, name: str) -> "JudgeNoise | None":
    """Return the spread of the judges' replies in these runs; None without judges."""
    from benchmaker.analysis.comparison.repeats_needed import judge_noise

    with open_store(context) as store:
        ids = store.resolve(name).run_ids
        if not any(store.run(run_id).judge for run_id in ids):
            return None
        trials = (trial for run_id in ids for trial in store.trials(run_id))
        return judge_noise(trial.score for trial in trials if trial.score is not None)


def read_together(
    store: "Store", run_ids: Sequence[str], *, with_cases: bool = False
) -> SelectedRuns:
    """The records and scores of these runs."""
    from benchmaker.engine.runs import suite_versions

    found = suite_versions.read_together(store, run_ids)
    cases = tuple(store.suite(found.runs[0].suite_hash)) if with_cases else ()
    labels = suite_versions.labels_of(store, found)
    return SelectedRuns(found.runs, found.stored, found.columns, cases, labels, found.warnings)
