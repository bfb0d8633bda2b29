"""Pairs of checks of tool calls and steps that exclude each other: no transcript passes both."""

import asyncio
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.scoring.build import build
from benchmaker.scoring.checks.conflicts import conflicts
from benchmaker.spec import CheckSpec, profile
from benchmaker.spec.suites.check_spec import scorer_of_checks
from benchmaker.testing import a_case, a_completion, a_transcript, a_trial
from tests.draws import draws

ROBUST = profile("robust")
CALLS = [("a", {}), ("a", {"x": 1}), ("a", {"x": 1, "y": 2}), ("b", {"x": 1})]
TRIALS = [
    a_trial(completion=a_completion("ok", transcript=a_transcript(*calls)))
    for size in range(4)
    for calls in product(CALLS, repeat=size)
]
TIMES = st.none() | st.integers(0, 3) | st.builds(
    lambda low, more: {"min": low, "max": low + more}, st.integers(0, 2), st.integers(0, 2)
)  # fmt: skip


@st.composite
def checks(draw):
    """A check of calls or of steps."""
    given = {"not": draw(st.booleans())}
    if draw(st.integers(0, 3)) == 0:
        return given | {"type": "steps", "max": draw(st.integers(1, 4))}
    given |= {"type": "tool_called", "value": draw(st.sampled_from("ab"))}
    arguments = st.sampled_from([None, {}, {"x": 1}, {"x": 1, "y": 2}])
    found = {"arguments": draw(arguments), "times": draw(TIMES)}
    return given | {name: it for name, it in found.items() if it is not None}


def exclude(first, second):
    pair = [CheckSpec.model_validate(it) for it in (first, second)]
    return bool(list(conflicts(pair, None, ROBUST.family)))


@settings(max_examples=draws(100, 600), deadline=None)
@given(checks(), checks())
def test_no_transcript_passes_two_checks_that_exclude_each_other(first, second):
    if not exclude(first, second):
        return
    pair = [CheckSpec.model_validate(it) for it in (first, second)]
    scorer = build(scorer_of_checks(None, pair, None), ROBUST)

    async def passing():
        return [it for it in TRIALS if (await scorer.score(a_case(), it)).score != 0.0]

    assert asyncio.run(passing()) == []


def called(**more):
    return {"type": "tool_called", "value": "a", **more}


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        (called(times=2), called(times=3), True),
        (called(), called(times=0), True),
        (called(arguments={"x": 1}, times={"min": 3}), called(times={"max": 2}), True),
        (called(arguments={"x": 1, "y": 2}, times=2), called(arguments={"x": 1}, times=1), True),
        (called(arguments={"x": 1}), called(**{"not": True}), True),
        ({"type": "steps", "max": 2}, {"type": "steps", "max": 3, "not": True}, True),
        (called(times=3), called(arguments={"x": 1}, times={"max": 2}), False),
        (called(times=2), {**called(times=3), "value": "b"}, False),
        ({"type": "steps", "max": 3}, {"type": "steps", "max": 2, "not": True}, False),
        (called(times=2), called(times=3, **{"not": True}), False),
    ],
)
def test_pairs_are_found_by_their_ranges(first, second, wanted):
    assert exclude(first, second) is wanted
    assert exclude(second, first) is wanted
