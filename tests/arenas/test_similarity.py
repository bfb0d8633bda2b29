"""Runs scored by embeddings, from a real server on this machine that counts its requests."""

import asyncio
import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from math import nan
from pathlib import Path

import numpy as np
import pytest

from benchmaker import Case, RunOptions, Suite, estimate, rescore, resume, run
from benchmaker.arenas.standard.queued_runs import enqueue_runs
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.retry import Retry
from benchmaker.errors import PrerequisiteError, SpecError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import EMBEDDING_FAILED, Outcome
from benchmaker.report.runs.explain import explain
from benchmaker.report.sentences.notes import summary_notes
from benchmaker.spec import CheckSpec
from benchmaker.store import Store
from benchmaker.testing.judges import judge_script
from tests.arenas import embedded
from tests.arenas.embedding_server import (
    DIMENSIONS,
    KEY,
    MODEL,
    PRICES,
    EmbeddingServer,
    reply_to,
    tokens,
    vector,
)

ROOT = Path(__file__).parents[2]
QUICK = RunLimits(retry=Retry(base_s=0.02, empty_s=0.01))
SAYS = "the capital of country {} is a large town"
EXPECTS = "country {} has a town as its capital"


@pytest.fixture
def server():
    with EmbeddingServer() as started:
        yield started


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "prices.yaml").write_text(PRICES)
    return folder


def similarity(**fields):
    return CheckSpec(type="similarity", **{"model": MODEL, **fields})


def a_suite(number=6, **fields):
    cases = [
        Case(id=f"c{n}", prompt=f"What is {n}?", expected=EXPECTS.format(n)) for n in range(number)
    ]
    return Suite(**{"name": "capitals", "cases": cases, "checks": (similarity(),), **fields})


def answers(say=SAYS, models=("a", "b")):
    return Scripted(lambda it: say.format(it.case_id.removeprefix("c")), models=models)


def recorded(folder, number, say=SAYS):
    """Recorded answers of one model, in a file."""
    lines = [{"model": "a", "id": f"c{n}", "output": say.format(n)} for n in range(number)]
    file = folder / "answers.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    return file


def scored(server, home, suite=None, *, provider=None, options=None, **fields):
    return run(
        suite or a_suite(),
        provider=provider or answers(),
        environ=server.environ,
        home=home,
        options=options or RunOptions(limits=QUICK),
        **fields,
    )


def checks_of(result):
    return [trial.score.detail["checks"][0] for trial in result.trials()]


def plain_cosine(one, other):
    """The cosine by numpy, of vectors in the precision in which they are stored."""
    a, b = (np.array(it, dtype=np.float32).astype(float) for it in (one, other))
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


def test_the_score_is_the_cosine_with_the_expected_text(server, home):
    result = scored(server, home)
    assert result.is_finished
    for trial in result.trials():
        number = trial.case_id.removeprefix("c")
        wanted = plain_cosine(vector(SAYS.format(number)), vector(EXPECTS.format(number)))
        [check] = trial.score.detail["checks"]
        assert check["score"] == pytest.approx(wanted, abs=1e-12)
        assert check["passed"] == (wanted >= 0.75)
    assert set(server.paths) == {"/v1/embeddings"}


def test_equal_texts_share_a_request_and_are_embedded_once(server, home):
    result = scored(server, home)
    assert len(list(result.trials())) == 12
    assert len(server.texts) == 12  # both models say the same
    assert set(server.texts.values()) == {1}
    assert len(server.bodies) <= 3


def test_the_closest_of_several_texts_counts(server, home):
    near = SAYS.format(0)
    suite = a_suite(1, checks=(similarity(value=["zebras eat grass", near]),))
    [check] = checks_of(scored(server, home, suite, provider=answers(models=("a",))))
    assert check["score"] == pytest.approx(1.0)
    assert check["detail"]["text"] == near


def test_a_negative_cosine_scores_zero_and_not_turns_the_verdict(server, home):
    def opposite(body):
        made = reply_to(body)
        for one in made["data"]:
            sign = -1 if body["input"][one["index"]].startswith("country") else 1
            one["embedding"] = [sign * 1.0] * DIMENSIONS
        return 200, made

    server.reply = opposite
    suite = a_suite(1, checks=(similarity(), similarity(**{"not": True}, weight=0)))
    [trial] = scored(server, home, suite, provider=answers(models=("a",))).trials()
    plain, turned = trial.score.detail["checks"]
    assert (plain["score"], plain["passed"], plain["detail"]["cosine"]) == (0.0, False, -1.0)
    assert (turned["score"], turned["passed"]) == (1.0, True)


