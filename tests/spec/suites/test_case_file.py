import gzip
import json
import os
import tracemalloc

import pytest

from benchmaker.errors import SpecError
from benchmaker.spec import CaseFields, Limits
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.row_source import DataFile
from benchmaker.spec.documents.source_map import SourceLocation
from benchmaker.spec.suites.case_file import CaseScan
from benchmaker.spec.suites.draft import refused_fields_of
from benchmaker.spec.suites.mapping import CaseMapper


def scan(path, fields=None, defaults=None, **limits):
    bounds = Limits(**limits)
    mapper = CaseMapper(fields, defaults or {})
    found = CaseScan(DataFile(path), mapper, bounds, Findings(bounds.findings))
    cases = found.read()
    return cases, [str(one).replace(f"{path.parent}/", "") for one in found.findings.items], found


def many(number: int) -> str:
    return "".join(
        json.dumps({"id": f"case-{i}", "prompt": "What is it? " * 10, "expected": i}) + "\n"
        for i in range(number)
    )


def test_cases_are_read_anew_at_each_pass(write):
    cases, findings, _ = scan(write("a.jsonl", many(5)))
    assert findings == []
    assert list(cases) == list(cases)
    assert [case.id for case in cases] == [f"case-{i}" for i in range(5)]
    assert len(cases) == 5


def test_expected_numbers_keep_their_text(write):
    lines = '{"id": 1, "prompt": "x", "expected": 1.50}\n{"id": 1.0, "prompt": "x", "expected": '
    cases, findings, _ = scan(write("a.jsonl", lines + "12345678901234567890123}\n"))
    assert findings == []
    assert [case.expected for case in cases] == ["1.50", "12345678901234567890123"]
    assert [case.id for case in cases] == ["1", "1.0"]


def test_a_table_gives_cases(write):
    text = (
        "id;prompt;expected;weight;tags;scorer;category;messages\n"
        '1;x;1.50;2;a, b;exact;;\n2;;=1+1;;c|d;"{""id"": ""numeric"", ""tolerance"": 0.1}";k;'
        '"[{""role"": ""user"", ""content"": ""hi""}]"\n'
    )
    cases, findings, _ = scan(write("a.csv", text))
    assert findings == []
    first, second = cases
    assert (first.expected, first.weight, first.tags, first.category) == (
        "1.50",
        2,
        ("a", "b"),
        None,
    )
    assert second.scorer.parameters == {"tolerance": 0.1}
    assert second.messages[0].content == "hi"
    assert second.expected == "=1+1"


def test_faults_carry_line_and_column_of_the_field(write):
    text = (
        '{"id": 1, "promt": "x"}\n'
        '{"id": 2, "prompt": "x", "weight": -1}\n'
        '{"id": 3, "prompt": "x\\u0000"}\n'
        '{"id": 4, "prompt": "x"}\n'
    )
    cases, findings, _ = scan(write("a.jsonl", text))
    assert findings == [
        "a.jsonl:1:11: unknown field 'promt'. Did you mean 'prompt'?",
        "a.jsonl:2:36: weight must be at least 0, not -1. A weight of 0 excludes a case.",
        "a.jsonl:3:21: the control character U+0000 is not allowed. Remove it.",
    ]
    assert [(case.id, sorted(refused_fields_of(case))) for case in cases] == [
        ("1", ["prompt"]),
        ("2", ["weight"]),
        ("3", []),
        ("4", []),
    ]


def test_mapped_fields_have_columns_too(write):
    text = '{"key": "a", "turns": [{"content": "x"}], "w": "much"}\n{"key": "b", "turn": []}\n'
    fields = CaseFields(id="key", prompt="turns.0.content", weight="w")
    _, findings, _ = scan(write("a.jsonl", text), fields)
    assert findings == [
        "a.jsonl:1:48: weight must be a number, not 'much'. A weight of 0 excludes a case.",
        "a.jsonl:2:1: missing field 'turns.0.content'. Did you mean 'turn'?",
        "a.jsonl:2:1: missing field 'w'. Fields there: key, turn.",
    ]


