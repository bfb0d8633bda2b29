"""``benchmaker.gate``: results, stored runs and files, with judges that vary."""

import asyncio
import itertools
import re

import pytest

import benchmaker
from benchmaker import RunOptions, Suite, gate, run
from benchmaker.engine.runs.run_baselines import baseline_of_runs
from benchmaker.errors import SpecError
from benchmaker.record.baselines.baseline_file import encode_baseline, read_baseline

SIZE = 30


def asked(answer, **options):
    """A run of 30 judged cases; the answer to each is a function of its number."""
    cases = [{"id": f"c{at}", "prompt": f"Question {at}?"} for at in range(SIZE)]
    suite = Suite("judged", cases, scorer="llm_judge", profile="robust")
    return run(
        suite,
        provider=lambda request: answer(int(re.search(r"\d+", request.case_id)[0])),
        models=["m"],
        **options,
    )


@pytest.fixture
def judge():
    """A judge whose verdict on equal texts differs from request to request."""
    scores = itertools.cycle([4, 9, 6, 10, 5, 7, 8])
    return lambda _: f'{{"score": {next(scores)}, "reasoning": "so"}}'


@pytest.fixture
def judged(judge, tmp_path):
    def make(answer):
        options = RunOptions(judge="judge")
        return asked(answer, judge_provider=judge, home=tmp_path / "home", options=options)

    return make


def test_unchanged_answers_are_judged_once_for_both(judged):
    before, after = judged(lambda at: f"text {at}"), judged(lambda at: f"text {at}")
    assert before.mean("m") != after.mean("m")
    made = gate(after, before)
    assert (made.verdict, made.models[0].diff, made.changed) == ("pass", 0.0, ())


def test_only_changed_answers_have_new_judgments(judged):
    before = judged(lambda at: f"text {at}")
    after = judged(lambda at: f"text {at}" if at % 3 else f"new text {at}")
    made = gate(after, before)
    assert made.models[0].changed_answers == 10
    assert {one.case_id for one in made.changed} <= {f"c{at}" for at in range(0, SIZE, 3)}


def test_a_file_gives_the_judgments_too(judged, tmp_path):
    before, after = judged(lambda at: f"text {at}"), judged(lambda at: f"text {at}")
    path = tmp_path / "main.baseline.json"
    with before.place.open_store() as store:
        path.write_bytes(b"".join(encode_baseline(baseline_of_runs(store, before.run_ids))))
    made = gate(after, path)
    assert made.to_dict() == gate(after, before).to_dict()
    assert made.to_dict() == gate(after, read_baseline(path)).to_dict()
    names = after.run_ids[0], before.run_ids[0]
    assert made.to_dict() == gate(*names, home=tmp_path / "home").to_dict()


def test_a_drop_is_a_share(judged):
    made, other = judged(lambda at: f"text {at}"), judged(lambda at: f"text {at}")
    with pytest.raises(SpecError, match=r"2 points are 0\.02"):
        gate(made, other, max_drop=2)
    with pytest.raises(SpecError, match="the run and the baseline are the same"):
        gate(made, made)


def test_cases_that_an_ended_run_did_not_reach_are_missing(tmp_path):
    cases = [{"id": f"c{at}", "prompt": "p", "expected": "yes"} for at in range(20)]
    suite = Suite("s", cases, scorer="exact")
    before = run(suite, provider=lambda _: "yes", models=["m"], home=tmp_path)
    options = RunOptions(concurrency=1)

    async def cancel_on_the_way():
        calls, reached = itertools.count(), asyncio.Event()

        async def answer(_):
            if next(calls) == 12:
                reached.set()
                await asyncio.Event().wait()
            return "yes"

        task = asyncio.create_task(
            benchmaker.arun(suite, provider=answer, models=["m"], home=tmp_path, options=options)
        )
        await reached.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(cancel_on_the_way())
    with before.place.open_store() as store:
        (after, _) = store.runs()
    made = gate(after.id, before, home=tmp_path)
    assert made.verdict == "undecided"
    assert (made.models[0].missing, made.models[0].missing_reason) == (8, "8 not run")
    assert made.notes[0] == "The run was interrupted."


def test_changed_questions_are_compared_and_changed_scoring_is_not(tmp_path):
    def answers(suite):
        return run(suite, provider=lambda _: "yes", models=["m"], home=tmp_path)

    cases = [{"id": f"c{at}", "prompt": "Say yes.", "expected": "yes"} for at in range(12)]
    before = answers(Suite("s", cases, scorer="exact", system_prompt="Be brief."))
    cases[3]["expected"] = "no"
    cases[4]["weight"] = 2.0
    after = answers(Suite("s", cases, scorer="exact", system_prompt="Be very brief."))
    made = benchmaker.gate(after, before)
    assert (made.verdict, made.n_common, made.n_baseline) == ("pass", 11, 12)
    assert "11 cases with another question, compared" in made.notes[0]
    assert "1 case with another expected answer or scorer, excluded (c3)" in made.notes[0]


def test_runs_of_a_series_count_with_their_mean(tmp_path):
    cases = [{"id": f"c{at}", "prompt": "p", "expected": "yes"} for at in range(20)]
    suite = Suite("s", cases, scorer="exact")
    turns = itertools.cycle(["yes", "no"])
    options = RunOptions(runs=2, concurrency=1)
    before = run(suite, provider=lambda _: "yes", models=["m"], home=tmp_path)
    after = run(suite, provider=lambda _: next(turns), models=["m"], home=tmp_path, options=options)
    (model,) = gate(after, before).models
    assert (model.runs, model.baseline_runs, model.diff) == (2, 1, pytest.approx(-0.5))