def test_embeddings_are_priced_on_their_own_line(server, home):
    result = scored(server, home)
    paid = tokens(server.texts) * 2e-6
    summary = result.summary
    assert summary.judging is None
    [totals] = summary.embedding_totals
    assert (totals.model, totals.failed, totals.costs_unknown) == (MODEL, 0, 0)
    assert totals.requests == len(server.bodies)
    assert totals.input_tokens == tokens(server.texts)
    assert totals.cost_usd == pytest.approx(paid)
    assert summary.spending.embeddings_usd == pytest.approx(paid)
    assert summary.spending.judges_usd == 0.0
    assert summary.to_dict()["embeddings"][0]["cost_usd"] == pytest.approx(paid)
    with Store.open(home / "benchmaker.db") as store:
        costs = store.costs(result.run_ids)
        assert store.spent_usd(result.run_ids) == pytest.approx(paid)
    assert (costs.embeddings_usd, costs.judges_usd) == (pytest.approx(paid), 0.0)
    assert any(f"Embeddings: {MODEL}, " in note for note in summary_notes(summary))


def test_an_unknown_price_is_an_unknown_cost(server, home):
    (home / "prices.yaml").unlink()
    [totals] = scored(server, home).summary.embedding_totals
    assert totals.costs_unknown == totals.requests > 0
    assert not scored(server, home).summary.spending.is_whole


def test_a_second_run_and_a_rescoring_request_nothing(server, home):
    first = scored(server, home)
    sent = len(server.bodies)
    again = scored(server, home)
    other = rescore(first.run_ids[0], environ=server.environ, home=home)
    assert len(server.bodies) == sent
    assert checks_of(again) == checks_of(other) == checks_of(first)
    assert again.summary.embedding_totals == ()


def test_stored_answers_are_scored_by_similarity_later(server, home):
    suite = a_suite(scorer="exact", checks=())
    first = run(suite, provider=answers(), home=home)
    scorer = {"id": "similarity", "model": MODEL}
    again = rescore(first.run_ids[0], scorer=scorer, environ=server.environ, home=home)
    assert all(trial.score.score > 0 for trial in again.trials())
    assert again.summary.embedding_totals[0].requests == len(server.bodies)
    corrected = rescore(first.run_ids[0], suite=a_suite(), environ=server.environ, home=home)
    assert [it["score"] for it in checks_of(corrected)] == [it.score.score for it in again.trials()]
    assert set(server.texts.values()) == {1}


def test_recorded_answers_are_scored_by_live_embeddings(server, home, tmp_path):
    file = recorded(tmp_path, 6)
    result = run(a_suite(), recorded=file, environ=server.environ, home=home)
    assert result.is_finished
    assert sum(server.texts.values()) == 12


def test_a_queued_run_is_scored_by_the_worker_that_starts_it(server, home, tmp_path):
    file = recorded(tmp_path, 6)
    with Store.open(home / "benchmaker.db") as store:
        [queued] = asyncio.run(
            enqueue_runs(
                store, a_suite(), RunOptions(), home=home, recorded=file, environ=server.environ
            )
        )
    assert server.bodies == []
    result = resume(queued.id, environ=server.environ, home=home)
    assert result.is_finished
    assert sum(server.texts.values()) == 12


def test_a_suite_without_similarity_requests_nothing(server, home):
    scored(server, home, a_suite(scorer="exact", checks=()))
    assert server.bodies == []


def test_judges_and_embeddings_score_one_answer(server, home):
    judge = Scripted(judge_script(lambda _: {"score": 8, "rationale": "so"}), models=("j",))
    rubric = CheckSpec(type="rubric", value="Names a town.")
    suite = a_suite(checks=(similarity(), rubric), threshold=0.5)
    result = scored(server, home, suite, judge_provider=judge)
    assert {len(trial.score.detail["checks"]) for trial in result.trials()} == {2}
    assert judge.calls == 6  # both models say the same
    summary = result.summary
    assert summary.judging.models == ("j",)
    assert [it.judge for it in summary.judging.totals] == ["j"]
    assert summary.judging.earlier == ()
    assert [it.model for it in summary.embedding_totals] == [MODEL]


