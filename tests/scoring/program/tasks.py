"""Programming tasks with tests, right solutions and wrong ones, each wrong in its own way."""

from typing import NamedTuple


class Task(NamedTuple):
    name: str
    tests: str
    right: tuple[str, ...]
    wrong: dict[str, str]
    language: str = "python"


PYTHON = (
    Task(
        "has_close_pair",
        """
def check(candidate):
    assert candidate([1.0, 2.0, 3.9, 4.0], 0.3) is True
    assert candidate([1.0, 2.0, 3.0], 0.5) is False
    assert candidate([], 1.0) is False
    assert candidate([5.0, 1.0, 5.0], 0.1) is True

check(has_close_pair)
""",
        (
            "def has_close_pair(numbers, limit):\n"
            "    ordered = sorted(numbers)\n"
            "    return any(b - a < limit for a, b in zip(ordered, ordered[1:]))",
            "from typing import List\n\n"
            "def has_close_pair(numbers: List[float], limit: float) -> bool:\n"
            "    return any(abs(a - b) < limit for at, a in enumerate(numbers)\n"
            "               for b in numbers[at + 1:])",
        ),
        {
            "neighbours only": "def has_close_pair(numbers, limit):\n"
            "    return any(abs(a - b) < limit for a, b in zip(numbers, numbers[1:]))",
            "itself too": "def has_close_pair(numbers, limit):\n"
            "    return any(abs(a - b) < limit for a in numbers for b in numbers)",
            "a number for a boolean": "def has_close_pair(numbers, limit):\n"
            "    ordered = sorted(numbers)\n"
            "    return sum(b - a < limit for a, b in zip(ordered, ordered[1:]))",
        },
    ),
    Task(
        "paren_groups",
        """
assert paren_groups("(()) () (()())") == ["(())", "()", "(()())"]
assert paren_groups("") == []
assert paren_groups("( )") == ["()"]
""",
        (
            "def paren_groups(text):\n"
            "    groups, depth, current = [], 0, ''\n"
            "    for sign in text.replace(' ', ''):\n"
            "        depth += 1 if sign == '(' else -1\n"
            "        current += sign\n"
            "        if depth == 0:\n"
            "            groups.append(current)\n"
            "            current = ''\n"
            "    return groups",
        ),
        {
            "split at spaces": "def paren_groups(text):\n    return text.split()",
            "nothing": "def paren_groups(text):\n    pass",
            "a generator": "def paren_groups(text):\n    yield from text.split()",
        },
    ),
    Task(
        "rotate",
        """
def test_rotates_in_place():
    grid = [[1, 2], [3, 4]]
    row = grid[0]
    assert rotate(grid) is None
    assert grid == [[3, 1], [4, 2]]
    assert row is grid[0]

def test_one_cell():
    grid = [[5]]
    rotate(grid)
    assert grid == [[5]]
""",
        (
            "def rotate(grid):\n"
            "    turned = [list(row) for row in zip(*grid[::-1])]\n"
            "    for row, new in zip(grid, turned):\n"
            "        row[:] = new",
        ),
        {
            "a copy": "def rotate(grid):\n    return [list(row) for row in zip(*grid[::-1])]",
            "transposed": "def rotate(grid):\n"
            "    grid[:] = [list(row) for row in zip(*grid)]",
        },
    ),
    Task(
        "Account",
        """
import pytest

@pytest.fixture
def account():
    return Account("Ada", 10)

def test_deposit(account):
    account.deposit(5)
    assert account.balance == 15
    assert account.owner == "Ada"

def test_withdraw_too_much(account):
    with pytest.raises(Overdrawn, match="11") as caught:
        account.withdraw(11)
    assert caught.value.missing == 1
    assert isinstance(caught.value, ValueError)
    assert account.balance == 10

@pytest.mark.parametrize("amount", [0, -1])
def test_no_amount(account, amount):
    with pytest.raises(ValueError):
        account.deposit(amount)

def test_history(account):
    account.deposit(5)
    account.withdraw(3)
    assert list(account.history) == [("deposit", 5), ("withdraw", 3)]
    assert len(account) == 2
    assert "Ada" in str(account)
""",
        (
            "class Overdrawn(ValueError):\n"
            "    def __init__(self, amount, missing):\n"
            "        super().__init__(f'{amount} is {missing} too much')\n"
            "        self.missing = missing\n\n"
            "class Account:\n"
            "    def __init__(self, owner, balance=0):\n"
            "        self.owner, self.balance, self._history = owner, balance, []\n"
            "    @property\n"
            "    def history(self):\n"
            "        yield from self._history\n"
            "    def __len__(self):\n"
            "        return len(self._history)\n"
            "    def __str__(self):\n"
            "        return f'{self.owner}: {self.balance}'\n"
            "    def deposit(self, amount):\n"
            "        if amount <= 0:\n"
            "            raise ValueError(amount)\n"
            "        self.balance += amount\n"
            "        self._history.append(('deposit', amount))\n"
            "    def withdraw(self, amount):\n"
            "        if amount > self.balance:\n"
            "            raise Overdrawn(amount, amount - self.balance)\n"
            "        self.balance -= amount\n"
            "        self._history.append(('withdraw', amount))",
        ),
        {
            "no such exception": "class Account:\n"
            "    def __init__(self, owner, balance=0):\n"
            "        self.owner, self.balance, self.history = owner, balance, []\n"
            "    def deposit(self, amount):\n"
            "        self.balance += amount\n"
            "    def withdraw(self, amount):\n"
            "        self.balance -= amount",
            "any exception": "class Overdrawn(Exception): pass\n"
            "class Account:\n"
            "    def __init__(self, *args): self.owner = 'Ada'; self.balance = 10\n"
            "    def __getattr__(self, name):\n"
            "        raise Overdrawn('11')",
        },
    ),
    Task(
        "numbers",
        """
import math
import numpy as np

def test_plain_numbers():
    assert mean([1, 2, 4]) == pytest.approx(7 / 3)
    assert math.isclose(spread([2, 4, 4, 4, 5, 5, 7, 9]), 2.0)

def test_arrays():
    assert np.allclose(scaled([0, 5, 10]), [0, 0.5, 1])
    assert scaled(np.array([1.0, 3.0])).tolist() == [0.0, 1.0]

def test_no_numbers():
    with pytest.raises(ZeroDivisionError):
        mean([])

import pytest
""",
        (
            "import numpy as np\n"
            "def mean(values):\n"
            "    return sum(values) / len(values)\n"
            "def spread(values):\n"
            "    return np.std(values)\n"
            "def scaled(values):\n"
            "    values = np.asarray(values, dtype=float)\n"
            "    return (values - values.min()) / (values.max() - values.min())",
        ),
        {
            "a sample's spread": "import numpy as np\n"
            "def mean(values): return sum(values) / len(values)\n"
            "def spread(values): return np.std(values, ddof=1)\n"
            "def scaled(values):\n"
            "    values = np.asarray(values, dtype=float)\n"
            "    return (values - values.min()) / (values.max() - values.min())",
            "whole numbers": "import numpy as np\n"
            "def mean(values): return sum(values) // len(values)\n"
            "def spread(values): return np.std(values)\n"
            "def scaled(values): return np.asarray(values) / max(values)",
        },
    ),
    Task(
        "fibonacci",
        """
from itertools import islice
from solution import *

assert list(islice(fibonacci(), 8)) == [0, 1, 1, 2, 3, 5, 8, 13]
assert next(islice(fibonacci(), 100, None)) == 354224848179261915075
stream = fibonacci()
assert next(stream) == 0
assert next(stream) == 1
""",
        (
            "def fibonacci():\n"
            "    a, b = 0, 1\n"
            "    while True:\n"
            "        yield a\n"
            "        a, b = b, a + b",
        ),
        {
            "begins at one": "def fibonacci():\n"
            "    a, b = 1, 1\n"
            "    while True:\n"
            "        yield a\n"
            "        a, b = b, a + b",
            "floats": "def fibonacci():\n"
            "    a, b = 0.0, 1.0\n"
            "    for _ in range(100):\n"
            "        yield a\n"
            "        a, b = b, a + b",
        },
    ),
    Task(
        "word_counts",
        """
counts = word_counts("the cat and The dog")
assert counts == {"the": 2, "cat": 1, "and": 1, "dog": 1}
assert counts["the"] == 2
assert sorted(counts.items())[0] == ("and", 1)
assert word_counts("") == {}
assert word_counts("größe Größe ß") == {"größe": 2, "ß": 1}
""",
        (
            "from collections import Counter\n"
            "def word_counts(text):\n"
            "    return Counter(text.lower().split())",
            "from collections import defaultdict\n"
            "def word_counts(text):\n"
            "    found = defaultdict(int)\n"
            "    for word in text.lower().split():\n"
            "        found[word] += 1\n"
            "    return found",
        ),
        {
            "case matters": "from collections import Counter\n"
            "def word_counts(text): return Counter(text.split())",
            "pairs": "from collections import Counter\n"
            "def word_counts(text): return Counter(text.lower().split()).most_common()",
        },
    ),
    Task(
        "compose",
        """
assert compose(lambda x: x + 1, lambda x: x * 2)(5) == 11
assert compose()(7) == 7
assert compose(str, abs)(-3) == "3"
seen = []
assert apply_to_all(seen.append, [1, 2]) is None
assert seen == [1, 2]
assert sort_by([3, -4, 2], key=lambda it: it * it) == [2, 3, -4]
assert callable(compose())
""",
        (
            "from functools import reduce\n"
            "def compose(*functions):\n"
            "    def composed(value):\n"
            "        return reduce(lambda found, f: f(found), reversed(functions), value)\n"
            "    return composed\n"
            "def apply_to_all(function, values):\n"
            "    for value in values: function(value)\n"
            "def sort_by(values, key):\n"
            "    return sorted(values, key=key)",
        ),
        {
            "the other order": "def compose(*functions):\n"
            "    def composed(value):\n"
            "        for f in functions: value = f(value)\n"
            "        return value\n"
            "    return composed\n"
            "def apply_to_all(function, values): [function(value) for value in values]\n"
            "def sort_by(values, key): return sorted(values, key=key)",
            "sorts by value": "def compose(*functions):\n"
            "    return lambda value: value if not functions else functions[0](compose(*functions[1:])(value))\n"
            "def apply_to_all(function, values): [function(value) for value in values]\n"
            "def sort_by(values, key): return sorted(values)",
        },
    ),
    Task(
        "Vector",
        """
v, w = Vector(1, 2), Vector(3, 4)
assert v + w == Vector(4, 6)
assert v != w
assert (v * 3).x == 3
assert v * 3 == Vector(3, 6)
assert abs(w) == 5
assert repr(v) == "Vector(x=1, y=2)"
assert v.dot(w) == 11
assert list(v) == [1, 2]
assert v < w
""",
        (
            "from dataclasses import dataclass\n"
            "@dataclass(frozen=True, order=True)\n"
            "class Vector:\n"
            "    x: float\n"
            "    y: float\n"
            "    def __add__(self, other): return Vector(self.x + other.x, self.y + other.y)\n"
            "    def __mul__(self, factor): return Vector(self.x * factor, self.y * factor)\n"
            "    def __abs__(self): return (self.x ** 2 + self.y ** 2) ** 0.5\n"
            "    def __iter__(self): return iter((self.x, self.y))\n"
            "    def dot(self, other): return self.x * other.x + self.y * other.y",
        ),
        {
            "no equality": "class Vector:\n"
            "    def __init__(self, x, y): self.x, self.y = x, y\n"
            "    def __add__(self, other): return Vector(self.x + other.x, self.y + other.y)\n"
            "    def __mul__(self, factor): return Vector(self.x * factor, self.y * factor)\n"
            "    def __abs__(self): return (self.x ** 2 + self.y ** 2) ** 0.5\n"
            "    def __iter__(self): return iter((self.x, self.y))\n"
            "    def __repr__(self): return f'Vector(x={self.x}, y={self.y})'\n"
            "    def __lt__(self, other): return self.x < other.x\n"
            "    def dot(self, other): return self.x * other.x + self.y * other.y",
            "equals anything": "class Vector:\n"
            "    def __init__(self, x, y): self.x, self.y = x, y\n"
            "    def __eq__(self, other): return True\n"
            "    def __add__(self, other): return Vector(0, 0)\n"
            "    def __mul__(self, factor): return Vector(self.x * factor, self.y * factor)\n"
            "    def __abs__(self): return 5\n"
            "    def __iter__(self): return iter((self.x, self.y))\n"
            "    def __repr__(self): return f'Vector(x={self.x}, y={self.y})'\n"
            "    def __lt__(self, other): return True\n"
            "    def dot(self, other): return 11",
        },
    ),
    Task(
        "greet",
        """
import io
from contextlib import redirect_stdout

def printed(*words):
    with redirect_stdout(io.StringIO()) as found:
        greet(*words)
    return found.getvalue()

assert printed("Ada") == "Hello, Ada!\\n"
assert printed() == "Hello!\\n"
""",
        (
            "def greet(name=None):\n"
            "    print(f'Hello, {name}!' if name else 'Hello!')",
        ),
        {
            "returned": "def greet(name=None):\n"
            "    return f'Hello, {name}!\\n' if name else 'Hello!\\n'",
            "printed twice": "def greet(name=None):\n"
            "    print('Hello', end='')\n    print(f', {name}!')",
        },
    ),
    Task(
        "gather",
        """
import asyncio

async def both():
    return await asyncio.gather(double(2), double(3))

def test_together():
    assert asyncio.run(both()) == [4, 6]

def test_alone():
    assert asyncio.run(double(5)) == 10

def test_context():
    with Timer() as timer:
        timer.tick()
    assert timer.ticks == 1
    assert timer.is_closed
""",
        (
            "import asyncio\n"
            "async def double(value):\n"
            "    await asyncio.sleep(0.01)\n"
            "    return 2 * value\n"
            "class Timer:\n"
            "    ticks, is_closed = 0, False\n"
            "    def tick(self): self.ticks += 1\n"
            "    def __enter__(self): return self\n"
            "    def __exit__(self, *_): self.is_closed = True",
        ),
        {
            "not async": "def double(value): return 2 * value\n"
            "class Timer:\n"
            "    ticks, is_closed = 1, True\n"
            "    def tick(self): pass\n"
            "    def __enter__(self): return self\n"
            "    def __exit__(self, *_): pass",
            "never closed": "async def double(value): return 2 * value\n"
            "class Timer:\n"
            "    ticks, is_closed = 0, False\n"
            "    def tick(self): self.ticks += 1\n"
            "    def __enter__(self): return self\n"
            "    def __exit__(self, *_): pass",
        },
    ),
    Task(
        "plain types",
        """
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

assert days_between(date(2024, 2, 28), date(2024, 3, 1)) == 2
assert later(date(2024, 2, 28)) == date(2024, 2, 29)
assert price("1.10") + price("2.20") == Decimal("3.30")
assert half(Fraction(1, 3)) == Fraction(1, 6)
assert pack([1, 2]) == b"\\x01\\x02" and isinstance(pack([1]), bytes)
assert unique([3, 1, 3]) == {1, 3}
assert isinstance(unique([]), set)
assert root(-1) == 1j
assert ends([1, 2, 3]) == (1, 3) and type(ends([1, 2])) is tuple
assert nothing(...) is None
assert kind_of("x") is str
""",
        (
            "from datetime import timedelta\n"
            "from decimal import Decimal\n"
            "def days_between(a, b): return (b - a).days\n"
            "def later(day): return day + timedelta(days=1)\n"
            "def price(text): return Decimal(text)\n"
            "def half(number): return number / 2\n"
            "def pack(numbers): return bytes(numbers)\n"
            "def unique(values): return set(values)\n"
            "def root(number): return complex(0, (-number) ** 0.5)\n"
            "def ends(values): return values[0], values[-1]\n"
            "def nothing(value): return None\n"
            "def kind_of(value): return type(value)",
        ),
        {
            "lists and floats": "from datetime import timedelta\n"
            "def days_between(a, b): return (b - a).days\n"
            "def later(day): return day + timedelta(days=1)\n"
            "def price(text): return float(text)\n"
            "def half(number): return number / 2\n"
            "def pack(numbers): return bytearray(numbers)\n"
            "def unique(values): return frozenset(values)\n"
            "def root(number): return complex(0, (-number) ** 0.5)\n"
            "def ends(values): return [values[0], values[-1]]\n"
            "def nothing(value): return None\n"
            "def kind_of(value): return 'str'",
        },
    ),
)

