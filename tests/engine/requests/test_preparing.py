import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import benchmaker
from benchmaker import RunOptions
from benchmaker.errors import AuthError, PrerequisiteError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Outcome, TrialKey
from benchmaker.report.sentences.notes import summary_notes
from benchmaker.spec import ScorerSpec
from benchmaker.store import Store
from tests.engine import rendered
from tests.engine.rendered import CASES, MODELS, Slow, a_suite, answers

ROOT = Path(__file__).parents[3]
NOBODY = {"models": []}


def lines_of(log):
    return log.read_text().splitlines() if log.exists() else []


def begun_of(log):
    return Counter(line.split(" ", 1)[1].rsplit(" ", 1)[0] for line in lines_of(log)
                   if line.startswith("begun"))  # fmt: skip


def wait_until(holds, seconds=60):
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.01)


def run_of(tmp_path, suite=None, provider=None, **options):
    options = {"log": str(tmp_path / "log"), **options}
    return benchmaker.run(
        suite or a_suite(),
        provider=provider or answers(),
        home=tmp_path / "home",
        options=RunOptions(judge=NOBODY, prepare=options),
    )


def opened(tmp_path):
    return Store.open(tmp_path / "home" / "benchmaker.db")


def test_every_answer_is_made_ready_once_and_scored(tmp_path):
    result = run_of(tmp_path)
    assert result.is_finished
    assert [trial.score.score for trial in result.trials()] == [0.5] * CASES * len(MODELS)
    assert set(begun_of(tmp_path / "log").values()) == {1}
    assert lines_of(tmp_path / "log")[-1] == "closed"


def test_what_was_made_is_durable_with_its_files(tmp_path):
    run_id = run_of(tmp_path).run_ids[0]
    with opened(tmp_path) as store:
        ready = store.renders.find_prepared(TrialKey(run_id, "a", "c0"))
        blob = store.renders.find_blob(ready.report.screenshots[0].sha256)
        everything = dict(store.renders.each_prepared(run_id))
    assert ready.artifact.sha256 == "a0"
    assert blob == ("image/png", b"a0")
    assert len(everything) == CASES * len(MODELS)


def test_no_more_renders_fly_than_there_are_slots(tmp_path):
    run_of(tmp_path, seconds=0.01, concurrency=1)
    assert {line.rsplit(" ", 1)[1] for line in lines_of(tmp_path / "log")
            if line.startswith("begun")} == {"1"}  # fmt: skip


def test_answers_with_the_same_code_share_a_render(tmp_path):
    provider = Scripted({(m, f"c{i}"): "same" for i in range(CASES) for m in MODELS})
    result = run_of(tmp_path, provider=provider, seconds=0.02)
    assert begun_of(tmp_path / "log") == {"same 1": 1}
    assert all(trial.score.score == 0.5 for trial in result.trials())


def test_an_answer_without_anything_to_render_is_scored_without_a_render(tmp_path):
    provider = Scripted({("a", "c0"): "nothing"})
    result = run_of(tmp_path, a_suite(1), provider)
    assert begun_of(tmp_path / "log") == {}
    assert next(result.trials()).score.score == 0


def test_re_scoring_renders_nothing_anew(tmp_path):
    result = run_of(tmp_path)
    again = benchmaker.rescore(
        result.run_ids[0], home=tmp_path / "home", options=RunOptions(judge=NOBODY)
    )
    assert set(begun_of(tmp_path / "log").values()) == {1}
    assert {trial.score_version for trial in again.trials()} == {2}


def test_re_scoring_renders_anew_under_another_version(tmp_path):
    result = run_of(tmp_path)
    benchmaker.rescore(
        result.run_ids[0],
        home=tmp_path / "home",
        options=RunOptions(judge=NOBODY, prepare={"log": str(tmp_path / "log"), "version": "2"}),
    )
    counts = begun_of(tmp_path / "log")
    assert counts["a0 1"] == counts["a0 2"] == 1


def test_rendering_is_no_part_of_a_requests_time(tmp_path):
    result = run_of(tmp_path, a_suite(2), answers(2), seconds=0.3, concurrency=1)
    assert all(
        trial.completion.latency_s is None or trial.completion.latency_s < 0.3
        for trial in result.trials()
    )


def test_what_can_not_be_rendered_in_safety_ends_the_run(tmp_path, monkeypatch):
    async def refuse(_self):
        raise PrerequisiteError("no wall holds.")

    monkeypatch.setattr(Slow, "place", refuse)
    with pytest.raises(PrerequisiteError, match="no wall holds"):
        run_of(tmp_path)
    monkeypatch.undo()
    done = benchmaker.resume(
        home=tmp_path / "home", run_id="latest", provider=answers(), judge_provider=None
    )
    assert done.is_finished
    assert {trial.outcome for trial in done.trials()} == {Outcome.SCORED}