def test_faults_in_a_table_carry_the_line(write):
    _, findings, _ = scan(write("a.csv", "id,promt,weight\n1,x,-2\n2,x,\n"))
    assert sorted(findings) == [
        "a.csv:1:1: unknown field 'promt'. Did you mean 'prompt'?",
        "a.csv:2:1: weight must be at least 0, not '-2'. A weight of 0 excludes a case.",
    ]


def test_a_file_that_changed_between_passes_is_refused(write):
    path = write("a.jsonl", many(3))
    cases, _, _ = scan(path)
    path.write_text(many(4))
    with pytest.raises(SpecError, match="has changed since it was read"):
        list(cases)


def test_another_file_of_the_same_size_and_time_is_refused(write):
    path = write("a.jsonl", many(3))
    cases, _, _ = scan(path)
    times = path.stat()
    other = write("b.jsonl", many(3).replace("What", "Whom"))
    os.utime(other, ns=(times.st_atime_ns, times.st_mtime_ns))
    other.replace(path)
    with pytest.raises(SpecError, match="changed"):
        next(iter(cases))


def test_a_file_that_is_gone_is_refused(write):
    path = write("a.jsonl", many(3))
    cases, _, _ = scan(path)
    path.unlink()
    with pytest.raises(SpecError, match="does not exist"):
        list(cases)


def test_reading_ends_after_too_many_faults(write):
    cases, findings, found = scan(write("a.jsonl", "{\n" * 500), findings=10, faults=100)
    assert cases is None
    assert len(findings) == 10
    assert len(found.findings) == 102
    cases, findings, _ = scan(write("b.jsonl", "{}\n" * 500), findings=10, faults=100)
    assert cases is None


def test_memory_does_not_grow_with_the_cases(write):
    path = write("a.jsonl.gz", gzip.compress(many(5_000).encode()))
    tracemalloc.start()
    try:
        cases, _, _ = scan(path)
        passed = sum(1 for _ in cases)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert passed == 5_000
    assert not cases.kept
    assert peak < 6 * 2**20  # of which the first 2,000 cases, until it is seen that there are more


def test_a_small_file_is_read_once_until_it_is_let_go(write):
    path = write("a.jsonl", many(3))
    cases, _, _ = scan(path)
    first = list(cases)
    assert all(one is another for one, another in zip(first, cases, strict=True))
    cases.release()
    assert list(cases) == first
    assert not any(one is another for one, another in zip(first, cases, strict=True))


def test_a_file_of_much_text_is_not_kept(write):
    line = json.dumps({"id": "a", "prompt": "x" * 1_000_001}) + "\n"
    cases, _, _ = scan(write("a.jsonl", line))
    assert not cases.kept
    assert [case.id for case in cases] == ["a"]


def test_a_small_table_is_kept_and_its_places_are_known(write):
    path = write("a.csv", "id,prompt\na,1 + 1?\n")
    cases, _, _ = scan(path)
    ((case, places),) = cases.locate_cases()
    assert case is next(iter(cases))
    assert places.locate(("prompt",)) == SourceLocation(str(path), 2, 1)


@pytest.mark.parametrize(
    "cell", ['{"n": NaN}', '{"n": -Infinity}', '{"n": 1e999}', '{"n": 1, "n": 2}']
)
def test_wrong_json_in_a_cell_is_refused(write, cell):
    _, findings, _ = scan(write("a.tsv", f"id\tprompt\tmetadata\na\t?\t{cell}\n".encode()))
    assert findings == [f"a.tsv:2:1: metadata must be a mapping, not {cell!r}."]


def test_a_row_with_several_faults_counts_as_one(write):
    text = '{"id": "a", "id": NaN, "weight": Infinity, "prompt": "?"}\n{"id": "b", "prompt": "?"}\n'
    _, findings, found = scan(write("a.jsonl", text))
    assert len(findings) == 3
    assert found.rows == 2


@pytest.mark.parametrize("first", ['{"id": 1, "question": "?", "weight": NaN}', "{"])
def test_names_of_fields_are_understood_after_a_faulty_first_row(write, first):
    rest = '{"id": 2, "question": "?"}\n{"id": 3, "question": "?"}\n'
    _, findings, found = scan(write("a.jsonl", f"{first}\n{rest}"))
    assert [one.partition(":")[2][0] for one in findings] == ["1"]
    assert found.rows == 3
