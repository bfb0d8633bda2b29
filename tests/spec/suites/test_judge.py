import pytest
from pydantic import ValidationError

from benchmaker.spec import Case, JudgeSpec, Juror, Suite
from benchmaker.spec.suites.load import load_suite


def test_a_bare_name_is_a_judge():
    assert JudgeSpec.model_validate("a/b").models == (Juror("a/b"),)
    assert JudgeSpec.model_validate(["a/b", "c/d"]).models == (Juror("a/b"), Juror("c/d"))


def test_weights_stand_beside_names():
    spec = JudgeSpec.model_validate({"models": ["a", {"model": "b", "weight": 2}]})
    assert spec.models == (Juror("a"), Juror("b", 2.0))
    assert spec.parameters == {"models": ["a", {"model": "b", "weight": 2.0}]}


def test_only_what_was_given_goes_on():
    below = JudgeSpec.model_validate({"models": "a", "repeats": 3})
    above = JudgeSpec.model_validate({"models": "b"})
    assert above.with_fallback(below).parameters == {"models": ["b"], "repeats": 3}
    assert above.with_fallback(None) is above


@pytest.mark.parametrize(
    "given", [{"repeats": 0}, {"temperature": 3}, {"model": "a"}, {"models": [{"weight": 1}]}]
)
def test_what_makes_no_sense_is_refused(given):
    with pytest.raises(ValidationError):
        JudgeSpec.model_validate(given)


def test_a_suite_without_a_judge_keeps_its_hash():
    suite = Suite("s", (Case(id="a", prompt="?"),))
    assert "judge" not in suite.header()
    judged = Suite("s", (Case(id="a", prompt="?"),), judge=JudgeSpec.model_validate("a/b"))
    assert judged.content_hash != suite.content_hash


def test_a_suites_file_names_its_judge(tmp_path):
    path = tmp_path / "suite.yaml"
    path.write_text("scorer: llm_judge\njudge: {models: [a/b], repeats: 3}\n"
                    "cases: [{id: x, prompt: q}]\n")  # fmt: skip
    assert load_suite(path).judge == JudgeSpec.model_validate({"models": ["a/b"], "repeats": 3})
