import asyncio
import json
import math
import shlex
import subprocess
import sys

import pytest

from benchmaker.errors import PrerequisiteError, ProviderError, SpecError
from benchmaker.plugins import load
from benchmaker.providers.live import Live
from benchmaker.providers.network.http import Http
from benchmaker.providers.network.transport import HttpLimits
from benchmaker.providers.protocols.rate_hints import EndpointKey
from benchmaker.record import Completion
from benchmaker.spec import Message, Parameters
from benchmaker.testing import ProviderContract, a_request
from tests.providers.local import KEY, PATIENT, as_json, as_stream, asking, chat, serving
from tests.providers.protocols.test_anthropic import START, STOP, end, text

PYTHON = shlex.quote(sys.executable)
ENVIRON = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}


def answer(request):
    return f"{request.case_id} of run {request.run}"


class TestLiveContract(ProviderContract):
    @staticmethod
    def provider():
        models = ["python:tests.providers.test_live:answer", "http://127.0.0.1:9/v1#m"]
        return Live(models, limits=PATIENT)

    answerable = (a_request(model="python:tests.providers.test_live:answer"),)
    unanswerable = (a_request(model="http://127.0.0.1:9/v1#m"),)


def test_a_request_is_bounded_unless_somebody_else_sends_it():
    limits = HttpLimits(connect_s=1.0, total_s=7.0)
    assert 9.0 < Live(["http://127.0.0.1:9/v1#m"], limits=limits).longest_s < 60.0
    foreign = Live(["http://127.0.0.1:9/v1#m"], limits=limits, transport=Http(limits))
    assert foreign.longest_s == math.inf


def test_every_model_is_asked_where_it_points_to():
    claude = as_stream(START, text("from claude"), end("end_turn"), STOP)

    async def handle(request):
        if request.path == "/v1/messages":
            return await claude(request)
        return await as_json(chat(f"from {request.path}", model=None))(request)

    models = (
        "openai/gpt-x",
        "anthropic/claude-x",
        "ollama/llama3:8b",
        "python:tests.providers.test_live:answer",
        f"command:{PYTHON} -c \"print('from a program')\"",
    )

    async def ask():
        async with serving(handle) as seen:
            environ = {"OLLAMA_HOST": f"{seen.url}/ollama/v1"}
            async with asking(seen.url, *models, environ=environ) as live:
                assert live.models == models
                answers = [await live.complete(a_request(model=model)) for model in models]
            return answers, seen

    answers, seen = asyncio.run(ask())
    assert [it.text for it in answers] == [
        "from /v1/chat/completions",
        "from claude",
        "from /ollama/v1/chat/completions",
        "case-1 of run 1",
        "from a program",
    ]
    assert [body["model"] for body in seen.bodies] == ["gpt-x", "claude-x", "llama3:8b"]
    assert seen.heads[1]["x-api-key"] == KEY
    assert "authorization" not in seen.heads[1]
    assert "authorization" not in seen.heads[2]


def priced(tmp_path, usage) -> Completion:
    (tmp_path / "prices.yaml").write_text("prices:\n  openai/*: {input: 2, output: 10}\n")

    async def ask():
        async with (
            serving(as_json(chat(usage=usage))) as seen,
            asking(seen.url, home=tmp_path) as live,
        ):
            return await live.complete(a_request(model="openai/gpt-x"))

    return asyncio.run(ask())


def test_an_answer_is_priced_by_its_own_request(tmp_path):
    usage = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
    assert priced(tmp_path, usage).cost_usd == pytest.approx(0.003)


def test_an_answer_without_tokens_has_no_price(tmp_path):
    assert priced(tmp_path, None).cost_usd is None


def test_a_model_of_the_price_list_is_priced():
    async def ask():
        async with (
            serving(as_json(chat(model="gpt-4o-mini"))) as seen,
            asking(seen.url, "openai/gpt-4o-mini") as live,
        ):
            return await live.complete(a_request(model="openai/gpt-4o-mini"))

    assert asyncio.run(ask()).cost_usd == pytest.approx((9 * 0.15 + 2 * 0.6) / 1e6)


def test_missing_keys_are_all_named_before_anything_is_sent():
    with pytest.raises(PrerequisiteError) as caught:
        Live(["openai/a", "anthropic/b", "ollama/c"], environ={})
    assert "OPENAI_API_KEY is not set" in str(caught.value)
    assert "ANTHROPIC_API_KEY is not set" in str(caught.value)


def test_models_without_a_key_can_be_left_out():
    live = Live(["openai/a", "ollama/c"], environ={}, skip_unavailable=True)
    assert live.models == ("ollama/c",)
    assert live.skipped == {"openai/a": "no key for openai: OPENAI_API_KEY is not set."}


