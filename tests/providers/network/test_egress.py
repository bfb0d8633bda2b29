import asyncio
import socket
from ipaddress import IPv4Address

import pytest
from aiohttp import web
from aiohttp.resolver import ThreadedResolver
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import PrerequisiteError, ProviderError, SpecError
from benchmaker.providers.catalogue import offers
from benchmaker.providers.live import Live
from benchmaker.providers.network.egress import VARIABLE, EgressPolicy
from benchmaker.providers.network.http import Http
from tests.providers.local import KEY, as_json, serving

INTERNET = {VARIABLE: "internet"}
NETWORK = {VARIABLE: "network"}
HEAD = {"Accept": "application/json"}

PRIVATE = (
    "10.0.0.1", "172.16.3.4", "192.168.1.1", "127.0.0.1", "127.8.8.8", "100.64.0.1", "::1",
    "fc00::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::10.0.0.1", "2002:7f00:1::",
    "64:ff9b::7f00:1", "64:ff9b:1::a00:1", "198.18.0.1",
)  # fmt: skip
NEVER = (
    "169.254.169.254", "fe80::1", "fe80::1%eth0", "fd00:ec2::254", "100.100.100.200",
    "168.63.129.16", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::",
    "0.0.0.1", "0.1.2.3", "::", "224.0.0.1", "ff02::1", "2001:0:a9fe:a9fe::1",
)  # fmt: skip
PUBLIC = ("93.184.216.34", "8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808")


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_are_for_a_network_and_not_for_the_internet(address):
    assert not EgressPolicy.INTERNET.covers(address)
    assert EgressPolicy.ANYTHING.covers(address)


@pytest.mark.parametrize("address", ["10.0.0.1", "127.0.0.1", "::1", "fc00::1", "::ffff:10.0.0.1"])
def test_a_company_network_is_within_reach_where_that_was_asked_for(address):
    assert EgressPolicy.NETWORK.covers(address)


