"""Changes to a store that pages show, each by a function that another process can call as well."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import benchmaker
from benchmaker.record.job import Job
from benchmaker.record.label import Label
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.arenas.agentic.handed import a_submission, write_submissions
from tests.web.results.answered_runs import answered_runs


class Place(NamedTuple):
    """A data folder, the number of the change, and the runs that stay."""

    home: Path
    number: int
    runs: tuple[str, ...]


def submit(at: Place) -> None:
    """Evaluate one more submission."""
    path = write_submissions(
        at.home.with_name(f"{at.number}.jsonl"), [a_submission(1_000 + at.number)]
    )
    benchmaker.evaluate(path, home=at.home)


def withdraw(at: Place) -> None:
    """Delete a submission."""
    with Store.open(at.home / STORE_FILE) as store:
        newest = store.submission_pages.page().rows[0]
        store.delete_submission(newest.submission.id)


def rescore(at: Place) -> None:
    """Compute the scores of a run again, with the other family."""
    profile = "classic" if at.number % 2 else "robust"
    benchmaker.rescore(at.runs[0], home=at.home, options=benchmaker.RunOptions(profile=profile))


def label(at: Place) -> None:
    """Label a trial of the later run."""
    with Store.open(at.home / STORE_FILE) as store:
        trial = next(iter(store.trials(at.runs[1])))
        score = at.number % 11 / 10
        made = Label(
            run_id=at.runs[1], case_id=trial.case_id, model=trial.model, blind_id=f"b{at.number}",
            source="targeted", score=score, raw_score=score,
        )  # fmt: skip
        store.add_labels([made])


def add_job(at: Place) -> None:
    """Queue a job that nobody carries out."""
    with Store.open(at.home / STORE_FILE) as store:
        store.jobs.add(Job(id=f"job-{at.number}", kind="run", target=f"other-{at.number}"))


def finish_runs(at: Place) -> None:
    """Finish two more runs of the suite, trial by trial."""
    answered_runs(at.home)


def delete_run(at: Place) -> None:
    """Delete the newest run that is not among these."""
    with Store.open(at.home / STORE_FILE) as store:
        later = [run.id for run in store.runs() if run.id not in at.runs]
        for run in later[:1]:
            store.delete_run(run)


CHANGES: dict[str, Callable[[Place], None]] = {
    change.__name__: change
    for change in (submit, withdraw, rescore, label, add_job, finish_runs, delete_run)
}


def change_in_child(_line, name: str, at: Place) -> None:
    """Make one of them in a process of its own."""
    CHANGES[name](at)
