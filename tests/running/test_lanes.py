"""Which tests are left to the long lane."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.running import lanes
from tests.running.lanes import (
    PROCESSORS,
    SHARE_S,
    WORKERS,
    Took,
    digest,
    is_left,
    over_share,
    place_of,
)

ROOT = Path(__file__).parents[2]
COMPUTED, WAITED = SHARE_S * PROCESSORS, SHARE_S * WORKERS
CHEAP = Took("tests/test_a.py::test_cheap", 0.9 * COMPUTED, 0.9 * WAITED)
DEAR = Took("tests/test_a.py::test_dear", 1.1 * COMPUTED, 1.1 * COMPUTED)
WAITING = Took("tests/test_a.py::test_waiting", 0.1 * COMPUTED, 1.1 * WAITED)
CASES = [
    Took(f"tests/test_b.py::Group::test_case[{name}]", 0.4 * COMPUTED, 0.5 * COMPUTED)
    for name in "fedcba"
]


def test_a_test_over_its_share_is_left():
    found = over_share([CHEAP, DEAR, WAITING])
    assert found == {"tests/test_a.py": {"test_dear": [], "test_waiting": []}}
    assert is_left(place_of(DEAR.nodeid), found)
    assert not is_left(place_of(CHEAP.nodeid), found)
    assert not is_left(place_of("tests/test_b.py::test_dear"), found)


def test_a_test_is_not_charged_for_what_ended_beside_it():
    ended = Took("tests/test_a.py::test_after_a_server", 20.0, 0.1)
    assert over_share([ended]) == {}


def test_cases_stay_as_long_as_the_share_lasts():
    found = over_share(CASES)
    assert found == {"tests/test_b.py": {"Group::test_case": sorted(map(digest, "ab"))}}
    assert [is_left(place_of(took.nodeid), found) for took in sorted(CASES)] == [False] * 2 + [
        True
    ] * 4


def test_what_was_not_measured_stays_as_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(lanes, "WRITTEN", tmp_path / "long.json")
    lanes.write([DEAR, WAITING])
    lanes.write([DEAR._replace(processor=0.1, clock=0.1), *CASES])
    assert lanes.written() == {
        "tests/test_a.py": {"test_waiting": []},
        "tests/test_b.py": {"Group::test_case": sorted(map(digest, "ab"))},
    }


PROJECT = """
import pytest

def test_plain(): ...
def test_dear(): ...
@pytest.mark.quick("it must not wait")
def test_dear_and_quick(): ...
@pytest.mark.parametrize("case", "ab")
def test_cases(case): ...
"""
LEFT = {"test_it.py": {"test_dear": [], "test_dear_and_quick": [], "test_cases": [digest("b")]}}
CONFTEST = """
from pathlib import Path
from tests.running import lanes
lanes.WRITTEN = Path(__file__).with_name("long.json")
pytest_plugins = ["tests.running.lanes"]
def pytest_addoption(parser):
    parser.addoption("--write-seconds", action="store_true")
"""


def test_marked_tests_and_kept_cases_run_in_the_quick_lane(tmp_path):
    (tmp_path / "test_it.py").write_text(PROJECT)
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "long.json").write_text(json.dumps(LEFT))
    assert names(tmp_path) == ["test_cases[b]", "test_dear_and_quick", "test_plain"]
    whole = ["test_cases[a]", "test_cases[b]", "test_dear", "test_dear_and_quick", "test_plain"]
    assert names(tmp_path, "--whole", "test_it.py") == whole
    one = "test_it.py::test_dear"
    assert set(whole) - set(names(tmp_path, "--whole", one)) == {"test_cases[a]"}
    assert names(tmp_path, "--whole", one, one) == ["test_dear"]
    assert names(tmp_path, "--write-seconds") == whole


def names(folder, *words):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:randomly",
         "--collect-only", "-q", "-m", "not long", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    return sorted(line.partition("::")[2] for line in done.stdout.splitlines() if "::" in line)
