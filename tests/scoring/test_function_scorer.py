"""A plain function as a scorer and as a check."""

import asyncio

import pytest

from benchmaker import Suite, run, scorer
from benchmaker.errors import ScorerError, SpecError
from benchmaker.plugins import load
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion
from benchmaker.scoring.build import build
from benchmaker.scoring.check import check_suite
from benchmaker.scoring.score import apply
from benchmaker.spec import ScorerSpec, profile
from benchmaker.testing import Example, ScorerContract, a_case, a_trial

HERE = __name__


@scorer
def mentions_expected(output, case, *, any_case: bool = True):
    """Whether the expected text occurs in the answer.

    Example:
        ``scorer: {id: mentions_expected, any_case: false}``
    """
    expected = case["expected"] or ""
    return expected.lower() in output.lower() if any_case else expected in output


@scorer("length_share", version="2")
async def share_of_ten(output, case):  # noqa: ARG001  a scorer gets the case
    """The share of ten characters.

    Example:
        ``scorer: length_share``
    """
    share = min(len(output), 10) / 10
    return {"passed": share > 0.5, "score": share, "reason": f"{len(output)} characters"}


def unmarked(output, case, *, ids: list[str] = []):  # noqa: B006  as authors write it
    """Whether the answer is the case's id."""
    return output in (case["id"], *ids)


def broken(output, case):  # noqa: ARG001  a scorer gets both
    raise ValueError("it is broken")


def wordy(output, case):  # noqa: ARG001  a scorer gets both
    return "yes"


def one_argument(output):
    return bool(output)


class TestMentionsExpected(ScorerContract):
    scorer = mentions_expected
    examples = (
        Example("It is Lima.", expected="lima", score=1.0),
        Example("It is Cusco.", expected="lima", score=0.0),
    )


class TestShareOfTen(ScorerContract):
    scorer = share_of_ten
    examples = (Example("12345", score=0.5), Example("1234567890", score=1.0))


def scored(name, text, *, expected=None, **parameters):
    made = build(ScorerSpec(id=f"{HERE}:{name}", **parameters), profile("robust"))
    return asyncio.run(apply(made, a_case(expected=expected), a_trial(text=text)))


def test_a_marked_function_stays_a_function_with_an_id_and_a_version():
    assert mentions_expected("Lima", {"expected": "lima"}) is True
    assert (mentions_expected.id, mentions_expected.version) == ("mentions_expected", "1")
    assert (share_of_ten.id, share_of_ten.version) == ("length_share", "2")


def test_keyword_only_parameters_are_parameters_of_the_scorer():
    assert scored("mentions_expected", "LIMA", expected="lima").score == 1.0
    assert scored("mentions_expected", "LIMA", expected="lima", any_case=False).score == 0.0
    with pytest.raises(SpecError, match="unknown parameter 'anycase'"):
        scored("mentions_expected", "LIMA", anycase=False)


def test_a_list_may_be_a_default():
    assert scored("unmarked", "x").score == 0.0
    assert scored("unmarked", "x", ids=["x"]).score == 1.0


def test_a_result_with_a_reason_is_kept():
    score = scored("share_of_ten", "1234")
    assert (score.score, score.notes, score.detail["passed"]) == (0.4, "4 characters", False)


def test_errors_and_results_that_are_no_score_are_raised():
    with pytest.raises(ValueError, match="it is broken"):
        scored("broken", "x")
    with pytest.raises(ScorerError, match="wordy returned 'yes', not a boolean"):
        scored("wordy", "x")


def test_a_function_with_other_arguments_is_refused():
    with pytest.raises(SpecError, match="one_argument must take two arguments"):
        load("scorer", f"{HERE}:one_argument")


def test_a_function_is_a_scorer_and_a_check_of_a_suite_made_in_python(tmp_path):
    suite = Suite(
        "s",
        [
            {"id": "a", "prompt": "p", "expected": "lima"},
            {"id": "b", "prompt": "p", "checks": [{"type": unmarked, "weight": 3}]},
        ],
        profile="robust",
        scorer=unmarked,
        checks=[share_of_ten, {"type": mentions_expected, "not": True}],
        threshold=0.5,
    )
    said = Scripted(lambda _: Completion(text="b"), models=("m",))
    found = run(suite, provider=said, home=tmp_path)
    first, second = (it.score for it in found.trials())
    assert [(it["type"], it["passed"]) for it in first.checks] == [
        (f"{HERE}:unmarked", False),
        (f"{HERE}:share_of_ten", False),
        (f"{HERE}:mentions_expected", True),
    ]
    assert first.score == pytest.approx((0 + 0.1 + 1) / 3)
    assert second.score == pytest.approx((1 + 0.1 + 0 + 3) / 6)


def test_a_function_inside_another_is_refused():
    def inner(output, case):  # noqa: ARG001  a scorer gets both
        return True

    with pytest.raises(SpecError, match="inner is not at the top level of a module"):
        Suite("s", [{"id": "a", "prompt": "p"}], scorer=inner)


def test_a_function_of_a_script_is_named_where_it_is_missing():
    suite = Suite("s", [{"id": "a", "prompt": "p"}], scorer="__main__:gone")
    (fault,) = check_suite(suite)
    assert "has no class or function 'gone'" in fault.message
    assert "move it to a module" in fault.hint


def test_a_marked_function_in_a_file_is_a_python_check_too(tmp_path):
    (tmp_path / "own.py").write_text(
        "from benchmaker import scorer\n\n"
        "@scorer\ndef yes(output, case):\n    return output == 'yes'\n"
    )
    (tmp_path / "s.yaml").write_text(
        'scorer: {id: python, value: "own.py:yes"}\ncases: [{id: a, prompt: p}]\n'
    )
    said = Scripted(lambda _: Completion(text="yes"), models=("m",))
    found = run(tmp_path / "s.yaml", provider=said, home=tmp_path / "home")
    assert [it.score.score for it in found.trials()] == [1.0]
