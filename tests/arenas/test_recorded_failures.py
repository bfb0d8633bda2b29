"""Failures that a recording holds in the place of answers: they cost what the recording says."""

import json
from dataclasses import replace

import pytest

from benchmaker import Case, RunOptions, ScorerSpec, Suite, rescore, results, resume, run
from benchmaker.errors import ProviderError, Timeout
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion
from benchmaker.report.sentences.notes import summary_notes
from benchmaker.report.tables.trial_rows import trial_row
from benchmaker.store import Store

SUMS = Suite(
    "sums",
    [Case(id=name, prompt=f"{name}?", expected="42") for name in ("answered", "late", "unpriced")],
    scorer=ScorerSpec(id="exact"),
)
LINES = (
    {"id": "answered", "output": "42", "cost_usd": 0.5},
    {"id": "late", "output": None, "outcome": "timeout", "error": "late", "cost_usd": 0.25},
    {"id": "unpriced", "output": None, "outcome": "timeout", "error": "late"},
)
EDITED = replace(SUMS, cases=(*SUMS.cases[:2], SUMS.cases[2].model_copy(update={"expected": "7"})))


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def recorded(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(json.dumps({"model": "m", **line}) for line in LINES))
    return path


def costs(result):
    return {it.case_id: it.cost_usd for it in result.trials()}


def figures(result):
    (model,) = result.summary.to_dict()["models"]
    return model["cost_usd"], model["cost_usd_at_least"], model["cost_known_trials"]


def test_a_recorded_failure_keeps_its_cost(home, recorded):
    done = run(SUMS, recorded=recorded, home=home)

    assert costs(done) == {"answered": 0.5, "late": 0.25, "unpriced": None}
    assert figures(done) == (None, 0.75, 2)


def test_what_a_recording_cost_is_not_spent_here(home, recorded):
    done = run(SUMS, recorded=recorded, home=home)

    with Store.open(home / "benchmaker.db") as store:
        assert store.spent_usd(done.run_ids) == 0.0
        assert store.totals().cost_usd == 0.0


def test_a_recorded_failure_that_is_looked_up_again_costs_once(home, recorded):
    done = run(SUMS, recorded=recorded, home=home)
    again = resume(done.run_ids[0], home=home, options=RunOptions(retry_failed=True))

    assert costs(again) == {"answered": 0.5, "late": 0.25, "unpriced": None}


def test_a_corrected_suite_keeps_what_a_recorded_failure_cost(home, recorded):
    done = run(SUMS, recorded=recorded, home=home)
    after = rescore(done.run_ids[0], suite=EDITED, home=home)

    assert costs(results(after.run_ids[0], home=home)) == costs(done)


def test_a_live_failure_keeps_its_cost_under_a_corrected_suite_and_is_not_spent_again(home):
    said = {
        "answered": Completion(text="42", cost_usd=0.5),
        "late": Timeout("late"),
        "unpriced": ProviderError("out of order", status=500),
    }
    live = Scripted(lambda request: said[request.case_id], models=("m",))
    done = run(SUMS, provider=live, home=home, options=RunOptions(retries=0))
    after = rescore(done.run_ids[0], suite=EDITED, home=home)

    assert costs(done) == {"answered": 0.5, "late": None, "unpriced": 0.0}
    corrected = results(after.run_ids[0], home=home)
    assert costs(corrected) == {"answered": 0.5, "late": None, "unpriced": 0.0}
    with Store.open(home / "benchmaker.db") as store:
        assert store.spent_usd(after.run_ids) == 0.0


def test_a_failure_costs_what_its_provider_says(home):
    live = Scripted(lambda _: Timeout("late", cost_usd=0.125), models=("m",))
    done = run(SUMS, provider=live, home=home, options=RunOptions(retries=0))

    assert set(costs(done).values()) == {0.125}
    with Store.open(home / "benchmaker.db") as store:
        assert store.spent_usd(done.run_ids) == pytest.approx(0.375)


MEASURED = {
    "usage": {"input_tokens": 7, "output_tokens": 3},
    "latency_s": 1.5,
}


def failing(path, **figures):
    """A recording that holds nothing but failures with these figures."""
    lines = ({"model": "m", **line, "output": None, "error": "late", **figures} for line in LINES)
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def measured(result):
    return {
        (it["input_tokens"], it["output_tokens"], it["latency_s"])
        for it in map(trial_row, result.trials())
    }


def test_a_recorded_failure_keeps_its_tokens_and_seconds(home, tmp_path):
    done = run(SUMS, recorded=failing(tmp_path / "failing.jsonl", **MEASURED), home=home)

    assert measured(done) == {(7, 3, 1.5)}
    (model,) = done.summary.to_dict()["models"]
    assert (model["input_tokens"], model["output_tokens"]) == (21, 9)


def test_a_corrected_suite_keeps_the_tokens_and_seconds_of_recorded_failures(home, tmp_path):
    done = run(SUMS, recorded=failing(tmp_path / "failing.jsonl", **MEASURED), home=home)
    after = rescore(done.run_ids[0], suite=EDITED, home=home)

    assert measured(after) == {(7, 3, 1.5)}


def test_an_export_of_recorded_failures_holds_the_same_figures_when_it_is_read(home, tmp_path):
    done = run(SUMS, recorded=failing(tmp_path / "failing.jsonl", **MEASURED), home=home)
    exported = tmp_path / "rows.jsonl"
    exported.write_text("\n".join(json.dumps(trial_row(it)) for it in done.trials()))
    again = run(SUMS, recorded=exported, home=home)

    assert measured(again) == {(7, 3, 1.5)}


@pytest.mark.parametrize("cost_usd", [-1, 1e12, "much"])
def test_costs_that_can_not_be_true_are_called_refused_figures(home, tmp_path, cost_usd):
    path = tmp_path / "answers.jsonl"
    lines = ({"model": "m", **line, "cost_usd": cost_usd} for line in LINES)
    path.write_text("\n".join(map(json.dumps, lines)))
    done = run(SUMS, recorded=path, home=home)

    told = "Cost: unknown (3 rejected figures: negative, too large or not a number)."
    assert told in summary_notes(done.summary)


def test_refused_costs_are_told_beside_those_that_are_known(home, tmp_path):
    path = tmp_path / "answers.jsonl"
    lines = [{"model": "m", **line} for line in LINES]
    lines[1]["cost_usd"] = -0.25
    path.write_text("\n".join(map(json.dumps, lines)))
    done = run(SUMS, recorded=path, home=home)

    assert "Cost: m at least $0.50 (1 of 3 trials known, 1 rejected figure)." in summary_notes(
        done.summary
    )
