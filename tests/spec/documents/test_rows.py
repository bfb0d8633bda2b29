import gzip

import pytest

from benchmaker.errors import SpecError
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.rows import format_of, read_rows


def read(path, **limits):
    found = []
    rows = list(read_rows(path, limits=Limits(**limits), report=found.extend))
    return rows, [str(one).replace(f"{path.parent}/", "") for one in found]


SAME = {
    "a.jsonl": '{"id": "1", "n": "x"}\n\n{"id": "2", "n": "y"}\n',
    "a.ndjson": '{"id": "1", "n": "x"}\r\n\r\n{"id": "2", "n": "y"}',
    "a.json": '[{"id": "1", "n": "x"},\n\n{"id": "2", "n": "y"}]',
    "a.csv": "id,n\n1,x\n2,y\n",
    "a.tsv": "id\tn\n1\tx\n2\ty\n",
}


@pytest.mark.parametrize("name", SAME)
@pytest.mark.parametrize("zipped", [False, True])
def test_every_format_gives_the_same_rows(write, name, zipped):
    data = SAME[name].encode()
    path = write(f"{name}.gz", gzip.compress(data)) if zipped else write(name, data)
    rows, findings = read(path)
    assert [row.values for row in rows] == [{"id": "1", "n": "x"}, {"id": "2", "n": "y"}]
    assert findings == []
    assert rows[1].number == 3


def test_an_unknown_ending_names_the_known_ones(write):
    with pytest.raises(SpecError, match=r"Known endings: \.yaml, \.jsonl, \.ndjson, \.json, \.csv"):
        format_of(write("a.xls", ""), besides=(".yaml",))


def test_bad_lines_are_reported_and_the_others_read(write):
    path = write("a.jsonl", b'{"a": 1}\n{"a": \n[1]\n\xff\n{"a": 1, "a": NaN}\n"x"\n{"a": 2}\n')
    rows, findings = read(path)
    assert [(row.number, row.values) for row in rows] == [
        (1, {"a": 1}),
        (5, {"a": 1}),
        (7, {"a": 2}),
    ]
    assert findings == [
        "a.jsonl:2:6: invalid JSON: unexpected end of file. The file may be truncated.",
        "a.jsonl:3:1: not a JSON object. Use one {…} per line, or a list of them.",
        "a.jsonl:4:1: invalid UTF-8: byte 0xff at offset 20. Save it as UTF-8.",
        "a.jsonl:5:10: duplicate key 'a'; first at line 5, column 2. Remove one of them.",
        "a.jsonl:5:15: NaN is not a valid number. If you mean text, put it in quotes.",
        "a.jsonl:6:1: not a JSON object. Use one {…} per line, or a list of them.",
    ]


def test_items_of_an_array_keep_line_and_column(write):
    rows, findings = read(write("a.json", '[{"a": 1}, 5,\n  {"a": 1.50}]'))
    assert [(row.number, row.column, row.text) for row in rows] == [
        (1, 2, '{"a": 1}'),
        (2, 3, '{"a": 1.50}'),
    ]
    assert findings == ["a.json:1:12: not a JSON object. Use one {…} per line, or a list of them."]


def test_a_broken_array_ends_with_its_place(write):
    path = write("a.json", '[{"a": 1},\n {"a": }]')
    with pytest.raises(SpecError, match=r"a\.json:2:8: invalid JSON array: expecting value\."):
        read(path)


def test_faults_inside_an_item_do_not_end_the_reading_of_an_array(write):
    deep = "[" * 60 + "]" * 60
    text = f'[{{"a": 1, "a": NaN}},\n {{"b": {deep}}}, {{"c": 2}}]'
    rows, findings = read(write("a.json", text))
    assert [row.values for row in rows] == [{"a": 1}, {"c": 2}]
    assert findings == [
        "a.json:1:11: duplicate key 'a'; first at line 1, column 3. Remove one of them.",
        "a.json:1:16: NaN is not a valid number. If you mean text, put it in quotes.",
        "a.json:2:57: values are nested more than 50 deep.",
    ]


def test_an_array_has_a_cap_of_its_own(write):
    with pytest.raises(SpecError, match="is larger than 10 bytes"):
        read(write("a.json", "[" + " " * 20 + "]"), array_bytes=10)


def test_a_deep_line_is_refused_with_its_column(write):
    _, findings = read(write("a.jsonl", '{"a": ' + "[" * 80 + "]" * 80 + "}"))
    assert findings == ["a.jsonl:1:56: values are nested more than 50 deep."]
