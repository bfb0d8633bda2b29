"""Changes to a store that pages show, each by a function that another process can call as well."""

from collections.abc import Callable
from pathlib import Path

import benchmaker
from benchmaker.record.job import Job
from benchmaker.record.label import Label
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.arenas.agentic.handed import a_submission, write_submissions
from tests.web.results.answered_runs import answered_runs


def submit(home: Path, number: int, runs: tuple[str, ...]) -> None:
    """Evaluate one more submission."""
    path = write_submissions(home.with_name(f"{number}.jsonl"), [a_submission(1_000 + number)])
    benchmaker.evaluate(path, home=home)


def withdraw(home: Path, number: int, runs: tuple[str, ...]) -> None:
    """Delete a submission."""
    with Store.open(home / STORE_FILE) as store:
        newest = store.submission_pages.page().rows[0]
        store.delete_submission(newest.submission.id)


def rescore(home: Path, number: int, runs: tuple[str, ...]) -> None:
    """Compute the scores of a run again, with the other family."""
    profile = "classic" if number % 2 else "robust"
    benchmaker.rescore(runs[0], home=home, options=benchmaker.RunOptions(profile=profile))


def label(home: Path, number: int, runs: tuple[str, ...]) -> None:
    """Label a trial of the later run."""
    with Store.open(home / STORE_FILE) as store:
        trial = next(iter(store.trials(runs[1])))
        score = number % 11 / 10
        made = Label(
            run_id=runs[1], case_id=trial.case_id, model=trial.model, blind_id=f"b{number}",
            source="targeted", score=score, raw_score=score,
        )  # fmt: skip
        store.labels.add_labels([made])


def add_job(home: Path, number: int, runs: tuple[str, ...]) -> None:
    """Queue a job that nobody carries out."""
    with Store.open(home / STORE_FILE) as store:
        store.jobs.add(Job(id=f"job-{number}", kind="run", target=f"other-{number}"))


def finish_runs(home: Path, number: int, runs: tuple[str, ...]) -> None:
    """Finish two more runs of the suite, trial by trial."""
    answered_runs(home)


def delete_run(home: Path, number: int, runs: tuple[str, ...]) -> None:
    """Delete the newest run that is not among these."""
    with Store.open(home / STORE_FILE) as store:
        later = [run.id for run in store.runs() if run.id not in runs]
        for run in later[:1]:
            store.delete_run(run)


CHANGES: dict[str, Callable[[Path, int, tuple[str, ...]], None]] = {
    change.__name__: change
    for change in (submit, withdraw, rescore, label, add_job, finish_runs, delete_run)
}


def change_in_child(line, name: str, home: Path, number: int, runs: tuple[str, ...]) -> None:
    """Make one of them in a process of its own."""
    CHANGES[name](home, number, runs)
    line.send("changed")
