"""Who may ask, what is passed on, and what never comes back."""

import asyncio
import json
import logging

import pytest
from aiohttp import web

from benchmaker.errors import SpecError
from benchmaker.record.agent_trial import Wire
from tests.arenas.agentic.gateway.scripts import Answer, request
from tests.arenas.agentic.gateway.upstream import (
    MODELS,
    QUICK_RETRY,
    a_key,
    agent,
    gatewayed,
    modelled,
    post,
    token_headers,
)
from tests.providers.local import KEY, as_json, as_stream, serving

WIRES = list(Wire)
PLAIN = Answer(is_streamed=False)


def asking(store, wire, check, *answers, **options):
    """Run a check with a gateway, a model and a grant."""

    async def run():
        async with modelled(*answers) as model, gatewayed(store, model.url, **options) as gateway:
            grant = gateway.grant(a_key(), MODELS[wire])
            async with agent(gateway.socket) as session:
                return await check(model, gateway, grant, session)

    return asyncio.run(run())


@pytest.mark.parametrize(
    "given",
    [
        {"Authorization": "Bearer {}"},
        {"authorization": "bearer {}"},
        {"x-api-key": "{}"},
        {"x-goog-api-key": "{}"},
        {"Authorization": "Bearer other", "x-api-key": "{}"},
    ],
)
def test_the_token_is_found_wherever_a_tool_sends_a_key(store, given):
    async def check(model, _gateway, grant, session):
        path, body = request(Wire.CHAT, PLAIN, *model.add(PLAIN))
        headers = {name: value.format(grant.token) for name, value in given.items()}
        assert (await post(session, path, body, **headers)).status == 200

    asking(store, Wire.CHAT, check)


def test_a_token_in_the_address_is_not_passed_on(store):
    async def check(model, _gateway, grant, session):
        path, body = request(Wire.GEMINI, Answer(), *model.add(Answer()))
        got = await post(session, f"{path}&key={grant.token}", body)
        assert got.status == 200
        assert model.seen.paths == ["/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"]
        assert model.seen.heads[0]["x-goog-api-key"] == KEY

    asking(store, Wire.GEMINI, check)


@pytest.mark.parametrize("wire", WIRES)
def test_a_request_without_the_trials_token_is_refused(store, wire):
    async def check(model, gateway, grant, session):
        other = gateway.grant(a_key("other"), MODELS[wire])
        path, body = request(wire, PLAIN, *model.add(PLAIN))
        refused = [
            await post(session, path, body),
            await post(session, path, body, **token_headers(wire, "sk-bm-guess")),
        ]
        async with agent(other.socket) as elsewhere:
            refused.append(await post(elsewhere, path, body, **token_headers(wire, grant.token)))
        await gateway.revoke(grant)
        refused.append(await post(session, path, body, **token_headers(wire, grant.token)))
        assert [it.status for it in refused] == [401] * 4
        assert all("token" in json.dumps(it.json["error"]["message"]) for it in refused)
        assert model.seen.bodies == []
        assert store.agent_trials.requests(a_key()) == ()

    asking(store, wire, check)


def test_a_request_that_is_being_read_at_the_end_of_its_trial_is_refused(store):
    async def check(model, gateway, grant, session):
        read, ended = asyncio.Event(), asyncio.Event()

        async def body():
            yield b"{"
            read.set()
            await ended.wait()
            yield b"}"

        head = token_headers(Wire.CHAT, grant.token)
        url = "http://gateway/v1/chat/completions"
        asked = asyncio.create_task(session.post(url, data=body(), headers=head))
        await read.wait()
        while not grant.in_progress:  # noqa: ASYNC110  a number has no event
            await asyncio.sleep(0.01)
        await gateway.revoke(grant)
        ended.set()
        assert (await asked).status == 401
        assert model.seen.bodies == []
        assert store.agent_trials.requests(a_key()) == ()

    asking(store, Wire.CHAT, check)


def test_errors_have_the_form_of_their_wire(store):
    async def check(_model, _gateway, _grant, session):
        paths = [request(wire, PLAIN, "answer 0x") for wire in WIRES]
        chat, responses, messages, gemini = [
            (await post(session, path, body)).json for path, body in paths
        ]
        assert chat["error"]["code"] == responses["error"]["code"] == "invalid_api_key"
        assert messages["type"] == "error"
        assert messages["error"]["type"] == "authentication_error"
        assert (gemini["error"]["code"], gemini["error"]["status"]) == (401, "UNAUTHENTICATED")

    asking(store, Wire.CHAT, check)


