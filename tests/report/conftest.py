"""Builders of trials, runs and suites for the reports."""

import pytest

from benchmaker.analysis import summarise
from benchmaker.record import Completion, Extraction, Outcome, Run, RunState, Score, Trial
from benchmaker.spec import Case, ScorerSpec, Suite


def make_trial(position=0, score=1.0, *, text="Paris", model="aurora", run="r1", **more):
    made = Score(
        score=score,
        notes="" if score is not None else "no verdict",
        scorer="exact",
        scorer_version="1",
        profile="robust/1",
        expected="Paris",
        extraction=Extraction(rule="whole", text=text),
        **more.pop("scoring", {}),
    )
    fields = {
        "run_id": run,
        "case_id": f"c{position}",
        "model": model,
        "position": position,
        "outcome": Outcome.UNSCORED if score is None else Outcome.SCORED,
        "completion": Completion(text=text),
        "score": made,
        "score_version": 1,
    }
    if more.pop("lost", False):
        gone = {"completion": None, "score": None, "score_version": 0}
        fields |= {**gone, "outcome": Outcome.TIMEOUT, "error": "no answer in 60 s"}
    return Trial(**fields | more)


def make_run(run_id="r1", *, models=("aurora", "basalt"), **more):
    fields = {
        "id": run_id,
        "suite_hash": "7f3a91c2" * 8,
        "suite_name": "capitals",
        "models": models,
        "profile": "robust",
        "profile_version": "1",
        "planned": 0,
        "state": RunState.FINISHED,
        "started_at": "2026-01-01T00:00:00Z",
        "finished_at": "2026-01-01T00:01:00Z",
        "provider": {"kind": "recorded", "path": "answers.jsonl", "sha256": "ab" * 32},
        "package_version": "0.1.0",
    }
    return Run(**fields | more)


@pytest.fixture(scope="session")
def a_trial():
    return make_trial


@pytest.fixture(scope="session")
def a_run():
    return make_run


@pytest.fixture(scope="session")
def a_suite():
    def make(count=6, **more):
        cases = tuple(
            Case(id=f"c{at}", prompt=f"Capital number {at}?", expected="Paris")
            for at in range(count)
        )
        return Suite(
            **{"name": "capitals", "cases": cases, "scorer": ScorerSpec(id="exact")} | more
        )

    return make


@pytest.fixture(scope="session")
def two_models():
    """Six cases and two models in one run: the trials and their summary."""
    trials = [
        make_trial(at, score, model=model)
        for model, scores in (("aurora", [1, 1, 1, 1, 0.5, 0]), ("basalt", [1, 0.6, 0, 0, 0, 0]))
        for at, score in enumerate(map(float, scores))
    ]
    return trials, summarise(trials, [make_run()])
