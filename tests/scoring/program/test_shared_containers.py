"""Lists, dictionaries and sets that the program keeps: changes reach both sides."""

import pytest

from tests.scoring.program.conftest import scored

PROGRAM = """
from collections import Counter
users = {}
class User:
    def __init__(self):
        self.tags, self.items, self._own, self.counts = [], {"a": [1]}, [], Counter()
    @property
    def own(self): return list(self._own)
    def add(self, tag): self.tags.append(tag)
    def clear(self): self.tags = []
    def size(self): return len(self.tags) + len(self.items)
def add_user(name, age): users[name] = age
"""
TESTS = [
    (
        "def test_a():\n    u = User()\n    u.tags.append('x')\n    assert u.tags == ['x']\n"
        "    assert u.size() == 2"
    ),
    "def test_a():\n    u = User()\n    u.items['b'] = 1\n    assert u.size() == 2",
    "def test_a():\n    u = User()\n    u.items['a'].append(2)\n    assert u.items['a'] == [1, 2]",
    "def test_a():\n    u, v = User(), User()\n    u.tags.append('x')\n    assert v.tags == []",
    (
        "def test_a():\n    u = User()\n    tags = u.tags\n    u.add('x')\n    assert tags\n"
        "    tags.append('y')\n    assert u.tags == ['x', 'y'] and u.tags is tags"
    ),
    (
        "def test_a():\n    u = User()\n    tags = u.tags\n    u.clear()\n    tags.append('y')\n"
        "    assert u.tags == []"
    ),
    "def test_a():\n    u = User()\n    u.own.append('x')\n    assert u.own == []",
    "def test_a():\n    u = User()\n    u.counts['x'] += 2\n    assert u.counts['x'] == 2",
    "def test_a():\n    add_user('bob', 4)\n    assert users == {'bob': 4}",
    (
        "from solution import add_user, users\nimport pytest\ndef test_a():\n    users.clear()\n"
        "    add_user('bob', 4)\n    assert users['bob'] == 4"
    ),
    (
        "def test_a():\n    every = [User() for _ in range(20)]\n    for one in every:\n"
        "        one.tags.append('x')\n    assert all(one.size() == 2 for one in every)"
    ),
]


@pytest.mark.parametrize("tests", TESTS)
def test_a_change_of_a_container_reaches_both_sides(tests):
    score = scored(PROGRAM, tests, timeout=60)
    assert score.score == 1.0, score


def test_a_program_that_copies_its_list_is_told_from_one_that_does_not():
    tests = "def test_a():\n    u = User()\n    u.own.append('x')\n    assert u.own == []"
    score = scored(PROGRAM.replace("list(self._own)", "self._own"), tests, timeout=60)
    assert score.score == 0.0, score