def test_when_nothing_is_left_it_is_an_error_after_all():
    with pytest.raises(PrerequisiteError):
        Live(["openai/a"], environ={}, skip_unavailable=True)


def test_an_unknown_endpoint_is_never_left_out():
    with pytest.raises(SpecError, match="Did you mean 'openai'"):
        Live(["opnai/a", "ollama/c"], environ={}, skip_unavailable=True)


def test_keys_are_read_from_a_file_too(tmp_path):
    (tmp_path / ".env").write_text(f"OPENAI_API_KEY={KEY}\n")
    live = Live(["openai/a"], environ={}, dotenv=tmp_path / ".env")
    assert live.description()["models"]["openai/a"]["key"] == "OPENAI_API_KEY"


def test_the_users_endpoints_are_known(tmp_path):
    (tmp_path / "endpoints.yaml").write_text(
        "endpoints:\n  lab: {base_url: 'http://lab:8000/v1', key: LAB_KEY}\n"
    )
    live = Live(["lab/m"], environ={"LAB_KEY": KEY}, home=tmp_path)
    assert live.endpoint_key("lab/m") == EndpointKey("lab", "lab:8000", "LAB_KEY")


def test_endpoints_with_equal_keys_are_named_by_their_own():
    live = Live(["openai/a", "anthropic/c"], environ=dict.fromkeys(ENVIRON, KEY))
    assert str(live.endpoint_key("openai/a")) == "openai (OPENAI_API_KEY)"
    assert str(live.endpoint_key("anthropic/c")) == "anthropic (ANTHROPIC_API_KEY)"


def test_models_with_one_key_share_their_limits():
    live = Live(["openai/a", "openai/b", "anthropic/c"], environ=ENVIRON)
    assert live.endpoint_key("openai/a") == live.endpoint_key("openai/b")
    assert live.endpoint_key("openai/a") != live.endpoint_key("anthropic/c")


def test_what_a_run_records_of_it_holds_no_key():
    live = Live(["openai/a", "ollama/b"], environ=ENVIRON, seed=7)
    assert live.description() == {
        "kind": "live",
        "stream": True,
        "seed": 7,
        "models": {
            "openai/a": {
                "endpoint": "openai",
                "protocol": "openai",
                "base_url": "https://api.openai.com/v1",
                "model": "a",
                "key": "OPENAI_API_KEY",
                "refuses": [],
            },
            "ollama/b": {
                "endpoint": "ollama",
                "protocol": "openai",
                "base_url": "http://localhost:11434/v1",
                "model": "b",
                "key": None,
                "refuses": [],
            },
        },
    }
    assert KEY not in json.dumps(live.description())
    assert KEY not in repr(live)
    assert all(KEY not in repr(route.client) for route in live._routes.values())


def test_a_program_is_given_no_key():
    shown = "import os; print(sorted(name for name in os.environ if 'KEY' in name))"
    model = f'command:{PYTHON} -c "{shown}"'
    live = Live([model], environ={**ENVIRON, "MY_COPY_KEY": KEY, "OTHER_KEY": "plain", "PATH": ""})
    assert asyncio.run(live.complete(a_request(model=model))).text == "['OTHER_KEY']"


def test_the_most_that_a_request_may_cost_is_known_beforehand(tmp_path):
    (tmp_path / "prices.yaml").write_text("prices:\n  openai/*: {input: 1, output: 10}\n")
    live = Live(["openai/a", "ollama/b"], environ=ENVIRON, home=tmp_path)
    messages = (Message(role="user", content="é" * 500),)
    asked = a_request(model="openai/a", messages=messages, parameters=Parameters(max_tokens=100))
    assert live.most_usd(asked) == pytest.approx((1016 * 1 + 100 * 10) / 1e6)
    assert live.most_usd(a_request(model="ollama/b")) is None


def test_prices_can_be_loaded_beforehand():
    live = Live(["openai/gpt-4o-mini", "ollama/b", "python:json:dumps"], environ=ENVIRON)
    live.prepare()
    assert live.tariff("openai/gpt-4o-mini").is_ready
    assert live.tariff("openai/gpt-4o-mini").card().output.usd == 0.6
    assert live.tariff("python:json:dumps") is None


def test_a_model_that_was_not_named_is_an_error_of_the_caller():
    with pytest.raises(SpecError, match="not a model"):
        Live(["ollama/a"]).endpoint_key("ollama/b")


def test_it_is_a_provider_found_by_its_id():
    assert load("provider", "live") is Live


