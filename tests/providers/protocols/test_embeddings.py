"""Requests for embeddings, and replies, of endpoints of protocol openai."""

import asyncio
import json

import pytest

from benchmaker.errors import BadResponse, ProviderError, RateLimited
from benchmaker.providers.base import Request
from benchmaker.providers.live import Live
from benchmaker.spec import Parameters
from tests.arenas.embedding_server import KEY, EmbeddingServer, reply_to, vector

MODEL = "openai/embed"


def request(*texts, dimensions=None):
    return Request(
        model=MODEL,
        case_id="",
        messages=(),
        parameters=Parameters(),
        texts=texts,
        dimensions=dimensions,
    )


def completed(server, asked, *, home=None, model=MODEL):
    async def work():
        live = Live([model], environ=server.environ, home=home)
        try:
            return await live.complete(asked)
        finally:
            await live.close()

    return asyncio.run(work())


def test_texts_are_sent_as_openai_documents_it():
    with EmbeddingServer() as server:
        completed(server, request("one", "two words"))
        completed(server, request("one", dimensions=3))
    assert server.bodies == [
        {"model": "embed", "input": ["one", "two words"]},
        {"model": "embed", "input": ["one"], "dimensions": 3},
    ]
    assert server.paths == ["/v1/embeddings"] * 2


def test_the_reply_has_the_embeddings_the_tokens_and_the_cost(tmp_path):
    (tmp_path / "prices.yaml").write_text("prices: {openai/embed: {input: 1000, output: 0}}")
    with EmbeddingServer() as server:
        made = completed(server, request("one", "two words"), home=tmp_path)
    found = {one["index"]: one["embedding"] for one in json.loads(made.text)}
    assert found == {0: vector("one"), 1: vector("two words")}
    assert (made.usage.input_tokens, made.usage.output_tokens) == (3, 0)
    assert made.cost_usd == pytest.approx(0.003)
    assert made.flags == ()


def test_without_tokens_the_cost_is_unknown(tmp_path):
    (tmp_path / "prices.yaml").write_text("prices: {openai/embed: {input: 1000, output: 0}}")

    def silent(body):
        return 200, {**reply_to(body), "usage": None}

    with EmbeddingServer(silent) as server:
        made = completed(server, request("one"), home=tmp_path)
    assert (made.usage, made.cost_usd) == (None, None)


@pytest.mark.parametrize(
    ("status", "reply", "kind"),
    [
        (200, b"<html>", BadResponse),
        (200, b"", BadResponse),
        (200, {"object": "list"}, BadResponse),
        (200, {"data": "none"}, BadResponse),
        (200, {"error": {"message": "no such model"}}, BadResponse),
        (429, {"error": {"message": "slow down"}}, RateLimited),
        (400, {"error": {"message": "bad"}}, ProviderError),
    ],
)
def test_other_replies_are_errors_without_the_key(status, reply, kind):
    with EmbeddingServer(lambda _: (status, reply)) as server, pytest.raises(kind) as caught:
        completed(server, request("one"))
    assert KEY not in str(caught.value)


def test_the_maximum_cost_is_that_of_the_bytes(tmp_path):
    (tmp_path / "prices.yaml").write_text("prices: {openai/embed: {input: 1000000, output: 7}}")
    live = Live([MODEL], environ={"OPENAI_API_KEY": KEY}, home=tmp_path)
    assert live.most_usd(request("ü" * 10, "x")) == pytest.approx(20 + 1 + 2 * 16)
    assert live.embeds(MODEL)


@pytest.mark.parametrize("model", ["anthropic/claude-sonnet-4-0", "command:cat"])
def test_other_protocols_have_no_embeddings(model):
    live = Live([model], environ={"ANTHROPIC_API_KEY": KEY})
    assert not live.embeds(model)
