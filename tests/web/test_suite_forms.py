"""Forms of suites and cases keep what they do not show, and read lists one a line."""

from urllib.parse import urlencode

import pytest

from benchmaker.spec import Case, Suite
from benchmaker.web.form_body import Fields
from benchmaker.web.suites import case_form, header_form
from tests.web.serving import serving
from tests.web.test_guard import ask

CASE = Case(
    id="c",
    prompt="Which?",
    expected=["A", "two"],
    choices=["one", "two"],
    page={"libraries": ["d3"]},
    metadata={"page": 3},
)


@pytest.fixture
def suite():
    return Suite(
        "choices", (CASE,), scorer="choice", profile="robust", grades=True, metric="strict"
    )


def test_a_case_whose_weight_alone_is_changed_keeps_everything_else(suite):
    typed = Fields({**case_form.case_texts(CASE), "weight": "2"})
    read = case_form.read_case(typed, suite, CASE)
    assert read.remarks == ()
    assert read.case == CASE.model_copy(update={"weight": 2.0})


def test_choices_and_other_right_answers_are_read_one_a_line(suite):
    typed = {"choices": "red\n green \n\n", "also_expected": "red", "expected": "B"}
    read = case_form.read_case(Fields({**case_form.case_texts(CASE), **typed}), suite, CASE)
    assert read.case.choices == ("red", "green")
    assert read.case.expectations == ("B", "red")


def test_a_header_keeps_and_changes_metric_and_part_marks(suite):
    shown = header_form.header_texts(suite)
    kept = header_form.read_suite(Fields({**shown, "description": "Two"}), suite).suite
    assert (kept.metric, kept.grades) == ("strict", True)
    changed = Fields({**shown, "metric": "mean", "grades": ""})
    changed = header_form.read_suite(changed, suite).suite
    assert (changed.metric, changed.grades) == ("mean", False)


def test_parameters_that_the_form_does_not_show_are_kept():
    written = {"reasoning_effort": "low", "stop": ["END"], "extra_body": {"tier": "flex"}}
    suite = Suite(
        "sums",
        [{"id": "a", "prompt": "2 + 2?", "expected": "4"}],
        scorer="exact",
        profile="robust",
        parameters=written,
    )
    shown = header_form.header_texts(suite)
    kept = header_form.read_suite(Fields({**shown, "description": "Two"}), suite).suite
    assert kept is not None
    assert kept.parameters.sent_values == suite.parameters.sent_values
    assert kept.parameters.extra_body == {"tier": "flex"}
    assert kept.parameters.output_bound == suite.parameters.output_bound == 2048 + 4096


FORM = {"Content-Type": "application/x-www-form-urlencoded"}
FILLED = {
    **header_form.header_texts(None),
    "name": "sums",
    **{f"case_{name}": text for name, text in case_form.case_texts(None).items()},
    "case_id": "a",
    "case_prompt": "2 + 2?",
    "case_expected": "4",
}


@pytest.mark.parametrize("name", ["", "  "])
def test_a_new_suite_without_a_name_keeps_its_form(tmp_path, name):
    with serving(tmp_path, works=False) as address:
        body = urlencode({**FILLED, "name": name})
        status, _, text = ask(address, "POST", "/suites", FORM, body)
    assert status == 422
    assert "1 problem" in text
    assert "<b>name:</b> a suite needs a name. Enter a name." in text
    assert "2 + 2?</textarea>" in text


def test_a_missing_id_is_a_fault_of_the_field_of_ids(tmp_path):
    with serving(tmp_path, works=False) as address:
        body = urlencode({**FILLED, "case_id": ""})
        status, _, text = ask(address, "POST", "/suites", FORM, body)
    assert status == 422
    assert "1 problem" in text
    assert "<b>id:</b> a case needs an id. Enter an id." in text
