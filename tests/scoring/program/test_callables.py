"""Objects of the tests that can be called and do more: they are passed as callables."""

import pytest

from tests.scoring.program.conftest import scored

TWICE = "def twice(f, x):\n    return f(x) + f(x)"
ONCE = "def twice(f, x):\n    return 2 * f(x)"
RETRY = "def retry(f):\n    try:\n        return f()\n    except ValueError:\n        return f()"
OWN = """
class Bag:
    calls = 0
    def __call__(self, x):
        self.calls += 1
        return x
    def __len__(self): return 3
    def __getitem__(self, at): return at
    def __iter__(self): return self
    def __next__(self): raise StopIteration
"""
CASES = [
    (
        (
            "from unittest.mock import MagicMock\nm = MagicMock(return_value=5)\n"
            "assert twice(m, 3) == 10\nassert m.call_count == 2\nm.assert_called_with(3)"
        ),
        TWICE,
        ONCE,
    ),
    (
        (
            "from unittest.mock import MagicMock\nm = MagicMock(side_effect=[ValueError('a'), 7])\n"
            "assert retry(m) == 7"
        ),
        RETRY,
        "def retry(f):\n    return f()",
    ),
    (f"{OWN}\nbag = Bag()\nassert twice(bag, 3) == 6\nassert bag.calls == 2", TWICE, ONCE),
    (
        f"{OWN}\ndef test_a():\n    assert size(Bag()) == 8",
        "def size(b):\n    return len(b) + b[5] + len(list(b))",
        "def size(b):\n    return b(1)",
    ),
]


@pytest.mark.parametrize(("tests", "right", "wrong"), CASES)
def test_a_callable_with_other_methods_is_called(tests, right, wrong):
    assert scored(right, tests, timeout=60).score == 1.0
    assert scored(wrong, tests, timeout=60).score == 0.0
