from array import array

from benchmaker.spec.documents.source_map import CaseLines, SourceLocation, SourceMap, SourceMark


def a_root() -> SourceMark:
    root = SourceMark.container(SourceLocation("f", 1, 1))
    cases = SourceMark.container(SourceLocation("f", 2, 3))
    one = SourceMark.container(SourceLocation("f", 3, 5))
    one.inside["id"], one.keys["id"] = SourceMark(3, 9), (3, 5)
    cases.inside[0], root.inside["cases"] = one, cases
    return root


def test_a_value_and_its_key_have_places():
    places = SourceMap("f", a_root())
    assert places.locate(("cases", 0, "id")) == SourceLocation("f", 3, 9)
    assert places.locate_key(("cases", 0, "id")) == SourceLocation("f", 3, 5)


def test_what_is_not_there_has_the_place_of_its_nearest_ancestor():
    assert SourceMap("f", a_root()).locate(("cases", 0, "weight", 7)) == SourceLocation("f", 3, 5)
    assert SourceMap("f", a_root()).locate_key(("cases", 0, "weight")) == SourceLocation("f", 3, 5)


def test_cases_of_a_data_file_stand_at_their_lines():
    places = SourceMap("f", a_root(), cases=CaseLines("data.jsonl", array("Q", [4, 9])))
    assert places.locate(("cases", 1, "scorer", "pattern")) == SourceLocation("data.jsonl", 9, 1)
    assert places.locate_key(("cases", 1, "scorer")) == SourceLocation("data.jsonl", 9, 1)
    assert places.locate(("cases",)) == SourceLocation("f", 2, 3)


def test_rows_lead_from_the_suites_cases_to_those_of_the_document():
    root = a_root()
    root.inside["cases"].inside[5] = SourceMark(30, 5)
    assert SourceMap("f", root, rows=[5]).locate(("cases", 0)) == SourceLocation("f", 30, 5)


def test_without_marks_the_file_is_the_place():
    assert SourceMap("f").locate(("name",)) == SourceLocation("f")
    assert str(SourceLocation("f")) == "f"
    assert str(SourceLocation("f", 2, 3)) == "f:2:3"
