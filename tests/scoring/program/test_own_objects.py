"""Objects of the tests' own classes as arguments: linked lists, trees, cycles, containers."""

import pytest

from tests.scoring.program.conftest import scored

NODE = (
    "class Node:\n"
    "    def __init__(self, val=0, next=None):\n"
    "        self.val, self.next = val, next\n"
)
TREE = (
    "class Tree:\n"
    "    def __init__(self, val, left=None, right=None):\n"
    "        self.val, self.left, self.right = val, left, right\n"
)
LENGTH = "def length(h):\n    n = 0\n    while h:\n        n, h = n + 1, h.next\n    return n"
REVERSE = (
    "def reverse(h):\n"
    "    before = None\n"
    "    while h:\n"
    "        h.next, before, h = before, h, h.next\n"
    "    return before"
)
CYCLE = (
    "def has_cycle(h):\n"
    "    slow = fast = h\n"
    "    while fast and fast.next:\n"
    "        slow, fast = slow.next, fast.next.next\n"
    "        if slow is fast:\n"
    "            return True\n"
    "    return False"
)
CYCLE_TESTS = (
    f"{NODE}a = Node(1)\na.next = Node(2, a)\n"
    "assert has_cycle(a) is True\nassert has_cycle(Node(1, Node(2))) is False"
)
DEPTH = "def depth(t):\n    return 1 + max(depth(t.left), depth(t.right)) if t else 0"
REVERSE_TESTS = (
    f"{NODE}a = Node(1, Node(2))\nb = reverse(a)\n"
    "assert (b.val, b.next.val, b.next.next) == (2, 1, None)\nassert b.next is a"
)
GROUP_TESTS = (
    "class Group:\n"
    "    def __init__(self, *items): self.items = list(items)\n"
    "    def __len__(self): return len(self.items)\n"
    "    def __getitem__(self, at): return self.items[at]\n"
    "    def __iter__(self): return iter(self.items)\n"
    "assert total(Group(Group(1, 2), Group(3))) == 6\nassert total(Group()) == 0"
)
TOTAL = (
    "def total(g):\n"
    "    if not g: return 0\n"
    "    return sum(it if isinstance(it, int) else total(it) for it in g) + 0 * len(g)"
)


@pytest.mark.parametrize(
    ("program", "tests"),
    [
        (LENGTH, f"{NODE}def test_length():\n    assert length(Node(1, Node(2, Node(3)))) == 3"),
        (LENGTH, f"import pytest\n{NODE}def test_it():\n    assert length(Node(1, Node(2))) == 2"),
        (REVERSE, REVERSE_TESTS),
        (CYCLE, CYCLE_TESTS),
        (DEPTH, f"{TREE}assert depth(Tree(1, Tree(2, Tree(3)), Tree(4))) == 3"),
        (TOTAL, GROUP_TESTS),
    ],
    ids=["list", "pytest", "reverse", "cycle", "tree", "container"],
)
def test_a_right_program_gets_the_whole_object(program, tests):
    score = scored(program, tests)
    assert score.score == 1.0, score.notes


@pytest.mark.parametrize(
    ("program", "tests"),
    [
        (LENGTH.replace("n = 0", "n = 1"), f"{NODE}assert length(Node(1, Node(2))) == 2"),
        ("def length(h): return h.count", f"{NODE}assert length(Node(1)) == 1"),
        ("def has_cycle(h): return True", CYCLE_TESTS),
    ],
    ids=["wrong number", "no such attribute", "always true"],
)
def test_a_wrong_program_still_fails(program, tests):
    assert scored(program, tests).score == 0.0


def test_an_attribute_that_does_not_exist_is_missing_for_the_program():
    program = "def f(x): return [hasattr(x, 'val'), hasattr(x, 'size'), hasattr(x, '__wrapped__')]"
    assert scored(program, f"{NODE}assert f(Node()) == [True, False, False]").score == 1.0


@pytest.mark.parametrize(
    ("program", "tests", "reason"),
    [
        (
            "def f(x): return x.val.locked()",
            f"{NODE}import threading\nassert f(Node(threading.Lock())) is False",
            "the type lock",
        ),
        (
            "def f(x): return x.read()",
            "import io\nassert f(io.StringIO('a')) == 'a'",
            "the type StringIO",
        ),
        (
            "def f(x): return x.send_it(1)",
            (
                "from unittest.mock import Mock\ndef test_f():\n    it = Mock()\n"
                "    it.send_it.return_value = 3\n    assert f(it) == 3"
            ),
            "send_it of an object of the type Mock",
        ),
    ],
)
def test_what_can_not_be_sent_leaves_the_answer_unscored(program, tests, reason):
    score = scored(program, tests)
    assert score.score is None
    assert reason in score.notes