def test_a_missing_key_is_found_before_anything_is_sent(home):
    asked = answers()
    with pytest.raises(PrerequisiteError, match="OPENAI_API_KEY"):
        run(a_suite(), provider=asked, environ={}, home=home)
    assert asked.calls == 0


@pytest.mark.parametrize("model", ["anthropic/claude-sonnet-4-0", "command:cat"])
def test_a_model_without_embeddings_is_refused_before_anything_is_sent(home, model):
    asked = answers()
    suite = a_suite(checks=(similarity(model=model),))
    with pytest.raises(SpecError, match="can't embed texts"):
        run(suite, provider=asked, environ={"ANTHROPIC_API_KEY": KEY}, home=home)
    assert asked.calls == 0


def test_a_function_embeds(home):
    suite = a_suite(checks=(similarity(model="python:tests.arenas.test_similarity:embed"),))
    result = run(suite, provider=answers(), home=home)
    wanted = plain_cosine(vector(SAYS.format(0)), vector(EXPECTS.format(0)))
    assert checks_of(result)[0]["score"] == pytest.approx(wanted, abs=1e-12)


def embed(request):
    """A model of embeddings as a function."""
    return [vector(text) for text in request.texts]


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda made: made["data"][0].update(embedding=[0.0] * DIMENSIONS), "only zeros"),
        (lambda made: made["data"][0].update(embedding=[nan] * DIMENSIONS), "not a number"),
        (lambda made: made["data"][0].update(embedding=[1e39] * DIMENSIONS), "not finite"),
        (lambda made: made["data"][0].update(embedding=["a"]), "not a number"),
        (lambda made: made["data"][0].update(embedding=[]), "not a list of numbers"),
        (lambda made: made["data"][0].update(embedding="AAAA"), "not a list of numbers"),
        (
            lambda made: made["data"][0].update(embedding=[1.0] * 5),
            "with 5 and 12 dimensions in one reply",
        ),
        (lambda made: made["data"].pop(0), "lacks the embedding"),
        (lambda made: made["data"][0].update(index=0), "two embeddings have the index 0"),
        (lambda made: made["data"][0].update(index=99), "has the index 99"),
        (lambda made: made["data"][0].pop("index"), "has the index None"),
        (lambda made: made.update(data="none"), "Expected"),
        (lambda made: made.pop("data"), "without embeddings"),
    ],
)
def test_a_bad_reply_leaves_the_check_undecided_with_its_reason(home, spoil, reason):
    def spoilt(body):
        made = reply_to(body)
        spoil(made)
        return 200, made

    with EmbeddingServer(spoilt) as server:
        result = scored(server, home, a_suite(1), provider=answers(models=("a",)))
    [trial] = result.trials()
    assert trial.score.score is None
    assert trial.outcome is Outcome.UNSCORED
    assert EMBEDDING_FAILED in trial.score.flags
    assert reason in trial.score.notes
    assert "the check similarity is undecided" in trial.score.notes


def test_a_bad_expected_text_is_requested_once_in_a_run(home):
    bad = "country x"

    def spoilt(body):
        made = reply_to(body)
        for one in made["data"]:
            if body["input"][one["index"]] == bad:
                one["embedding"] = [0.0] * DIMENSIONS
        return 200, made

    suite = a_suite(100, checks=(similarity(value=bad),))
    with EmbeddingServer(spoilt) as server:
        result = scored(server, home, suite)
    assert all(trial.score.score is None for trial in result.trials())
    assert server.texts[bad] <= 2  # answers in flight together may each have asked


def vectors_of(store_home):
    """How many stored embeddings there are of each length, in bytes."""
    with sqlite3.connect(store_home / "benchmaker.db") as connection:
        return Counter(len(body) for (body,) in connection.execute("SELECT body FROM embeddings"))


