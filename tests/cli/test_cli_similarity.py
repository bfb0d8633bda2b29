"""Similarity on the command line: validate, run, estimate, resume, rescore."""

import json

import pytest

from tests.arenas.embedding_server import MODEL, PRICES, EmbeddingServer

SUITE = f"""
name: capitals
checks:
  - {{type: similarity, model: {MODEL}, threshold: 0.5}}
cases:
  - {{id: a, prompt: Where?, expected: the town of Lima}}
  - {{id: b, prompt: Where?, expected: the town of Cusco}}
"""


@pytest.fixture
def files(tmp_path, home):
    home.mkdir()
    (home / "prices.yaml").write_text(PRICES)
    suite, answers = tmp_path / "suite.yaml", tmp_path / "answers.jsonl"
    suite.write_text(SUITE)
    lines = [{"model": "m", "id": name, "output": f"a town called {name}"} for name in "ab"]
    answers.write_text("\n".join(map(json.dumps, lines)))
    return suite, answers


@pytest.fixture
def embeddings(monkeypatch):
    with EmbeddingServer() as server:
        for name, value in server.environ.items():
            monkeypatch.setenv(name, value)
        yield server


def test_a_run_names_the_embeddings_before_it_and_their_cost_after_it(cli, files, embeddings):
    suite, answers = files
    said = cli("run", suite, "--recorded", answers, "--max-cost", "1")
    assert f"embeddings {MODEL}  estimate $" in said.stderr
    assert "up to 4 requests" in said.stderr
    assert "budget $1.00, never exceeded" in said.stderr
    told = cli("results", "latest", "--explain").stdout
    assert f"Embeddings: {MODEL}, 1 request; cost $" in told
    [totals] = cli("results", "latest", "--json").data["embeddings"]
    assert totals["requests"] == len(embeddings.bodies) == 1
    explained = cli("explain", "latest", "a").stdout
    assert "Recomputed now: the same score" in explained
    cli("rescore", "latest", "--profile", "robust")
    assert len(embeddings.bodies) == 1


def test_options_of_live_requests_have_no_effect_without_embeddings(cli, files, tmp_path):
    plain = tmp_path / "plain.yaml"
    plain.write_text("{name: s, scorer: exact, cases: [{id: a, prompt: x, expected: y}]}")
    said = cli("run", plain, "--recorded", files[1], "--max-cost", "1", code=2)
    assert "no effect on recorded answers: --max-cost" in said.stderr


def test_a_missing_key_ends_a_run_before_it_begins(cli, files):
    suite, answers = files
    said = cli("run", suite, "--recorded", answers, code=3)
    assert "OPENAI_API_KEY" in said.stderr
    assert cli("runs", "--json").data["runs"] == []


def test_the_estimate_has_a_row_for_the_embeddings(cli, files):
    said = cli("estimate", files[0], "--model", "openai/gpt-4o-mini")
    assert f"embeddings {MODEL}" in said.stdout
    assert "Embeddings: each answer and each expected text once" in said.stdout
    data = cli("estimate", files[0], "--model", "openai/gpt-4o-mini", "--json").data
    assert [one["model"] for one in data["embeddings"]] == [MODEL]


def test_validate_places_each_fault(cli, tmp_path):
    suite = tmp_path / "suite.yaml"
    suite.write_text(
        """
name: faulty
checks:
  - {type: similarity}
  - {type: similarity, model: " ", dimensions: 0}
  - {type: similarity, model: openai/embed, value: [one, ""]}
  - {type: similarity, model: openai/embed}
cases:
  - {id: a, prompt: Where?}
  - {id: b, prompt: Where?, expected: ""}
"""
    )
    found = cli("validate", suite, code=2).stderr.replace(f"{suite}:", "").splitlines()
    assert [line.partition(" ")[0] for line in found] == [
        "4:5:",
        "5:31:",
        "5:48:",
        "6:58:",
        "9:5:",
        "10:39:",
    ]
    assert "the parameter 'model' is missing" in found[0]
    assert "similarity has nothing to compare with" in found[4]
    suite.write_text(SUITE.replace("0.5", "1.5"))
    said = cli("validate", suite, code=2).stderr
    assert "suite.yaml:4:56: checks[0].threshold must be at most 1" in said
