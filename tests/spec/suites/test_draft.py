import pytest

from benchmaker.spec import Case
from benchmaker.spec.suites.draft import DraftCase, draft_case, examine_case, refused_fields_of

SOUND = {"id": "a", "prompt": "x", "expected": "1"}


def source(path):
    return ".".join(map(str, path))


def said(values, *unknown):
    case, found = examine_case(values, source, frozenset(unknown))
    return case, [fault.message for fault in found]


def test_a_sound_case_is_no_draft():
    case, found = said(SOUND)
    assert type(case) is Case
    assert (found, refused_fields_of(case)) == ([], frozenset())


def test_what_is_sound_is_kept_and_the_rest_named():
    case, found = said({**SOUND, "weight": -1, "tags": {}, "colour": 1, "scorer": "exact"})
    assert isinstance(case, DraftCase)
    assert (case.id, case.expected, case.scorer.id) == ("a", "1", "exact")
    assert refused_fields_of(case) == {"weight", "tags"}
    assert len(found) == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"prompt": None}, "prompt is missing; add prompt or messages."),
        ({"messages": [{"role": "user", "content": "x"}]}, "both prompt and messages are given"),
    ],
)
def test_the_question_is_judged_beside_other_faults(change, message):
    given = {k: v for k, v in {**SOUND, **change}.items() if v is not None}
    assert message in said(given)[1][0]
    assert message in said({**given, "weight": -1})[1][1]


@pytest.mark.parametrize("wrong", [{"prompt": [1]}, {"messages": 5}, {"promt": "x"}])
def test_a_question_that_was_refused_is_not_missing_as_well(wrong):
    _, found = said({"id": "a", **wrong})
    assert len(found) == 1


def test_an_id_that_is_wrong_or_mistyped_is_not_known():
    for wrong in ({"id": [1]}, {"idd": "a"}):
        case, found = said({"prompt": "x", **wrong})
        assert case.id == "?"
        assert refused_fields_of(case) == {"id"}
        assert len(found) == 1


def test_fields_that_are_unknown_for_reasons_elsewhere_are_no_fault():
    case, found = said({"category": "c"}, "id", "prompt")
    assert found == []
    assert (case.category, refused_fields_of(case)) == ("c", {"id", "prompt"})


def test_texts_that_can_not_be_kept_are_told_beside_other_faults():
    assert said({**SOUND, "prompt": "a\0", "weight": -1})[1] == [
        "weight must be at least 0, not -1.",
        "the control character U+0000 is not allowed.",
    ]


def test_a_draft_may_lack_its_question():
    draft, found = draft_case({"id": "a"}, source)
    assert (draft.prompt, found) == (None, [])