@pytest.mark.parametrize("wire", WIRES)
def test_any_model_name_means_the_model_of_the_grant(store, wire):
    async def check(model, _gateway, grant, session):
        path, body = request(wire, PLAIN, *model.add(PLAIN), model="small-helper")
        got = await post(session, path, body, **token_headers(wire, grant.token))
        assert got.status == 200
        name = MODELS[wire].partition("/")[2]
        assert name in json.dumps([model.seen.bodies, model.seen.paths])
        assert "small-helper" not in json.dumps([model.seen.bodies, model.seen.paths])
        (row,) = store.agent_trials.requests(a_key())
        assert (row.model, row.requested_model) == (name, "small-helper")
        assert (row.status, row.was_cut, row.refused, row.sends) == (200, False, "", 1)
        assert row.cost_usd > 0
        assert row.first_byte_s <= row.latency_s

    asking(store, wire, check)


def test_the_query_is_passed_on(store):
    async def check(model, _gateway, grant, session):
        path, body = request(Wire.MESSAGES, PLAIN, *model.add(PLAIN))
        head = {**token_headers(Wire.MESSAGES, grant.token), "anthropic-beta": "one,two"}
        assert (await post(session, f"{path}?beta=true", body, **head)).status == 200
        assert model.seen.paths == ["/v1/messages?beta=true"]
        assert model.seen.heads[0]["anthropic-beta"] == "one,two"
        assert model.seen.heads[0]["anthropic-version"] == "2023-06-01"

    asking(store, Wire.MESSAGES, check)


def test_all_other_fields_are_passed_on_as_they_are(store):
    async def check(model, _gateway, grant, session):
        body = (
            b'{ "messages": [{"content": "answer 0x", "n": 1.50}], "seed": 123456789012345678901,'
            b' "model": "x", "temperature": 1e0 }'
        )
        head = {**token_headers(Wire.CHAT, grant.token), "content-type": "application/json"}
        url = "http://gateway/v1/chat/completions"
        async with session.post(url, data=body, headers=head) as reply:
            assert reply.status == 200
        (sent,) = model.seen.bodies
        assert sent == {**json.loads(body), "model": "gpt-4o-mini"}

    asking(store, Wire.CHAT, check, PLAIN)


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/v1/models", lambda it: [one["id"] for one in it["data"]]),
        ("/models?client_version=1", lambda it: [one["id"] for one in it["data"]]),
        ("/v1/models/any", lambda it: [it["id"]]),
        ("/v1beta/models", lambda it: [one["displayName"] for one in it["models"]]),
        ("/v1beta/models/any", lambda it: [it["displayName"]]),
    ],
)
def test_the_list_of_models_has_the_model_of_the_grant(store, path, names):
    async def check(model, _gateway, grant, session):
        head = {"x-api-key": grant.token}
        async with session.get(f"http://gateway{path}", headers=head) as reply:
            assert names(await reply.json()) == ["gpt-4o-mini"]
        async with session.get(f"http://gateway{path}") as reply:
            assert reply.status == 401
        assert model.seen.paths == []

    asking(store, Wire.CHAT, check)


@pytest.mark.parametrize(
    ("wire", "path"),
    [
        (Wire.MESSAGES, "/v1/messages/count_tokens"),
        (Wire.GEMINI, "/v1beta/models/any:countTokens"),
    ],
)
def test_counts_of_tokens_are_passed_on_without_a_row(store, wire, path):
    async def run():
        async with (
            serving(as_json({"input_tokens": 12})) as seen,
            gatewayed(store, seen.url) as gateway,
        ):
            grant = gateway.grant(a_key(), MODELS[wire])
            async with agent(gateway.socket) as session:
                body = {"model": "any", "messages": []}
                got = await post(session, path, body, **token_headers(wire, grant.token))
            assert got.json == {"input_tokens": 12}
            assert "count" in seen.paths[0]
            assert grant.meter().requests == 0
        assert store.agent_trials.requests(a_key()) == ()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/v1/embeddings", b"{}", 404),
        ("/v1/chat/completions", b"[1]", 400),
        ("/v1/messages", b"\xff", 400),
        ("/v1/messages", b"", 400),
        ("/v1beta/models/any:countTokens", b"", 400),
    ],
)
def test_what_is_no_request_to_a_model_is_refused(store, path, body, status):
    async def check(model, _gateway, grant, session):
        head = {"x-api-key": grant.token}
        async with session.post(f"http://gateway{path}", data=body, headers=head) as reply:
            assert reply.status == status
            assert (await reply.json())["error"]["message"]
        assert model.seen.paths == []

    asking(store, Wire.CHAT, check)


def test_an_agent_has_a_limited_number_of_requests_in_progress(store):
    async def check(model, _gateway, grant, session):
        model.hold = asyncio.Event()
        asked = [
            asyncio.create_task(
                post(session, *request(Wire.CHAT, PLAIN, mark), **{"x-api-key": grant.token})
            )
            for mark in model.add(*[PLAIN] * 26)
        ]
        done, _ = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
        assert {task.result().status for task in done} == {429}
        model.hold.set()
        statuses = sorted([(await task).status for task in asked])
        assert statuses == [200] * 24 + [429] * 2
        assert grant.meter().requests == 24

    asking(store, Wire.CHAT, check)


