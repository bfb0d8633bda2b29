"""Runs whose answers are scored by checks, with and without judges."""

import asyncio
import io
import json
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from benchmaker import RunOptions, ScorerSpec, SpecError, Suite, estimate, rescore, resume, run
from benchmaker.engine.judges.judge_makers import asking_scorers
from benchmaker.engine.runs.logprobs import logprobs_need
from benchmaker.errors import AuthError, ProviderError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import AWAITING_JUDGE, Completion, Outcome
from benchmaker.report.formats.junit import write_junit
from benchmaker.report.runs.explain import explain
from benchmaker.report.tables.trial_rows import trial_row
from benchmaker.scoring.check import check_suite
from benchmaker.store import Store
from benchmaker.testing.judges import judge_script
from benchmaker.web import Settings, create_app
from tests.arenas import checked

ROOT = Path(__file__).parents[2]
KILLS = 2
CASES = [
    {"id": "peru", "prompt": "The capital of Peru?", "expected": "Lima"},
    {"id": "chile", "prompt": "And of Chile?", "expected": "Santiago", "checks": ["exact"]},
]
CHECKS = [{"type": "regex", "pattern": "li", "metric": "form", "not": True}, {"type": "boolean"}]


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def answers(**texts):
    return Scripted(lambda asked: Completion(text=texts.get(asked.case_id, "Lima")), models=("m",))


def judge(said=None):
    reply = judge_script(said or (lambda _: {"score": 7, "rationale": "fine"}))

    def replied(request):
        made = reply(request)
        return made if isinstance(made, Exception) else Completion(text=made, cost_usd=0.001)

    return Scripted(replied, models=("j",))


def a_suite(**fields):
    return Suite("capitals", CASES, **{"checks": CHECKS, **fields})


def scores(result):
    return [it.score and it.score.score for it in result.trials()]


def test_a_run_scores_by_the_checks_of_suite_and_case(home):
    result = run(a_suite(), provider=answers(chile="It is Santiago."), home=home)
    peru, chile = result.trials()
    assert (peru.score.score, peru.score.verdict, len(peru.score.checks)) == (1.0, True, 2)
    assert [it["passed"] for it in chile.score.checks] == [True, True, False]
    assert (chile.score.scorer, chile.score.score) == ("checks", 0.0)


def test_every_surface_shows_the_same_verdicts(home):
    result = run(a_suite(threshold=0.5), provider=answers(chile="delighted"), home=home)
    for trial in result.trials():
        kept = [(it["type"], it["passed"], it["reason"]) for it in trial.score.checks]
        row = trial_row(trial)
        assert [(it["type"], it["passed"], it["reason"]) for it in row["checks"]] == kept
        assert row["passed"] is trial.score.verdict
        signs = [line[0] for line in explain(trial).steps if line[0] in "✓✗?"]
        assert signs == [{True: "✓", False: "✗"}[passed] for _, passed, _ in kept]
    text = io.StringIO()
    write_junit(result.trials(), text)
    assert text.getvalue().count("<failure") == 1
    failed = [it for it in trial.score.checks if not it["passed"]]
    for one in failed:
        name = f"not {one['type']}" if one["not"] else one["type"]
        metric = f" (metric {one['metric']})" if one["metric"] else ""
        assert f"check {name}{metric} failed: {one['reason']}" in text.getvalue()
    settings = Settings(home=home, hosts=("127.0.0.1:8000",))
    client = TestClient(create_app(settings), base_url="http://127.0.0.1:8000")
    for path in (f"/runs/{trial.run_id}/cases/1", f"/runs/{trial.run_id}/trials/1-0"):
        page = client.get(path).text
        for one in trial.score.checks:
            verdict = "passed" if one["passed"] else "failed"
            name = f"not {one['type']}" if one["not"] else one["type"]
            assert f"<li>{verdict}: <bdi>{name}</bdi>" in page


def test_an_undecided_check_leaves_the_answer_unscored(home):
    checks = [{"type": "regex", "pattern": "^(a+)+$"}, "boolean"]
    result = run(a_suite(checks=checks), provider=answers(peru="a" * 40 + "!"), home=home)
    peru = next(iter(result.trials()))
    assert peru.outcome is Outcome.UNSCORED
    assert "the check regex is undecided" in peru.score.notes
    assert scores(result) == [None, 0.0]


def test_judges_inside_checks_are_found():
    suite = checked.suite()
    assert not check_suite(suite)
    assert [(it.id, "value" in it.parameters) for it in asking_scorers(suite, None)] == [
        ("llm_judge", False),
        ("llm_judge", False),
    ]


def test_checks_are_judged(home, tmp_path):
    result = asyncio.run(checked.work(home, tmp_path / "log"))
    trials = list(result.trials())
    assert result.is_finished
    for trial in trials:
        mark = (len(trial.text) % 11) / 10
        regex, style, nested = trial.score.checks
        assert (regex["score"], style["score"], nested["score"]) == (1.0, mark, float(mark >= 0.6))
        assert trial.score.score == pytest.approx((1 + mark + (mark >= 0.6)) / 3)
        assert nested["detail"]["checks"][0]["expected"] == "It says it."
    assert result.summary.judging.judgments == 2 * len(trials)
    assert result.summary.judging.cost_usd == pytest.approx(2 * len(trials) * checked.USD)
    assert [it.judge for it in result.summary.judging.totals] == ["j"]


