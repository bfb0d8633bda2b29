"""Pages of imported runs: the tool's badge beside the suite, and every page opens."""

import re

import pytest

from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.arenas.standard.importers.files import (
    imported,
    inspect_log,
    inspect_sample,
    promptfoo_result,
    write_json,
    write_promptfoo,
)
from tests.web.results_data import fetched_when_computed
from tests.web.serving import serving


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The address of a server, and the runs of two evaluations of promptfoo and one of Inspect."""
    home = tmp_path_factory.mktemp("imported")
    results = [
        promptfoo_result(test, prompt, city=city, failure=(test + prompt) % 3)
        for test, city in enumerate(("Oslo", "Rome", "Paris"))
        for prompt in range(4)
    ]
    again = [{**row, "id": f"again-{row['id']}"} for row in results]
    paths = (
        write_promptfoo(home / "results.json", results),
        write_promptfoo(home / "again.json", again, "eval-2"),
        write_json(home / "log.json", inspect_log([inspect_sample(at) for at in range(3)])),
    )
    with Store.open(home / STORE_FILE) as store:
        ids = [one.runs[0] for path in paths for one in imported(store, path)]
    with serving(home) as address:
        yield address, ids


def badges(page):
    return re.findall(r'<span class="badge" title="Imported from ([^"]+)"', page)


def test_the_list_of_results_shows_the_tool_beside_the_suite(runs):
    address, _ = runs
    assert set(badges(fetched_when_computed(f"{address}/runs"))) == {"promptfoo", "Inspect"}


def test_the_pages_of_a_run_open_and_show_the_tool(runs):
    address, ids = runs
    for run_id in ids:
        page = fetched_when_computed(f"{address}/runs/{run_id}")
        assert badges(page)
        assert "Benchmark Mode" not in page
        for tab in ("cases", "tabs/settings"):
            assert fetched_when_computed(f"{address}/runs/{run_id}/{tab}")


def test_the_choice_of_runs_to_compare_shows_the_tool(runs):
    address, (first, second, _) = runs
    assert "promptfoo" in badges(fetched_when_computed(f"{address}/compare"))
    page = fetched_when_computed(f"{address}/compare?runs={first}&runs={second}")
    assert badges(page) == ["promptfoo"]