def test_nothing_is_kept_of_a_reply_with_several_lengths_and_a_retry_heals(server, home):
    def odd(body):
        made = reply_to(body)
        made["data"][-1]["embedding"].pop()
        return 200, made

    server.reply = odd
    failed = scored(server, home, provider=answers(models=("a",)))
    for trial in failed.trials():
        assert trial.score.score is None
        assert "with 11 and 12 dimensions in one reply. Set dimensions of" in trial.score.notes
    assert vectors_of(home) == {}
    server.reply, server.answered = (lambda body: (200, reply_to(body))), []
    healed = resume(
        failed.run_ids[0],
        provider=answers(models=("a",)),
        environ=server.environ,
        home=home,
        options=RunOptions(retry_failed=True, limits=QUICK),
    )
    assert all(trial.score.score is not None for trial in healed.trials())
    assert len(server.texts) == 12
    assert set(server.texts.values()) == {1}
    assert vectors_of(home) == {4 * DIMENSIONS: 12}


@pytest.mark.parametrize("first", [7, 20])
def test_a_stored_embedding_of_another_length_is_requested_once_and_replaced(server, home, first):
    server.reply = lambda body: (200, reply_to({**body, "dimensions": first}))
    suite = a_suite(40, checks=(similarity(value=EXPECTS),))
    scored(server, home, a_suite(2, checks=suite.checks), provider=answers(models=("a",)))
    assert vectors_of(home) == {4 * first: 3}
    server.reply, server.answered = (lambda body: (200, reply_to(body))), []
    second = scored(server, home, suite, provider=answers(models=("a",)))
    number = len(server.texts)
    assert set(server.texts.values()) == {1}
    assert EXPECTS in server.texts
    for trial in second.trials():
        if trial.case_id not in ("c0", "c1"):
            answer = SAYS.format(trial.case_id.removeprefix("c"))
            assert trial.score.detail["checks"][0]["score"] == pytest.approx(
                plain_cosine(vector(answer), vector(EXPECTS)), abs=1e-12
            )
    third = scored(server, home, suite, provider=answers(models=("a",)))
    assert all(check["detail"]["dimensions"] == DIMENSIONS for check in checks_of(third))
    assert server.texts[EXPECTS] <= 2  # which of the stored ones is right is seen by one request
    assert set((server.texts - Counter([EXPECTS])).values()) == {1}
    assert number >= 39
    assert vectors_of(home) == {4 * DIMENSIONS: 41}


def test_failures_are_retried_and_a_failed_check_is_retried_on_request(home):
    refused = []

    def busy(body):
        if len(refused) < 2:
            refused.append(body)
            return 429, {"error": {"message": "slow down"}}
        return 200, reply_to(body)

    with EmbeddingServer(busy) as server:
        result = scored(server, home)
        assert result.is_finished
        assert all(trial.score.score is not None for trial in result.trials())

    broken = EmbeddingServer(lambda _: (500, {"error": {"message": "broken"}}))
    suite = a_suite(name="others", checks=(similarity(value="something else"),))
    with broken as server:
        failed = scored(server, home, suite)
        assert all(EMBEDDING_FAILED in trial.score.flags for trial in failed.trials())
        told = "12 answers have no score for lack of an embedding."
        assert any(note.startswith(told) for note in summary_notes(failed.summary))
        server.reply = lambda body: (200, reply_to(body))
        again = resume(
            failed.run_ids[0],
            provider=answers(),
            environ=server.environ,
            home=home,
            options=RunOptions(retry_failed=True, limits=QUICK),
        )
    assert all(trial.score.score is not None for trial in again.trials())


def test_a_text_that_is_refused_does_not_spoil_the_others(home):
    def strict(body):
        if any("country 3" in text for text in body["input"]):
            return 400, {"error": {"message": "maximum context length exceeded"}}
        return 200, reply_to(body)

    with EmbeddingServer(strict) as server:
        result = scored(server, home, a_suite(8))
    verdicts = {trial.case_id: trial.score.score for trial in result.trials()}
    assert {case_id for case_id, score in verdicts.items() if score is None} == {"c3"}


def test_a_budget_halts_the_embeddings_and_the_rest_is_scored_later(server, home, tmp_path):
    file = recorded(tmp_path, 300, "country {} " + "word " * 20)
    halted = run(
        a_suite(300),
        recorded=file,
        environ=server.environ,
        home=home,
        options=RunOptions(max_cost_usd=0.017),
    )
    assert not halted.is_finished
    assert 0 < halted.summary.spending.usd <= 0.017
    assert any("wait for embeddings" in note for note in summary_notes(halted.summary))
    whole = resume(
        halted.run_ids[0],
        environ=server.environ,
        home=home,
        options=RunOptions(max_cost_usd=1.0),
    )
    assert whole.is_finished
    assert set(server.texts.values()) == {1}
    assert whole.summary.spending.usd == pytest.approx(tokens(server.texts) * 2e-6)


