"""``repeat_where="uncertain"``: every case twice, then only the cases whose two scores differ."""

import asyncio
import json
import random
import subprocess
import sys
from dataclasses import replace

import pytest

from benchmaker import (
    Case,
    RunOptions,
    SpecError,
    Suite,
    compare,
    rank,
    rescore,
    results,
    resume,
    run,
)
from benchmaker.record import Completion, RunState
from benchmaker.report import summary_text
from benchmaker.store import Store

FLAKY = {"one": {2, 5}, "two": {5, 7, 8}}
"""The cases whose first two answers differ, by model."""

SUITE = Suite(
    "sums",
    [Case(id=f"c{n}", prompt=f"{n}?", expected="right") for n in range(10)],
    scorer="exact",
    profile="robust",
)
OPTIONS = RunOptions(runs=5, repeat_where="uncertain", concurrency=2)


class Model:
    """Answers by model, case and number of the run, and counts requests."""

    def __init__(self, stops_after=None):
        self.asked = []
        self.stop = asyncio.Event()
        self.stops_after = stops_after

    def __call__(self, request):
        case = int(request.messages[-1].content[:-1])
        self.asked.append((request.run, request.model, case))
        if len(self.asked) == self.stops_after:
            self.stop.set()
        is_wrong = case in FLAKY[request.model] and request.run in (2, 4)
        return "wrong" if is_wrong else "right"


def made(home, model, suite=SUITE, options=OPTIONS, **more):
    return run(suite, provider=model, models=["one", "two"], home=home, options=options, **more)


def facts(result):
    """The summary's document without ids, for comparison of two homes."""
    text = json.dumps(result.summary.to_dict(), sort_keys=True)
    for name in (result.series_id, *result.run_ids):
        text = text.replace(str(name), "ID")
    body = json.loads(text)
    for row in body["models"]:
        del row["median_latency_s"]
    return body


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    model = Model()
    return made(tmp_path_factory.mktemp("whole"), model), model


def test_later_runs_have_only_the_cases_whose_first_two_scores_differ(whole):
    _, model = whole
    for number in (1, 2):
        assert sum(asked[0] == number for asked in model.asked) == 20
    for number in (3, 4, 5):
        repeated = {(name, case) for at, name, case in model.asked if at == number}
        assert repeated == {(name, case) for name in FLAKY for case in FLAKY[name]}
    assert len(model.asked) == 2 * 20 + 3 * 5


def test_the_cases_are_recorded_and_nothing_is_missing(whole):
    result, _ = whole
    assert [one.planned for one in result.runs] == [20, 20, 5, 5, 5]
    assert result.runs[2].selection.ids_by_setup == {
        "one": ("c2", "c5"), "two": ("c5", "c7", "c8"),
    }  # fmt: skip
    assert result.is_finished
    assert not result.is_to_resume
    summary = result.summary
    assert summary.is_judged_whole
    assert (summary.not_run, summary.n_planned) == ((), 55)
    assert [(row.n_counted, row.n_scored, row.n_absent) for row in summary.models] == [
        (20, 20, 0), (20, 20, 0),
    ]  # fmt: skip


def test_means_and_spread_are_those_of_the_first_two_runs(whole):
    row = next(row for row in whole[0].summary.models if row.model == "two")
    assert row.mean == pytest.approx(0.85)
    assert row.runs.scores == pytest.approx((1.0, 0.7))
    assert (row.runs.n_cases, row.runs.partial) == (10, ())
    assert row.repeats.pass_at_k["1"].mean == row.mean
    assert row.repeats.pass_hat_k["2"].mean == pytest.approx(0.7)
    assert row.repeats.pass_at_k["5"].mean is None
    assert [(it.case_id, it.right, it.n) for it in row.repeats.flaky] == [
        ("c5", 3, 5), ("c7", 3, 5), ("c8", 3, 5),
    ]  # fmt: skip


def test_the_result_has_the_repeats_of_a_model(whole):
    result, _ = whole
    assert result.repeats("two") is result.summary.models[1].repeats
    assert [case.pass_hat_k(2) for case in result.repeats("two").cases][5] == 0.0
    with pytest.raises(SpecError, match="no model 'three'"):
        result.repeats("three")


def test_comparison_and_ranks_use_the_first_two_runs(whole):
    compared = compare(whole[0]).headline
    assert (compared.mean_a, compared.mean_b) == pytest.approx((0.9, 0.85))
    assert compared.n == 10
    assert {one.model for one in rank(whole[0]).models} == {"one", "two"}


def test_the_terminal_says_what_is_repeated_and_calls_nothing_missing(whole):
    text = summary_text(whole[0].summary, detail="full", width=120)
    assert "Runs 3 to 5 repeat only the cases whose first two scores differ." in text
    for word in ("not run", "Unfinished", "uses only cases", "excluded"):
        assert word not in text


