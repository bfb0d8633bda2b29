import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import SpecError
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.yaml import read_yaml


def read(text, **limits):
    findings = Findings()
    document = read_yaml(text, "f", limits=Limits(**limits), findings=findings)
    return document, [str(one) for one in findings.items]


def data(text):
    document, findings = read(text)
    assert findings == []
    return document.data


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("NO", "NO"),
        ("yes", "yes"),
        ("on", "on"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("", None),
        ("12", 12),
        ("007", 7),
        ("0x1F", 31),
        ("0o17", 15),
        ("1.50", 1.5),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("1_000", "1_000"),
        ("12:30:45", "12:30:45"),
        ("2024-01-31", "2024-01-31"),
        ("'12'", "12"),
        ('"true"', "true"),
        ("nan", "nan"),
    ],
)
def test_scalars_follow_yaml_1_2(text, value):
    found = data(f"a: {text}")["a"]
    assert found == value
    assert type(found) is type(value)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text("abc NOyes:#'\"-[]{}", max_size=9),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.text("abc", min_size=1), inner, max_size=4)
        ),
        max_leaves=12,
    )
)
def test_json_in_yaml_reads_as_the_json_module_reads_it(value):
    assert data(json.dumps({"top": value})) == {"top": value}


def test_every_value_keeps_its_place_and_numbers_their_text():
    document, _ = read("name: x\ncases:\n  - id: a\n    expected: 1.50\n  - {id: 07, n: True}\n")
    root = document.root
    assert root.find(("cases", 0, "expected")).source == "1.50"
    assert (
        root.find(("cases", 0, "expected")).line,
        root.find(("cases", 0, "expected")).column,
    ) == (
        4,
        15,
    )
    assert root.find(("cases", 0)).keys["expected"] == (4, 5)
    assert root.find(("cases", 1, "id")).source == "07"
    assert root.find(("cases", 1, "n")).source == "True"
    assert root.find(("name",)).source is None


def test_an_anchor_may_be_used_a_few_times():
    document, findings = read("a: &x {n: 1.50}\nb: *x\nc: [*x, *x]\n")
    assert findings == []
    assert document.data["c"] == [{"n": 1.5}, {"n": 1.5}]
    assert document.root.find(("c", 1, "n")).source == "1.50"
    assert document.root.find(("b",)).line == 2


LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 10)
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (LAUGHS, "f:6:40: the document has more than 500,000 values"),
        ("a: &a 1\nb: [" + "*a, " * 101 + "]", "more than 100 aliases are used"),
        ("a: &a [*a]", "f:1:8: the alias *a is inside its own anchor"),
        ("a: *b", "f:1:4: the alias *b has no anchor. Write &b."),
        ("[" * 60, "f:1:51: values are nested more than 50 deep"),
        ("- " * 60, "nested more than 50 deep"),
        ("? " * 60, "nested more than 50 deep"),
        ("a: 1\n---\nb: 2", "f:2:1: a second document starts here"),
        ("a: [1,\nb: }", "f:2:4: invalid YAML: while parsing a flow node"),
        ("a: 'x", "invalid YAML: while scanning a quoted scalar"),
        ("\ta: 1", "f:1:1: tabs are"),
        ("a: b: c", "f:1:5: unexpected colon with a space after it, which starts a value"),
        ("a: \x07", "f:1:4: the control character U+0007 is not allowed. Remove it."),
        ("ab\n: \x00", "f:2:3: the control character U+0000 is not allowed"),
        ('a: "\\U99999999"', "invalid YAML"),
    ],
    ids=lambda text: text[:12],
)
def test_what_can_not_be_read_ends_the_reading(text, words):
    with pytest.raises(SpecError) as caught:
        read(text)
    assert words in str(caught.value)


def test_deep_aliases_count_as_depth():
    text = "a: &a " + "[" * 30 + "]" * 30 + "\nb: " + "[" * 30 + "*a" + "]" * 30
    with pytest.raises(SpecError, match="nested more than 50 deep"):
        read(text)


def test_faults_that_can_be_stepped_over_are_all_found():
    _, findings = read(
        "a: !!python/object/apply:os.system ['id']\n"
        "b: !local 3\n"
        "c: .nan\n"
        "d: -.inf\n"
        "a: 5\n"
        "? [x, y]\n"
        ": 7\n"
        "e: 1e999\n"
    )
    assert findings == [
        "f:1:4: unsupported tag !!python/object/apply:os.system. Remove the tag.",
        "f:2:4: unsupported tag !local. Remove the tag.",
        "f:3:4: .nan is not a valid number. If you mean text, put it in quotes.",
        "f:4:4: -.inf is not a valid number. If you mean text, put it in quotes.",
        "f:5:1: duplicate key 'a'; first at line 1, column 1. Remove one of them.",
        "f:6:3: keys must be plain text.",
        "f:8:4: 1e999 is too large. If you mean text, put it in quotes.",
    ]


def test_an_empty_text_is_nothing():
    assert data("") is None
    assert data("# only a remark\n") is None


@given(st.text(max_size=60) | st.text("{}[]:,&*!|>'\"%@`-?#ab \n\t", max_size=60))
def test_no_text_raises_anything_but_a_spec_error(text):
    try:
        read(text)
    except SpecError as exc:
        assert exc.findings  # noqa: PT017  most texts raise nothing


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("note: Say: hi", 'note: "Say: hi"'),
        ('- note: Say "x": now', r'note: "Say \"x\": now"'),
        ("note: Say: hi: there", 'note: "Say: hi: there"'),
    ],
)
def test_a_stray_colon_is_quoted_in_the_text_that_has_it(line, hint):
    with pytest.raises(SpecError) as caught:
        read(line)
    assert hint in str(caught.value)
