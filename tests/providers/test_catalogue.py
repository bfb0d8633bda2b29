import asyncio
from urllib.parse import unquote

import pytest
from aiohttp import web

from benchmaker.errors import AuthError, BadResponse, PrerequisiteError, ProviderError, SpecError
from benchmaker.providers.catalogue import Offer, offers
from tests.providers.local import KEY, PATIENT, as_json, serving


def listed(handler, name="openai", home=None):
    async def ask():
        async with serving(handler) as seen:
            environ = {
                "OPENAI_API_KEY": KEY,
                "OPENAI_BASE_URL": f"{seen.url}/v1",
                "ANTHROPIC_API_KEY": KEY,
                "ANTHROPIC_BASE_URL": seen.url,
                "OLLAMA_HOST": f"{seen.url}/v1",
            }
            found = await offers(name, environ=environ, home=home, limits=PATIENT)
            return found, seen

    return asyncio.run(ask())


def test_models_are_listed_by_name_with_context_and_price():
    data = {"data": [{"id": "zeta"}, {"id": "gpt-4o-mini"}, {"id": "a", "context_length": 9}]}
    found, seen = listed(as_json(data))
    assert [offer.id for offer in found] == ["a", "gpt-4o-mini", "zeta"]
    assert found[0] == Offer("a", 9, None)
    assert found[1].context_tokens == 128_000
    assert found[1].rates.input.usd == 0.15
    assert seen.paths == ["/v1/models"]
    assert seen.heads[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("item", "context"),
    [
        ({"id": "m", "context_window": 7}, 7),
        ({"id": "m", "max_context_length": 7}, 7),
        ({"id": "m", "max_model_len": 7}, 7),
        ({"id": "m", "context_length": None}, None),
        ({"id": "m", "context_length": True}, None),
        ({"id": "models/m"}, None),
        ({"name": "m"}, None),
    ],
)
def test_every_servers_way_to_name_a_context_is_understood(item, context):
    assert listed(as_json([item]), "ollama")[0] == (Offer("m", context),)


def test_anthropics_pages_are_all_read():
    async def handle(request):
        if "after_id" in request.query:
            return web.json_response({"data": [{"id": "b"}], "has_more": False})
        return web.json_response({"data": [{"id": "a"}], "has_more": True, "last_id": "a/&"})

    found, seen = listed(handle, "anthropic")
    assert [offer.id for offer in found] == ["a", "b"]
    assert unquote(seen.paths[1]) == "/v1/models?limit=1000&after_id=a/&"
    assert seen.paths[1].count("&") == 1
    assert seen.heads[0]["x-api-key"] == KEY


def test_pages_without_end_are_not_read_without_end():
    data = {"data": [{"id": "a"}], "has_more": True, "last_id": "a"}
    _, seen = listed(as_json(data), "anthropic")
    assert len(seen.paths) == 50


def test_a_refused_key_is_said_without_being_shown():
    with pytest.raises(AuthError) as caught:
        listed(as_json({"error": {"message": f"bad key {KEY}"}}, status=401))
    assert KEY not in str(caught.value)
    assert "[redacted]" in str(caught.value)


@pytest.mark.parametrize("data", [b"<html>", b"5", b'"models"'])
def test_what_is_no_list_is_a_bad_response(data):
    with pytest.raises(BadResponse):
        listed(as_json(data))


def test_an_unknown_endpoint_and_a_missing_key_are_said():
    with pytest.raises(SpecError, match="Did you mean 'openai'"):
        asyncio.run(offers("opnai"))
    with pytest.raises(PrerequisiteError, match="OPENAI_API_KEY"):
        asyncio.run(offers("openai"))


def test_any_base_url_can_be_listed():
    async def ask():
        async with serving(as_json({"data": [{"id": "m"}]})) as seen:
            return await offers(f"{seen.url}/v1", limits=PATIENT)

    assert asyncio.run(ask()) == (Offer("m"),)


def test_a_port_that_speaks_plain_http_is_answered_with_that_scheme():
    async def ask():
        async with serving(as_json({"data": []})) as seen:
            return await offers(seen.url.replace("http:", "https:") + "/v1", limits=PATIENT)

    with pytest.raises(ProviderError) as caught:
        asyncio.run(ask())
    assert "SSL_CERT_FILE" not in str(caught.value)
    assert "The port speaks plain HTTP: write http://" in str(caught.value)


def test_a_server_without_a_list_is_not_told_to_list_its_models():
    with pytest.raises(ProviderError) as caught:
        listed(as_json({"error": {"message": "no such path"}}, status=404))
    assert "benchmaker models" not in str(caught.value)
