"""Checks that are said to exclude each other: no answer of a small world passes both."""

import asyncio
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchmaker.scoring.build import build
from benchmaker.scoring.check import check_suite
from benchmaker.scoring.checks.conflicts import conflicts
from benchmaker.spec import CheckSpec, Suite, profile
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


SPACED = {"value": " b", "ignore_case": False}


@settings(max_examples=draws(150, 600), deadline=None)
@given(checks(), checks())
@example({"type": "contains", "not": True} | SPACED, {"type": "equals", "not": False} | SPACED)
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
        ({"type": "equals", "value": "one two"}, {"type": "word_count", "min": 3}),
        ({"type": "equals", "value": "One. Two."}, {"type": "sentence_count", "max": 1}),
        ({"type": "equals", "value": "One."}, {"type": "sentence_count", "max": 1, "not": True}),
        ({"type": "regex", "pattern": "^(yes|no)$"}, {"type": "word_count", "min": 2}),
        ({"type": "equals", "value": "yes"}, {"type": "json"}),
        ({"type": "equals", "value": "a cat"}, {"type": "levenshtein", "value": "no dog"}),
        ({"type": "equals", "value": "a cat"}, {"type": "f1", "value": "a cat", "not": True}),
        ({"type": "equals", "value": "a cat"}, {"type": "rouge_1", "value": "cat", "threshold": 1}),
        ({"type": "equals", "value": "I can't help."}, {"type": "refusal", "not": True}),
        ({"type": "contains_all", "value": ["a", "b"]},
         {"type": "contains_any", "value": ["b", "c"], "not": True}),
    ],
)  # fmt: skip
def test_pairs_that_no_answer_passes_are_reported(pair):
    first, second = (CheckSpec.model_validate(it) for it in pair)
    for checks in ([first, second], [second, first]):
        [fault] = conflicts(checks, None, profile("robust").family)
        assert fault.message.startswith("this check and ")
        assert fault.message.endswith(" cannot both pass.")


@pytest.mark.parametrize(
    "pair",
    [
        ({"type": "equals", "value": "one two"}, {"type": "word_count", "min": 2}),
        ({"type": "equals", "value": "a cat", "ignore_case": True}, {"type": "refusal"}),
        ({"type": "equals", "value": "[1]"}, {"type": "json", "not": True}),
        ({"type": "equals", "value": ["yes", "one two"]}, {"type": "word_count", "min": 2}),
        ({"type": "equals", "value": "a cat"}, {"type": "levenshtein"}),
    ],
)
def test_pairs_that_an_answer_may_pass_are_not(pair):
    checks = [CheckSpec.model_validate(it) for it in pair]
    assert list(conflicts(checks, None, profile("robust").family)) == []


def test_partial_credit_beside_a_failed_check_may_reach_a_threshold():
    pair = ({"type": "equals", "value": "a cat"}, {"type": "levenshtein", "value": "a cow"})
    checks = [CheckSpec.model_validate(it) for it in pair]
    assert list(conflicts(checks, 0.8, profile("robust").family)) == []


A = {"type": "contains", "value": "a"}
NOT_A = {**A, "not": True}
OPPOSITES = "this check and contains 'a' cannot both pass."
WEIGHTLESS = {**A, "weight": 0}


def objections(*checks, **suite):
    """The messages of validation, with the index of the check."""
    made = Suite("s", [{"id": "a", "prompt": "?"}], checks=list(checks), **suite)
    return [f"{it.message}" for it in check_suite(made)]


@pytest.mark.parametrize(
    "checks",
    [
        [{**A, "weight": 0}],
        [{**A, "weight": 0}, {**NOT_A, "weight": 0}],
        [A, {"type": "set", "checks": [{**A, "weight": 0}]}],
        [A, {"type": "set", "not": True, "checks": [A, {"type": "set", "checks": [WEIGHTLESS]}]}],
    ],
)  # fmt: skip
def test_checks_that_give_no_score_are_refused(checks):
    for suite in ({}, {"threshold": 0.5}):
        assert objections(*checks, **suite) == [
            "no answer can get a score: all checks have weight 0."
        ]


def test_checks_of_weight_0_for_all_cases_are_completed_by_those_of_each_case():
    case = {"id": "a", "prompt": "?", "checks": [A]}
    assert check_suite(Suite("s", [case], checks=[{**A, "weight": 0}])) == []


def test_not_with_threshold_0_is_refused_where_it_has_to_pass():
    check = {"type": "rouge_1", "value": "a", "not": True, "threshold": 0}
    wanted = "no answer can pass: not requires a score below the threshold 0."
    assert objections(check) == [wanted]
    assert objections(A, {"type": "set", "checks": [check]}) == [wanted]
    assert objections(A, check, threshold=0.5) == []
    assert objections(A, {**check, "weight": 0}) == []
    assert objections({**check, "threshold": 0.1}) == []


def test_a_set_that_no_answer_passes_may_be_inverted():
    group = {"type": "set", "checks": [A, NOT_A]}
    assert objections(group) == [OPPOSITES]
    assert objections({**group, "not": True}) == []
    inner = {"type": "set", "checks": [group]}
    assert objections({**inner, "not": True}) == [OPPOSITES]
