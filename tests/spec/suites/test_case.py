import pytest

from benchmaker.spec import Case, Message, ScorerSpec


def test_a_bare_name_stands_for_a_scorer_with_its_defaults():
    case = Case(id="a", prompt="x", scorer="exact")
    assert case.scorer == ScorerSpec(id="exact")
    assert case.scorer.parameters == {}


def test_parameters_of_a_scorer_stand_beside_its_id():
    spec = ScorerSpec.model_validate({"id": "numeric", "tolerance": 0.01})
    assert spec.parameters == {"tolerance": 0.01}


@pytest.mark.parametrize(
    "question", [{}, {"prompt": "x", "messages": (Message(role="user", content="y"),)}]
)
def test_a_case_asks_exactly_one_question(question):
    with pytest.raises(ValueError, match=r"prompt (or|and) messages"):
        Case(id="a", **question)


def test_the_system_prompt_comes_first_unless_the_case_has_its_own():
    assert [turn.role for turn in Case(id="a", prompt="x").conversation("s")] == ["system", "user"]
    own = (Message(role="system", content="own"), Message(role="user", content="x"))
    assert Case(id="a", messages=own).conversation("s") == own
    assert [turn.role for turn in Case(id="a", prompt="x").conversation()] == ["user"]


def test_a_weight_of_0_is_allowed_and_less_is_not():
    assert Case(id="a", prompt="x", weight=0).weight == 0
    with pytest.raises(ValueError, match="weight"):
        Case(id="a", prompt="x", weight=-1e-9)