def test_a_model_or_series_of_another_gateway_is_refused(store):
    async def check(_model, gateway, _grant, _session):
        with pytest.raises(SpecError, match="'openai/o3' is not a model of this gateway"):
            gateway.grant(a_key(), "openai/o3")
        with pytest.raises(SpecError, match="'s-2' is not the series"):
            gateway.grant(a_key(series="s-2"), MODELS[Wire.CHAT])

    asking(store, Wire.CHAT, check)


def echoing(status: int, *, is_streamed: bool):
    """A server that repeats the key in head and body, as no server should."""

    async def handle(asked: web.Request) -> web.StreamResponse:
        head = {"x-request-id": f"for {KEY}"}
        piece = f'data: {{"said": "{KEY}"}}\n\n'.encode()
        if not is_streamed:
            name = "said" if status == 200 else "error"
            body = json.dumps({name: {"message": f"Incorrect API key {KEY}."}})
            return web.Response(
                text=body, status=status, headers=head, content_type="application/json"
            )
        response = web.StreamResponse(headers={**head, "content-type": "text/event-stream"})
        await response.prepare(asked)
        for at in range(0, len(piece), 7):
            await response.write(piece[at : at + 7])
            await asyncio.sleep(0.001)
        await response.write(b"data: [DONE]\n\n")
        return response

    return handle


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("reply", [(401, False), (200, False), (429, False), (200, True)])
def test_the_key_never_comes_back(store, tmp_path, caplog, wire, reply):
    status, is_streamed = reply

    async def run():
        handler = echoing(status, is_streamed=is_streamed)
        record = tmp_path / "record"
        async with (
            serving(handler) as seen,
            gatewayed(store, seen.url, record=record, retry=QUICK_RETRY) as gateway,
        ):
            grant = gateway.grant(a_key(), MODELS[wire])
            async with agent(gateway.socket) as session:
                answer = Answer(is_streamed=is_streamed)
                path, body = request(wire, answer, "answer 0x")
                got = await post(session, path, body, **token_headers(wire, grant.token))
            heads = json.dumps(seen.heads)
            assert KEY in heads
            assert grant.token not in heads + json.dumps(seen.bodies)
            return got, repr(grant), (record / "exchanges.jsonl").read_text()

    with caplog.at_level(logging.DEBUG):
        got, shown, recorded = asyncio.run(run())
    assert got.status == status
    rows = store.agent_trials.requests(a_key())
    everything = f"{got} {shown} {recorded} {rows} {caplog.text}"
    assert KEY not in everything
    assert "[redacted]" in got.body.decode()


def test_a_server_that_can_not_be_reached_is_an_error_without_tokens(store):
    async def run():
        async with gatewayed(store, "http://127.0.0.1:9", retry=QUICK_RETRY) as gateway:
            grant = gateway.grant(a_key(), MODELS[Wire.MESSAGES])
            async with agent(gateway.socket) as session:
                path, body = request(Wire.MESSAGES, PLAIN, "answer 0x")
                got = await post(session, path, body, **token_headers(Wire.MESSAGES, grant.token))
            return got, await gateway.revoke(grant)

    got, meter = asyncio.run(run())
    assert got.status == 502
    assert "can't be reached" in got.json["error"]["message"]
    assert (meter.requests, meter.unknown_costs, meter.cost_usd) == (1, 0, 0.0)


def test_an_answer_without_usage_is_of_unknown_cost(store):
    async def run():
        events = (b'data: {"choices": [{"finish_reason": "stop"}]}\n\n', b"data: [DONE]\n\n")
        async with serving(as_stream(*events)) as seen, gatewayed(store, seen.url) as gateway:
            grant = gateway.grant(a_key(), MODELS[Wire.CHAT])
            async with agent(gateway.socket) as session:
                path, body = request(Wire.CHAT, Answer(), "answer 0x")
                got = await post(session, path, body, **token_headers(Wire.CHAT, grant.token))
            assert got.body == b"".join(events)
            return await gateway.revoke(grant)

    meter = asyncio.run(run())
    (row,) = store.agent_trials.requests(a_key())
    assert (row.usage, row.cost_usd, row.was_cut) == (None, None, False)
    assert (meter.unknown_usages, meter.unknown_costs) == (1, 1)


def test_bytes_that_are_no_request_print_nothing(store, capfd):
    async def run():
        async with gatewayed(store, "http://127.0.0.1:9") as gateway:
            grant = gateway.grant(a_key(), MODELS[Wire.CHAT])
            reader, writer = await asyncio.open_unix_connection(str(grant.socket))
            writer.write(b"\x00 no request\r\n\r\n")
            assert b" 400 " in await reader.readline()
            writer.close()

    asyncio.run(run())
    assert capfd.readouterr().err == ""