def test_a_single_later_run_shows_its_own_scores(whole):
    result, _ = whole
    alone = results(result.run_ids[2], home=result.place.home)
    assert {row.model: row.n_scored for row in alone.summary.models} == {"one": 2, "two": 3}


@pytest.mark.parametrize("stops_after", [7, 25, 42, 53])
def test_a_stopped_series_resumes_to_the_same_result(tmp_path, whole, stops_after):
    model = Model(stops_after)
    first = made(tmp_path, model, stop=model.stop)
    assert first.interrupted
    ended = resume(first.series_id, provider=model, home=tmp_path)
    assert ended.is_finished
    assert len(model.asked) == len(set(model.asked)) == 55
    assert facts(ended) == facts(whole[0])


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.arenas.test_repeat_where import Model, made
home, number = Path(sys.argv[1]), int(sys.argv[2])
model = Model()
def answer(request):
    if len(model.asked) == number:
        os.kill(os.getpid(), signal.SIGKILL)
    return model(request)
made(home, answer)
"""


@pytest.mark.parametrize("number", [31, 44, pytest.param(12, marks=pytest.mark.long),
                                    pytest.param(54, marks=pytest.mark.long)])  # fmt: skip
def test_a_killed_series_resumes_to_the_same_result(tmp_path, whole, number):
    command = [sys.executable, "-c", KILLED, str(tmp_path), str(number)]
    assert subprocess.run(command, check=False, capture_output=True).returncode == -9
    model = Model()
    ended = resume("latest", provider=model, home=tmp_path)
    assert ended.is_finished
    assert len(model.asked) <= 55 - number + OPTIONS.concurrency
    assert facts(ended)["models"] == facts(whole[0])["models"]


def test_a_cache_does_not_answer_for_repeats(tmp_path):
    cached = RunOptions(runs=5, repeat_where="uncertain", cache=True)
    first, second = Model(), Model()
    made(tmp_path, first, options=cached)
    again = made(tmp_path, second, options=cached)
    assert (len(first.asked), len(second.asked)) == (55, 0)
    assert [one.planned for one in again.runs] == [20, 20, 5, 5, 5]


class PricedModel:
    """A model that takes a cent for each answer."""

    models = ("one", "two")

    def __init__(self, model):
        self.model = model

    def description(self):
        return {"kind": "scripted"}

    def most_usd(self, request):  # noqa: ARG002  as providers have it
        return 0.01

    async def complete(self, request):
        return Completion(text=self.model(request), cost_usd=0.01)


def test_one_budget_covers_all_runs(tmp_path):
    model = Model()
    priced = PricedModel(model)
    options = replace(OPTIONS, max_cost_usd=0.485, concurrency=1)
    first = made(tmp_path, priced, options=options)
    assert first.halted
    assert len(model.asked) == 48
    more = RunOptions(max_cost_usd=1.0)
    ended = resume(first.series_id, provider=priced, home=tmp_path, options=more)
    assert ended.is_finished
    assert sum(row.cost_usd for row in ended.summary.models) == pytest.approx(0.55)


def test_cases_are_chosen_once_the_judge_has_scored_both_runs(tmp_path):
    suite = Suite(
        "judged", [Case(id=f"c{n}", prompt=f"{n}?", expected="right") for n in range(6)],
        scorer="llm_judge", profile="robust",
    )  # fmt: skip

    def judge(request):
        score = 2 if "wrong" in request.messages[-1].content else 9
        return json.dumps({"score": score, "reasoning": "so"})

    model = Model()
    options = RunOptions(runs=4, repeat_where="uncertain", judge="judge/one")
    result = made(tmp_path, model, suite, options, judge_provider=judge)
    assert [one.planned for one in result.runs] == [12, 12, 3, 3]
    assert {case for at, _, case in model.asked if at == 3} == {2, 5}


def test_runs_wait_for_scores_that_a_judge_still_owes(tmp_path):
    suite = Suite(
        "judged", [Case(id=f"c{n}", prompt=f"{n}?", expected="right") for n in range(6)],
        scorer="llm_judge", profile="robust",
    )  # fmt: skip
    model, stop = Model(), asyncio.Event()

    def silent(request):  # noqa: ARG001  as a judge is called
        stop.set()
        raise ConnectionError("down")

    def judge(request):
        score = 2 if "wrong" in request.messages[-1].content else 9
        return json.dumps({"score": score, "reasoning": "so"})

    options = RunOptions(runs=3, repeat_where="uncertain", judge="judge/one")
    first = made(tmp_path, model, suite, options, judge_provider=silent, stop=stop)
    assert not any(asked[0] == 3 for asked in model.asked)
    ended = resume(first.series_id, provider=model, judge_provider=judge, home=tmp_path)
    assert ended.is_finished
    assert [one.planned for one in ended.runs] == [12, 12, 3]


def test_recorded_answers_are_repeated_in_the_same_way(tmp_path):
    model, lines = Model(), []
    for number in range(1, 6):
        for name in ("one", "two"):
            for n in range(10):
                wrong = n in FLAKY[name] and number in (2, 4)
                output = "wrong" if wrong else "right"
                lines.append({"model": name, "id": f"c{n}", "run": number, "output": output})
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    options = RunOptions(repeat_where="uncertain")
    result = run(SUITE, recorded=path, home=tmp_path / "home", options=options)
    assert [one.planned for one in result.runs] == [20, 20, 5, 5, 5]
    assert [row.mean for row in result.summary.models] == pytest.approx([0.9, 0.85])
    assert not model.asked


def test_equal_scores_end_the_series_after_two_runs(tmp_path):
    asked = []
    result = run(
        SUITE, provider=lambda it: asked.append(it) or "right", models=["m"], home=tmp_path,
        options=OPTIONS,
    )  # fmt: skip
    assert len(asked) == 20
    assert [one.state for one in result.runs] == [RunState.FINISHED] * 5
    assert "no case differs in score over 2 runs" in summary_text(result.summary)


def test_a_failed_trial_is_not_uncertain_until_it_is_retried(tmp_path):
    class Failing(Model):
        is_down = True

        def __call__(self, request):
            if self.is_down and request.run == 1 and request.messages[-1].content == "5?":
                raise ConnectionError("down")
            return super().__call__(request)

    model = Failing()
    options = RunOptions(runs=3, repeat_where="uncertain", retries=0)
    first = made(tmp_path, model, options=options)
    assert [one.planned for one in first.runs] == [20, 20, 3]
    model.is_down = False
    ended = resume(
        first.series_id, provider=model, home=tmp_path, options=RunOptions(retry_failed=True)
    )
    assert [one.planned for one in ended.runs] == [20, 20, 5]
    assert ended.is_finished


def test_further_models_and_runs_are_repeated_in_the_same_way(tmp_path):
    model = Model()
    first = run(SUITE, provider=model, models=["one"], home=tmp_path,
                options=RunOptions(runs=3, repeat_where="uncertain"))  # fmt: skip
    resume(first.series_id, provider=model, add_models=["two"], home=tmp_path,
           options=RunOptions(runs=4))  # fmt: skip
    ended = results(first.series_id, home=tmp_path)
    assert [one.planned for one in ended.runs] == [20, 20, 5, 5]
    assert ended.is_finished


def test_too_few_runs_are_refused_before_anything_is_sent(tmp_path):
    model = Model()
    with pytest.raises(SpecError, match="needs at least 3 runs, not 2"):
        made(tmp_path, model, options=RunOptions(runs=2, repeat_where="uncertain"))
    assert not model.asked


def test_rescoring_keeps_the_repeated_cases(tmp_path):
    first = made(tmp_path, Model())
    path = tmp_path / "corrected.json"
    cases = [{"id": f"c{n}", "prompt": f"{n}?", "expected": "right"} for n in range(10)]
    cases[5]["expected"] = ["right", "wrong"]
    body = {"name": "sums", "scorer": "exact", "profile": "robust", "cases": cases}
    path.write_text(json.dumps(body))
    corrected = rescore(first.series_id, suite=path, home=tmp_path)
    assert [one.planned for one in corrected.runs] == [20, 20, 5, 5, 5]
    assert corrected.is_finished
    assert corrected.summary.not_run == ()
    row = next(row for row in corrected.summary.models if row.model == "two")
    assert [it.case_id for it in row.repeats.flaky] == ["c7", "c8"]


def test_many_random_series_repeat_exactly_the_differing_cases(tmp_path):
    chance = random.Random(5)  # noqa: S311  seeded on purpose
    for at in range(3):
        scores = {}

        def answer(request, scores=scores):
            key = (request.run, request.model, request.messages[-1].content)
            return scores.setdefault(key, chance.choice(["right", "wrong"]))

        result = made(tmp_path / str(at), answer)
        with Store.open(tmp_path / str(at) / "benchmaker.db") as store:
            rows = [list(store.trials(it)) for it in result.run_ids]
        differ = {
            (a.model, a.case_id)
            for a in rows[0] for b in rows[1]
            if (a.model, a.case_id) == (b.model, b.case_id) and a.score.score != b.score.score
        }  # fmt: skip
        for later in rows[2:]:
            assert {(it.model, it.case_id) for it in later} == differ
