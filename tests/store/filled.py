"""Stores with something in them."""

from collections.abc import Iterable
from typing import Any

from benchmaker.record import Outcome, Run, Score, Trial
from benchmaker.spec import Case, Suite
from benchmaker.store import Store, Writer

MODELS = ("model-a", "model-b")


def a_suite(number: int = 3, **fields: Any) -> Suite:
    made = tuple(Case(id=f"case-{at}", prompt="What?", expected="42") for at in range(number))
    return Suite(**{"name": "a suite", "cases": made, **fields})


def a_run(suite: Suite, run_id: str = "run-1", **fields: Any) -> Run:
    defaults = {
        "suite_hash": suite.content_hash,
        "suite_name": suite.name,
        "models": MODELS,
        "profile": "robust",
        "profile_version": "1",
    }
    return Run(id=run_id, **{**defaults, **fields})


def add_run(store: Store, run_id: str = "run-1", *, cases: int = 3, **fields: Any) -> Run:
    suite = a_suite(cases)
    store.put_suite(suite)
    run = a_run(suite, run_id, **fields)
    store.add_run(run)
    return run


def a_trial(position: int = 0, model: str = "model-a", **fields: Any) -> Trial:
    defaults = {
        "run_id": "run-1",
        "case_id": f"case-{position}",
        "outcome": Outcome.SCORED,
        "score": Score(score=1.0, scorer="exact"),
        "score_version": 1,
    }
    return Trial(model=model, position=position, **{**defaults, **fields})


def put(store: Store, *trials: Trial) -> None:
    with Writer(store) as writer:
        put_all(writer, trials)


def put_all(writer: Writer, trials: Iterable[Trial]) -> None:
    for trial in trials:
        writer.put(trial)


def all_trials(cases: int, run_id: str = "run-1") -> Iterable[Trial]:
    for position in range(cases):
        for model in MODELS:
            yield a_trial(position, model, run_id=run_id)