def test_a_run_killed_during_renders_repeats_only_those_in_flight(tmp_path):
    log, home = tmp_path / "log", tmp_path / "home"
    command = [sys.executable, "-m", "tests.engine.rendered", str(home), str(log)]
    child = subprocess.Popen(command, cwd=ROOT, start_new_session=True)
    wait_until(lambda: len(lines_of(log)) >= 5)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    before = begun_of(log)
    assert 0 < len(before) < CASES * len(MODELS)
    with Store.open(home / "benchmaker.db") as store:
        durable = {ready.artifact.sha256 for _, ready in
                   store.renders.each_prepared(store.runs()[0].id)}  # fmt: skip
    result = benchmaker.resume("latest", home=home, provider=answers())
    assert result.is_finished
    assert all(trial.score.score == 0.5 for trial in result.trials())
    after = begun_of(log)
    assert len(after) == CASES * len(MODELS)
    assert max(after.values()) <= 2
    assert sum(count - 1 for count in after.values()) <= Slow().concurrency
    assert not {f"{sha} 1" for sha in durable} & {name for name, n in after.items() if n > 1}


def test_a_stop_lets_no_render_begin(tmp_path):
    stop = asyncio.Event()
    slow = {"log": str(tmp_path / "log"), "seconds": 0.1, "concurrency": 1}

    async def stopped():
        running = asyncio.ensure_future(
            benchmaker.arun(
                a_suite(),
                provider=answers(),
                home=tmp_path / "home",
                stop=stop,
                options=RunOptions(judge=NOBODY, prepare=slow),
            )
        )
        await asyncio.to_thread(wait_until, lambda: begun_of(tmp_path / "log"))
        stop.set()
        return await running

    result = asyncio.run(stopped())
    assert result.interrupted
    assert sum(begun_of(tmp_path / "log").values()) <= 2
    noted = " ".join(summary_notes(result.summary))
    assert re.search(
        r"\d+ pages are not rendered yet\. Render them with: benchmaker resume ", noted
    )
    assert "judge" not in noted
    done = benchmaker.resume("latest", home=tmp_path / "home", provider=answers())
    assert done.is_finished
    assert rendered.CASES * len(MODELS) == len(list(done.trials()))
    assert "not rendered yet" not in " ".join(summary_notes(done.summary))


def test_the_code_of_an_answer_is_stored_although_its_render_failed(tmp_path):
    (tmp_path / "fault").write_text("the machine was too busy")
    fails = str(tmp_path / "fault")
    run_id = run_of(tmp_path, a_suite(1), answers(1), fails=fails).run_ids[0]
    with opened(tmp_path) as store:
        prepared = [made for _, made in store.renders.each_prepared(run_id)]
        (score, _) = (trial.score for trial in store.trials(run_id))
    assert {made.artifact.sha256: made.rendering for made in prepared} == {"a0": None, "b0": None}
    assert (score.score, score.notes) == (None, "the machine was too busy")


def judged_run(tmp_path, judge):
    suite = replace(a_suite(), scorer=ScorerSpec(id="tests.engine.rendered:LitAndJudged"))
    options = RunOptions(
        judge="j", judge_concurrency=1, prepare={"log": str(tmp_path / "log"), "concurrency": 1}
    )
    return benchmaker.run(
        suite,
        provider=answers(),
        home=tmp_path / "home",
        judge_provider=Scripted(lambda _: judge, models=["j"]),
        options=options,
    )


def test_a_judge_that_fails_leaves_no_answer_unprepared(tmp_path):
    result = judged_run(tmp_path, AuthError("no such key"))
    assert "no such key" in " ".join(result.stopped.values())
    assert not result.is_finished
    assert set(begun_of(tmp_path / "log").values()) == {1}
    with opened(tmp_path) as store:
        prepared = dict(store.renders.each_prepared(result.run_ids[0]))
    assert len(prepared) == CASES * len(MODELS)
    assert all(made.rendering for made in prepared.values())


def test_answers_are_prepared_although_their_new_judge_fails(tmp_path):
    result = run_of(tmp_path)
    after = benchmaker.rescore(
        result.run_ids[0],
        scorer="tests.engine.rendered:LitAndJudged",
        home=tmp_path / "home",
        judge_provider=Scripted(lambda _: AuthError("no such key"), models=["j"]),
        options=RunOptions(judge="j", prepare={"log": str(tmp_path / "log"), "version": "2"}),
    )
    assert "no such key" in after.halted
    assert [trial.score.score for trial in after.trials()] == [0.5] * CASES * len(MODELS)
    assert (
        len([name for name in begun_of(tmp_path / "log") if name.endswith(" 2")])
        == len(MODELS) * CASES
    )