def test_a_budget_needs_a_price(server, home, tmp_path):
    (home / "prices.yaml").unlink()
    file, options = recorded(tmp_path, 6), RunOptions(max_cost_usd=1.0)
    with pytest.raises(PrerequisiteError, match=MODEL):
        run(a_suite(), recorded=file, environ=server.environ, home=home, options=options)
    assert server.bodies == []


def test_the_estimate_counts_texts_and_their_cost(server, home):
    told = estimate(a_suite(), models=["openai/gpt-4o-mini"], home=home)
    [part] = told.embeddings
    assert (part.model, part.requests) == (MODEL, 12)
    assert part.output_tokens.high == 0
    scored(server, home, provider=answers(models=("a",)))
    assert part.input_tokens.low * 2e-6 == pytest.approx(part.cost_usd.low, rel=0.1)
    assert told.cost_usd.high > told.models[0].cost_usd.high
    (home / "prices.yaml").unlink()
    assert estimate(a_suite(), models=["openai/gpt-4o-mini"], home=home).unpriced_models == (MODEL,)


def test_dimensions_are_requested(server, home):
    suite = a_suite(1, checks=(similarity(dimensions=5),))
    [check] = checks_of(scored(server, home, suite, provider=answers(models=("a",))))
    assert server.bodies[0]["dimensions"] == check["detail"]["dimensions"] == 5
    stubborn = EmbeddingServer(
        lambda body: (200, reply_to({**body, "dimensions": DIMENSIONS})),
    )
    suite = a_suite(1, checks=(similarity(dimensions=6),))
    with stubborn as other:
        [trial] = scored(other, home, suite, provider=answers(models=("a",))).trials()
    assert "12 dimensions, but 6 were requested" in trial.score.notes


def test_explain_shows_the_cosine_the_model_and_both_texts(server, home):
    result = scored(server, home, a_suite(1), provider=answers(models=("a",)))
    [trial] = result.trials()
    told = "\n".join(explain(trial, case=a_suite(1).cases[0], run=result.runs[0]).steps)
    for words in ("threshold 0.75", MODEL, SAYS.format(0), EXPECTS.format(0), "cosine 0."):
        assert words in told


def killed_after(number, *, server, home, file):
    """Begin the run, or go on with it, in a process of its own, until so many more requests."""
    sent = len(server.answered)
    words = [sys.executable, "-m", "tests.arenas.embedded", str(home), server.url, str(file)]
    child = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.DEVNULL)
    while child.poll() is None and len(server.answered) < sent + number:
        time.sleep(0.005)
    child.send_signal(signal.SIGKILL)
    child.wait()
    return child.returncode


def test_after_kills_nothing_is_requested_twice_but_what_was_in_flight(home, tmp_path):
    number, kills = 600, 3
    file = recorded(tmp_path, number)
    with EmbeddingServer(latency_s=0.1) as server:
        ended = [killed_after(2, server=server, home=home, file=file) for _ in range(kills)]
        assert ended == [-signal.SIGKILL] * kills
        result = embedded.work(home, server.url, file)
        assert result.is_finished
        texts = server.texts
        assert len(texts) == number + 1
        repeated = sum(texts.values()) - len(texts)
        assert repeated <= kills * (1 + 64)  # the first text, sent alone, and a full request
        before = len(server.bodies)
        rescore(result.run_ids[0], environ=server.environ, home=home)
        assert len(server.bodies) == before
    [totals] = result.summary.embedding_totals
    stored = totals.input_tokens
    assert tokens(texts) <= stored <= tokens(texts.elements())
    for trial, check in zip(result.trials(), checks_of(result), strict=True):
        answer = SAYS.format(trial.case_id.removeprefix("c"))
        wanted = plain_cosine(vector(answer), vector(embedded.EXPECTED))
        assert check["score"] == pytest.approx(wanted, abs=1e-12)
