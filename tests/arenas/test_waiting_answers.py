"""Answers that wait for a judge are counted, and the same command judges them."""

import json

import pytest

from benchmaker import Case, RunOptions, ScorerSpec, SpecError, Suite, rescore, results, run
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion, RunState
from benchmaker.report.sentences.notes import summary_notes
from benchmaker.testing.judges import judge_script

JUDGE = ScorerSpec(id="llm_judge")


def a_suite(*rubrics, scorer=JUDGE):
    cases = [
        Case(id=f"c{n}", prompt=f"Say {n}.", expected=rubric) for n, rubric in enumerate(rubrics)
    ]
    return Suite("said", cases, scorer=scorer)


ASKED, EDITED = a_suite("one", "two"), a_suite("one", "otherwise")


def a_model():
    return Scripted(lambda request: Completion(text=f"it is {request.case_id}"), models=("a",))


def a_judge(score=7):
    return Scripted(judge_script(lambda _: {"score": score}), models=("j",))


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def before(home):
    """Two runs, judged by their suite."""
    return run(
        ASKED, provider=a_model(), judge_provider=a_judge(), home=home, options=RunOptions(runs=2)
    )


def scores(result):
    return [it.score.score if it.score else None for it in result.trials()]


@pytest.mark.parametrize("is_named_again", [False, True])
def test_the_same_command_with_a_judge_judges_what_waits(home, before, is_named_again):
    named = before.series_id if is_named_again else "latest"
    waiting = rescore(named, suite=EDITED, ask_judges=False, home=home)
    again = a_judge(3)
    after = rescore(named, suite=EDITED, judge_provider=again, home=home)
    assert (after.run_ids, again.calls) == (waiting.run_ids, 2)
    assert scores(after) == [0.7, 0.3, 0.7, 0.3]
    assert {it.state for it in after.runs} == {RunState.FINISHED}
    with pytest.raises(SpecError, match="no score can change"):
        rescore(after.series_id, suite=EDITED, judge_provider=again, home=home)


def test_what_waits_is_judged_without_the_suite_as_well(home, before):
    waiting = rescore(before.series_id, suite=EDITED, ask_judges=False, home=home)
    again = a_judge(3)
    after = rescore(waiting.series_id, judge_provider=again, home=home)
    assert again.calls == 2
    assert {it.state for it in after.runs} == {RunState.FINISHED}


def test_what_waits_is_not_judged_under_another_profile_than_the_rest(home, before):
    rescore(before.series_id, suite=EDITED, ask_judges=False, home=home)
    with pytest.raises(SpecError, match="wait for a judge under profile"):
        rescore(
            "latest",
            suite=EDITED,
            judge_provider=a_judge(),
            home=home,
            options=RunOptions(profile="robust"),
        )


def test_how_many_wait_and_what_judges_them_is_told(home, before):
    waiting = rescore(before.series_id, suite=EDITED, ask_judges=False, home=home)
    told = summary_notes(waiting.summary)
    assert (
        "2 answers wait for a judge. Judge them with: "
        f"benchmaker resume {waiting.series_id}" in told
    )
    assert not any("not closed" in one for one in told)


def test_a_run_without_judges_names_the_command_that_takes_one(home):
    exact = a_suite("one", "two", scorer=ScorerSpec(id="exact"))
    done = run(exact, provider=a_model(), home=home)
    waiting = rescore(done.run_ids[0], suite=ASKED, ask_judges=False, home=home)
    (told,) = (one for one in summary_notes(waiting.summary) if "wait for a judge" in one)
    assert told.endswith(f"benchmaker rescore {waiting.run_ids[0]} --judge MODEL")
    after = rescore("latest", suite=ASKED, judge_provider=a_judge(), home=home)
    assert (after.run_ids, scores(after)) == (waiting.run_ids, [0.7, 0.7])


def test_a_recording_that_lacks_cases_is_judged_by_rescoring(home, tmp_path):
    answers, replies = tmp_path / "answers.jsonl", tmp_path / "replies.jsonl"
    lines = [{"model": "a", "id": f"c{n}", "output": "it is"} for n in range(2)]
    judged = [{**it, "judge": "j", "output": json.dumps({"score": 7})} for it in lines]
    for path, rows in ((answers, lines), (replies, judged)):
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    done = run(ASKED, recorded=answers, home=home, options=RunOptions(recorded_judge=replies))
    more = a_suite("one", "otherwise", "three")
    waiting = rescore(done.run_ids[0], suite=more, ask_judges=False, home=home)
    (told,) = (one for one in summary_notes(waiting.summary) if "waits for a judge" in one)
    assert told.endswith(f"benchmaker rescore {waiting.run_ids[0]} --recorded-judge FILE")
    after = rescore(waiting.run_ids[0], home=home, options=RunOptions(recorded_judge=replies))
    assert scores(results(after.run_ids[0], home=home)) == [0.7, 0.7]
    assert after.is_finished
