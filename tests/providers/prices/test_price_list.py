import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, time

import pytest

from benchmaker.providers.prices.price_list import (
    FILE,
    PACKAGE,
    Period,
    PriceList,
    _load_snapshot,
    _search_list,
)
from benchmaker.providers.prices.rates import Rate

WHEN = datetime(2026, 10, 20, 6, 0, tzinfo=UTC)


def known(home):
    return json.loads((home / FILE).read_text())["entries"]


def test_what_was_found_is_kept_and_read_again_without_the_package(tmp_path):
    found = PriceList(tmp_path).entry("openai", "gpt-4o-mini")
    assert found.card().input == Rate(0.15)
    assert list(known(tmp_path)) == ["openai gpt-4o-mini"]
    again = PriceList(tmp_path)
    again.release()
    assert again.entry("openai", "gpt-4o-mini") == found
    assert _load_snapshot.cache_info().currsize == 0


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("deepseek", "deepseek-chat"),
        ("anthropic", "claude-sonnet-4-5"),
        ("google", "gemini-2.5-pro"),
    ],
)
def test_conditions_and_steps_are_kept(tmp_path, provider, model):
    assert PriceList(tmp_path).entry(provider, model) == PriceList(tmp_path).entry(provider, model)


def test_that_a_model_is_not_listed_is_kept_too(tmp_path):
    assert PriceList(tmp_path).entry("openai", "no-such-model") is None
    assert known(tmp_path) == {"openai no-such-model": None}


@pytest.mark.parametrize("content", ["", "[]", "{", '{"version": "0", "entries": {"openai x": 7}}'])
def test_a_file_that_is_broken_is_written_anew(tmp_path, content):
    (tmp_path / FILE).write_text(content)
    assert PriceList(tmp_path).entry("openai", "gpt-4o-mini") is not None
    assert list(known(tmp_path)) == ["openai gpt-4o-mini"]


def test_prices_of_another_version_of_the_list_are_forgotten(tmp_path):
    PriceList(tmp_path).entry("openai", "gpt-4o")
    path = tmp_path / FILE
    path.write_text(path.read_text().replace(PriceList().version, "0.0.1"))
    PriceList(tmp_path).entry("openai", "gpt-4o-mini")
    assert list(known(tmp_path)) == ["openai gpt-4o-mini"]


def test_nothing_is_kept_without_a_data_folder(tmp_path):
    home = tmp_path / "none"
    assert PriceList(home).entry("openai", "gpt-4o") == PriceList().entry("openai", "gpt-4o")
    assert not home.exists()


def test_a_folder_that_cant_be_written_only_costs_time(tmp_path):
    (tmp_path / FILE).mkdir()
    assert PriceList(tmp_path).entry("openai", "gpt-4o-mini") is not None
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_a_list_that_was_let_go_of_is_loaded_again():
    prices = PriceList()
    before = prices.entry("openai", "gpt-4o-mini")
    prices.release()
    assert prices.entry("openai", "gpt-4o").card() != before.card()


@pytest.fixture
def _not_imported(monkeypatch):
    """Another test of this process may have imported the package, or loaded its data."""
    _load_snapshot.cache_clear()
    _search_list.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        monkeypatch.delitem(sys.modules, name)


class Importing(str):
    """The name of a module; while it is looked at, another thread imports one more."""

    __slots__ = ()

    def partition(self, sep, /):
        def import_one():
            sys.modules["tests.providers.imported_meanwhile"] = sys

        thread = threading.Thread(target=import_one)
        thread.start()
        thread.join()
        return super().partition(sep)


@pytest.mark.usefixtures("_not_imported")
def test_the_list_may_be_loaded_while_another_thread_imports(monkeypatch):
    monkeypatch.setitem(sys.modules, Importing("tests.providers.importing"), sys)
    monkeypatch.delitem(sys.modules, "tests.providers.imported_meanwhile", raising=False)
    assert PriceList().entry("openai", "gpt-4o-mini").card(WHEN).input == Rate(0.15)
    assert sys.modules.pop("tests.providers.imported_meanwhile") is sys


@pytest.mark.usefixtures("_not_imported")
def test_lists_may_be_loaded_at_the_same_time():
    with ThreadPoolExecutor(4) as threads:
        loads = [threads.submit(PriceList().entry, "openai", "gpt-4o-mini") for _ in range(4)]
        assert {load.result().card(WHEN).input for load in loads} == {Rate(0.15)}
    assert "genai_prices" not in sys.modules


def test_whoever_imports_the_package_gets_all_of_it():
    program = (
        "import sys\n"
        "from benchmaker.providers.prices.price_list import PriceList\n"
        "assert PriceList().entry('openai', 'gpt-4o-mini')\n"
        "assert not [name for name in sys.modules if name.startswith(('genai_prices', 'httpx'))]\n"
        "from genai_prices import Usage, calc_price\n"
        "calc_price(Usage(input_tokens=1), 'gpt-4o-mini', provider_id='openai')\n"
        "assert PriceList().entry('openai', 'gpt-4o')\n"
        "assert sys.modules['genai_prices'].calc_price is calc_price\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize(
    ("period", "hour", "holds"),
    [
        (Period(), 6, True),
        (Period(since=WHEN.date()), 0, True),
        (Period(since=WHEN.date().replace(day=21)), 23, False),
        (Period(begin=time(6), end=time(9)), 6, True),
        (Period(begin=time(6), end=time(9)), 9, False),
        (Period(begin=time(22), end=time(6)), 5, True),
        (Period(begin=time(22), end=time(6)), 6, False),
    ],
)
def test_a_period_begins_with_its_begin_and_ends_before_its_end(period, hour, holds):
    assert period.holds(WHEN.replace(hour=hour)) is holds
    assert period.holds(WHEN.replace(hour=hour, tzinfo=None)) is holds
