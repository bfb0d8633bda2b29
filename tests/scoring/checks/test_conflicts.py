"""Checks that are said to exclude each other: no answer of a small world passes both."""

import asyncio
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.scoring.build import build
from benchmaker.scoring.checks.conflicts import conflicts
from benchmaker.spec import CheckSpec, profile
from benchmaker.spec.suites.check_spec import scorer_of_checks
from benchmaker.testing import a_case, a_trial
from tests.draws import draws

SIGNS = "aAb1 \n"
ANSWERS = ["".join(signs) for size in range(4) for signs in product(SIGNS, repeat=size)]
TEXTS = st.text("aAb1", min_size=1, max_size=2) | st.sampled_from(
    ["a ", " b", "a b", "true", "A\n"]
)
VALUES = TEXTS | st.lists(TEXTS, min_size=1, max_size=2)
PATTERNS = st.sampled_from([
    *("^a$", "^(a|b)$", "/^a$/i", "/^a$/m", "[ab]", "^[ab]{2}$", "a+$", "^.a", r"\s", r"^\S+$"),
    *("[^a]", "^1", r"\ba\b", "(?<= )a", "a|b", "^a|b$", r"\d", "(?:ab)?1"),
])  # fmt: skip


@st.composite
def checks(draw):
    """A check of the kinds that may exclude each other."""
    if draw(st.integers(0, 4)) == 0:
        bounds = st.none() | st.integers(0, 3)
        given = {"type": draw(st.sampled_from(["word_count", "sentence_count"]))}
        found = {name: it for name in ("min", "max") if (it := draw(bounds)) is not None}
        return given | {"not": draw(st.booleans())} | (found or {"max": 1})
    kinds = ["equals", "contains", "contains_any", "contains_all", "starts_with", "ends_with"]
    kind = draw(st.sampled_from([*kinds, "equals", "regex", "exact"]))
    given = {"type": kind, "not": draw(st.booleans())}
    if kind == "regex":
        return given | {"pattern": draw(PATTERNS)}
    if kind == "exact":
        return given | {"value": draw(TEXTS)}
    if kind == "equals" and draw(st.booleans()):
        return given | {"value": draw(st.sampled_from([1, 11, True, None, [1, "a"], {"a": 1}]))}
    return given | {"value": draw(VALUES), "ignore_case": draw(st.booleans())}


@settings(max_examples=draws(150, 600), deadline=None)
@given(checks(), checks())
def test_no_answer_passes_two_checks_that_exclude_each_other(first, second):
    pair = [CheckSpec.model_validate(it) for it in (first, second)]
    classic = profile("classic")
    if not list(conflicts(pair, None, classic.family)):
        return
    scorer = build(scorer_of_checks(None, pair, None), classic)
    passed = asyncio.run(passing(scorer))
    assert passed == [], (first, second)


async def passing(scorer):
    """The answers that pass."""
    trials = [a_trial(text=it) for it in ANSWERS]
    scores = [await scorer.score(a_case(expected="a"), it) for it in trials]
    return [it for it, score in zip(ANSWERS, scores, strict=True) if score.score != 0.0]


@pytest.mark.parametrize(
    "pair",
    [
        ({"type": "word_count", "min": 5}, {"type": "word_count", "max": 3}),
        ({"type": "contains_all", "value": ["a", "b"]},
         {"type": "contains_any", "value": ["b", "c"], "not": True}),
    ],
)  # fmt: skip
def test_pairs_that_no_answer_passes_are_reported(pair):
    first, second = (CheckSpec.model_validate(it) for it in pair)
    for checks in ([first, second], [second, first]):
        [fault] = conflicts(checks, None, profile("robust").family)
        assert fault.message == "this check and check 1 cannot both pass."
