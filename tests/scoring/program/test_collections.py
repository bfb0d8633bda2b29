"""Views, sets, ranges and generators compare as in plain Python, as arguments and as results.

The second road is Python itself: the same program and tests in one namespace.
"""

import pytest

from tests.scoring.program.conftest import scored

KEYS = "def keys(d): return d.keys()"
VALUES = "def values(d): return d.values()"
ITEMS = "def items(d): return d.items()"
GENERATE = "def count(n):\n    yield from range(n)"
SAME = "def same(it): return it"
POINT = (
    "class Point:\n    def __init__(self, x): self.x = x\n"
    "    def __eq__(self, other): return isinstance(other, Point) and self.x == other.x\n"
    "    def __hash__(self): return hash(self.x)\n"
)
POINTS = f"{POINT}def points(*xs): return {{Point(x) for x in xs}}"
PLAIN_POINT = (
    "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Place:\n    x: int\n"
)
ABC = "from collections.abc import KeysView, ItemsView, ValuesView, Generator, Iterator\n"

EQUAL = [
    (KEYS, "keys({1: 2}) == {1}"),
    (KEYS, "{1} == keys({1: 2})"),
    (KEYS, "keys({1: 2}) == frozenset({1})"),
    (KEYS, "keys({1: 2}) == {1: 3}.keys()"),
    (KEYS, "keys({1: 2}) != [1]"),
    (KEYS, "keys({1: 2}) | {3} == {1, 3}"),
    (KEYS, "keys({1: 2}) <= {1, 2} and 1 in keys({1: 2}) and len(keys({})) == 0"),
    (KEYS, "list(keys({'b': 1, 'a': 2})) == ['b', 'a']"),
    (KEYS, "type(keys({})) is type({}.keys())"),
    (KEYS, f"{ABC}assert isinstance(keys({{}}), KeysView)"),
    (KEYS, "from collections import OrderedDict as D\nassert keys(D(a=1)) == {'a'}"),
    (KEYS, "from collections import Counter\nassert keys(Counter('ab')) == {'a', 'b'}"),
    (ITEMS, "items({1: 2}) == {(1, 2)}"),
    (ITEMS, "list(items({1: [2]})) == [(1, [2])]"),
    (ITEMS, "items({1: [2]}) == {1: [2]}.items()"),
    (ITEMS, "from collections import OrderedDict as D\nassert items(D(a=1)) == {('a', 1)}"),
    (VALUES, "list(values({1: 2, 3: 2})) == [2, 2] and sum(values({1: 2})) == 2"),
    (VALUES, "values({1: 2}) != [2]"),
    (VALUES, f"{ABC}assert isinstance(values({{}}), ValuesView)"),
    ("def f(it): return it | {2}", "f({1: 0}.keys()) == {1, 2}"),
    ("def f(it): return isinstance(it, (set, list))", "f({1: 0}.keys()) is False"),
    ("def f(it): return sorted(it)", "f({2: 0, 1: 0}.items()) == [(1, 0), (2, 0)]"),
    ("def f(it): return sum(it)", "f({2: 1, 1: 5}.values()) == 6"),
    (SAME, "same({1, (2, 3)}) == {(2, 3), 1}"),
    (SAME, "same(frozenset({1})) == {1} and same({1}) == frozenset({1})"),
    (SAME, "same({frozenset({1})}) == {frozenset({1})}"),
    (SAME, "same([{1: {2}}]) == [{1: {2}}]"),
    (SAME, "same({1}) != [1] and same({1}) != (1,)"),
    (SAME, "same(range(3)) == range(0, 3) and same(range(0, 3, 2)) == range(0, 4, 2)"),
    (SAME, "same(range(2)) != [0, 1] and list(same(range(2))) == [0, 1]"),
    (SAME, "type(same(range(2))) is range and same({range(2)}) == {range(2)}"),
    (SAME, "from types import MappingProxyType as M\nassert same(M({1: 2})) == {1: 2}"),
    (GENERATE, "list(count(3)) == [0, 1, 2] and count(3) != [0, 1, 2]"),
    (GENERATE, "g = count(2)\nassert (next(g), next(g), next(g, None)) == (0, 1, None)"),
    (GENERATE, "import types\nassert isinstance(count(1), types.GeneratorType)"),
    (GENERATE, "import inspect\nassert inspect.isgenerator(count(1))"),
    (GENERATE, f"{ABC}assert isinstance(count(1), (Generator, Iterator))"),
    (GENERATE, "g = count(3)\nassert iter(g) is g and set(g) == {0, 1, 2}"),
    (GENERATE, "import itertools\nassert list(itertools.islice(count(10**9), 2)) == [0, 1]"),
    ("def f(it): return map(str, it)", "isinstance(f([1]), map) and list(f([1])) == ['1']"),
    ("def f(a, b): return zip(a, b)", "list(f([1], 'a')) == [(1, 'a')] and not f([1], 'a') == 1"),
    ("def f(it): return reversed(it)", "list(f([1, 2])) == [2, 1]"),
    ("def f(it): return sum(it)", "f(x * x for x in [1, 2]) == 5"),
    ("import inspect\ndef f(it): return inspect.isgenerator(it)", "f(x for x in [1]) is True"),
    ("def f(it): return isinstance(it, list)", "f(x for x in [1]) is False"),
    ("def f(it): return isinstance(it, map)", "f(map(str, [1])) and not f(iter([1]))"),
    (f"{ABC}def f(it): return isinstance(it, Iterator)", "f(iter([1])) and f(x for x in [1])"),
    (POINTS, "points(1, 1, 2) == {Point(2), Point(1)} and len(points(1, 1)) == 1"),
    (POINTS, "Point(1) in points(1) and Point(2) not in points(1)"),
    (POINTS, "points(1) != {Point(2)} and {Point(1): 5}[Point(1)] == 5"),
    (f"{PLAIN_POINT}def f(): return {{Place(1): 2}}", "f() == {Place(1): 2}"),
    ("class Id(int): pass\ndef f(): return Id(3)", "f() in {3} and {f()} == {3}"),
    ("def f(all): return len(set(all))", f"{PLAIN_POINT}assert f([Place(1), Place(1)]) == 1"),
]


