"""The check of a suite finds every fault within checks, with its line and column."""

import pytest

from benchmaker.errors import SpecError
from benchmaker.scoring.check import check_suite, load_checked, notes_on
from benchmaker.spec import Suite


@pytest.fixture
def found(tmp_path):
    """The faults of a suite file: line, column, message."""

    def read(text):
        path = tmp_path / "suite.yaml"
        path.write_text(text)
        with pytest.raises(SpecError) as caught:
            load_checked(path)
        return [(it.line, it.column, it.message) for it in caught.value.findings]

    return read


CASES = "cases: [{id: a, prompt: p, expected: 1}, {id: b, prompt: p, expected: 2}]\n"


def test_an_unknown_type_is_found_at_its_check(found):
    text = "checks:\n  - exact\n  - {type: exat, weight: 2}\n" + CASES
    assert found(text) == [(3, 12, "unknown scorer 'exat'.")]


def test_a_wrong_parameter_is_found_at_its_value(found):
    text = (
        "checks:\n  - {type: numeric, tolerance: -1}\n  - {type: numeric, toleranse: 1}\n" + CASES
    )
    assert [(line, column) for line, column, _ in found(text)] == [(2, 32), (3, 21)]


def test_a_pattern_that_is_none_is_found_within_sets_of_a_case(found):
    text = """checks: [exact]
cases:
  - id: a
    prompt: p
    expected: e
    checks:
      - type: set
        checks:
          - {type: regex, pattern: "("}
"""
    ((line, column, message),) = found(text)
    assert (line, column) == (9, 36)
    assert "unterminated" in message or "missing" in message


def test_a_fault_of_the_scorer_beside_checks_is_found_at_the_scorer(found):
    text = "scorer: {id: numeric, tolerance: -1}\nchecks: [exact]\n" + CASES
    assert [(line, column) for line, column, _ in found(text)] == [(1, 34)]


def test_a_value_that_is_no_text_is_found(found):
    text = "checks:\n  - {type: exact, value: {a: 1}}\n" + CASES
    expected = "value must be a text or a list of texts, not a mapping."
    assert found(text) == [(2, 26, expected)]


def test_an_expectation_that_a_check_cannot_use_is_found(found):
    text = "checks: [numeric]\ncases:\n  - {id: a, prompt: p, expected: five}\n"
    ((line, column, message),) = found(text.replace("checks", "profile: robust\nchecks", 1))
    assert (line, column) == (4, 34)
    assert message.startswith("numeric needs an expected number")


def test_a_value_that_a_check_cannot_use_is_found_at_the_check(found):
    text = "profile: robust\nchecks:\n  - {type: numeric, value: five}\n" + CASES
    places = {(line, column) for line, column, _ in found(text)}
    assert places == {(3, 28)}


@pytest.mark.parametrize(
    ("checks", "column"),
    [
        ("[{type: regex, pattern: li}, {type: regex, pattern: li, not: true}]", 38),
        ("[{type: exact, value: a, not: true}, {type: exact, value: a, weight: 3}]", 46),
        ("[exact, {type: exact, not: true}]", 17),
    ],
)
def test_checks_that_exclude_each_other_are_found(found, checks, column):
    ((line, at, message),) = found(f"checks: {checks}\n{CASES}")
    assert (line, at) == (1, column)
    assert message == "this check and check 1 cannot both pass."


@pytest.mark.parametrize(
    "checks",
    [
        [{"type": "exact", "value": "a"}, {"type": "exact", "value": "b", "not": True}],
        [
            {"type": "exact", "value": "a"},
            {"type": "exact", "value": "a", "not": True, "weight": 0},
        ],
        [{"type": "exact", "value": "a"}, {"type": "exact", "value": "a"}],
        [{"type": "regex", "pattern": "li."}, {"type": "regex", "pattern": "li", "not": True}],
    ],
)
def test_checks_that_can_pass_together_are_accepted(checks):
    assert check_suite(Suite("s", [{"id": "a", "prompt": "p"}], checks=checks)) == []


def test_a_threshold_above_the_reachable_share_is_found(found):
    checks = "[{type: exact, not: true}, {type: exact, weight: 3}]"
    ((line, column, message),) = found(f"checks: {checks}\nthreshold: 0.8\n{CASES}")
    assert (line, column) == (2, 12)
    assert message == "no answer can reach 0.8: at most 0.75 is possible."
    reachable = Suite(
        "s", [{"id": "a", "prompt": "p", "expected": "e"}], threshold=0.75,
        checks=[{"type": "exact", "not": True}, {"type": "exact", "weight": 3}],
    )  # fmt: skip
    assert check_suite(reachable) == []


def test_fields_without_effect_are_found(found):
    text = """scorer: exact
threshold: 0.5
cases:
  - {id: a, prompt: p, expected: e, threshold: 1}
  - {id: b, prompt: p, expected: e, checks_only: true, scorer: exact}
"""
    assert found(text) == [
        (2, 12, "threshold has no effect without checks."),
        (4, 48, "threshold has no effect without checks."),
        (5, 50, "checks_only has no effect without checks."),
    ]


def test_a_case_without_any_scorer_is_found(found):
    text = "checks: [exact]\ncases:\n  - {id: a, prompt: p, checks_only: true}\n"
    assert (3, 5, "case 'a' has no scorer.") in found(text)


def test_a_fault_of_a_suite_made_in_python_names_the_case():
    own = [{"type": "regex", "pattern": "("}]
    (fault,) = check_suite(Suite("s", [{"id": "a", "prompt": "p", "checks": own}]))
    assert fault.message.startswith("case 'a': ")


def test_a_parameter_without_effect_is_noted():
    checks = [{"type": "set", "checks": [{"type": "regex", "pattern": "a", "normalise": ["nfc"]}]}]
    (note,) = notes_on(Suite("s", [{"id": "a", "prompt": "p"}], checks=checks))
    assert note.message == "normalise has no effect except under profile robust."
