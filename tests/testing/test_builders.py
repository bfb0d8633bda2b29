import subprocess
import sys

import msgspec
import pytest

from benchmaker import testing
from benchmaker.record import Completion, Outcome, Run, Score, Trial
from benchmaker.spec import Case, Message, Suite
from benchmaker.testing import (
    a_case,
    a_completion,
    a_request,
    a_run,
    a_score,
    a_suite,
    a_trial,
)


@pytest.mark.parametrize(
    ("build", "kind"),
    [
        (a_case, Case),
        (a_completion, Completion),
        (a_run, Run),
        (a_score, Score),
        (a_suite, Suite),
        (a_trial, Trial),
    ],
)
def test_a_builder_needs_no_arguments_and_builds_equal_values(build, kind):
    assert isinstance(build(), kind)
    assert build() == build()


def test_the_text_of_a_trial_stands_in_its_completion():
    assert a_trial(text="17").text == "17"
    assert a_trial("17").completion == a_completion("17")


def test_given_fields_replace_the_builders_own():
    trial = a_trial(case_id="case-2", outcome=Outcome.EMPTY, completion=None)
    assert (trial.case_id, trial.outcome, trial.text) == ("case-2", Outcome.EMPTY, "")
    assert a_case("x", expected=None, weight=2).weight == 2
    assert a_run("r", models=("a", "b")).models == ("a", "b")
    assert a_request(run=2).run == 2


def test_a_case_with_messages_has_no_prompt():
    messages = (Message(role="user", content="Hello"),)
    assert a_case(messages=messages).prompt is None


def test_a_score_may_be_missing():
    assert a_score(None, notes="no pattern").score is None


def test_a_suite_holds_the_cases_given():
    suite = a_suite(a_case("a"), a_case("b"), name="two")
    assert [case.id for case in suite] == ["a", "b"]
    assert suite.name == "two"


def test_records_survive_json():
    for value in (a_trial(score=a_score()), a_run()):
        assert msgspec.json.decode(msgspec.json.encode(value), type=type(value)) == value


def test_an_unknown_field_is_refused():
    with pytest.raises(TypeError):
        a_trial(colour="red")


def test_the_public_names_are_sorted_and_there():
    assert testing.__all__ == sorted(testing.__all__)
    assert all(hasattr(testing, name) for name in testing.__all__)


def test_it_imports_where_pytest_is_not_installed():
    code = "import sys; sys.modules['pytest'] = None; import benchmaker.testing"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