def run_here(program, tests):
    """Run the program and its tests in one namespace of this process."""
    exec(f"{program}\n{tests}", {"__name__": "here"})  # noqa: S102  the second road


@pytest.mark.parametrize(("program", "tests"), EQUAL)
def test_what_is_equal_in_python_is_equal_here(program, tests):
    if "\n" not in tests:
        tests = f"assert {tests}"
    run_here(program, tests)
    score = scored(program, tests)
    assert score.score == 1.0, score.notes


@pytest.mark.parametrize(
    ("program", "tests"),
    [
        (KEYS.replace("keys()", "values()"), "assert keys({1: 2}) == {1}"),
        (KEYS.replace("d.keys()", "list(d)"), "assert keys({1: 2}) == {1}"),
        (ITEMS.replace("d.items()", "list(d.items())"), "assert items({1: 2}) == {(1, 2)}"),
        (GENERATE.replace("range(n)", "range(n + 1)"), "assert list(count(3)) == [0, 1, 2]"),
        (POINTS.replace("Point(x) for", "Point(0) for"), "assert points(1) == {Point(1)}"),
        (POINTS.replace("hash(self.x)", "[][0]"), "assert points() == {Point(1)}"),
        ("def f():\n    return {}.keys()", "import inspect\nassert inspect.isgenerator(f())"),
    ],
)
def test_what_differs_in_python_differs_here(program, tests):
    with pytest.raises((AssertionError, IndexError)):
        run_here(program, tests)
    assert scored(program, tests).score == 0.0
