"""The selection of cases equals a plain filter."""

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.engine.trials.plan import count_selected, select_cases
from benchmaker.errors import SpecError
from benchmaker.record import Selection
from benchmaker.spec import Case, Suite

LABELS = ("law", "art", "law-2")
EXPRESSIONS = {
    "weight > 1": lambda case: case.weight > 1,
    "category == 'law'": lambda case: case.category == "law",
    "'art' in tags or id.startswith('c1')": lambda case: (
        "art" in case.tags or case.id.startswith("c1")
    ),
    "vars.n is defined and vars.n % 2 == 0": lambda case: case.vars.get("n", 1) % 2 == 0,
}


@st.composite
def suites(draw):
    """A suite whose cases are expanded into 1 to 3, with labels."""
    written = []
    for number in range(draw(st.integers(1, 8))):
        several = draw(st.integers(0, 3))
        written.append(
            {
                "id": f"c{number}",
                "prompt": "?",
                "expected": "x",
                "category": draw(st.none() | st.sampled_from(LABELS)),
                "tags": draw(st.lists(st.sampled_from(LABELS), unique=True)),
                "weight": draw(st.sampled_from([0.5, 1.0, 9.0])),
                "vars": {"n": list(range(several))} if several else {},
            }
        )
    return Suite("s", written, scorer="exact")


def written(case):
    return case.id.split("/")[0]


@given(
    suites(),
    st.tuples(*[st.lists(st.sampled_from(LABELS), max_size=2)] * 2),
    st.sampled_from(["", "c?", "c1", "c1/2", "*/1", "c[02]"]),
    st.none() | st.sampled_from(sorted(EXPRESSIONS)),
    st.none() | st.integers(1, 5),
)
def test_selection_equals_a_plain_filter(suite, labels, pattern, expression, limit):
    categories, tags = labels
    by_pattern = {
        "": lambda _: True,
        "c?": lambda case: len(written(case)) == 2,
        "c1": lambda case: written(case) == "c1",
        "c1/2": lambda case: case.id == "c1/2",
        "*/1": lambda case: case.id.endswith("/1"),
        "c[02]": lambda case: written(case) in {"c0", "c2"},
    }
    passing = [
        case
        for case in suite.cases
        if (not categories or case.category in categories)
        and (not tags or set(tags) & set(case.tags))
        and by_pattern[pattern](case)
        and (expression is None or EXPRESSIONS[expression](case))
    ]
    first = set(islice(dict.fromkeys(map(written, passing)), limit))
    chosen = Selection(
        categories=tuple(categories),
        tags=tuple(tags),
        cases=(pattern,) if pattern else (),
        filter=expression,
        limit=limit,
    )
    expected = [case.id for case in passing if written(case) in first]
    assert [case.id for _, case in select_cases(suite.cases, chosen)] == expected
    assert count_selected(suite.cases, chosen) == len(expected)


def test_a_written_id_with_a_slash_is_no_expansion():
    plain = [Case(id=f"a/{n}", prompt="?", vars={"n": n}) for n in (1, 2)]
    assert [case.written_id for case in plain] == ["a/1", "a/2"]


@pytest.mark.parametrize(
    ("expression", "place", "words"),
    [
        ("categry == 'law'", ":1:1", "Did you mean 'category'?"),
        ("id and  weigth > 1", ":1:9", "Known here: id, tags, category"),
        ("score < 1", ":1:1", "--filter-of RUN"),
        ("id ==", ":1:6", "syntax error"),
        ("id id", ":1:4", "after the expression"),
        ("id ? 1", ":1:4", "unexpected char"),
        ("id\n  and nme", ":2:7", "unknown name 'nme'"),
        ("id }}{{ id", ":1:4", "syntax error"),
        ("id %}{% if id", ":1:", "syntax error"),
        (" ", ":1:1", "the expression is empty"),
        ("id ** 2", ":1:1", "not available"),
        ("id.__class__", ":1:", "'__class__'"),
        ("vars.n == 1", ":1:6", "undefined field 'n' for case 'a'"),
        ("category < 1", ":1:", "for case 'a'"),
    ],
)
def test_a_wrong_expression_is_refused_with_its_place(expression, place, words):
    cases = [Case(id="a", prompt="?")]
    with pytest.raises(SpecError) as caught:
        count_selected(cases, Selection(filter=expression))
    assert f"--filter{place}" in str(caught.value)
    assert words in str(caught.value)