JAVASCRIPT = (
    Task(
        "chunk",
        """
assert.deepStrictEqual(chunk([1, 2, 3], 2), [[1, 2], [3]]);
assert.deepStrictEqual(chunk([], 3), []);
assert.throws(() => chunk([1], 0), RangeError);
""",
        (
            "function chunk(items, size) {\n"
            "  if (size < 1) throw new RangeError('size');\n"
            "  const found = [];\n"
            "  for (let at = 0; at < items.length; at += size) found.push(items.slice(at, at + size));\n"
            "  return found;\n}",
            "const chunk = (items, size) => {\n"
            "  if (!(size >= 1)) throw new RangeError(`size ${size}`);\n"
            "  return items.length ? [items.slice(0, size), ...chunk(items.slice(size), size)] : [];\n"
            "};\nmodule.exports = { chunk };",
        ),
        {
            "another error": "function chunk(items, size) {\n"
            "  if (size < 1) throw new Error('size');\n"
            "  const found = [];\n"
            "  for (let at = 0; at < items.length; at += size) found.push(items.slice(at, at + size));\n"
            "  return found;\n}",
            "drops the rest": "function chunk(items, size) {\n"
            "  if (size < 1) throw new RangeError();\n"
            "  return Array.from({ length: Math.floor(items.length / size) },\n"
            "    (_, n) => items.slice(n * size, n * size + size));\n}",
            "not defined": "const chunks = () => [];",
        },
        "javascript",
    ),
    Task(
        "Stack",
        """
const { Stack, EmptyError } = require("./solution");
const stack = new Stack();
stack.push(1).push({ two: 2 });
assert.strictEqual(stack.size, 2);
assert.deepStrictEqual(stack.pop(), { two: 2 });
assert.deepStrictEqual([...stack], [1]);
stack.pop();
assert.throws(() => stack.pop(), EmptyError);
assert.throws(() => stack.pop(), /empty/);
assert.ok(stack instanceof Stack);
assert.strictEqual(Stack.name, "Stack");
""",
        (
            "class EmptyError extends Error {}\n"
            "class Stack {\n"
            "  #items = [];\n"
            "  get size() { return this.#items.length; }\n"
            "  push(item) { this.#items.push(item); return this; }\n"
            "  pop() {\n"
            "    if (!this.size) throw new EmptyError('the stack is empty');\n"
            "    return this.#items.pop();\n  }\n"
            "  *[Symbol.iterator]() { yield* this.#items; }\n"
            "}\nmodule.exports = { Stack, EmptyError };",
        ),
        {
            "no error": "class EmptyError extends Error {}\n"
            "class Stack { items = []; get size() { return this.items.length; }\n"
            "  push(item) { this.items.push(item); return this; }\n"
            "  pop() { return this.items.pop(); }\n"
            "  [Symbol.iterator]() { return this.items[Symbol.iterator](); } }",
            "a queue": "class EmptyError extends Error {}\n"
            "class Stack { items = []; get size() { return this.items.length; }\n"
            "  push(item) { this.items.push(item); return this; }\n"
            "  pop() { if (!this.size) throw new EmptyError('empty'); return this.items.shift(); }\n"
            "  [Symbol.iterator]() { return this.items[Symbol.iterator](); } }",
        },
        "javascript",
    ),
    Task(
        "fetchAll",
        """
import test from "node:test";
import assert from "node:assert/strict";
import { later, sum } from "./solution.mjs";

test("waits", async () => {
  assert.equal(await later(5), 5);
});
test("rejects", async () => {
  await assert.rejects(() => later(-1), TypeError);
});
test("together", async () => {
  assert.deepEqual(await Promise.all([later(1), later(2)]), [1, 2]);
});
test("generators", async () => {
  const found = [];
  for await (const value of sum([1, 2])) found.push(value);
  assert.deepEqual(found, [1, 3]);
});
""",
        (
            "export async function later(value) {\n"
            "  await new Promise((done) => setTimeout(done, 5));\n"
            "  if (value < 0) throw new TypeError('negative');\n"
            "  return value;\n}\n"
            "export async function* sum(values) {\n"
            "  let total = 0;\n"
            "  for (const value of values) yield (total += value);\n}",
        ),
        {
            "never rejects": "export const later = async (value) => value;\n"
            "export async function* sum(values) { let n = 0; for (const v of values) yield (n += v); }",
            "no sum": "export async function later(value) {\n"
            "  if (value < 0) throw new TypeError(); return value;\n}\n"
            "export async function* sum(values) { yield* values; }",
            "hangs": "export const later = (value) => new Promise(() => {});\n"
            "export async function* sum(values) { yield* values; }",
        },
        "javascript",
    ),
    Task(
        "in place",
        """
const list = [3, 1, 2];
assert.strictEqual(sortInPlace(list), list);
assert.deepStrictEqual(list, [1, 2, 3]);
const record = { a: 1, b: { c: 2 } };
rename(record, "a", "z");
assert.deepStrictEqual(record, { b: { c: 2 }, z: 1 });
const seen = new Map();
count(seen, "x"); count(seen, "x");
assert.strictEqual(seen.get("x"), 2);
""",
        (
            "const sortInPlace = (list) => list.sort((a, b) => a - b);\n"
            "function rename(record, from, to) {\n"
            "  record[to] = record[from];\n  delete record[from];\n}\n"
            "function count(seen, key) { seen.set(key, (seen.get(key) || 0) + 1); }",
        ),
        {
            "copies": "const sortInPlace = (list) => [...list].sort();\n"
            "const rename = (record, from, to) => ({ ...record, [to]: record[from] });\n"
            "const count = (seen, key) => new Map([[key, 1]]);",
            "keeps the old name": "const sortInPlace = (list) => list.sort();\n"
            "function rename(record, from, to) { record[to] = record[from]; }\n"
            "function count(seen, key) { seen.set(key, (seen.get(key) || 0) + 1); }",
        },
        "javascript",
    ),
    Task(
        "functions",
        """
assert.deepStrictEqual(mapValues({ a: 1, b: 2 }, (value, key) => `${key}${value * 2}`), { a: "a2", b: "b4" });
const add = curry((a, b, c) => a + b + c, 3);
assert.strictEqual(add(1)(2)(3), 6);
assert.strictEqual(add(1, 2)(3), 6);
let calls = 0;
const once = memoize((n) => { calls += 1; return n * n; });
assert.strictEqual(once(4) + once(4), 32);
assert.strictEqual(calls, 1);
assert.throws(() => mapValues({ a: 1 }, () => { throw new Error("mine"); }), /mine/);
""",
        (
            "function mapValues(record, f) {\n"
            "  return Object.fromEntries(Object.entries(record).map(([k, v]) => [k, f(v, k)]));\n}\n"
            "function curry(f, n) {\n"
            "  return (...args) => args.length >= n ? f(...args) : curry((...more) => f(...args, ...more), n - args.length);\n}\n"
            "function memoize(f) {\n"
            "  const known = new Map();\n"
            "  return (n) => { if (!known.has(n)) known.set(n, f(n)); return known.get(n); };\n}",
        ),
        {
            "calls again": "function mapValues(record, f) {\n"
            "  return Object.fromEntries(Object.entries(record).map(([k, v]) => [k, f(v, k)]));\n}\n"
            "const curry = (f) => (a, b) => b === undefined ? (b) => (c) => f(a, b, c) : (c) => f(a, b, c);\n"
            "const memoize = (f) => f;",
            "no key": "function mapValues(record, f) {\n"
            "  for (const key in record) record[key] = f(record[key]); return record;\n}\n"
            "const curry = (f) => f; const memoize = (f) => f;",
        },
        "javascript",
    ),
    Task(
        "plain values",
        """
assert.strictEqual(big(), 2n ** 70n);
assert.ok(Number.isNaN(mean([])));
assert.ok(Object.is(zero(), -0));
assert.strictEqual(nothing(), undefined);
assert.strictEqual(none(), null);
assert.deepStrictEqual(unique([1, 1, 2]), new Set([1, 2]));
assert.deepStrictEqual(day(), new Date(Date.UTC(2024, 1, 29)));
assert.ok(pattern().test("abc"));
assert.deepStrictEqual(bytes(), new Uint8Array([1, 2]));
assert.strictEqual(text(), "größe \\u{1F600}");
""",
        (
            "const big = () => 1n << 70n;\n"
            "const mean = (v) => v.reduce((a, b) => a + b, 0) / v.length;\n"
            "const zero = () => -0;\nconst nothing = () => {};\nconst none = () => null;\n"
            "const unique = (v) => new Set(v);\nconst day = () => new Date(Date.UTC(2024, 1, 29));\n"
            "const pattern = () => /^a.c$/i;\nconst bytes = () => Uint8Array.of(1, 2);\n"
            "const text = () => 'größe \\u{1F600}';",
        ),
        {
            "rounded": "const big = () => 2 ** 70;\nconst mean = () => 0;\nconst zero = () => 0;\n"
            "const nothing = () => null;\nconst none = () => undefined;\n"
            "const unique = (v) => [...v];\nconst day = () => '2024-02-29';\n"
            "const pattern = () => 'abc';\nconst bytes = () => [1, 2];\nconst text = () => '';",
        },
        "javascript",
    ),
    Task(
        "groups",
        """
describe("groupBy", () => {
  it("groups by a function", () => {
    assert.deepStrictEqual(groupBy([1, 2, 3], (n) => (n % 2 ? "odd" : "even")),
      { odd: [1, 3], even: [2] });
  });
  it("has no groups for nothing", () => {
    assert.deepStrictEqual(groupBy([], (n) => n), {});
  });
  it("keeps the order", () => {
    assert.deepStrictEqual(Object.keys(groupBy(["b", "a"], (n) => n)), ["b", "a"]);
  });
});
""",
        (
            "function groupBy(items, of) {\n"
            "  const found = {};\n"
            "  for (const item of items) (found[of(item)] ??= []).push(item);\n"
            "  return found;\n}",
        ),
        {
            "a map": "const groupBy = (items, of) => items.reduce((found, item) =>\n"
            "  found.set(of(item), [...(found.get(of(item)) || []), item]), new Map());",
            "sorted": "function groupBy(items, of) {\n"
            "  const found = {};\n"
            "  for (const item of [...items].sort()) (found[of(item)] ??= []).push(item);\n"
            "  return found;\n}",
        },
        "javascript",
    ),
    Task(
        "roman",
        """
for (const [number, text] of [[1, "I"], [4, "IV"], [1994, "MCMXCIV"], [3999, "MMMCMXCIX"]]) {
  assert.strictEqual(roman(number), text);
}
""",
        (
            "const SIGNS = [[1000,'M'],[900,'CM'],[500,'D'],[400,'CD'],[100,'C'],[90,'XC'],[50,'L'],\n"
            "  [40,'XL'],[10,'X'],[9,'IX'],[5,'V'],[4,'IV'],[1,'I']];\n"
            "function roman(n) {\n"
            "  for (const [value, sign] of SIGNS) if (n >= value) return sign + roman(n - value);\n"
            "  return '';\n}",
        ),
        {
            "no subtraction": "function roman(n) {\n"
            "  let found = '';\n"
            "  for (const [v, s] of [[1000,'M'],[500,'D'],[100,'C'],[50,'L'],[10,'X'],[5,'V'],[1,'I']])\n"
            "    while (n >= v) { found += s; n -= v; }\n  return found;\n}",
            "a syntax error": "function roman(n) { return 'I'.repeat(n }",
            "a wrong type": "const roman = (n) => [...'I'.repeat(n)];",
        },
        "javascript",
    ),
)
TASKS = PYTHON + JAVASCRIPT
