import csv
import json

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmaker.errors import SpecError
from benchmaker.scoring.check import load_checked
from benchmaker.scoring.suite_notes import notes_on
from benchmaker.spec.suites.column_names import understood_columns
from benchmaker.spec.suites.load import load_suite
from tests.spec.workbooks import a_workbook

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=9)
ROWS = st.lists(st.tuples(TEXTS, TEXTS, st.integers(0, 10**6)), min_size=1, max_size=5)


def write_all(folder, columns, rows):
    """The same table in every format; yields the suite files."""
    records = [dict(zip(columns, row, strict=True)) for row in rows]
    (folder / "t.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records), "utf-8")
    with (folder / "t.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([columns, *rows])
    pl.DataFrame(records).write_parquet(folder / "t.parquet")
    (folder / "t.xlsx").write_bytes(a_workbook(Cases=[columns, *rows]))
    for name in ("t.jsonl", "t.csv", "t.parquet", "t.xlsx"):
        suite = folder / f"{name}.yaml"
        suite.write_text(f"name: s\nscorer: exact\ncases: {{file: {name}}}\n", "utf-8")
        yield suite


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(rows=ROWS)
def test_every_format_gives_the_same_suite(tmp_path, rows):
    numbered = [[f"case {at}", *row] for at, row in enumerate(rows)]
    files = write_all(tmp_path, ["id", "question", "category", "answer"], numbered)
    hashes = {load_suite(file).content_hash for file in files}
    assert len(hashes) == 1


def test_columns_of_other_names_are_read_and_noted(tmp_path):
    rows = [["a", "40 + 2?", "42"]]
    for file in write_all(tmp_path, ["id", "Question", "target"], rows):
        suite = load_checked(file)
        (case,) = suite.cases
        assert (case.prompt, case.expected) == ("40 + 2?", "42")
        assert [note.message for note in notes_on(suite)] == [
            "column 'Question' is read as 'prompt'.",
            "column 'target' is read as 'expected'.",
        ]


@pytest.mark.parametrize(
    ("question", "answer"),
    [("question", "answer"), ("input", "target"), ("input", "ideal"), ("query", "label")],
)
def test_the_usual_names_of_columns_are_understood(tmp_path, question, answer):
    for file in write_all(tmp_path, ["id", question, answer], [["a", "40 + 2?", "42"]]):
        (case,) = load_suite(file).cases
        assert (case.prompt, case.expected) == ("40 + 2?", "42")


def test_columns_that_are_not_understood_are_named_with_the_mapping(tmp_path):
    for file in write_all(tmp_path, ["question", "answer", "target"], [["40 + 2?", "42", "43"]]):
        with pytest.raises(SpecError) as error:
            load_suite(file)
        told = str(error.value)
        assert "map it in the suite: fields: {expected: answer}" in told
        assert "map it in the suite: fields: {expected: target}" in told
        assert "id is missing. Add a field 'id'. Or number the cases: fields: {id: $line" in told


def test_faults_are_at_the_row_and_the_column(tmp_path):
    rows = [["a", "x", "y", "1"], ["b", "x", "y", "-1"]]
    places = []
    for file in write_all(tmp_path, ["id", "question", "answer", "weight"], rows):
        with pytest.raises(SpecError) as error:
            load_suite(file)
        (finding,) = error.value.findings
        places.append(str(finding).partition(": ")[0].rpartition("/")[2])
    assert places[2:] == ["t.parquet:row 2, column 4", "t.xlsx:row 3, column 4"]


@pytest.mark.parametrize(
    ("line", "understood"),
    [
        ({"question": "x", "prompt": "y"}, {}),
        ({"question": "x", "messages": []}, {}),
        ({"question": "x", "query": "y", "gold": "z"}, {"gold": "expected"}),
        ({"answer": 2, "choices": ["a", "b"]}, {}),
        ({"answer": "B", "choices": ["a", "b"]}, {"answer": "expected"}),
    ],
)
def test_a_column_is_understood_only_where_one_field_can_be_meant(line, understood):
    assert understood_columns(line) == understood


def test_columns_are_understood_beside_a_mapping_of_the_id_alone(tmp_path):
    (tmp_path / "t.csv").write_text("question,answer,n\n2+2?,4,x\n3+3?,6,y\n")
    (tmp_path / "s.yaml").write_text("cases: {file: t.csv, fields: {id: $line}}\n")
    first, second = load_suite(tmp_path / "s.yaml").cases
    assert (first.prompt, first.expected) == ("2+2?", "4")
    assert second.id == "3"

    (tmp_path / "m.yaml").write_text("cases: {file: t.csv, fields: {id: n, prompt: question}}\n")
    assert [case.expected for case in load_suite(tmp_path / "m.yaml").cases] == [None, None]


def test_nested_columns_hold_choices_messages_and_variables(tmp_path):
    turns = [{"role": "user", "content": "The capital of {{ country }}?"}]
    pl.DataFrame(
        {
            "id": ["a", "b"],
            "messages": [turns, turns],
            "expected": ["A", "B"],
            "choices": [["Lima", "Oslo"], ["Rome", "Bern"]],
            "vars": [{"country": "Peru", "year": None}, {"country": "Italy", "year": 1}],
            "scorer": ["choice", '{"id": "choice"}'],
        }
    ).write_parquet(tmp_path / "t.parquet")
    (tmp_path / "s.yaml").write_text("cases: {file: t.parquet}\n")
    first, second = load_suite(tmp_path / "s.yaml").cases
    assert first.messages[0].content == "The capital of Peru?"
    assert first.vars == {"country": "Peru"}
    assert second.choices == ("Rome", "Bern")
    assert second.scorer.id == "choice"


def test_an_unknown_column_is_named_with_the_mapping_that_ignores_others(tmp_path):
    (tmp_path / "t.csv").write_text("id,Nummer,Frage,expected\na,9,1?,1\n")
    (tmp_path / "s.yaml").write_text("cases: {file: t.csv}\n")
    with pytest.raises(SpecError) as error:
        load_suite(tmp_path / "s.yaml")
    (found,) = [one for one in error.value.findings if "Nummer" in one.message]
    assert found.hint.endswith(
        "With fields: {prompt: COLUMN, …} in the suite, other columns are ignored."
    )
    (tmp_path / "s.yaml").write_text("cases: {file: t.csv, fields: {prompt: Frage}}\n")
    assert [case.prompt for case in load_suite(tmp_path / "s.yaml")] == ["1?"]
