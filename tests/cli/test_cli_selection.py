"""Options of ``run`` and ``estimate`` that select cases, as they are typed."""

import pytest

from benchmaker.store.home import Home

MODEL = ("--model", "openai/gpt-4o-mini")


@pytest.mark.parametrize(
    ("options", "cases"),
    [
        (["--case", "*"], 4),
        (["--filter", "weight > 0 and id"], 4),
        (["--sample", 3, "--sample-seed", 2], 3),
        (["--sample", 3, "--limit", 1], 1),
    ],
)
def test_an_estimate_counts_the_selected_cases(cli, sums, options, cases):
    assert cli("estimate", sums, *MODEL, *options, "--json").data["cases"] == cases


@pytest.mark.parametrize("command", ["run", "estimate"])
def test_a_wrong_expression_is_refused_before_any_request(cli, server, sums, command):
    before = len(server.settled())
    said = cli(command, sums, *MODEL, "--filter", "categry == 'law'", code=2)
    assert "--filter:1:1" in said.stderr
    assert "Did you mean 'category'?" in said.stderr
    assert len(server.settled()) == before


def test_the_seed_of_a_run_selects_a_sample_of_recorded_answers(cli, home, tmp_path):
    cli("init", tmp_path / "made")
    suite, answers = tmp_path / "made/suite.yaml", tmp_path / "made/answers.jsonl"
    run = ("run", suite, "--recorded", answers, "--json")
    cli(*run, "--sample", 3, "--seed", 7, code=None)
    with Home.of(home).open_store() as store:
        assert store.runs(limit=1)[0].selection.sample_seed == 7
    assert "no effect on recorded answers: --seed." in cli(*run, "--seed", 7, code=2).stderr
    words = ("--sample", 3, "--sample-seed", 1, "--seed", 7)
    assert "no effect on recorded answers: --seed." in cli(*run, *words, code=2).stderr
