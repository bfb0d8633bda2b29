import io
from xml.etree import ElementTree as ET

import pytest

from benchmaker.analysis.summary.decisions import Decision, GateVerdict
from benchmaker.record import Outcome
from benchmaker.report import write_junit


def parsed(trials, **options):
    stream = io.StringIO()
    write_junit(trials, stream, **options)
    return ET.fromstring(stream.getvalue())  # noqa: S314  our own text


def counts(suite):
    return tuple(int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped"))


def test_one_suite_a_model_and_one_testcase_a_trial(a_trial):
    root = parsed([a_trial(0), a_trial(0, 0.0, model="basalt"), a_trial(1)], name="capitals")
    assert root.get("name") == "capitals"
    assert [suite.get("name") for suite in root] == ["aurora", "basalt"]
    assert [case.get("name") for case in root[0]] == ["c0", "c1"]
    assert root[0][0].get("classname") == "capitals.aurora"


def test_failure_error_and_skipped_are_told_apart(a_trial):
    root = parsed(
        [
            a_trial(0),
            a_trial(1, 0.95),
            a_trial(2, None, outcome=Outcome.TIMEOUT, completion=None, error="no answer in 60 s"),
            a_trial(3, None),
        ]
    )
    (suite,) = root
    assert counts(suite) == (4, 1, 1, 1)
    assert [[child.tag for child in case] for case in suite] == [
        [],
        ["failure"],
        ["error"],
        ["skipped"],
    ]
    failure = suite[1][0]
    assert failure.get("message") == "score 95.0 of 100"
    assert failure.text == "expected: Paris\nanswer: Paris"
    assert suite[2][0].get("message") == "no answer in 60 s"
    assert suite[3][0].get("message") == "no verdict"


def decision(verdict, model="aurora"):
    return Decision(model, verdict, 0.8, 0.75, 0.6, 0.9, n_cases=4, more_cases=9, is_sure=True)


@pytest.mark.parametrize(
    ("verdict", "expected", "tag"),
    [
        (GateVerdict.PASSED, (3, 0, 0, 1), None),
        (GateVerdict.FAILED, (3, 1, 0, 1), "failure"),
        (GateVerdict.UNDECIDED, (3, 0, 1, 1), "error"),
    ],
)
def test_with_a_gate_its_decision_alone_fails(a_trial, verdict, expected, tag):
    (suite,) = parsed([a_trial(0), a_trial(1, 0.0)], decisions=[decision(verdict)])
    assert counts(suite) == expected
    assert [case.get("name") for case in suite] == ["threshold", "c0", "c1"]
    assert [child.tag for child in suite[0]] == ([tag] if tag else [])
    assert suite[2][0].get("message") == "score 0.0 of 100; the threshold decides"


def test_a_failed_request_is_left_to_the_gate(a_trial):
    late = a_trial(1, None, outcome=Outcome.TIMEOUT, completion=None, error="no answer in 60 s")
    (suite,) = parsed([a_trial(0), late], decisions=[decision(GateVerdict.PASSED)])
    assert counts(suite) == (3, 0, 0, 1)
    assert suite[2][0].get("message") == "timeout: no answer in 60 s; the threshold decides"


def test_a_failed_request_without_a_message_is_told_in_words(a_trial):
    late = a_trial(1, None, outcome=Outcome.TIMEOUT, completion=None, error=None)
    (suite,) = parsed([late])
    assert suite[0][0].get("message") == "the request timed out"


def test_a_model_without_a_trial_is_decided_too(a_trial):
    none = Decision("basalt", GateVerdict.UNDECIDED, 0.8, None)
    root = parsed([a_trial(0)], decisions=[decision(GateVerdict.PASSED), none])
    assert [counts(suite) for suite in root] == [(2, 0, 0, 0), (1, 0, 1, 0)]
    assert "no answer has a score" in root[1][0][0].get("message")


def test_names_hold_the_number_of_a_run_and_never_its_id(a_trial):
    trials = [a_trial(0), a_trial(0, run="r2")]
    (suite,) = parsed(trials, numbers={trials[0].run_id: 1, "r2": 2})
    assert [case.get("name") for case in suite] == ["c0", "c0 (run 2)"]
    (alone,) = parsed([a_trial(0, run="r2")], numbers={"r2": 2})
    assert [case.get("name") for case in alone] == ["c0"]


def test_what_xml_forbids_is_replaced_and_the_rest_comes_back(a_trial):
    text = "<a>&\"'\x00\x08\x1b\ufffe\ud800]]>\x7f é"
    root = parsed([a_trial(0, 0.0, text=text, model='m<\x01&"')], name='n"<')
    failure = root[0][0][0]
    bad = "\ufffd"
    assert failure.text == f"expected: Paris\nanswer: <a>&\"'{bad}{bad}{bad}{bad}{bad}]]>\x7f é"
    assert root[0].get("name") == f'm<{bad}&"'


def test_secrets_and_long_answers_are_cut(a_trial):
    key = "sk-ant-" + "aB3dE6gH9jK2mN5pQ8sT"
    (suite,) = parsed([a_trial(0, 0.0, text=f"{key} {'x' * 9000}")])
    assert "answer: [redacted] xxx" in suite[0][0].text
    assert len(suite[0][0].text) < 2200


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"score": None, "outcome": Outcome.TIMEOUT, "completion": None, "error": "60 s"},
            "timeout: 60 s; the case has weight 0 and cannot fail",
        ),
        ({"score": 0.0}, "score 0.0 of 100; the case has weight 0 and cannot fail"),
    ],
)
def test_a_case_of_weight_0_cannot_fail(a_trial, fields, message):
    (suite,) = parsed([a_trial(0), a_trial(1, weight=0.0, **fields)])
    assert counts(suite) == (2, 0, 0, 1)
    assert suite[1][0].get("message") == message
