"""Which tests ``make test`` leaves to ``make test-all``: those that cost more than their share.

A test function may cost the quick lane 0.15 s of the machine, whose two processors and four
workers the tests share. Where its cases cost more together, the first ones stay as long as
the share lasts, and the others are ``long``. ``pytest --write-seconds`` writes down in
``long.json`` which those are, so that the lanes are the same on each machine and change by commits
alone. A test that is not in there is quick, and ``quick("why")`` keeps one that must not wait.

A test that changed runs whole: ``make test-changed`` names its file by ``--whole``.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import pytest

WRITTEN = Path(__file__).with_name("long.json")
SHARE_S = 0.15
PROCESSORS, WORKERS = 2, 4

Lanes = Mapping[str, Mapping[str, list[str]]]
"""By file and function over its share: the cases that stay in the quick lane, by their digests,
since their names may hold anything."""


class Took(NamedTuple):
    """What a test took of the processor and of the clock, in seconds."""

    nodeid: str
    processor: float
    clock: float

    @property
    def cost(self) -> float:
        """Seconds of the lane: of its processors or of its workers, whichever it takes more of.

        More of the processors than there was time for is of a process that an earlier test began.
        """
        processor = min(self.processor, PROCESSORS * self.clock)
        return max(processor / PROCESSORS, self.clock / WORKERS)


class Place(NamedTuple):
    """A test's file, its function, and the case in brackets, if it has cases."""

    file: str
    function: str
    case: str


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--whole``."""
    parser.addoption(
        "--whole", action="append", default=[], help="a file or test that is quick; repeatable"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Name the mark, and read what is written down, unless it is about to be measured."""
    config.addinivalue_line("markers", "quick(reason): stays in the quick lane whatever it costs")
    if not config.getoption("--write-seconds"):
        config.pluginmanager.register(Lane(written(), config.getoption("--whole")), "lane")


class Lane:
    """Marks the tests over their share."""

    def __init__(self, lanes: Lanes, whole: Iterable[str]) -> None:
        self._whole = frozenset(whole)
        self._lanes = {file: kept for file, kept in lanes.items() if file not in self._whole}

    @pytest.hookimpl(tryfirst=True)
    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Leave it to the long lane."""
        if item.nodeid in self._whole:
            return
        if is_left(place_of(item.nodeid), self._lanes) and not item.get_closest_marker("quick"):
            item.add_marker("long")


def is_left(place: Place, lanes: Lanes) -> bool:
    """Whether a test is over its function's share."""
    kept = lanes.get(place.file, {}).get(place.function)
    return kept is not None and not (place.case and digest(place.case) in kept)


def place_of(nodeid: str) -> Place:
    """Take a test's id apart."""
    file, _, name = nodeid.partition("::")
    function, _, case = name.partition("[")
    return Place(file, function, case.removesuffix("]"))


def over_share(tests: Iterable[Took]) -> dict[str, dict[str, list[str]]]:
    """The functions whose tests cost more than a share, with the cases that it is enough for."""
    functions: dict[tuple[str, str], list[Took]] = defaultdict(list)
    for took in tests:
        place = place_of(took.nodeid)
        functions[place.file, place.function].append(took)
    found: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for (file, function), cases in sorted(functions.items()):
        if sum(took.cost for took in cases) > SHARE_S:
            found[file][function] = _kept(cases)
    return dict(found)


def _kept(cases: Iterable[Took]) -> list[str]:
    """The cases that a share is enough for, in the order of their names."""
    kept, used = [], 0.0
    for took in sorted(cases):
        case = place_of(took.nodeid).case
        if case and used + took.cost <= SHARE_S:
            used += took.cost
            kept.append(digest(case))
    return sorted(kept)


def digest(case: str) -> str:
    """What a case is written down by."""
    return sha256(case.encode("utf-8", "surrogateescape")).hexdigest()[:8]


def write(tests: Iterable[Took]) -> None:
    """Write down what is over its share; what was not measured stays as it was."""
    measured = list(tests)
    seen = {place_of(took.nodeid)[:2] for took in measured}
    lanes = over_share(measured)
    for file, functions in written().items():
        for function, kept in functions.items():
            if (file, function) not in seen:
                lanes.setdefault(file, {})[function] = kept
    WRITTEN.write_text(text_of(lanes), encoding="utf-8")


def text_of(tables: Mapping[str, Mapping[str, object]]) -> str:
    """JSON with an entry a line, so that a difference can be read."""
    parts = []
    for name, entries in sorted(tables.items()):
        lines = [f"    {json.dumps(key)}: {json.dumps(it)}" for key, it in sorted(entries.items())]
        parts.append(f"  {json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n  }")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def written() -> Lanes:
    """What is written down."""
    if not WRITTEN.exists():
        return {}
    lanes: Lanes = json.loads(WRITTEN.read_text(encoding="utf-8"))
    return lanes
