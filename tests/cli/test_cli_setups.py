"""Prompts, efforts and models of a suite on the command line."""

import json

import pytest

SUITE = """
name: sums
models: [openai/one, {model: openai/one, label: hot, parameters: {temperature: 1.5}}]
efforts: [low]
prompts:
  - {id: plain, prompt: "[{{ id }}] {{ n }} + 2?"}
  - {id: kind, prompt: "[{{ id }}] Please: {{ n }} + 2?"}
scorer: exact
cases:
  - {id: c1, vars: {n: 41}, expected: 43}
"""


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "suite.yaml"
    path.write_text(SUITE)
    return path


def test_a_run_without_model_takes_those_of_the_suite(live, suite, server, key):
    said = live("run", suite, "--no-stream")
    assert "1 case × 4 setups = 4 trials" in said.stderr
    assert "hot · kind · low" in said.stdout
    assert len(server.settled(key=key)) == 4


def test_prompts_and_efforts_are_options(live, suite, server, key):
    live("run", suite, "--prompt", "kind", "--effort", "high", "--model", "hot", "--no-stream")
    assert len(server.settled(key=key)) == 1
    live("resume", "latest", "--effort", "low")
    assert len(server.settled(key=key)) == 2
    rows = live("show", "latest", "--json").data["trials"]
    assert {row["model"] for row in rows} == {"hot · kind · high", "hot · kind · low"}


def test_show_and_explain_have_the_messages_and_the_parameters(live, suite):
    live("run", suite, "--no-stream")
    shown = live("show", "latest", "c1").stdout
    assert "[c1] Please: 41 + 2?" in shown
    assert "temperature=1.5" in shown
    explained = live("explain", "latest", "c1", "--model", "hot · kind · low")
    assert "Prompt     kind" in explained.stdout
    assert "[c1] Please: 41 + 2?" in explained.stdout
    setup = live("explain", "latest", "c1", "--model", "hot · kind · low", "--json").data["setup"]
    assert (setup["model"], setup["prompt_id"], setup["effort"]) == ("openai/one", "kind", "low")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--prompt", "plane"), "Did you mean 'plain'?"),
        (("--effort", "hihg"), "Did you mean 'high'?"),
    ],
)
def test_an_unknown_prompt_or_effort_is_named(live, suite, words, said):
    assert said in live("run", suite, *words, code=2).stderr


def test_validate_reports_a_variable_that_a_case_lacks(cli, suite):
    suite.write_text(SUITE.replace("vars: {n: 41}", "vars: {m: 41}"))
    said = cli("validate", suite, code=2)
    assert "suite.yaml:6:25: undefined variable 'n' in case 'c1'" in said.stdout + said.stderr


def test_the_estimate_is_by_setup(cli, suite):
    said = cli("estimate", suite, "--model", "openai/gpt-4o-mini", "--json").data
    assert [one["model"] for one in said["models"]] == [
        "openai/gpt-4o-mini · plain · low",
        "openai/gpt-4o-mini · kind · low",
    ]
    json.dumps(said)
