"""Provisional scores under robust: the terminal, the API and the page name the reason alike."""

import csv
import json
from html import unescape

import pytest
from click.testing import CliRunner

from benchmaker.cli import main
from tests.web.results_data import fetched
from tests.web.serving import serving

COSTS = {
    "one of five omits its cost": (
        [None, 0.2, 0.2, 0.3, 0.1, 0.25, 0.3, 0.2],
        "cost does not count: 4 of 5 successes report it, at least 5 are needed",
    ),
    "all report it": ([0.4, 0.2, 0.2, 0.3, 0.1, 0.25, 0.3, 0.2], None),
    "a later one alone reports it": ([None] * 5 + [0.2] * 3, None),
    "four successes": (
        [0.1, None, 0.2, 0.1],
        "with fewer than 5 successes, every figure of the submission counts",
    ),
}


def write_table(path, costs):
    fields = "id,task_id,tool,total_tokens,tool_calls,iterations,execution_time,estimated_cost"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([*fields.split(","), "success", "files_created", "finished_at"])
        for n, cost in enumerate(costs):
            paid = "" if cost is None else cost
            figures = (20_000 + 1_000 * n, 5 + n, 3 + n, 100 + 10 * n, paid, "true", 1)
            rows.writerow((f"r{n}", "t1", f"tool{n}", *figures, f"2026-11-01T0{n}:00:00Z"))
    return path


def printed(home, *words):
    made = CliRunner().invoke(main, [*map(str, words), "--home", str(home)])
    assert made.exit_code == 0, made.output
    return made.stdout


@pytest.mark.parametrize("name", COSTS)
def test_every_surface_names_the_reason_for_provisional_scores(name, tmp_path):
    costs, reason = COSTS[name]
    home, table = tmp_path / "home", write_table(tmp_path / "rows.csv", costs)
    rows = json.loads(printed(home, "evaluate", table, "--json"))["evaluations"]
    assert {(row["provisional"], row["provisional_reason"]) for row in rows} == {
        (reason is not None, reason)
    }
    own = rows[0]["submission_id"]
    assert (f"provisional: {reason}" in printed(home, "explain", own)) is (reason is not None)
    with serving(home, works=False) as address:
        made = json.loads(fetched(f"{address}/api/v1/agentic/submissions/{own}")[2])
        (api,) = made["evaluations"]
        page = unescape(fetched(f"{address}/agentic/submissions/1")[2].decode())
    assert (api.get("provisional", False), api.get("provisional_reason", "")) == (
        reason is not None,
        reason or "",
    )
    assert ("; provisional" in page) is (reason is not None)
    assert (f"; provisional: {reason}" in page) is (reason is not None)
