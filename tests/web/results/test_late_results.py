"""Results that take a while: the page without them is there at once, and loads again."""

import html
import re
import threading

import msgspec
import pytest

from benchmaker.errors import StoreError
from benchmaker.store import Store, Writer
from benchmaker.store.home import STORE_FILE
from benchmaker.web.results.late_results import AT_ONCE, PANEL, LateResults, late_results
from tests.web.aside import aside
from tests.web.results_data import fetched, many_cases_home
from tests.web.serving import apps, serving

PATIENCE_S = 60
TOGETHER = "/compare?runs=many-1,many-2"
PATHS = (
    "/runs/many-1",
    "/runs/many-1?tab=pairs",
    "/runs/many-1/cases?q=It",
    TOGETHER,
    f"{TOGETHER}&ref=best",
)
TITLES = {
    "/runs/many-1": "many · Benchmaker",
    "/runs/many-1/cases": "Cases of many-1 · Benchmaker",
    "/compare": "Compare: many · Benchmaker",
}


def test_a_computation_runs_once_while_several_pages_wait_for_it():
    late, begun, goes_on = LateResults(), [], threading.Event()

    def make():
        begun.append(1)
        goes_on.wait(PATIENCE_S)
        return 42

    assert not late.is_ready("run", make, 0)
    assert not late.is_ready("run", make, 0)
    goes_on.set()
    assert late.is_ready("run", make, PATIENCE_S)
    assert late.take("run", make) == 42
    assert len(begun) == 1


def test_another_page_computes_what_was_taken():
    late, made = LateResults(), iter((1, 2))
    assert late.is_ready("run", made.__next__, PATIENCE_S)
    assert late.take("run", made.__next__) == 1
    assert late.take("run", made.__next__) == 2


def test_the_error_of_a_computation_is_that_of_the_page_which_takes_it():
    def refuse():
        raise StoreError("no such run")

    late = LateResults()
    assert late.is_ready("run", refuse, PATIENCE_S)
    with pytest.raises(StoreError, match="no such run"):
        late.take("run", refuse)


def two_runs(home):
    """Two runs with the same answers."""
    many_cases_home(home, AT_ONCE // 3 + 1)
    with Store.open(home / STORE_FILE) as store:
        run = msgspec.structs.replace(store.run("many-1"), id="many-2")
        store.add_run(run)
        with Writer(store) as writer:
            for trial in store.trials("many-1"):
                writer.put(msgspec.structs.replace(trial, run_id="many-2"))
    return home


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    home = aside(two_runs, tmp_path_factory.mktemp("late"))
    with serving(home, works=False) as found:
        yield found


@pytest.fixture
def held(address):
    """An event: until it is set, no computation begins."""
    late, goes_on = late_results(apps[address].state.bench), threading.Event()
    for key in ("first", "second"):
        assert not late.is_ready(key, lambda: goes_on.wait(PATIENCE_S), 0)
    yield goes_on
    goes_on.set()
    for key in ("first", "second"):
        late.take(key, bool)


@pytest.mark.parametrize("path", PATHS)
def test_the_first_page_names_the_setups_and_asks_for_the_rest(address, held, path):
    status, _, body = fetched(address + path)
    early = body.decode()
    assert status == 200
    assert f"<title>{TITLES[path.partition('?')[0]]}" in early
    assert f'hx-get="{html.escape(path)}"' in early
    assert "made/model-2" in early
    assert ("4,002 trials" if path.startswith(TOGETHER) else "2,001 trials") in early
    held.set()
    asked = {"hx-trigger": PANEL, "hx-request": "true"}
    status, head, _ = fetched(address + path, headers=asked)
    assert (status, head["hx-refresh"]) == (204, "true")
    late = fetched(address + path)[2].decode()
    assert PANEL not in re.findall(r'id="([^"]+)"', late)
    assert "made/model-2" in late


def test_the_page_shows_the_results_when_they_are_ready(tab, address, held):
    tab.goto(f"{address}/runs/many-2")
    assert tab.locator("h2").all_inner_texts() == ["Computing"]
    held.set()
    tab.locator("#h-forest").wait_for()
    assert tab.locator("table.overview tbody tr").count() == 3


def test_the_page_shows_them_without_script(chromium, address, held):
    with chromium.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{address}/runs/many-1/cases")
        assert page.locator("#computing").count() == 1
        held.set()
        page.locator("table.heat").wait_for()
