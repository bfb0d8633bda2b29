"""How long the files of tests take: measured, printed, written down, and used for their order.

``seconds.json`` says what each file took of the processor and of the clock when it was last written
down, by ``pytest --write-seconds``. Files that took long begin first, so that no worker is left
with minutes of work when the others have none. A file over its budget bears a mark with a reason,
which ``test_times.py`` sees to: from what is written down, so that no test knows the clock.
"""

import json
import resource
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.running import lanes
from tests.running.lanes import Took

WRITTEN = Path(__file__).with_name("seconds.json")
BUDGET_S = 10
"""Seconds of the processor that a file may take in the quick lane without a mark."""

LONGEST_S = 5
"""Files that took as many seconds of the clock begin before all others."""

SHOWN = 10
_RATHER_LONG_S = 1


@dataclass(slots=True)
class Seconds:
    """What a file's tests took: of the processor, children included, and of the clock."""

    processor: float = 0.0
    clock: float = 0.0
    tests: int = 0

    def add(self, processor: float, clock: float) -> None:
        """Count one more test."""
        self.processor += processor
        self.clock += clock
        self.tests += 1


class Hooks:
    """What a plugin may hear of tests that were measured."""

    def pytest_test_measured(self, nodeid: str, processor: float, clock: float) -> None:
        """A test ended, with its fixtures; seconds."""


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Add the hook."""
    pluginmanager.add_hookspecs(Hooks)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--write-seconds``."""
    parser.addoption(
        "--write-seconds", action="store_true", help=f"write what files took to {WRITTEN.name}"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Begin to measure."""
    config.addinivalue_line(
        "markers", f"heavy(reason): a file may take over {BUDGET_S} s of the processor, for that"
    )
    config.pluginmanager.register(Measured(config), "measured")


class Measured:
    """The seconds of this session's tests, by file."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.tests: list[Took] = []

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Measure a test where it runs."""
        processor, clock = _processor(), time.monotonic()
        try:
            return (yield)
        finally:
            self.config.hook.pytest_test_measured(
                nodeid=item.nodeid,
                processor=_processor() - processor,
                clock=time.monotonic() - clock,
            )

    def pytest_test_measured(self, nodeid: str, processor: float, clock: float) -> None:
        """Keep it."""
        self.tests.append(Took(nodeid, processor, clock))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the files that took longest, and write down what was asked for."""
        files = by_file(self.tests)
        if len(files) > SHOWN:
            for line in slowest(files):
                terminalreporter.write_line(line)
        if self.config.getoption("--write-seconds"):
            write_down(self.tests, lane(self.config))


def _processor() -> float:
    """Seconds that this process used, and those of its processes that it waited for."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(kind) for kind in kinds]
    return sum(one.ru_utime + one.ru_stime for one in used)


def file_of(nodeid: str) -> str:
    """The file of a test."""
    return nodeid.partition("::")[0]


def by_file(tests: Iterable[Took]) -> dict[str, Seconds]:
    """What files took."""
    files: dict[str, Seconds] = defaultdict(Seconds)
    for took in tests:
        files[file_of(took.nodeid)].add(took.processor, took.clock)
    return files


def write_down(tests: Iterable[Took], of_lane: str) -> None:
    """Write down which tests are over their share, and what the files of a lane take without."""
    measured = list(tests)
    if of_lane == "quick":
        lanes.write(measured)
        left = lanes.written()
        measured = [
            took for took in measured if not lanes.is_left(lanes.place_of(took.nodeid), left)
        ]
    write(by_file(measured), of_lane)


def lane(config: pytest.Config) -> str:
    """The quick lane leaves out what is long; the long one does not."""
    return "quick" if "not long" in config.option.markexpr else "long"


def slowest(files: Mapping[str, Seconds]) -> Iterator[str]:
    """The lines of a table: the files that took the most seconds of the clock."""
    yield f"The {SHOWN} slowest files: seconds of the clock, of the processor, tests"
    ranked = sorted(files.items(), key=lambda one: -one[1].clock)
    for name, took in ranked[:SHOWN]:
        yield f"{took.clock:8.1f} {took.processor:8.1f} {took.tests:6}  {name}"


def write(files: Mapping[str, Seconds], of_lane: str) -> None:
    """Write down what the files of a lane took, those that took a second or more."""
    found = {
        name: [round(took.processor), round(took.clock)]
        for name, took in sorted(files.items())
        if max(took.processor, took.clock) >= _RATHER_LONG_S
    }
    text = lanes.text_of({**written(), of_lane: found})
    WRITTEN.write_text(text, encoding="utf-8")


def written() -> dict[str, dict[str, list[int]]]:
    """By lane and file: seconds of the processor, and of the clock."""
    if not WRITTEN.exists():
        return {}
    return json.loads(WRITTEN.read_text(encoding="utf-8"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the files that take longest at the head, as written down; the others keep their order."""
    took = {name: clock for name, (_, clock) in written().get(lane(config), {}).items()}
    items.sort(key=lambda item: -_if_long(took.get(file_of(item.nodeid), 0)))


def _if_long(seconds: int) -> int:
    return seconds if seconds >= LONGEST_S else 0


def over_budget(files: Iterable[tuple[str, list[int]]]) -> list[str]:
    """The files that took more of the processor than a file may without a mark."""
    return [name for name, (processor, _) in files if processor > BUDGET_S]
