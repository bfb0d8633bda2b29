from array import array

from benchmaker.spec.documents.source_map import CaseLines, Mark, Place, Places


def a_root() -> Mark:
    root = Mark.container(Place("f", 1, 1))
    cases = Mark.container(Place("f", 2, 3))
    one = Mark.container(Place("f", 3, 5))
    one.inside["id"], one.keys["id"] = Mark(3, 9), (3, 5)
    cases.inside[0], root.inside["cases"] = one, cases
    return root


def test_a_value_and_its_key_have_places():
    places = Places("f", a_root())
    assert places.of(("cases", 0, "id")) == Place("f", 3, 9)
    assert places.key(("cases", 0, "id")) == Place("f", 3, 5)


def test_what_is_not_there_has_the_place_of_its_nearest_ancestor():
    assert Places("f", a_root()).of(("cases", 0, "weight", 7)) == Place("f", 3, 5)
    assert Places("f", a_root()).key(("cases", 0, "weight")) == Place("f", 3, 5)


def test_cases_of_a_data_file_stand_at_their_lines():
    places = Places("f", a_root(), cases=CaseLines("data.jsonl", array("Q", [4, 9])))
    assert places.of(("cases", 1, "scorer", "pattern")) == Place("data.jsonl", 9, 1)
    assert places.key(("cases", 1, "scorer")) == Place("data.jsonl", 9, 1)
    assert places.of(("cases",)) == Place("f", 2, 3)


def test_rows_lead_from_the_suites_cases_to_those_of_the_document():
    root = a_root()
    root.inside["cases"].inside[5] = Mark(30, 5)
    assert Places("f", root, rows=[5]).of(("cases", 0)) == Place("f", 30, 5)


def test_without_marks_the_file_is_the_place():
    assert Places("f").of(("name",)) == Place("f")
    assert str(Place("f")) == "f"
    assert str(Place("f", 2, 3)) == "f:2:3"
