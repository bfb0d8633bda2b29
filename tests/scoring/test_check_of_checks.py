"""The check of a suite finds every fault within checks, with its line and column."""

import asyncio

import pytest

from benchmaker.errors import SpecError
from benchmaker.scoring.build import build
from benchmaker.scoring.check import check_suite, load_checked
from benchmaker.scoring.suite_notes import notes_on
from benchmaker.spec import Suite, profile
from benchmaker.testing import a_case, a_trial


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


@pytest.mark.parametrize("kind", ["contains", "exact", "rubric", "g_eval", "python", "f1", "set"])
def test_a_value_of_null_is_found_at_the_value(found, kind):
    text = f"judge: a/b\nchecks:\n  - {{value: null, type: {kind}}}\n{CASES}"
    assert (3, 13, "value is null.") in found(text)


def test_null_is_a_value_that_an_answer_may_equal(tmp_path):
    path = tmp_path / "suite.yaml"
    path.write_text(f"checks:\n  - {{type: equals, value: null}}\n{CASES}")
    suite = load_checked(path)
    scorer = build(suite.default_scorer, profile("robust"))
    scores = [
        asyncio.run(scorer.score(a_case(expected="1"), a_trial(text=it))).score
        for it in ("null", " null\n", "None", "1", "")
    ]
    assert scores == [1.0, 1.0, 0.0, 0.0, 0.0]


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
    assert message.startswith("this check and ")
    assert message.endswith(" cannot both pass.")


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


EXCLUDING = [
    "{type: equals, value: a}, {type: equals, value: b}",
    "{type: equals, value: [a, b]}, {type: equals, value: [c, d]}",
    "{type: equals, value: a}, {type: equals, value: B, ignore_case: true}",
    "{type: equals, value: 42}, {type: equals, value: 43}",
    "{type: equals, value: {a: 1}}, {type: equals, value: a}",
    "{type: equals, value: {a: 1}}, {type: equals, value: '{\"a\": 2}'}",
    "{type: equals, value: [b, a]}, {type: equals, value: [a, b, c], not: true}",
    "{type: equals, value: a}, {type: equals, value: A, not: true, ignore_case: true}",
    "{type: equals, value: abc}, {type: contains, value: b, not: true}",
    "{type: equals, value: [ab, cb]}, {type: contains, value: b, not: true}",
    "{type: equals, value: abc}, {type: contains, value: d}",
    "{type: equals, value: abc}, {type: contains, value: D, ignore_case: true}",
    "{type: equals, value: abc}, {type: contains_all, value: [a, d]}",
    "{type: equals, value: abc}, {type: contains_any, value: [d, e]}",
    "{type: equals, value: abc}, {type: starts_with, value: b}",
    "{type: equals, value: abc}, {type: ends_with, value: b}",
    "{type: equals, value: abc}, {type: starts_with, value: a, not: true}",
    "{type: equals, value: abc}, {type: regex, pattern: '^[0-9]+$'}",
    "{type: equals, value: abc}, {type: regex, pattern: '^\\d{3}$'}",
    "{type: equals, value: abc}, {type: regex, pattern: '[a-c]+', not: true}",
    "{type: regex, pattern: ^abc$}, {type: equals, value: abd}",
    "{type: regex, pattern: '^(a|b)$'}, {type: equals, value: c}",
    "{type: regex, pattern: /^abc$/i}, {type: contains, value: d}",
    "{type: regex, pattern: ^abc$}, {type: regex, pattern: ^abd$}",
    "{type: starts_with, value: a}, {type: starts_with, value: b}",
    "{type: ends_with, value: a}, {type: ends_with, value: [b, c]}",
    "{type: exact, value: a}, {type: exact, value: b}",
    "{type: exact, value: a}, {type: equals, value: b}",
]
TOGETHER = [
    ("a", "{type: equals, value: a}, {type: equals, value: [a, b]}"),
    ("A", "{type: equals, value: A}, {type: equals, value: a, ignore_case: true}"),
    ("a", "{type: equals, value: a, ignore_case: true}, {type: equals, value: A, not: true}"),
    ("42", "{type: equals, value: 42}, {type: equals, value: '42'}"),
    ("4.2e1", "{type: equals, value: 42}, {type: equals, value: '42', not: true}"),
    ("TRUE", "{type: equals, value: 'true', ignore_case: true}, {type: regex, pattern: ^TRUE$}"),
    ("ab\n", '{type: equals, value: ab}, {type: contains, value: "b\\n"}'),
    ("ab ", "{type: equals, value: ab}, {type: contains, value: 'b ', not: false}"),
    ("ab", "{type: equals, value: ab}, {type: contains, value: 'b ', not: true}"),
    (" ab", "{type: equals, value: ab}, {type: regex, pattern: ^ab$, not: true}"),
    ("ab  ", "{type: equals, value: ab}, {type: regex, pattern: '^.{4}$'}"),
    ("ab ", "{type: equals, value: ab}, {type: regex, pattern: '[^a-z]'}"),
    (" ab", "{type: equals, value: ab}, {type: regex, pattern: '(?<= )ab'}"),
    ("Ab", "{type: equals, value: ab, ignore_case: true}, {type: contains, value: A}"),
    ("Ab", "{type: equals, value: ab, ignore_case: true}, {type: contains, value: a, not: true}"),
    ("ab", "{type: equals, value: ab}, {type: contains, value: b, not: true, weight: 0}"),
    ("ac", "{type: equals, value: [ab, ac]}, {type: contains, value: b, not: true}"),
    ("b", "{type: regex, pattern: /^b$/m}, {type: equals, value: b}"),
    ("a\nb", "{type: regex, pattern: /^b$/m}, {type: starts_with, value: a}"),
    ("ab", "{type: starts_with, value: a}, {type: starts_with, value: ab}"),
    (" a", "{type: starts_with, value: ' a'}, {type: starts_with, value: a}"),
    ("AB", "{type: starts_with, value: a, ignore_case: true}, {type: starts_with, value: AB}"),
]


