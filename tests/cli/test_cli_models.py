import pytest


def test_the_endpoints_are_listed_with_their_keys_variables(live, server, key):
    said = live("models")
    lines = {line.split()[0]: line for line in said.stdout.splitlines()}
    assert "OPENAI_API_KEY is set" in lines["openai"]
    assert server.openai_url in lines["openai"]
    assert "ANTHROPIC_API_KEY is not set" in lines["anthropic"]
    assert "none needed" in lines["ollama"]
    assert key not in said.stdout + said.stderr


def test_the_endpoints_as_json_name_the_variable_and_never_the_key(live, key):
    said = live("models", "--json")
    of_name = {one["name"]: one for one in said.data["endpoints"]}
    assert of_name["openai"]["key_set"] == "OPENAI_API_KEY"
    assert of_name["google"]["key_variables"] == ["GEMINI_API_KEY", "GOOGLE_API_KEY"]
    assert of_name["google"]["key_set"] is None
    assert of_name["google"]["base_url_variables"] == ["GEMINI_BASE_URL"]
    assert of_name["openai"]["base_url_set"] == "OPENAI_BASE_URL"
    assert of_name["google"]["base_url_set"] is None
    assert key not in said.stdout


def test_the_variables_of_base_urls_are_named(live):
    words = " ".join(live("models").stdout.split())
    assert "Set a base URL with OPENAI_BASE_URL, OPENROUTER_BASE_URL," in words
    assert "GEMINI_BASE_URL" in words


def test_a_variable_that_is_not_read_is_named_with_the_right_one(live, monkeypatch):
    hint = "GOOGLE_BASE_URL is set, but not read. Set the base URL of google with GEMINI_BASE_URL."
    assert "GOOGLE_BASE_URL" not in live("models").stderr
    monkeypatch.setenv("GOOGLE_BASE_URL", "http://localhost:1")
    assert hint in " ".join(live("models").stderr.split())
    monkeypatch.setenv("GEMINI_BASE_URL", "http://localhost:1")
    assert "GOOGLE_BASE_URL" not in live("models").stderr


def test_an_own_endpoint_is_listed(live, home):
    home.mkdir()
    (home / "endpoints.yaml").write_text("endpoints: {mine: {base_url: 'http://localhost:1/v1'}}\n")
    assert "http://localhost:1/v1" in live("models").stdout


def test_the_models_of_an_endpoint_have_context_and_price(live, home):
    home.mkdir()
    (home / "prices.yaml").write_text("prices: {openai/plain-large: {input: 1.5, output: 6}}\n")
    lines = live("models", "openai").stdout.splitlines()
    assert lines[0].split() == ["model", "context", "input", "output"]
    large, small = (line.split("  ") for line in lines[1:3])
    assert [part.strip() for part in large if part] == ["plain-large", "128 k", "$1.50", "$6.00"]
    assert small[-1].strip() == "unknown"


def test_a_step_in_the_price_is_told(live, home):
    home.mkdir()
    (home / "prices.yaml").write_text(
        "prices: {openai/*: {input: 1, output: 2, above: [{tokens: 200000, input: 3}]}}\n"
    )
    assert "from $1.00" in live("models", "openai").stdout
    first = live("models", "openai", "--json").data["models"][0]
    assert first["steps"] == [{"above_tokens": 200000, "input_usd_per_million": 3.0}]


def test_the_models_as_json_say_whether_the_price_is_known(live):
    data = live("models", "openai", "--json").data
    assert data["endpoint"] == "openai"
    first = data["models"][0]
    assert first["model"] == f"openai/{first['id']}"
    assert first["price_known"] is False
    assert first["input_usd_per_million"] is None


def test_a_base_url_can_be_asked(cli, server):
    first = cli("models", server.openai_url, "--json", code=None)
    assert first.code in (0, 3)


def test_a_missing_key_is_exit_code_3(live):
    assert "ANTHROPIC_API_KEY" in live("models", "anthropic", code=3).stderr


def test_an_unknown_endpoint_is_refused(live):
    assert "Did you mean 'openai'?" in live("models", "opnai", code=2).stderr


def test_an_endpoint_that_does_not_answer_is_told(live, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    assert "no connection to 127.0.0.1:9" in live("models", "ollama", code=4).stderr


@pytest.mark.parametrize("seconds", ["0", "nan", "-1"])
def test_a_timeout_is_some_time(live, seconds):
    live("models", "openai", "--timeout", seconds, code=2)
