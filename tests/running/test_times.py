"""What files of tests take, and their marks."""

from pathlib import Path

import pytest

from tests.running import times
from tests.running.times import Seconds, over_budget, slowest, written

ROOT = Path(__file__).parents[2]


def test_files_over_their_budget_say_why():
    over = [
        name for name in over_budget(written().get("quick", {}).items()) if name.endswith(".py")
    ]
    unmarked = [name for name in over if "mark.heavy(" not in (ROOT / name).read_text()]
    assert unmarked == []


def test_what_is_written_down_is_there():
    gone = [name for lane in written().values() for name in lane if not (ROOT / name).exists()]
    assert gone == []


def test_the_slowest_come_first():
    files = {f"{number}.py": Seconds(processor=1, clock=number, tests=2) for number in range(30)}
    lines = list(slowest(files))
    assert len(lines) == 1 + times.SHOWN
    assert lines[1].split() == ["29.0", "1.0", "2", "29.py"]


@pytest.mark.parametrize("lane", ["quick", "long"])
def test_what_is_written_is_read_back(tmp_path, monkeypatch, lane):
    monkeypatch.setattr(times, "WRITTEN", tmp_path / "seconds.json")
    times.write({"b.py": Seconds(12.4, 20.6, 3), "a.py": Seconds(0.2, 0.9, 1)}, lane)
    times.write({"c.py": Seconds(1.0, 1.0, 3)}, "other")
    assert written() == {lane: {"b.py": [12, 21]}, "other": {"c.py": [1, 1]}}
    assert over_budget(written()[lane].items()) == ["b.py"]