@pytest.mark.parametrize("checks", EXCLUDING)
def test_two_checks_that_no_answer_passes_are_found(found, checks):
    text = f"profile: classic\nchecks: [{checks}]\ncases: [{{id: a, prompt: p}}]\n"
    ((line, _, message),) = found(text)
    assert line == 2
    assert message.endswith(" cannot both pass.")


@pytest.mark.parametrize(("answer", "checks"), TOGETHER)
def test_two_checks_that_an_answer_passes_are_accepted(tmp_path, answer, checks):
    path = tmp_path / "suite.yaml"
    path.write_text(f"profile: classic\nchecks: [{checks}]\ncases: [{{id: a, prompt: p}}]\n")
    suite = load_checked(path)
    (case,) = suite.cases
    scorer = build(suite.scorer_of(case), profile("classic"))
    assert asyncio.run(scorer.score(case, a_trial(text=answer))).score == 1.0


def test_robust_exact_checks_with_other_texts_are_accepted():
    checks = [{"type": "exact", "value": "B"}, {"type": "exact", "value": "B) Paris"}]
    suite = Suite("s", [{"id": "a", "prompt": "p"}], checks=checks, profile="robust")
    assert check_suite(suite) == []
    scorer = build(suite.scorer_of(next(iter(suite.cases))), profile("robust"))
    score = asyncio.run(scorer.score(a_case(), a_trial(text="B) Paris")))
    assert score.score == 1.0


def test_a_threshold_above_the_reachable_share_is_found(found):
    checks = "[{type: exact, not: true}, {type: exact, weight: 3}]"
    ((line, column, message),) = found(f"checks: {checks}\nthreshold: 0.8\n{CASES}")
    assert (line, column) == (2, 12)
    assert message == "no answer can reach 0.8: at most 0.75 is possible."
    excluding = "[{type: equals, value: a}, {type: equals, value: b, weight: 3}]"
    ((line, _, message),) = found(f"checks: {excluding}\nthreshold: 0.8\n{CASES}")
    assert (line, message) == (2, "no answer can reach 0.8: at most 0.75 is possible.")
    graded = [{"type": "exact", "value": "a"}, {"type": "exact", "value": "A"}]
    part_marks = Suite("s", [{"id": "a", "prompt": "p"}], threshold=0.9, checks=graded)
    assert check_suite(part_marks) == []
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


def test_an_empty_set_of_checks_has_one_fault(found):
    text = "cases:\n  - {id: a, prompt: p, checks: [{type: set, checks: []}]}\n"
    assert found(text) == [(2, 40, "checks is empty.")]


def test_checks_that_exclude_each_other_are_named(found):
    checks = "[{type: contains, value: yes sir}, {type: contains, value: yes, not: true}]"
    ((_, _, message),) = found(f"checks: {checks}\n{CASES}")
    assert message == "this check and contains 'yes sir' cannot both pass."


def test_a_metric_with_variables_is_refused(found):
    ((_, _, message),) = found(
        f"checks: [{{type: contains, value: a, metric: 'm-{{{{ x }}}}'}}]\n{CASES}"
    )
    assert message == "a metric is a name for all cases, without variables."
