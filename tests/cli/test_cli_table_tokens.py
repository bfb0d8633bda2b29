"""A table row gains nothing on any board by omitting tokens, and every surface has its total."""

import csv
import json
from itertools import chain, combinations
from urllib.request import urlopen

import pytest

from tests.web.serving import serving

TRUTH = {
    "usage.input_uncached": 20_000,
    "usage.cache_read": 9_000,
    "usage.cache_write_5m": 400,
    "usage.cache_write_1h": 100,
    "usage.output": 500,
}
TOTAL = {"total_tokens": 30_000}


def row(name, tokens, *, system="honest"):
    return {"id": name, "task_id": "t", "tool": system, "tool_calls": 5, "iterations": 2,
            "execution_time": 60, "estimated_cost": 0.1, "success": True} | tokens  # fmt: skip


def write_table(path, rows):
    with path.open("w", newline="", encoding="utf-8") as stream:
        lines = csv.DictWriter(stream, list(dict.fromkeys(chain.from_iterable(rows))))
        lines.writeheader()
        lines.writerows(rows)
    return path


def subsets():
    """Every choice of kinds, with the total and without it."""
    kinds = list(TRUTH)
    for chosen in chain.from_iterable(combinations(kinds, n) for n in range(len(kinds) + 1)):
        for total in ({}, TOTAL):
            yield {kind: TRUTH[kind] for kind in chosen} | total


def scaled(number):
    """The true tokens, larger or smaller: the spread of the task."""
    tokens = {kind: n * (60 + number) // 100 for kind, n in TRUTH.items()}
    return tokens | {"total_tokens": sum(tokens.values())}


@pytest.fixture
def wide(monkeypatch):
    """Room for every column."""
    monkeypatch.setenv("COLUMNS", "200")


def evaluated(cli, folder, profile):
    """A task with 90 complete rows, and a row for each choice of the tokens of one session."""
    rows = [row(f"h{number}", scaled(number)) for number in range(90)]
    rows += [row("whole", TRUTH | TOTAL)]
    rows += [row(f"s{n}", it, system=f"s{n}") for n, it in enumerate(subsets())]
    said = cli("evaluate", write_table(folder / "rows.csv", rows), "--profile", profile, "--json")
    return {it["id"]: it for it in said.data["evaluations"]}


@pytest.mark.parametrize(("profile", "least"), [("classic", 30_000), ("robust", 21_000)])
def test_no_choice_of_kinds_is_better_on_a_board_than_all_of_them(cli, tmp_path, profile, least):
    rows = evaluated(cli, tmp_path, profile)
    whole = rows["whole"]
    assert whole["efficiency_score"] > 0
    for n, tokens in enumerate(subsets()):
        for score in ("efficiency_score", "overall_score"):
            assert (rows[f"s{n}"][score] or 0) <= whole[score] + 1e-9, tokens
    board = cli("leaderboard", "--metric", "tokens", "--profile", profile, "--json").data
    scores = {it["system"]: it["score"] for it in board["rows"]}
    for n, tokens in enumerate(subsets()):
        score = scores.get(f"s{n}")
        assert score is None or score >= least, tokens
        if profile == "classic":
            assert (score == least) == ("total_tokens" in tokens or tokens == TRUTH), tokens


@pytest.mark.usefixtures("wide")
def test_every_surface_has_the_total_of_the_row(cli, home, tmp_path):
    named = {name: TRUTH[name] for name in ("usage.input_uncached", "usage.output")}
    table = write_table(tmp_path / "one.csv", [row("one", named | TOTAL)])
    assert "  30,000  " in cli("import", table).stdout
    (made,) = cli("import", table, "--json").data["submissions"]
    assert (made["total_tokens"], made["usage"]["other"]) == (30_000, 9_500)
    assert "All tokens 30,000 self-reported" in " ".join(cli("show", "one").stdout.split())
    cli("evaluate", "--profile", "classic")
    board = cli("leaderboard", "--metric", "tokens", "--profile", "classic", "--json").data
    assert [it["score"] for it in board["rows"]] == [30_000]
    with serving(home) as address:
        place = f"agentic/submissions/{made['id']}"
        with urlopen(f"{address}/api/v1/{place}") as answer:  # noqa: S310  our own
            assert json.load(answer)["submission"]["total_tokens"] == 30_000
        with urlopen(f"{address}/{place}") as answer:  # noqa: S310  our own
            assert "30,000" in answer.read().decode()
