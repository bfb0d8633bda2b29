import pytest

from benchmaker.errors import SpecError
from benchmaker.providers.endpoints.endpoints import (
    ENDPOINTS,
    Endpoint,
    check_url,
    endpoint_table,
    resolve_model,
)
from benchmaker.providers.prices.price_list import PriceList

ASKED = {
    "openai", "openrouter", "anthropic", "google", "mistral", "groq", "deepseek", "together",
    "xai", "ollama", "vllm", "lmstudio",
}  # fmt: skip


def test_every_endpoint_that_is_promised_is_there():
    assert set(endpoint_table()) == ASKED


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda it: it.name)
def test_an_endpoint_is_sound(endpoint):
    assert check_url(endpoint.base_url, "") == endpoint.base_url
    assert endpoint.base_url.startswith("http://localhost" if endpoint.local else "https://")
    assert endpoint.needs_key is not endpoint.local
    assert endpoint.keys
    assert (endpoint.prices is None) is endpoint.local


@pytest.mark.parametrize("endpoint", [it for it in ENDPOINTS if it.prices], ids=lambda it: it.name)
def test_the_price_list_knows_an_endpoint_by_its_name(endpoint):
    assert endpoint.prices in PriceList().providers()


def test_a_model_string_names_an_endpoint_and_a_model():
    endpoint, model = resolve_model("together/meta-llama/Llama-3")
    assert (endpoint.name, model) == ("together", "meta-llama/Llama-3")


def test_any_base_url_can_be_named():
    endpoint, model = resolve_model("http://10.1.2.3:8080/v1/#org/my-model")
    assert (endpoint.base_url, model) == ("http://10.1.2.3:8080/v1", "org/my-model")
    assert endpoint.host == "10.1.2.3:8080"
    assert not endpoint.needs_key


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("opnai/gpt-x", "Did you mean 'openai'?"),
        ("gpt-x", "no endpoint in "),
        ("openai/", "no model in "),
        ("openai", "no model in "),
        ("https://host/v1", "no model in "),
        ("https:///v1#m", "is not a base URL"),
        ("https://u:secret@host/v1#m", "only host and path"),
        ("", "no endpoint in "),
    ],
)
def test_what_names_nothing_is_refused_with_a_hint(model, message):
    with pytest.raises(SpecError) as caught:
        resolve_model(model)
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)


def test_the_vendors_variable_moves_an_endpoint():
    endpoint, _ = resolve_model(
        "openai/m", variables={"OPENAI_BASE_URL": "https://proxy.example/v1/"}
    )
    assert endpoint.base_url == "https://proxy.example/v1"
    assert endpoint.url("/chat/completions") == "https://proxy.example/v1/chat/completions"


@pytest.mark.parametrize(
    "url", ["proxy.example", "ftp://x/v1", "https://", "http://h:99999/", "https://h/v1?key=s"]
)
def test_a_variable_that_holds_no_address_is_named(url):
    with pytest.raises(SpecError, match="OPENAI_BASE_URL"):
        resolve_model("openai/m", variables={"OPENAI_BASE_URL": url})


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("192.168.1.2", "http://192.168.1.2:11434/v1"),
        ("192.168.1.2:9000", "http://192.168.1.2:9000/v1"),
        ("0.0.0.0", "http://localhost:11434/v1"),  # noqa: S104  what the server listens on
        ("http://box:1234", "http://box:1234/v1"),
        ("https://box", "https://box/v1"),
        ("http://box:1234/api/v1", "http://box:1234/api/v1"),
    ],
)
def test_a_local_servers_own_notation_is_understood(given, url):
    endpoint, _ = resolve_model("ollama/m", variables={"OLLAMA_HOST": given})
    assert endpoint.base_url == url


def test_an_added_endpoint_replaces_a_known_one():
    mine = Endpoint(name="openai", base_url="https://mine/v1")
    assert endpoint_table([mine])["openai"] is mine


@pytest.mark.parametrize("model", ["o1", "o3-mini", "gpt-5", "gpt-5.2-codex"])
def test_reasoning_models_take_no_sampling_parameters(model):
    assert not endpoint_table()["openai"].quirks_of(model).sampling


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-5-chat-latest", "omni-x"])
def test_other_models_do(model):
    assert endpoint_table()["openai"].quirks_of(model).sampling


@pytest.mark.parametrize(
    ("given", "here"),
    [
        ("openai:gpt-x", "openai/gpt-x"),
        ("openai:chat:gpt-x", "openai/gpt-x"),
        ("OpenAI:gpt-x", "openai/gpt-x"),
        ("anthropic:messages:claude-x", "anthropic/claude-x"),
        ("ollama:llama3.2:1b", "ollama/llama3.2:1b"),
        ("openrouter:meta/llama-x", "openrouter/meta/llama-x"),
    ],
)
def test_a_colon_behind_an_endpoint_is_answered_with_the_slash(given, here):
    with pytest.raises(SpecError) as caught:
        resolve_model(given)
    assert str(caught.value).endswith(f"Write {here}.")
