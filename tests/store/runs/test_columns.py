import math

import numpy as np
import pytest

from benchmaker.analysis import columns_of
from benchmaker.errors import NotComparable
from benchmaker.record import Attempt, Completion, Outcome, Score, TrialKey, Usage
from benchmaker.record.score_columns import OUTCOMES
from benchmaker.report.tables.trial_rows import trial_row
from benchmaker.store import Writer
from tests.store.filled import a_trial, add_run, put


@pytest.fixture
def filled(store):
    add_run(store, "run-1", models=("model-b", "model-a"))
    add_run(store, "run-2", models=("model-c", "model-a"))
    usage = Usage(
        input_tokens=10,
        output_tokens=5,
        cache_read_tokens=7,
        reasoning_tokens=3,
        flags=("dropped",),
    )
    answer = Completion(text="", usage=usage, cost_usd=0.25, latency_s=1.5, flags=("slow",))
    flagged = Score(score=0.5, flags=("auto_pass", "slow"))
    put(
        store,
        a_trial(0, "model-a", completion=answer, score=flagged, group="g", weight=2.0),
        a_trial(1, "model-b", outcome=Outcome.TIMEOUT, score=None, flags=("odd",)),
        a_trial(2, "model-a", score=Score.unscored("no verdict"), group="h"),
        a_trial(0, "model-c", run_id="run-2", group="g"),
        a_trial(2, "model-a", run_id="run-2", score=Score(score=0.0, flags=("auto_pass",))),
    )
    return store


def test_columns_hold_what_the_trials_hold(filled):
    columns = filled.columns(["run-1", "run-2"])
    rows = [(run, trial) for run in range(2) for trial in filled.trials(columns.run_ids[run])]
    assert len(columns) == len(rows) == 5
    for at, (run, trial) in enumerate(rows):
        usage = trial.completion.usage if trial.completion else None
        completion = trial.completion or Completion(text="")
        assert columns.run[at] == run
        assert columns.models[columns.model[at]] == trial.model
        assert columns.case_ids[columns.position[at]] == trial.case_id
        assert OUTCOMES[columns.outcome[at]] is trial.outcome
        assert columns.weight[at] == trial.weight
        assert same(columns.score[at], trial.score and trial.score.score)
        assert same(columns.cost_usd[at], completion.cost_usd)
        assert same(columns.latency_s[at], completion.latency_s)
        assert same(columns.input_tokens[at], usage and usage.input_tokens)
        assert same(columns.output_tokens[at], usage and usage.output_tokens)
        assert same(columns.reasoning_tokens[at], usage and usage.reasoning_tokens)


def same(figure, value):
    return math.isnan(figure) if value is None else figure == value


def test_groups_are_coded_over_all_runs(filled):
    columns = filled.columns(["run-1", "run-2"])
    assert columns.group.tolist() == [0, -1, 1, 0, -1]


def test_a_flag_counts_once_a_trial_wherever_it_stands(filled):
    columns = filled.columns(["run-1", "run-2"])
    by_model = {name: columns.flag_counts(columns.rows_of(name)) for name in columns.models}
    assert by_model == {
        "model-a": {"auto_pass": 2, "dropped": 1, "slow": 1},
        "model-b": {"odd": 1},
        "model-c": {},
    }


def test_flags_stay_with_their_cases(filled):
    columns = filled.columns(["run-1", "run-2"])
    assert columns.flag_counts(columns.position == 2) == {"auto_pass": 1}
    assert columns_of(columns, {"case-0": 1.0}).flag_counts() == {
        "auto_pass": 1, "dropped": 1, "slow": 1,
    }  # fmt: skip


def test_models_are_numbered_as_they_come(filled):
    assert filled.columns(["run-1", "run-2"]).models == ("model-b", "model-a", "model-c")
    assert filled.columns(["run-2"]).models == ("model-c", "model-a")


def test_the_newest_score_counts(filled):
    with Writer(filled) as writer:
        writer.put_score(TrialKey("run-1", "model-a", "case-0"), Score(score=1.0))
    columns = filled.columns(["run-1"])
    assert columns.score[0] == 1.0
    assert "auto_pass" not in columns.flag_counts(columns.rows_of("model-a"))


def test_types_are_those_the_columns_state(filled):
    columns = filled.columns(["run-1"])
    assert columns.outcome.dtype == np.int8
    assert {columns.run.dtype, columns.model.dtype, columns.position.dtype} == {np.dtype(np.int32)}
    assert {columns.score.dtype, columns.input_tokens.dtype} == {np.dtype(np.float64)}


@pytest.mark.parametrize("runs", [[], ["empty"]])
def test_nothing_makes_empty_columns(store, runs):
    add_run(store, "empty")
    columns = store.columns(runs)
    assert len(columns) == 0
    assert columns.case_ids == {}
    assert {columns.score.shape, columns.run.shape, columns.outcome.shape} == {(0,)}


def test_runs_of_different_suites_are_not_put_together(store):
    add_run(store, "run-1", cases=3)
    add_run(store, "run-2", cases=4)
    with pytest.raises(NotComparable, match="run-1 and run-2"):
        store.columns(["run-1", "run-2"])


USED = {
    "empty": (Usage(input_tokens=10, output_tokens=0), 0.125, None),
    "429": (None, 0.0, "RateLimited"),
    "failed": (None, None, "Timeout"),
    "ok": (Usage(input_tokens=10, output_tokens=5, cache_read_tokens=7), 0.25, None),
}


@pytest.mark.parametrize(
    ("statuses", "tokens", "cost_usd"),
    [
        (["ok"], (10, 5), 0.25),
        (["empty", "429", "ok"], (20, 5), 0.375),
        (["failed", "ok"], (None, None), None),
        (["429"], (0, 0), 0.0),
        (["429", "failed"], (None, None), None),
    ],
)
def test_tokens_are_of_the_same_requests_as_the_cost(store, statuses, tokens, cost_usd):
    made = []
    for number, status in enumerate(statuses, start=1):
        usage, paid, error = USED[status]
        made.append(
            Attempt(number=number, status=status, started_at="2026-01-01T00:00:00Z", usage=usage,
                    cost_usd=paid, error_type=error)
        )  # fmt: skip
    done = Completion(text="4", usage=USED["ok"][0], cost_usd=0.25) if "ok" in statuses else None
    add_run(store, "run-1", models=("model-b", "model-a"))
    put(
        store,
        a_trial(0, "model-a", completion=done, attempts=tuple(made)),
        a_trial(1, "model-b", completion=Completion(text="5", usage=USED["ok"][0])),
    )
    asked, recorded = store.trials("run-1")
    for columns in (store.columns(["run-1"]), columns_of([asked, recorded])):
        assert same(columns.cost_usd[0], cost_usd)
        assert same(columns.input_tokens[0], tokens[0])
        assert same(columns.output_tokens[0], tokens[1])
        assert columns.output_tokens[1] == 5
    told = trial_row(asked)
    assert (told["input_tokens"], told["output_tokens"]) == tokens
    assert told["cost_usd"] == cost_usd
