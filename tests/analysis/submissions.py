"""Rows of figures for tests of baselines, composites and boards."""

import random

from hypothesis import strategies as st

from benchmaker.record.submissions.metrics import Metrics
from benchmaker.record.submissions.submission import EvidenceLevel, Status

CATEGORIES = ("debugging", "refactoring", "poetry", None)
TASKS = ("t1", "t2", "t3")
SYSTEMS = ("a", "b", "c", "d")


def a_row(number=0, **given):
    """A verified success with every figure."""
    usual = {
        "submission_id": f"s{number:04d}",
        "task_id": "t1",
        "category": "debugging",
        "difficulty": "advanced",
        "system": "a",
        "tool": "claude_code",
        "model": "m",
        "finished_us": 1_000_000 * number,
        "total_tokens": 5_000 + 100 * number,
        "fresh_tokens": 500 + 10 * number,
        "cost_weighted": 700 + 10 * number,
        "tool_calls": 5 + number % 7,
        "iterations": 1 + number % 3,
        "seconds": 60.0 + number,
        "cost": 0.01 + 0.001 * number,
        "correctness": 1.0,
        "required_passed": True,
        "success": True,
        "evidence_level": EvidenceLevel.VERIFIED,
        "outcome": Status.COMPLETED,
    }
    return Metrics(**(usual | given))


def random_rows(seed, count, *, tasks=TASKS, systems=SYSTEMS):
    """Rows of every kind: missing, zero, equal and impossible figures, failures, ties in time."""
    draw = random.Random(seed)  # noqa: S311  a test's dice
    return [_random_row(draw, number, tasks, systems) for number in range(count)]


def _random_row(draw, number, tasks, systems):
    task, system = draw.choice(tasks), draw.choice(systems)

    def maybe(value, missing=0.15):
        return None if draw.random() < missing else value

    success = maybe(draw.random() < 0.7)
    return a_row(
        number,
        task_id=task,
        category=CATEGORIES[tasks.index(task) % len(CATEGORIES)],
        difficulty=draw.choice(["beginner", "intermediate", "advanced", "odd", None]),
        system=system,
        tool=system.upper(),
        model=maybe("m" + system),
        effort=maybe("high"),
        submitter=draw.choice(["x", "y"]),
        finished_us=maybe(draw.randrange(20) * 86_400_000_000),
        total_tokens=maybe(draw.choice([0, 5000, draw.randrange(100_000)])),
        fresh_tokens=maybe(draw.choice([0, 700, draw.randrange(10_000)])),
        cost_weighted=maybe(draw.uniform(0, 9_000)),
        tool_calls=maybe(draw.choice([0, 1, draw.randrange(60)])),
        iterations=maybe(draw.choice([1, 1, 2, 3, 9])),
        seconds=maybe(draw.choice([0, 60, draw.uniform(1, 2_000)])),
        cost=maybe(
            draw.choice([0, 0.05, -0.1 if draw.random() < 0.02 else 0.1, draw.uniform(0, 1)])
        ),
        correctness=maybe(draw.choice([0, 0.5, 1, draw.random()])),
        required_passed=maybe(draw.random() < 0.7),
        success=success,
        evidence_level=draw.choice(
            [*EvidenceLevel, EvidenceLevel.VERIFIED, EvidenceLevel.VERIFIED]
        ),
        outcome=draw.choice([*Status, *[Status.COMPLETED] * 9]),
        quarantined=draw.random() < 0.05,
    )


def shuffled(rows, seed):
    """The same rows in another order."""
    other = list(rows)
    random.Random(seed).shuffle(other)  # noqa: S311  a test's dice
    return other


SEEDS = st.integers(0, 2**32)