def test_a_judge_that_fails_leaves_its_check_undecided(home):
    failing = judge(lambda _: ProviderError("no reply.", is_sent=True))
    suite = a_suite(checks=["boolean", "llm_judge"])
    result = run(
        suite, provider=answers(), judge_provider=failing, home=home, options=RunOptions(retries=0)
    )
    assert scores(result) == [None, None]
    assert "the check llm_judge is undecided" in next(iter(result.trials())).score.notes
    again = rescore(result.run_ids[0], judge_provider=judge(), home=home)
    assert scores(again) == [1.0, 0.0]


def test_an_estimate_counts_the_judges_of_checks(tmp_path):
    made = estimate(
        checked.suite(), models=["openai/gpt-4o-mini"], home=tmp_path,
        options=RunOptions(judge="openai/gpt-4o"),
    )  # fmt: skip
    (one,) = made.judges
    assert one.requests == 2 * checked.CASES
    alone = estimate(
        Suite("one", list(checked.suite().cases), scorer="llm_judge"),
        models=["openai/gpt-4o-mini"], home=tmp_path, options=RunOptions(judge="openai/gpt-4o"),
    )  # fmt: skip
    assert one.input_tokens.low > 1.6 * alone.judges[0].input_tokens.low


def test_a_judge_is_needed_for_checks_that_ask(home):
    with pytest.raises(SpecError, match="llm_judge needs a judge"):
        run(a_suite(checks=["llm_judge"]), provider=answers(), home=home)
    with pytest.raises(SpecError, match="uses no judge"):
        run(a_suite(), provider=answers(), home=home, options=RunOptions(judge="openai/gpt-4o"))


def test_answers_wait_for_a_judge_that_takes_no_questions(home):
    suite = a_suite(checks=["boolean", "llm_judge"])
    refusing = judge(lambda _: AuthError("the key is wrong."))
    result = run(suite, provider=answers(), judge_provider=refusing, home=home)
    waiting = list(result.trials())
    assert all(AWAITING_JUDGE in trial.flags and trial.score is None for trial in waiting)
    done = resume(result.run_ids[0], provider=answers(), judge_provider=judge(), home=home)
    assert scores(done) == [1.0, 0.0]
    assert done.summary.judging.judgments == 2


def test_rescoring_replaces_the_checks_of_the_suite_alone(home):
    result = run(a_suite(), provider=answers(chile="Santiago"), home=home)
    assert scores(result) == [1.0, 1.0]
    after = rescore(result.run_ids[0], scorer=ScorerSpec(id="regex", pattern="x"), home=home)
    assert scores(after) == [0.0, 1.0]
    assert [it.score.scorer for it in after.trials()] == ["regex", "checks"]


def test_rescoring_under_another_profile_keeps_the_checks(home):
    result = run(a_suite(), provider=answers(chile="**Santiago**"), home=home)
    after = rescore(result.run_ids[0], options=RunOptions(profile="robust"), home=home)
    assert [it.score.scorer for it in after.trials()] == ["checks", "checks"]
    assert list(after.trials())[1].score.score == 1.0


def test_log_probabilities_are_requested_for_checks_that_read_them():
    suite = Suite(
        "s", [{"id": "a", "prompt": "p", "expected": "A", "choices": ["x", "y"]}],
        checks=[{"type": "choice", "by": "likelihood"}],
    )  # fmt: skip
    assert logprobs_need(suite) == "required"


@pytest.mark.quick("nothing that was paid for may be lost")
def test_a_killed_run_with_judged_checks_pays_nothing_twice(tmp_path):
    home, log = tmp_path / "home", tmp_path / "log"
    chance = random.Random(28)  # noqa: S311  seeded on purpose
    for _ in range(KILLS):
        calls = str(chance.randint(3, 12))
        words = [sys.executable, "-m", "tests.arenas.checked", str(home), str(log), calls]
        done = subprocess.run(words, cwd=ROOT, check=False, timeout=120)
        assert done.returncode == -signal.SIGKILL
    result = asyncio.run(checked.work(home, log))
    whole = asyncio.run(checked.work(tmp_path / "whole", tmp_path / "whole.log"))
    assert result.is_finished
    assert scores(result) == scores(whole)
    with Store.open(home / "benchmaker.db") as store:
        stored = store.judgments(result.run_ids[0])
    assert len({one.key for one in stored}) == len(stored) == 2 * 2 * checked.CASES
    paid = len(log.read_text(encoding="utf-8").splitlines())
    assert len(stored) <= paid <= len(stored) + KILLS * checked.CONCURRENCY


def test_a_row_is_plain_json(home):
    result = run(a_suite(), provider=answers(), home=home)
    rows = [json.loads(json.dumps(trial_row(it))) for it in result.trials()]
    assert rows[0]["checks"][0] == {
        "type": "regex",
        "not": True,
        "metric": "form",
        "weight": 1.0,
        "passed": True,
        "score": 1.0,
        "reason": "not found",
    }
