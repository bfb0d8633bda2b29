"""Recorded exchanges, and their replay without a model."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as some

from benchmaker.arenas.agentic.gateway.recording import (
    FILE,
    RecordedExchange,
    RecordedReplies,
    Recorder,
    request_digest,
)
from benchmaker.errors import SpecError
from benchmaker.providers.wires.form import WireCall, read_fields
from benchmaker.record.agent_trial import TrialKey, Wire
from tests.arenas.agentic.gateway.scripts import Answer, generate, request
from tests.arenas.agentic.gateway.upstream import (
    MODELS,
    a_key,
    agent,
    converse,
    gatewayed,
    modelled,
    post,
    token_headers,
)

WIRES = list(Wire)


def figures(rows):
    return [
        (it.number, it.status, it.stream, it.usage, it.cost_usd, it.was_cut, it.request_sha256)
        for it in rows
    ]


@pytest.mark.parametrize("wire", WIRES)
def test_a_recorded_trial_runs_again_without_a_model(store, tmp_path, wire):
    answers = [*generate(wire, 5, 6), Answer(), Answer(cut_at=0.5, seed=2)]

    async def play(gateway, key):
        grant = gateway.grant(key, MODELS[wire])
        async with agent(grant.socket) as session:
            marked = [(f"answer {at}x", it) for at, it in enumerate(answers)]
            return await converse(session, wire, grant.token, marked)

    async def run():
        record = tmp_path / "record"
        async with (
            modelled(*answers) as model,
            gatewayed(store, model.url, record=record) as gateway,
        ):
            first = await play(gateway, a_key())
        again = a_key(attempt_try=2)
        async with gatewayed(store, "", replay=record, environ={}) as gateway:
            return first, await play(gateway, again), again

    first, second, again = asyncio.run(run())
    assert [it.body for it in first] == [it.body for it in second]
    assert [it.status for it in first] == [it.status for it in second]
    rows = store.agent_trials.requests
    assert figures(rows(a_key())) == figures(rows(again))


@pytest.mark.parametrize("wire", WIRES)
def test_a_request_that_was_not_recorded_is_not_found(store, tmp_path, wire):
    record = tmp_path / "record"
    Recorder(record).close()

    async def run():
        async with gatewayed(store, "", replay=record, environ={}) as gateway:
            grant = gateway.grant(a_key(), MODELS[wire])
            async with agent(grant.socket) as session:
                path, body = request(wire, Answer(), "answer 0x")
                return await post(session, path, body, **token_headers(wire, grant.token))

    got = asyncio.run(run())
    assert got.status == 404
    assert "was not recorded" in got.json["error"]["message"]
    (row,) = store.agent_trials.requests(a_key())
    assert (row.status, row.cost_usd) == (404, 0.0)


def exchange(key, digest="d", body=b"x", **fields):
    given = {"status": 200, "headers": {}, "chunks": [body], "was_cut": False}
    return RecordedExchange.of(key, digest, **{**given, **fields})


def test_equal_requests_are_answered_in_their_order_each_once(tmp_path):
    recorder = Recorder(tmp_path)
    key, other = TrialKey("s", "t", "y", 1), TrialKey("s", "t", "y", 2)
    for it in (exchange(key, body=b"1"), exchange(other, body=b"o"), exchange(key, body=b"2")):
        recorder.add(it)
    recorder.close()
    replay = RecordedReplies(tmp_path)
    asked = TrialKey("later", "t", "y", 1)
    assert [replay.find(asked, "d").body for _ in range(2)] == ["1", "2"]
    assert replay.find(asked, "d") is None
    assert replay.find(asked, "e") is None
    assert replay.find(asked._replace(attempt_try=2), "d").body == "1"


def test_of_several_tries_the_last_one_counts_and_a_killed_recording_goes_on(tmp_path):
    recorder = Recorder(tmp_path)
    key = TrialKey("s", "t", "y", 1)
    recorder.add(exchange(key, body=b"lost"))
    recorder.close()
    with (tmp_path / FILE).open("ab") as file:
        file.write(b'{"key": ["s", "t"')
    recorder = Recorder(tmp_path)
    recorder.add(exchange(key._replace(attempt_try=2), body=b"kept"))
    recorder.close()
    replay = RecordedReplies(tmp_path)
    assert replay.find(key, "d").body == "kept"
    assert replay.find(key, "d") is None


@given(some.lists(some.binary(max_size=9), max_size=6), some.booleans())
def test_the_pieces_of_a_reply_are_kept(chunks, was_cut):
    kept = exchange(TrialKey("s", "t", "y", 1), chunks=chunks, was_cut=was_cut)
    assert b"".join(kept.chunks) == b"".join(chunks)
    if chunks:
        assert list(kept.chunks) == chunks


def test_fields_of_a_session_do_not_change_the_digest():
    call = WireCall(Wire.CHAT, "generate")

    def digest(body, **options):
        return request_digest(call, read_fields(body), **{"is_streamed": True, **options})

    plain = digest(b'{"messages": [1], "model": "a"}')
    assert plain == digest(b'{"model": "b", "metadata": {"session": 7}, "messages": [1]}')
    assert plain != digest(b'{"messages": [2]}')
    assert plain != digest(b'{"messages": [1]}', is_streamed=False)


def test_a_folder_without_a_recording_is_an_error(tmp_path):
    with pytest.raises(SpecError, match="no recorded exchanges"):
        RecordedReplies(tmp_path)
    (tmp_path / FILE).write_text("{}\n")
    with pytest.raises(SpecError, match=r"exchanges\.jsonl:1: invalid recorded exchange"):
        RecordedReplies(tmp_path)
