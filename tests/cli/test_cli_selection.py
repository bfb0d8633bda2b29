"""Options of ``run`` and ``estimate`` that select cases, as they are typed."""

import pytest

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
