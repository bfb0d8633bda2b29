import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import SpecError
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.strict_json import (
    decode_object,
    decode_source,
    item_texts,
    read_json,
)

ANY_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)


def read(text, start=(1, 1), **limits):
    findings = Findings()
    document = read_json(text, "f", limits=Limits(**limits), findings=findings, start=start)
    return document, [str(one) for one in findings.items]


@given(ANY_JSON, st.sampled_from([None, 1]), st.booleans())
def test_sound_json_reads_as_the_json_module_reads_it(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    document, findings = read(text)
    assert (document.data, findings) == (value, [])


@given(st.text(max_size=40) | st.text('{}[]:,"\\ue0 1-.tfn', max_size=40))
def test_the_verdict_on_any_text_agrees_with_the_json_module(text):
    def ours():
        try:
            document, findings = read(text)
        except SpecError as exc:
            assert exc.findings  # noqa: PT017  most texts raise nothing
            return "refused"
        return "refused" if findings else document.data

    def theirs():
        try:
            return json.loads(text, object_pairs_hook=once, parse_constant=refuse)
        except ValueError:
            return "refused"

    assert ours() == theirs()


def once(pairs):
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)


def refuse(_name):
    raise ValueError


def test_values_keep_place_and_text():
    document, _ = read('{\n "a": [1.50, true,\n  {"b": null}]}')
    assert document.root.find(("a", 0)).source == "1.50"
    assert document.root.find(("a", 1)).source == "true"
    assert (document.root.find(("a", 2, "b")).line, document.root.find(("a", 2, "b")).column) == (
        3,
        9,
    )
    assert document.root.find(("a", 2)).keys["b"] == (3, 4)


def test_big_whole_numbers_keep_their_text():
    document, _ = read('{"a": 123456789012345678901234567890}')
    assert document.root.find(("a",)).source == "123456789012345678901234567890"
    assert document.data["a"] == 123456789012345678901234567890


def test_places_count_from_where_the_text_begins():
    document, _ = read('{"a":\n1}', start=(7, 11))
    assert (document.root.line, document.root.column) == (7, 11)
    assert (document.root.find(("a",)).line, document.root.find(("a",)).column) == (8, 1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "f:1:1: invalid JSON: the file is empty"),
        ('{"a": 1', "unexpected end of file. The file may be truncated."),
        ('{"a": 1,}', "f:1:9: invalid JSON: missing key in double quotes. Check for a comma"),
        ("{'a': 1}", "missing key in double quotes"),
        ('{"a" 1}', "f:1:6: invalid JSON: missing colon"),
        ("[1 2]", "f:1:4: invalid JSON: missing comma or ]"),
        ('{"a": x}', "f:1:7: invalid JSON: missing or unquoted value"),
        ('["a\nb"]', "invalid JSON: invalid control character"),
        ('["abc', "f:1:2: invalid JSON: unterminated string"),
        ("[1] [2]", "f:1:5: invalid JSON: unexpected text after the end of the value"),
        ("[" * 100, "f:1:51: values are nested more than 50 deep"),
        ("[01]", "missing comma or ]"),
        ('["\\x"]', "invalid \\escape"),
    ],
)
def test_wrong_syntax_is_named_with_its_place(text, words):
    with pytest.raises(SpecError) as caught:
        read(text)
    assert words in str(caught.value)


def test_faults_that_can_be_stepped_over_are_all_found():
    _, findings = read('{"a": NaN, "b": -Infinity, "a": 1, "c": 1e999, "d": ' + "9" * 5000 + "}")
    assert findings == [
        "f:1:7: NaN is not a valid number. If you mean text, put it in quotes.",
        "f:1:17: -Infinity is not a valid number. If you mean text, put it in quotes.",
        "f:1:28: duplicate key 'a'; first at line 1, column 2. Remove one of them.",
        "f:1:41: 1e999 is too large. If you mean text, put it in quotes.",
        "f:1:53: the number is too long (5000 digits). If you mean text, put it in quotes.",
    ]


def test_the_number_of_values_is_bounded():
    with pytest.raises(SpecError, match="more than 10 values"):
        read("[" + "1," * 20 + "1]", values=10)


@given(st.dictionaries(st.text(), ANY_JSON, max_size=4))
def test_lines_decode_fast_to_the_same(value):
    assert decode_object(json.dumps(value), limits=Limits()) == value


@pytest.mark.parametrize(
    "text",
    [
        "[1]",
        "1",
        '{"a": 1, "a": 2}',
        '{"a": NaN}',
        '{"a": 1e999}',
        '{"a": ' + "[" * 60 + "]" * 60 + "}",
        "[" * 100_000,
        '{"a": ' + "9" * 5000 + "}",
    ],
    ids=lambda text: text[:20],
)
def test_lines_are_refused_where_the_strict_reader_objects(text):
    with pytest.raises((ValueError, RecursionError)):
        decode_object(text, limits=Limits())


def test_brackets_inside_texts_are_no_depth():
    text = json.dumps({"code": "[" * 500 + '\\"{'})
    assert decode_object(text, limits=Limits()) == json.loads(text)


def test_numbers_can_be_had_as_their_text():
    assert decode_source('{"a": 1.50, "b": [18], "c": true}') == {
        "a": "1.50",
        "b": ["18"],
        "c": True,
    }


@given(st.lists(ANY_JSON, max_size=5), st.sampled_from([None, 2]))
def test_the_items_of_an_array_come_with_offset_and_text(values, indent):
    text = json.dumps(values, indent=indent)
    items = list(item_texts(text))
    assert [json.loads(source) for _, source in items] == values
    assert all(text.startswith(source, at) for at, source in items)


@pytest.mark.parametrize(
    ("text", "message", "at"),
    [
        ("{}", "expected a list.", 0),
        ("[1 2]", "missing comma or ].", 3),
        ("[1,", "expecting value.", 3),
        ("[1] x", "unexpected text after the end of the list.", 4),
        ("[] x", "unexpected text after the end of the list.", 3),
        ("[" * 200_000, "values are nested too deeply.", 1),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_broken_array_says_what_and_where(text, message, at):
    with pytest.raises(ValueError, match=r"\.") as caught:
        list(item_texts(text))
    assert caught.value.args == (message, at)