@pytest.mark.parametrize("address", NEVER)
def test_what_tells_a_machine_its_credentials_is_never_within_reach(address):
    assert not EgressPolicy.INTERNET.covers(address)
    assert not EgressPolicy.NETWORK.covers(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_within_reach(address):
    assert EgressPolicy.INTERNET.covers(address)


@given(st.ip_addresses(v=4))
def test_an_address_within_a_v6_address_counts_as_itself(address: IPv4Address):
    for written in (f"::ffff:{address}", f"64:ff9b::{address}"):
        if EgressPolicy.INTERNET.covers(written):
            assert EgressPolicy.INTERNET.covers(str(address))


def test_what_is_no_address_is_out_of_reach():
    assert not EgressPolicy.INTERNET.covers("not an address")


@pytest.mark.parametrize(
    "url",
    ["http://localhost:11434/v1", "http://LOCALHOST./v1", "https://db.localhost/v1",
     "http://10.1.2.3/v1", "http://[::1]:8000/v1", "http://[::ffff:192.168.0.1]/v1"],
)  # fmt: skip
def test_a_literal_address_is_refused_without_a_look_up(url):
    with pytest.raises(SpecError, match="does not connect"):
        EgressPolicy.INTERNET.check_literal(url)
    EgressPolicy.ANYTHING.check_literal(url)


def test_every_address_of_a_name_is_looked_at():
    def both(_host):
        return ["93.184.216.34", "10.0.0.7"]

    with pytest.raises(SpecError, match=r"inner\.example resolves to an address") as caught:
        EgressPolicy.INTERNET.check_url("https://inner.example/v1", resolve=both)
    assert "10.0.0.7" not in f"{caught.value.message} {caught.value.hint}"
    EgressPolicy.INTERNET.check_url("https://outer.example/v1", resolve=lambda _: ["93.184.216.34"])


def test_a_name_that_has_no_address_yet_passes():
    def none(_host):
        raise OSError

    EgressPolicy.INTERNET.check_url("https://later.example/v1", resolve=none)


def test_a_word_that_means_nothing_is_refused_with_the_nearest():
    with pytest.raises(SpecError, match="can't be 'internat'") as caught:
        EgressPolicy.of({VARIABLE: "internat"})
    assert "internet" in caught.value.hint


def test_without_a_word_everything_is_within_reach():
    assert EgressPolicy.of({}) is EgressPolicy.ANYTHING


async def _get(environ, url):
    http = Http(environ=environ)
    try:
        async with http.request(url, headers=HEAD) as reply:
            return reply.status, await reply.read()
    finally:
        await http.close()


def test_no_connection_is_made_to_a_private_address():
    async def ask():
        async with serving(as_json({})) as seen:
            with pytest.raises(ProviderError, match="does not connect") as caught:
                await _get(INTERNET, seen.url)
            assert not caught.value.is_retryable
            assert not seen.paths
            assert (await _get(NETWORK, seen.url))[0] == 200
            assert (await _get({}, seen.url))[0] == 200

    asyncio.run(ask())


class _Rebinding(ThreadedResolver):
    """A name that has a public address when it is first looked up, and a private one later."""

    def __init__(self, answers):
        super().__init__()
        self._answers = iter(answers)
        self.asked = []

    async def resolve(self, host, port=0, family=socket.AF_INET):  # noqa: ARG002  aiohttp's own
        address = next(self._answers)
        self.asked.append((host, address))
        return [{"hostname": host, "host": address, "port": port, "family": socket.AF_INET,
                 "proto": 0, "flags": 0}]  # fmt: skip


def _rebound(monkeypatch, *answers):
    made = _Rebinding(answers)
    monkeypatch.setattr("aiohttp.connector.DefaultResolver", lambda *_, **__: made)
    return made


def test_a_name_that_changes_its_address_between_looking_and_connecting_gains_nothing(monkeypatch):
    """Saved as public, private when connected to; the address connected to is the one looked at."""
    EgressPolicy.INTERNET.check_url(
        "http://rebound.example/v1", resolve=lambda _: ["93.184.216.34"]
    )

    async def ask():
        async with serving(as_json({})) as seen:
            resolver = _rebound(monkeypatch, "127.0.0.1", "127.0.0.1")
            url = seen.url.replace("127.0.0.1", "rebound.example")
            with pytest.raises(ProviderError, match=r"rebound\.example.* does not connect to"):
                await _get(INTERNET, url)
            assert resolver.asked == [("rebound.example", "127.0.0.1")]  # one look, and no other
            assert not seen.paths

    asyncio.run(ask())


def test_a_name_is_looked_up_once_for_looking_and_connecting(monkeypatch):
    async def ask():
        async with serving(as_json({})) as seen:
            resolver = _rebound(monkeypatch, "127.0.0.1", "10.255.255.1")
            url = seen.url.replace("127.0.0.1", "once.example")
            assert (await _get(NETWORK, url))[0] == 200
            assert len(resolver.asked) == 1

    asyncio.run(ask())


def test_redirects_are_not_followed():
    async def moved(_request: web.Request) -> web.StreamResponse:
        return web.Response(status=302, headers={"Location": "http://169.254.169.254/latest"})

    async def ask():
        async with serving(moved) as seen:
            status, _ = await _get(NETWORK, seen.url)
            assert status == 302
            assert seen.paths == ["/"]

    asyncio.run(ask())


@pytest.mark.parametrize("host", ["169.254.169.254", "10.0.0.1"])
def test_a_proxy_may_be_private_and_what_is_behind_it_may_not(host):
    async def ask():
        async with serving(as_json({})) as proxy:
            environ = {**INTERNET, "http_proxy": proxy.url}
            status, _ = await _get(environ, "http://93.184.216.34/v1")
            assert status == 200
            with pytest.raises(ProviderError, match="does not connect"):
                await _get(environ, f"http://{host}/v1")
            assert proxy.paths == ["/v1"]

    asyncio.run(ask())


def test_a_name_that_only_the_proxy_knows_is_left_to_the_proxy():
    async def ask():
        async with serving(as_json({})) as proxy:
            environ = {**INTERNET, "http_proxy": proxy.url}
            assert (await _get(environ, "http://nowhere.invalid/v1"))[0] == 200

    asyncio.run(ask())


@pytest.mark.parametrize("model", ["command:cat", "python:os.path:join"])
def test_programs_are_not_run_for_others(model):
    with pytest.raises(SpecError, match="runs no programs of its users"):
        Live([model], environ=INTERNET)


@pytest.mark.parametrize(
    "model", ["http://127.0.0.1:8000/v1#m", "ollama/llama3", "https://[fc00::1]/v1#m"]
)
def test_a_model_at_a_private_address_is_refused_before_anything_is_asked(model):
    with pytest.raises(SpecError, match="does not connect"):
        Live([model], environ=INTERNET)


def test_a_base_url_of_a_variable_is_looked_at_too():
    environ = {**INTERNET, "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "http://192.168.0.9/v1"}
    with pytest.raises(SpecError, match="does not connect"):
        Live(["openai/gpt-4o"], environ=environ)


def test_a_recipe_carries_how_far_its_maker_reached():
    made = Live(["openai/gpt-4o"], environ={**INTERNET, "OPENAI_API_KEY": KEY}).recipe()

    assert made.variables[VARIABLE] == "internet"
    with pytest.raises(PrerequisiteError):
        Live(["openai/gpt-4o"], environ=INTERNET)


def test_a_list_of_models_is_not_had_from_a_private_address():
    async def ask():
        async with serving(as_json({"data": []})) as seen:
            with pytest.raises(ProviderError, match="does not connect"):
                await offers(seen.url, environ=INTERNET)
            assert not seen.paths

    asyncio.run(ask())
