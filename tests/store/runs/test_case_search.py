"""Search in questions and answers gives the same in both databases, and what a plain loop finds."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmaker.errors import StoreError
from benchmaker.record import Completion, Outcome
from benchmaker.spec import Case, Suite
from tests.store.filled import a_run, a_trial, put

pytestmark = pytest.mark.postgresql("case-search")

TEXTS = (
    "The answer is 42.", "100% sure_ly", "Größe \x00 \ud800 ende", 'say "yes"\n', "a/b\\c", "",
    "X" * 700, "a \x1a0000 \x1aD800 c", "Ends in \ud800",
)  # fmt: skip


def asked(at):
    """The question of a case; it holds no lone surrogate, as questions never do."""
    return f"Q{at}? {TEXTS[at][:90]}".replace("\ud800", "")


@pytest.fixture
def stored(store):
    cases = [
        Case(id=f"case-{at}", prompt=asked(at), tags=(f"t{at}",), category="k")
        for at in range(len(TEXTS))
    ]
    suite = Suite("texts", cases)
    store.put_suite(suite)
    store.add_run(a_run(suite))
    put(store, *(
        a_trial(at, model, outcome=Outcome.SCORED, completion=Completion(text=text[::turn]))
        for at, text in enumerate(TEXTS)
        for model, turn in (("model-a", 1), ("model-b", -1))
    ))  # fmt: skip
    return store


def lowered(text):
    return "".join(chr(ord(it) + 32) if "A" <= it <= "Z" else it for it in text)


def plain_search(text):
    return tuple(
        at
        for at, said in enumerate(TEXTS)
        if any(lowered(text) in lowered(one) for one in (f"case-{at}", asked(at), said, said[::-1]))
    )


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.sampled_from(TEXTS).flatmap(lambda it: st.integers(0, len(it)).flatmap(
    lambda first: st.integers(1, 8).map(lambda size: it[first : first + size]))))  # fmt: skip
def test_the_search_finds_what_a_loop_finds(stored, text):
    if text:
        assert stored.case_search.positions(["run-1"], text).positions == plain_search(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ANSWER", (0,)), ("%", (1,)), ("_", (1,)), ("grÖße", ()), ("größE", (2,)),
        ("Größe", (2,)), ('"yes"', (3,)),
        ("\\", (4,)), ("/", (4,)), ("\x00", (2,)), ("\ud800", (2, 8)), ("q5", (5,)), ("prompt", ()),
        ("0000", (7,)), ("d8", (7,)), ("\x1a", (7,)), ("\x1ad", (7,)), ("\x1a\x1a", ()),
    ],
)  # fmt: skip
def test_letters_match_in_either_case_and_signs_as_they_are(stored, text, found):
    assert stored.case_search.positions(["run-1"], text).positions == found


def test_labels_are_those_of_the_cases(stored):
    found = list(stored.case_search.labels(stored.run("run-1").suite_hash))
    assert [one.position for one in found] == list(range(len(TEXTS)))
    assert {one.category for one in found} == {"k"}
    assert [one.tags for one in found] == [(f"t{at}",) for at in range(len(TEXTS))]


def test_a_part_of_an_answer_begins_before_its_match(stored):
    part = stored.case_search.texts(
        ["run-1"], [0, 6], models=["model-a"], limit=10, around="ANSWER", before=4
    )
    assert part[0, "model-a"] == ("The answer", True, False)
    assert part[6, "model-a"] == ("X" * 10, True, False)
    part = stored.case_search.texts(
        ["run-1"], [0], models=["model-a", "model-x"], limit=10, around="is 42", before=4
    )
    assert part == {(0, "model-a"): ("wer is 42.", False, True)}


def test_a_part_of_an_answer_with_escaped_characters_is_cut_between_characters(stored):
    part = stored.case_search.texts(
        ["run-1"], [2, 7, 8], models=["model-a"], limit=5, around="e", before=3
    )
    assert part[2, "model-a"] == ("Größe"[1:] + " ", False, False)
    assert part[7, "model-a"] == ("a \x1a00", True, False)
    assert part[8, "model-a"] == ("Ends ", True, False)
    part = stored.case_search.texts(
        ["run-1"], [2, 7, 8], models=["model-a"], limit=7, around="\ud800", before=3
    )
    assert part[2, "model-a"] == (" \x00 \ud800 en", False, False)
    assert part[7, "model-a"] == ("a \x1a0000", True, False)
    assert part[8, "model-a"] == ("in \ud800", False, True)


def test_an_unknown_run_is_refused(stored):
    with pytest.raises(StoreError):
        stored.case_search.positions(["nobody"], "x")
