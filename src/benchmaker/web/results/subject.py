"""The subject of a results page: a run, or a series of runs."""

from dataclasses import dataclass

from benchmaker.errors import SpecError
from benchmaker.record import Run, RunState
from benchmaker.store import Store
from benchmaker.web.faults import Missing
from benchmaker.web.rendering import Crumb
from benchmaker.web.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Subject:
    """A run or a series: its id, where its pages are, and its runs by number."""

    id: str
    base: str
    runs: tuple[Run, ...]
    is_series: bool

    @property
    def run(self) -> Run:
        """The first run, which represents the shared settings."""
        return self.runs[0]

    @property
    def run_ids(self) -> tuple[str, ...]:
        """The ids of the runs."""
        return tuple(run.id for run in self.runs)

    @property
    def live_page(self) -> str:
        """The address of the page with the progress of the run, or of its whole series."""
        return f"/arena/{self.run.series_id or self.run.id}"

    @property
    def retries(self) -> str:
        """The address that retries the failed trials of these runs alone."""
        return f"/arena/{self.id}/resume"

    @property
    def retries_of_series(self) -> str:
        """The address that retries those of the whole series; empty if these are all its runs."""
        series = self.run.series_id
        return f"/arena/{series}/resume" if series and not self.is_series else ""

    def is_in_progress(self, store: Store) -> bool:
        """True if a job on the run or its series is open."""
        targets = {self.id, self.run.series_id, *self.run_ids}
        return any(job.target in targets for job in store.jobs.list_open())

    @property
    def is_requested(self) -> bool:
        """True if its answers came from requests: not from a recording, nor from another tool."""
        return all(
            run.imported_from is None and run.provider.get("kind") != "recorded"
            for run in self.runs
        )

    @property
    def can_retry(self) -> bool:
        """True if failed requests can be sent again: not for recordings, nor during a run."""
        is_ended = all(run.state not in {RunState.RUNNING, RunState.PAUSED} for run in self.runs)
        return self.is_requested and is_ended

    def rank(self, model: str) -> int:
        """Return the number of a model in addresses: its position among the run's models."""
        return self.run.models.index(model)

    def model(self, number: str) -> str:
        """Return the model with that number.

        Raises:
            SpecError: unknown number.
        """
        return model_at(self.run, number)


def result_crumb(bench: Workbench, run: Run, href: str) -> Crumb:
    """The breadcrumb that leads to a result: the name of its suite."""
    return Crumb(bench.redactor.text(run.suite_name), href)


def run_subject(store: Store, run_id: str) -> Subject:
    """A run by its id."""
    return Subject(run_id, f"/runs/{run_id}", (store.run(run_id),), is_series=False)


def series_subject(store: Store, series_id: str) -> Subject:
    """A series by its id, with the runs that it has so far."""
    store.series(series_id)
    runs = sorted(store.runs(series_id=series_id), key=lambda run: run.number)
    if not runs:
        raise Missing("The series has no run yet.", hint="Start it again.")
    return Subject(series_id, f"/series/{series_id}", tuple(runs), is_series=True)


def model_at(run: Run, number: str) -> str:
    """Return the model of a run by its number in addresses.

    Raises:
        SpecError: unknown number.
    """
    if not (number.isascii() and number.isdigit() and int(number[:9]) < len(run.models)):
        last = len(run.models) - 1
        raise SpecError(
            f"{number[:40]!r} is not a model number.", hint=f"Model numbers go from 0 to {last}."
        )
    return run.models[int(number)]
