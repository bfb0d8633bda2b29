"""Embeddings of texts: their order, their batches, and the requests that are not made."""

import asyncio
import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.engine.judges.embedder import MOST_BYTES, MOST_TEXTS, Embedder
from benchmaker.engine.judges.model_requests import ModelRequests
from benchmaker.engine.judges.vectors import pack, read_reply, unpack, vector_key
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.errors import BadResponse
from benchmaker.providers.scripted import Scripted
from benchmaker.scoring.base import EmbeddingQuery
from benchmaker.store import Store, Writer
from tests.arenas.embedding_server import reply_to, vector

TEXTS = st.lists(st.text(max_size=12).filter(bool), min_size=1, max_size=150)


def embeds(request):
    """The reply of a model, its embeddings in reverse order."""
    return json.dumps(reply_to({"model": "m", "input": list(request.texts)})["data"])


def embedded(texts, *, store, group=1):
    """Embeddings of texts, queried by groups at the same time; and the requests made."""

    async def work():
        provider = Scripted(embeds, models=("m",))
        with Writer(store) as writer:
            requests = ModelRequests(
                provider, noun="model", concurrency=5, limits=RunLimits(concurrency=5)
            )
            embedder = Embedder(store, writer, requests)
            groups = [tuple(texts[at : at + group]) for at in range(0, len(texts), group)]
            queries = (embedder.embed(EmbeddingQuery("m", one), None) for one in groups)
            found = await asyncio.gather(*queries)
            await embedder.close()
        return [list(one) for it in found for one in it], provider.requests

    return asyncio.run(work())


def as_stored(text):
    return unpack(pack(vector(text))).tolist()


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "benchmaker.db") as opened:
        yield opened


@settings(max_examples=15)
@given(texts=TEXTS, group=st.integers(1, 7))
def test_each_text_gets_its_own_embedding_whatever_shares_its_request(
    tmp_path_factory, texts, group
):
    with Store.open(tmp_path_factory.mktemp("store") / "benchmaker.db") as store:
        found, requests = embedded(texts, store=store, group=group)
        assert found == [as_stored(text) for text in texts]
        sent = Counter(text for request in requests for text in request.texts)
        assert sent == Counter(set(texts))
        assert all(len(request.texts) <= MOST_TEXTS for request in requests)
        again, none = embedded(texts[::-1], store=store)
        assert again == found[::-1]
        assert none == []


def test_texts_that_arrive_together_fill_requests(store):
    _, requests = embedded([f"text {n}" for n in range(200)], store=store)
    assert [len(request.texts) for request in requests] == [64, 64, 64, 8]


def test_a_request_is_bounded_in_bytes(store):
    long = [f"{n} " + "ü" * 40_000 for n in range(6)] + ["x" * (2 * MOST_BYTES)]
    found, requests = embedded(long, store=store)
    assert found == [as_stored(text) for text in long]
    sizes = [sum(len(text.encode()) for text in request.texts) for request in requests]
    assert all(
        size <= MOST_BYTES or len(request.texts) == 1
        for size, request in zip(sizes, requests, strict=True)
    )
    assert len(requests) == 4


def test_a_key_depends_on_endpoint_model_dimensions_and_text():
    at = {"models": {"m": {"base_url": "http://one", "model": "m", "key": "A"}}}
    query = EmbeddingQuery("m", ())
    known = vector_key("text", query, at)
    other_key = {"models": {"m": {**at["models"]["m"], "key": "B"}}}
    assert vector_key("text", query, other_key) == known
    elsewhere = {"models": {"m": {"base_url": "http://two", "model": "m"}}}
    others = {
        vector_key("text ", query, at),
        vector_key("text", query._replace(dimensions=3), at),
        vector_key("text", query, elsewhere),
        vector_key("text", EmbeddingQuery("n", ()), at),
    }
    assert len(others | {known}) == 5


def test_a_lone_surrogate_is_embedded(store):
    text = "42\ud800"
    assert embedded([text], store=store)[0] == [as_stored(text)]


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_are_stored_in_single_precision(numbers):
    assert unpack(pack(numbers)).tolist() == numbers


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists))
def test_any_json_is_embeddings_or_a_fault(value):
    try:
        found = read_reply(json.dumps([{"index": 0, "embedding": value}]), 1)
    except BadResponse:
        return
    [one] = found
    assert isinstance(one, (bytes, BadResponse))
    if isinstance(one, bytes):
        assert any(unpack(one))
