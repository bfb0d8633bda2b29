"""Classes of the program whose objects have a name, fields, parameters or a library's error."""

import pytest

from benchmaker.scoring.program.code_check import Code
from benchmaker.testing import a_case
from tests.scoring.program.conftest import scored

PROGRAM = """
import dataclasses, json, queue
from typing import Generic, TypeVar
T = TypeVar("T")
@dataclasses.dataclass(frozen=True)
class Point:
    x: int
    y: int = 0
@dataclasses.dataclass
class Line:
    start: Point
    tags: list = dataclasses.field(default_factory=list)
class Box(Generic[T]):
    def __init__(self, item): self.item = item
class Circle: pass
def read(text): return json.loads(text)
def take(): return queue.Queue().get_nowait()
"""
TESTS = [
    "assert type(Circle()).__name__ == 'Circle' and Circle().__class__.__name__ == 'Circle'",
    "assert Circle.__name__ == 'Circle'",
    "import dataclasses\nassert dataclasses.asdict(Point(1)) == {'x': 1, 'y': 0}",
    (
        "from dataclasses import asdict\nassert asdict(Line(Point(1))) == "
        "{'start': {'x': 1, 'y': 0}, "
        "'tags': []}"
    ),
    "import dataclasses\nassert dataclasses.astuple(Point(1)) == (1, 0)",
    "from dataclasses import is_dataclass\nassert is_dataclass(Point) and is_dataclass(Point(1))",
    "import dataclasses\nassert not dataclasses.is_dataclass(Circle())",
    "from dataclasses import fields\nassert [it.name for it in fields(Line)] == ['start', 'tags']",
    (
        "import dataclasses, pytest\ndef test_a():\n"
        "    with pytest.raises(dataclasses.FrozenInstanceError): Point(1).x = 2"
    ),
    "import json, pytest\ndef test_a():\n    with pytest.raises(json.JSONDecodeError): read('{')",
    "import pytest, queue\ndef test_a():\n    with pytest.raises(queue.Empty): take()",
    "assert Box[int](3).item == 3",
]


@pytest.mark.parametrize("tests", TESTS)
def test_a_class_of_the_program_has_its_usual_features(tests):
    score = scored(PROGRAM, tests, timeout=60)
    assert score.score == 1.0, score


def test_an_error_of_a_test_framework_is_not_that_of_the_tests():
    program = "import unittest\nclass SkipTest(unittest.SkipTest): pass\ndef f(): raise SkipTest"
    tests = "import pytest\ndef test_a(): assert f() == 1\ndef test_b(): assert 1 == len([f])"
    assert scored(program, tests, timeout=60).score == 0.0


@pytest.mark.parametrize(
    ("language", "tests", "name"),
    [
        (
            "python",
            (
                "import asyncio\nasync def all():\n    return [it async for it in count(3)]\n"
                "assert asyncio.run(all()) == [3]"
            ),
            "async for in line 3",
        ),
        (
            "python",
            (
                "import asyncio\nasync def main(): return await drain(asyncio.Queue())\n"
                "assert asyncio.run(main()) == []"
            ),
            "asyncio.Queue in line 2",
        ),
        (
            "javascript",
            (
                "const seen = [];\nconsole.log = (it) => seen.push(it);\ngreet();\n"
                "assert.deepEqual(seen, ['a']);"
            ),
            "line 2: the console of the tests",
        ),
        (
            "javascript",
            "test('a', (t) => {\n  t.mock.method(console, 'log');\n  assert(greet());\n});",
            "line 2: the console of the tests",
        ),
    ],
)
def test_validate_notes_what_does_not_reach_the_program(language, tests, name):
    (note,) = Code(language, tests).notes(a_case())
    assert note.message == (
        f"{name} does not reach the program, which runs in a process of its own."
    )
