"""Embeddings in both databases: written with their request, and summed by model."""

import pytest

from benchmaker.engine.judges.vectors import pack, unpack
from benchmaker.record import Completion, EmbeddingTotals, Judgment, Usage
from benchmaker.record.judgment import EMBEDDING, NO_JUDGMENT
from benchmaker.store import Store, Writer
from tests.store.filled import add_run
from tests.store.runs.test_judgments import a_judgment


@pytest.fixture
def store(address):
    with Store.open(address) as opened:
        add_run(opened)
        yield opened


def a_request(key="e", **fields):
    usage = Usage(input_tokens=30, output_tokens=0)
    reply = Completion(text="", usage=usage, latency_s=0.5, cost_usd=0.25)
    defaults = {"judge": "embed é \x00", "purpose": EMBEDDING, "run_id": "run-1"}
    return Judgment(key=key * 64, **{**defaults, "completion": reply, **fields})


def put(store, *requests, vectors=None):
    with Writer(store) as writer:
        for request in requests:
            writer.put_judgment(request, vectors=vectors or {})


@pytest.mark.postgresql("no other test has its statements")
def test_embeddings_are_found_by_their_keys_and_a_new_one_replaces_the_old(store):
    put(store, a_request(), vectors={"a": pack([1.0, 2.0]), "b": pack([0.5])})
    put(store, a_request("f"), vectors={"a": pack([3.0, 4.0]), "c": pack([0.25])})
    found = store.find_embeddings(["a", "b", "c", "d"])
    assert {key: unpack(body).tolist() for key, body in found.items()} == {
        "a": [3.0, 4.0],
        "b": [0.5],
        "c": [0.25],
    }
    assert store.find_embeddings([]) == {}


@pytest.mark.postgresql("no other test has its statements")
def test_requests_are_summed_by_model_and_are_no_judgments(store):
    failed = a_request("f", completion=None, error_type="Timeout", error="late")
    useless = a_request("g", flags=(NO_JUDGMENT,))
    put(store, a_request(), failed, useless, a_judgment())
    assert store.embedding_totals(["run-1"]) == (
        EmbeddingTotals(
            model="embed é \x00",
            requests=3,
            failed=2,
            cost_usd=0.5,
            costs_unknown=1,
            input_tokens=60,
        ),
    )
    assert [it.judge for it in store.judge_totals(["run-1"])] == ["j"]
    assert [it.judge for it in store.judge_scorings(["run-1"]).counting] == ["j"]
    costs = store.costs(["run-1"])
    assert (costs.judges_usd, costs.judgments_unknown) == (0.01, 0)
    assert (costs.embeddings_usd, costs.embeddings_unknown) == (0.5, 1)
    assert not costs.is_whole
    assert store.spent_usd(["run-1"]) == pytest.approx(costs.known_usd)


def test_embeddings_outlive_their_run(store):
    put(store, a_request(), vectors={"a": pack([1.0])})
    store.delete_run("run-1")
    assert list(store.find_embeddings(["a"])) == ["a"]
    assert store.embedding_totals(["run-1"]) == ()
