from benchmaker.spec import Case, Limits, SourceMap
from benchmaker.spec.documents.source_map import SourceLocation
from benchmaker.spec.suites.draft import examine_case
from benchmaker.spec.suites.load import load_suite
from benchmaker.spec.suites.located_cases import find_duplicates, locate_cases

NOWHERE = SourceMap("f")


def cases(*ids):
    return [Case(id=one, prompt="x") for one in ids]


def again(listed, hashes=None):
    hashes = [hash(case.id) for case in listed] if hashes is None else hashes
    return [one for one, _, _ in find_duplicates(listed, hashes, NOWHERE)]


def test_an_id_is_told_each_time_that_it_comes_again():
    assert again(cases("a", "b", "a", "c", "b", "a")) == ["a", "b", "a"]
    assert again(cases("a", "b")) == []


def test_ids_are_compared_and_not_their_hashes_alone():
    assert again(cases("a", "b"), [hash("a"), hash("a")]) == []


def test_ids_that_were_refused_are_not_compared():
    drafts = [examine_case({"prompt": "x", "id": []}, str)[0] for _ in range(2)]
    assert again(drafts) == []


def test_places_in_a_data_file_have_columns(write):
    write("q.jsonl", '{"k": "a", "prompt": "x", "expected": "1"}\n')
    path = write("s.yaml", "cases: {file: q.jsonl, fields: {id: k}}\n")
    suite = load_suite(path)
    ((_, at),) = locate_cases(suite.cases, suite.places)
    file = str(path.parent / "q.jsonl")
    assert at.locate(("id",)) == SourceLocation(file, 1, 7)
    assert at.locate_key(("expected",)) == SourceLocation(file, 1, 27)
    assert at.locate(("scorer", "tolerance")) == SourceLocation(file, 1, 1)


def test_places_in_a_table_are_lines_and_those_of_its_columns(write):
    suite = load_suite(write("q.csv", "id,prompt\na,x\n"))
    ((_, at),) = locate_cases(suite.cases, suite.places)
    assert (at.locate(("id",)).line, at.locate_key(("id",)).line) == (2, 1)


def test_a_row_of_more_values_than_places_are_kept_of_has_its_line(write):
    path = write("q.jsonl", '\n{"id": "a", "prompt": "x", "metadata": {"n": [1, 2, 3]}}\n')
    suite = load_suite(path, limits=Limits(values=3))
    ((_, at),) = locate_cases(suite.cases, suite.places)
    assert at.locate(("metadata", "n")) == SourceLocation(str(path), 2, 1)
