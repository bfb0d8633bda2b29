"""Provisional scores under robust: the terminal, the API and the page name the reason alike."""

import csv
import json
from html import unescape

import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from sqlalchemy import update

from benchmaker.cli import main
from benchmaker.store import Store
from benchmaker.store.database.agentic_tables import evaluations
from benchmaker.store.database.json_values import encode
from tests.databases import direct_transaction
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


def as_stored_by_rule_1(evaluation):
    """The evaluation as versions before rule 2 stored it."""
    detail = {name: it for name, it in evaluation.detail.items() if name != "provisional"}
    needed = ", at least 5 are needed"
    terms = [it | {"reason": it["reason"].replace(needed, "")} for it in detail["terms"]]
    return replace(evaluation, provisional=False, detail=detail | {"terms": terms})


def test_an_evaluation_by_the_earlier_rule_is_no_fault(tmp_path):
    """Its row arrived at seven successes of which one of the first five omits its cost."""
    home, table = tmp_path / "home", tmp_path / "rows.csv"
    costs, _ = COSTS["one of five omits its cost"]
    for count in (7, 8):
        printed(home, "evaluate", write_table(table, costs[:count]))
    with Store.open(home / "benchmaker.db") as store:
        (own,) = (it.id for it in store.submissions() if it.row_id == "r7")
        stored = store.agentic.evaluation(own, "robust/2")
        with direct_transaction(store) as connection:
            body = encode(as_stored_by_rule_1(stored))
            mine = evaluations.c.submission_id == own
            connection.execute(update(evaluations).where(mine).values(body=body))
    said = printed(home, "explain", own)
    assert "Recomputed under rule 1 for provisional scores, which was in force on arrival" in said
    assert "differs" not in said
    made = json.loads(printed(home, "explain", own, "--json"))["evaluation"]
    assert made["recomputed"] | {"overall_score": 0} == {
        "overall_score": 0,
        "is_same": True,
        "rule": 1,
    }


def test_an_evaluation_by_the_current_rule_names_it(tmp_path):
    home, table = tmp_path / "home", tmp_path / "rows.csv"
    costs, _ = COSTS["one of five omits its cost"]
    for count in (7, 8):
        printed(home, "evaluate", write_table(table, costs[:count]))
    with Store.open(home / "benchmaker.db") as store:
        names = [it.id for it in store.submissions()]
    for own in names:
        made = json.loads(printed(home, "explain", own, "--json"))["evaluation"]["recomputed"]
        assert (made["is_same"], made["rule"]) == (True, 2)
