"""Runs in which every request of a model fails: cost, reason, counts and next step."""

import json
import socket

import pytest

REFUSED = "openai/fault:http_401"
ABSENT = "openai/fault:http_404"
LOCAL = "ollama/llama"
PRICED = "openai/gpt-4o-mini"


@pytest.fixture
def local(live, server, monkeypatch):
    """The endpoint ollama leads to the server, too."""
    monkeypatch.setenv("OLLAMA_BASE_URL", server.openai_url)
    return live


@pytest.fixture
def nowhere(live, monkeypatch):
    """Both endpoints lead to a port on which nothing listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        unused_port = bound.getsockname()[1]
    for name in ("OPENAI_BASE_URL", "OLLAMA_BASE_URL"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{unused_port}/v1")
    return live


def one_line(text):
    return " ".join(text.split())


def rows_of(said):
    return {row["model"]: row for row in said.data["models"]}


@pytest.mark.parametrize("model", [REFUSED, ABSENT])
def test_the_cost_of_refused_requests_is_unknown_without_a_price(live, sums, model):
    ran = live("run", sums, "--model", model, "--retries", 0, code=4)
    later = [live("results"), live("results", "--explain")]
    assert all("$0.00" not in said.stdout + said.stderr for said in (ran, *later))
    assert "Cost: unknown (no cost was reported)." in later[1].stdout
    row = rows_of(live("results", "--json"))[model]
    assert (row["cost_usd"], row["cost_known_trials"]) == (None, 0)


def test_a_model_without_a_price_costs_unknown_beside_one_with_a_price(nowhere, sums):
    words = ("--model", PRICED, "--model", LOCAL, "--retries", 0)
    nowhere("run", sums, *words, code=4)
    rows = rows_of(nowhere("results", "--json"))
    assert rows[PRICED]["cost_usd"] == 0.0
    assert rows[LOCAL]["cost_usd"] is None
    shown = nowhere("results", "--explain").stdout
    assert f"{LOCAL} unknown; {PRICED} $0.00." in one_line(shown)


@pytest.mark.parametrize("form", ["csv", "json", "markdown", "html"])
def test_an_export_has_no_cost_of_0_for_it(nowhere, sums, tmp_path, form):
    nowhere("run", sums, "--model", LOCAL, "--retries", 0, code=4)
    path = tmp_path / f"report.{form}"
    nowhere("export", "latest", "--format", form, "--output", path)
    text = path.read_text()
    assert "$0.00" not in text
    if form == "json":
        assert json.loads(text)["summary"]["models"][0]["cost_usd"] is None
