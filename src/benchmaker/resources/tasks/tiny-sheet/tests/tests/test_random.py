"""Random sheets, edited at random, against a slow evaluator that knows the trees of its formulas."""

import math
import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from calls import call
from test_examples import PROGRAM

NAMES = [f"{letter}{row}" for letter in ("A", "B", "AA") for row in range(1, 6)]
GRID = {"A": 1, "B": 2, "AA": 27}


class Bad(Exception):
    pass


class Slow:
    """Computes every value again, by recursion."""

    def __init__(self):
        self.cells = {}

    def get(self, name):
        try:
            return self.value(name)
        except Bad as bad:
            return str(bad)

    def value(self, name):
        given = self.cells.get(name)
        if not isinstance(given, tuple):
            return given
        if self.leads_to_a_cycle(name):
            raise Bad("#CYCLE!")
        found = self.of(given)
        return 0.0 if found is None else found

    def leads_to_a_cycle(self, name):
        """Whether some cell that can be reached from here can be reached from itself."""
        return any(one in self.reached(one) for one in {name, *self.reached(name)})

    def reached(self, name):
        found, waiting = set(), [name]
        while waiting:
            for one in needs(self.cells.get(waiting.pop())):
                if one not in found:
                    found.add(one)
                    waiting.append(one)
        return found

    def number(self, tree):
        found = self.of(tree)
        if isinstance(found, str):
            raise Bad("#VALUE!")
        return found or 0.0

    def of(self, tree):
        kind, *rest = tree
        if kind == "number":
            return float(rest[0])
        if kind == "cell":
            return self.value(rest[0])
        if kind == "minus":
            return -self.number(rest[0])
        if kind == "if":
            return self.of(rest[1] if self.number(rest[0]) else rest[2])
        if kind == "fold":
            return fold(rest[0], [one for part in rest[1:] for one in self.numbers(part)])
        a, b = self.number(rest[0]), self.number(rest[1])
        return combined(kind, a, b)

    def numbers(self, part):
        names = (
            [part[1]] if part[0] == "cell" else between(*part[1:]) if part[0] == "range" else None
        )
        if names is None:
            return [self.number(part)]
        return [found for found in map(self.value, names) if isinstance(found, float)]


def between(first, last):
    columns = sorted((place(first)[0], place(last)[0]))
    rows = sorted((place(first)[1], place(last)[1]))
    letters = {number: letter for letter, number in GRID.items()}
    return [
        f"{letters[column]}{row}"
        for row in range(rows[0], rows[1] + 1)
        for column in range(columns[0], columns[1] + 1)
        if column in letters
    ]


def place(name):
    letters = name.rstrip("0123456789")
    return GRID[letters], int(name[len(letters) :])


def needs(tree):
    if not isinstance(tree, tuple):
        return set()
    if tree[0] == "cell":
        return {tree[1]}
    if tree[0] == "range":
        return set(between(*tree[1:]))
    return {name for part in tree[1:] for name in needs(part)}


def fold(name, numbers):
    if name == "AVG" and not numbers:
        raise Bad("#DIV/0!")
    found = {
        "SUM": math.fsum(numbers),
        "MIN": min(numbers, default=0.0),
        "MAX": max(numbers, default=0.0),
        "COUNT": float(len(numbers)),
        "AVG": math.fsum(numbers) / len(numbers) if numbers else 0.0,
    }
    return found[name]


def combined(sign, a, b):
    if sign == "/":
        if b == 0:
            raise Bad("#DIV/0!")
        return a / b
    if sign in "+-*":
        return {"+": a + b, "-": a - b, "*": a * b}[sign]
    return float({"<": a < b, ">=": a >= b, "<>": a != b}[sign])


def a_tree(source, depth):
    if depth == 0 or source.random() < 0.25:
        if source.random() < 0.3:
            return ("number", source.randrange(5))
        return ("cell", source.choice(NAMES))
    kind = source.choice(
        ("+", "-", "*", "/", "+", "-", "<", ">=", "<>", "minus", "if", "fold", "fold")
    )
    if kind == "minus":
        return ("minus", a_tree(source, depth - 1))
    if kind == "if":
        return ("if", *(a_tree(source, depth - 1) for _ in range(3)))
    if kind == "fold":
        return ("fold", source.choice(("SUM", "MIN", "MAX", "COUNT", "AVG")), *parts(source, depth))
    return (kind, a_tree(source, depth - 1), a_tree(source, depth - 1))


def parts(source, depth):
    for _ in range(source.randrange(1, 3)):
        if source.random() < 0.6:
            column = source.choice(("A", "B", "AA"))
            yield (
                "range",
                f"{column}{source.randrange(1, 6)}",
                f"{column}{source.randrange(1, 6)}",
            )
        else:
            yield a_tree(source, depth - 1)


def as_text(tree, source, *, is_argument=False):
    kind, *rest = tree
    if kind in ("number", "cell"):
        return str(rest[0]).lower() if source.random() < 0.3 else str(rest[0])
    if kind == "range":
        return f"{rest[0]}:{rest[1]}"
    if kind == "fold":
        inside = ",".join(as_text(one, source, is_argument=True) for one in rest[1:])
        return f"{rest[0]}({inside})"
    if kind == "if":
        return f"IF({', '.join(as_text(one, source) for one in rest)})"
    space = source.choice(("", " "))
    if kind == "minus":
        text = f"-{space}{as_text(rest[0], source)}"
    else:
        text = f"{as_text(rest[0], source)}{space}{kind}{space}{as_text(rest[1], source)}"
    return text if is_argument else f"({text})"


def a_session(seed, depth):
    """Steps, and what they must say."""
    source, slow = random.Random(seed), Slow()
    steps, wanted = [], []
    for _ in range(120):
        name = source.choice(NAMES)
        dice = source.random()
        if dice < 0.35:
            slow.cells[name] = tree = a_tree(source, depth)
            text = f"={as_text(tree, source)}"
        elif dice < 0.5:
            slow.cells[name] = float(source.randrange(-3, 9))
            text = str(slow.cells[name])
        elif dice < 0.6:
            slow.cells[name], text = source.choice(((None, ""), ("tea", "tea")))
        else:
            steps.append(["get", name])
            wanted.append(slow.get(name))
            continue
        steps.append(["set", name, text])
    steps += [["get", name] for name in NAMES]
    wanted += [slow.get(name) for name in NAMES]
    return steps, wanted


class RandomSheets(unittest.TestCase):
    def agree(self, seeds, depth):
        program = PROGRAM.replace("def answer(", "def session(")
        program += "\n\ndef answer(sessions):\n    return [session(one) for one in sessions]\n"
        sessions = [a_session(seed, depth) for seed in seeds]
        said = call(program, [steps for steps, _ in sessions])
        for (_, wanted), got in zip(sessions, said, strict=True):
            self.assertEqual(len(got), len(wanted))
            for one, other in zip(got, wanted, strict=True):
                self.same(one, other)

    def same(self, got, wanted):
        if isinstance(wanted, float) and isinstance(got, float):
            self.assertTrue(math.isclose(got, wanted, rel_tol=1e-9, abs_tol=1e-9), (got, wanted))
        else:
            self.assertEqual(got, wanted)

    def test_flat_formulas(self):
        self.agree(range(40), 1)

    def test_formulas_in_formulas(self):
        self.agree(range(100, 130), 2)

    def test_deep_formulas(self):
        self.agree(range(200, 215), 4)


if __name__ == "__main__":
    unittest.main()
