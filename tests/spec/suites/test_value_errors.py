from benchmaker.spec import Case
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.source_map import SourceLocation, SourceMap, SourceMark
from benchmaker.spec.suites.value_errors import Objections


def an_objector():
    root = SourceMark.container(SourceLocation("f", 1, 1))
    root.inside["weight"], root.keys["weight"] = SourceMark(4, 11, "-1"), (4, 3)
    root.inside["promt"], root.keys["promt"] = SourceMark(5, 10), (5, 3)
    return Objections(SourceMap("f", root), Findings())


def test_validation_errors_stand_at_values_and_unknown_fields_at_keys():
    objections = an_objector()
    values, refused = objections.validate(Case, {"id": "a", "promt": "x", "weight": -1})
    assert values == {"id": "a"}
    assert refused == {"weight", "prompt"}
    assert [(one.line, one.column) for one in sorted(objections.findings.items)] == [
        (4, 11),
        (5, 3),
    ]


def test_texts_of_scalars_come_from_the_document():
    objections = an_objector()
    assert objections.text_at(())(("weight",)) == "-1"
    assert Objections(SourceMap("f"), Findings()).text_at(())(("weight",)) == ""


def test_unfit_texts_and_single_faults_are_put_at_their_places():
    objections = an_objector()
    objections.refuse([(("promt",), "it hisses.")])
    objections.add(("nowhere",), "missing.")
    assert list(map(str, objections.findings.items)) == [
        "f:5:10: it hisses. Remove it.",
        "f:1:1: missing.",
    ]
