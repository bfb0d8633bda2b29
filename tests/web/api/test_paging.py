"""Lists a page at a time: every row once, whatever comes in between."""

import base64
import json

import pytest

from benchmaker.record import Run
from benchmaker.store import Store
from tests.web.api.asking import named

LISTS = (
    "/runs",
    "/suites",
    "/suites/{suite}/cases",
    "/runs/{run}/trials",
    "/runs/{series}/trials",
    "/runs/{run}/labels",
    "/runs/{run}/table",
    "/judges",
    "/endpoints",
    "/code/runs/{run}/pages",
    "/code/runs/{run}/votes",
    "/agentic/submissions",
    "/agentic/submissions?sort=tool",
    "/agentic/tasks",
    "/agentic/reviews",
    "/agentic/board",
    "/agentic/boards",
    "/agentic/profiles",
)


def path_of(api, template: str) -> tuple[str, dict[str, str]]:
    """A path with what the store holds, and its words."""
    run = api.get("/runs", limit=1)["items"][0]
    path, _, query = template.partition("?")
    made = path.format(run=run["run_id"], series=run["series_id"], suite=run["suite_hash"])
    return made, dict(one.split("=") for one in query.split("&")) if query else {}


@pytest.mark.parametrize("template", LISTS)
def test_small_pages_hold_the_rows_of_a_large_one(api, template):
    path, words = path_of(api, template)
    whole = api.get(path, **words, limit=500)

    parts = list(api.pages(path, **words, limit=7))

    assert [row for part in parts for row in part["items"]] == whole["items"]
    assert all(len(part["items"]) == 7 for part in parts[:-1])
    assert whole["items"]


def test_rows_that_come_in_between_repeat_and_hide_nothing(own, own_home):
    before = [row["run_id"] for row in own.rows("/runs")]
    walked = []
    with Store.open(own_home / "benchmaker.db") as store:
        first = store.runs(limit=1)[0]
        for number, part in enumerate(own.pages("/runs", limit=1)):
            walked += [row["run_id"] for row in part["items"]]
            store.add_run(_another(first, number))

    assert walked == before


def _another(run: Run, number: int) -> Run:
    return Run(
        id=f"later-{number}",
        suite_hash=run.suite_hash,
        suite_name=run.suite_name,
        models=run.models,
        profile=run.profile,
        profile_version=run.profile_version,
        started_at=f"2099-01-0{number + 1}T00:00:00Z",
    )


def _token(value) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


@pytest.mark.parametrize("template", LISTS)
@pytest.mark.parametrize(
    "after",
    ["-1", "x" * 50, "%00", "WzEsMl0", _token([[], 1]), _token(["0.x", 1]), _token(["9", 10**30])],
)
def test_a_place_that_was_never_given_out_is_refused(api, template, after):
    path, words = path_of(api, template)

    found = api.ask("GET", path, **words, after=after)

    assert found.status in {200, 422}, found.body
    if found.status == 422:
        assert found.error["hint"]
    if after in {"-1", "x" * 50, "%00"}:
        assert found.status == 422


def test_a_place_behind_the_end_is_an_empty_page(api):
    found = api.get("/endpoints", after="9999")

    assert found == {"items": [], "next": None}


def test_filters_hold_on_every_page(api):
    run = api.get("/runs", limit=1)["items"][0]
    path = f"/runs/{run['run_id']}/trials"

    rows = api.rows(path, model=run["models"][1], limit=5)

    assert {row["model"] for row in rows} == {run["models"][1]}
    assert len(rows) == run["planned"] // len(run["models"])
    assert api.ask("GET", path, model="illustrative").status == 422


def test_a_task_with_a_slash_in_its_name_is_found(api):
    for row in api.rows("/agentic/tasks"):
        found = api.ask("GET", f"/agentic/baselines/{named(row['task'])}")
        assert found.status == 200