def test_one_serves_several_event_loops():
    async def ask(live, url):
        try:
            return (await live.complete(a_request(model=f"{url}/v1#m"))).text
        finally:
            await live.close()

    async def all_of_it():
        async with serving(as_json(chat())) as seen:
            live = Live([f"{seen.url}/v1#m"], limits=PATIENT)
            first = await asyncio.to_thread(asyncio.run, ask(live, seen.url))
            return first, await ask(live, seen.url)

    assert asyncio.run(all_of_it()) == ("42", "42")


def test_the_network_is_loaded_only_for_models_that_need_it():
    program = (
        "import sys\n"
        "import benchmaker.providers.recorded, benchmaker.providers.scripted\n"
        "from benchmaker.providers.live import Live\n"
        "Live(['python:json:dumps'])\n"
        "assert 'aiohttp' not in sys.modules\n"
        "assert 'genai_prices' not in sys.modules\n"
        "Live(['ollama/x'])\n"
        "assert 'aiohttp' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


REFUSED_BY_NGINX = "The plain HTTP request was sent to HTTPS port"


def refused(pieces, scheme="http"):
    """The error of a model whose endpoint sends these bytes and closes, and the endpoint's port."""

    async def answer(reader, writer):
        await reader.read(65536)
        writer.write(pieces)
        writer.close()

    async def ask():
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            url = f"{scheme}://127.0.0.1:{port}/v1"
            live = Live(["openai/m"], environ={**ENVIRON, "OPENAI_BASE_URL": url}, stream=False)
            with pytest.raises(ProviderError) as caught:
                await live.complete(a_request(model="openai/m"))
            await live.close()
            return caught.value, port

    return asyncio.run(ask())


@pytest.mark.parametrize(
    "pieces",
    [
        bytes.fromhex("15030100020246"),
        bytes.fromhex("15030300020232"),
        f"HTTP/1.1 400 Bad Request\r\nContent-Length: {len(REFUSED_BY_NGINX)}\r\n\r\n"
        f"{REFUSED_BY_NGINX}".encode(),
    ],
)
def test_http_on_a_port_that_answers_in_tls_or_says_so_names_https(pieces):
    error, port = refused(pieces)
    hint = f"The port needs HTTPS: set OPENAI_BASE_URL to https://127.0.0.1:{port}/v1"
    assert error.hint == hint


@pytest.mark.parametrize("pieces", [b"", b"SSH-2.0-OpenSSH\r\n", b"\x00\x15\x03\x01\r\n"])
def test_a_connection_that_was_closed_names_no_https(pieces):
    error, _ = refused(pieces)
    assert "HTTPS" not in error.hint
    said = "sent an invalid HTTP reply" if pieces else "closed the connection without a reply"
    assert said in error.message


@pytest.mark.parametrize("model", ["m", "openai/gpt-5"])
def test_null_sends_none_and_neutral_values_only_where_they_are_written(model):
    async def ask(parameters):
        async with serving(as_json(chat("x"))) as seen:
            live = Live([f"{seen.url}/v1#{model}"], stream=False)
            request = a_request(model=live.models[0], parameters=parameters)
            await live.complete(request)
            await live.close()
            return seen.bodies[0].keys() - {"model", "messages"}

    bound = {"m": "max_tokens", "openai/gpt-5": "max_completion_tokens"}[model]
    assert asyncio.run(ask(Parameters(temperature=None))) == {bound}
    written = asyncio.run(ask(Parameters(presence_penalty=0)))
    assert written == ({bound, "temperature", "presence_penalty"} if model == "m" else {bound})


def test_the_dearest_answer_has_room_for_thinking_and_a_missing_limit_is_a_million_tokens():
    model = "anthropic/claude-sonnet-4-5"
    live = Live(
        [model, "openai/gpt-4o-mini"], environ={"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "b"}
    )
    live.prepare()

    def most(name, **values):
        return live.most_usd(a_request(model=name, parameters=Parameters(**values)))

    plain = most(model, max_tokens=100)
    thinking = most(model, max_tokens=100, reasoning_effort="low")
    assert thinking - plain == pytest.approx(4096 * 15 / 1e6)
    endless = most("openai/gpt-4o-mini", max_tokens=None)
    assert endless - most("openai/gpt-4o-mini", max_tokens=1) == pytest.approx(999_999 * 0.6 / 1e6)


def test_what_a_model_is_not_sent_is_known_before_the_run():
    live = Live(["openai/gpt-5"], environ={"OPENAI_API_KEY": "b"})
    given = Parameters(top_k=4, max_tokens=5)
    assert live.unsent_parameters("openai/gpt-5", given) == ("temperature", "top_k")
    assert live.changed_parameters("openai/gpt-5", given) == {}
