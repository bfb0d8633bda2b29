"""The selection of cases equals a plain filter."""

import json
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.engine.runs.case_selection import sample_cases
from benchmaker.engine.trials.plan import count_selected, select_cases
from benchmaker.errors import SpecError
from benchmaker.record import Selection
from benchmaker.spec import Case, Suite
from benchmaker.spec.suites.load import load_suite

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
    plain = [Case(id=f"a/{n}", prompt="?", vars={"n": n}, group="a") for n in (1, 2)]
    suite = Suite("s", plain, scorer="exact")
    assert [case.written_id for case in suite.cases] == ["a/1", "a/2"]
    first = select_cases(suite.cases, Selection(limit=1))
    assert [case.id for _, case in first] == ["a/1"]
    assert count_selected(suite.cases, Selection(cases=("a",))) == 0
    assert len(sample_cases(suite.cases, 1, seed=1)) == 1


def test_expansions_of_an_id_with_a_slash_are_one_case():
    written = [{"id": name, "prompt": "?", "vars": {"n": [1, 2]}} for name in ("a", "a/1")]
    suite = Suite("s", written, scorer="exact")
    found = [(case.id, case.written_id, case.group) for case in suite.cases]
    assert found == [
        ("a/1", "a", "a"),
        ("a/2", "a", "a"),
        ("a/1/1", "a/1", "a/1"),
        ("a/1/2", "a/1", "a/1"),
    ]
    stored = Suite.of_header(suite.header(), suite.cases)
    assert [case.written_id for case in stored.cases] == [name for _, name, _ in found]


@pytest.mark.parametrize("names", [("a", "a/2"), ("a/2", "a")])
def test_an_expansion_and_a_written_case_of_one_id_are_refused(tmp_path, names):
    lists = {"a": {"vars": {"n": [1, 2]}}}
    lines = [{"id": name, "prompt": "?", "expected": "x", **lists.get(name, {})} for name in names]
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (tmp_path / "s.yaml").write_text("name: s\nscorer: exact\ncases: {file: c.jsonl}\n")
    with pytest.raises(SpecError, match="duplicate id 'a/2'; first at"):
        load_suite(tmp_path / "s.yaml")


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


@pytest.mark.parametrize(
    "use", ["{} > 60", "{} <= 60", "60 > {}", "{} + 1", "1 - {}", "{} // 2", "-{}", "{}[0]", "{}()"]
)
def test_a_mistyped_variable_names_the_nearest_one_however_it_is_used(use):
    cases = [Case(id="a", prompt="?", vars={"price": 70})]
    with pytest.raises(SpecError, match=r"undefined field 'prise' for case 'a'") as caught:
        count_selected(cases, Selection(filter=use.format("vars.prise")))
    assert "Did you mean 'price'?" in str(caught.value)


def test_a_variable_without_its_prefix_is_named_with_it():
    with pytest.raises(SpecError, match=r"For a variable of the cases, write vars\.prise\."):
        count_selected([Case(id="a", prompt="?")], Selection(filter="prise > 60"))
