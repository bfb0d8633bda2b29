import pytest

from benchmaker.spec import AnswerFields, CaseFields


def test_a_field_that_is_not_mapped_is_looked_up_under_its_own_name():
    assert all(path == name for name, path in CaseFields().model_dump().items())
    answers = AnswerFields().model_dump(exclude={"models", "where", "failed"})
    assert all(path == name for name, path in answers.items())


@pytest.mark.parametrize("model", [CaseFields, AnswerFields])
def test_unknown_fields_are_refused(model):
    with pytest.raises(ValueError, match="promt"):
        model(promt="x")
