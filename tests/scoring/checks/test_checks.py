"""The scorer ``checks``: verdicts, the weighted share, undecided checks, and the explanation."""

import asyncio
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import ScorerError, SpecError
from benchmaker.plugins import list_plugins, load
from benchmaker.record import Outcome, Score
from benchmaker.report.sentences.check_words import failed_check_lines
from benchmaker.scoring.base import AskingHalted, is_asking
from benchmaker.scoring.build import build, parameters_of
from benchmaker.scoring.checks.checks import Checks, results_of
from benchmaker.scoring.score import explain, score, stamp
from benchmaker.spec import CheckSpec, ScorerSpec, profile
from benchmaker.testing import a_case, a_trial
from benchmaker.testing.scorer_contract import Example, ScorerContract


def spec(**values):
    return CheckSpec.model_validate(values)


LIMA = spec(type="regex", pattern="/lima/i")
PERU = spec(type="regex", pattern="/peru/i")


class TestChecks(ScorerContract):
    scorer = partial(Checks, (LIMA, spec(type="exact", value="Cusco", **{"not": True})))
    examples = (
        Example("It is Lima.", score=1.0),
        Example("Cusco", score=0.0),
        Example("Quito", score=0.0),
    )


@dataclass(frozen=True)
class Graded:
    """Gives the score that stands in the answer, in hundredths; none for ``none``."""

    place: int = 0
    error: str = ""

    def score(self, case, trial):  # noqa: ARG002  the answer says it all
        if self.error == "halted":
            raise AskingHalted("stopped")
        word = trial.text.split()[self.place]
        if word == "error":
            raise ScorerError("it broke.")
        return Score.unscored("no number") if word == "none" else Score.of(int(word) / 100)


class Lenient(Graded):
    """Like Graded, with a threshold of its own."""

    default_threshold: ClassVar = 0.5


def graded(place, kind="Graded", **values):
    return {"type": f"tests.scoring.checks.test_checks:{kind}", "place": place, **values}


def scored(answer, *checks, threshold=None):
    made = Checks(tuple(spec(**one) for one in checks), threshold)
    return asyncio.run(made.score(a_case(), a_trial(text=answer)))


@pytest.mark.parametrize(
    ("answer", "values", "passed", "value"),
    [
        ("100", {}, True, 1.0),
        ("99", {}, False, 0.99),
        ("60", {"threshold": 0.6}, True, 0.6),
        ("59", {"threshold": 0.6}, False, 0.59),
        ("60", {"threshold": 0.6, "not": True}, False, 0.4),
        ("25", {"threshold": 0.6, "not": True}, True, 0.75),
        ("100", {"not": True}, False, 0.0),
        ("0", {"not": True}, True, 1.0),
        ("50", {"kind": "Lenient"}, True, 0.5),
        ("49", {"kind": "Lenient"}, False, 0.49),
        ("49", {"kind": "Lenient", "threshold": 0.4}, True, 0.49),
        ("none", {}, None, None),
        ("none", {"not": True}, None, None),
        ("error", {"threshold": 0}, None, None),
    ],
)
def test_the_verdict_of_one_check(answer, values, passed, value):
    (result,) = results_of(scored(answer, graded(0, **values)).detail)
    assert (result.passed, result.score) == (passed, value)


def test_without_a_threshold_all_must_pass():
    two = graded(0), graded(1)
    assert scored("100 100", *two).score == 1.0
    assert scored("100 90", *two).score == 0.0


def test_with_a_threshold_the_score_is_the_weighted_share():
    checks = graded(0, weight=3), graded(1)
    found = scored("100 20", *checks, threshold=0.8)
    assert (found.score, found.detail["passed"]) == (0.8, True)
    assert scored("100 16", *checks, threshold=0.8).detail["passed"] is False


def test_a_check_of_weight_0_only_reports():
    found = scored("100 0", graded(0), graded(1, weight=0))
    assert (found.score, results_of(found.detail)[1].passed) == (1.0, False)
    assert scored("100 none", graded(0), graded(1, weight=0)).score == 1.0
    alone = scored("100", graded(0, weight=0))
    assert alone.score is None
    assert "only report" in alone.notes


@pytest.mark.parametrize("threshold", [None, 0.1])
def test_an_undecided_check_leaves_the_case_unscored(threshold):
    found = scored("100 error", graded(0), graded(1), threshold=threshold)
    assert found.score is None
    assert found.detail["passed"] is None
    assert "Graded is undecided: the scorer failed: it broke." in found.notes


def test_a_failed_check_does_not_decide_while_another_is_undecided():
    found = scored("0 none", graded(0), graded(1, "Lenient"))
    assert found.score is None
    assert found.notes.endswith("Graded failed")


def test_a_halt_of_the_judges_reaches_the_run():
    with pytest.raises(AskingHalted):
        scored("1", graded(0, error="halted"))


def test_a_value_stands_for_the_expected_answer():
    check = spec(type="exact", value=["Lima", "La Ciudad"])
    found = asyncio.run(Checks((check,)).score(a_case(expected="Quito"), a_trial(text="La Ciudad")))
    assert found.score == 1.0
    assert results_of(found.detail)[0].expected == "La Ciudad"


def test_a_faulty_check_cannot_be_built():
    for wrong in ({"type": "exat"}, {"type": "numeric", "tolerance": -1}):
        with pytest.raises(SpecError):
            Checks((spec(**wrong),))
    with pytest.raises(SpecError):
        Checks(())


def test_the_checks_have_the_family_of_the_profile():
    made = build(ScorerSpec(id="checks", checks=["exact"]), profile("robust/1"))
    (inner,) = made.scorers
    assert type(inner).__module__ == "benchmaker.scoring.robust_1.exact"


def test_it_asks_if_one_of_its_checks_does():
    judge = spec(type="set", checks=[{"type": "llm_judge", "models": ["j"]}])
    assert is_asking(Checks((LIMA, judge)))
    assert not is_asking(Checks((LIMA,)))
    assert not is_asking(Checks)


def test_it_is_applied_like_any_scorer():
    found = score("checks", "Lima", checks=[LIMA, {"type": "exact", "value": "Lima"}])
    assert found.score == 1.0
    with pytest.raises(SpecError, match="judge"):
        score("checks", "Lima", checks=["llm_judge"])


def test_no_scorer_has_a_parameter_that_a_check_needs():
    reserved = {"type", "not", "weight", "metric"}
    for plugin in list_plugins("scorer"):
        assert not reserved & parameters_of(load("scorer", plugin.id)).keys(), plugin.id


def test_the_explanation_has_a_line_for_each_check_and_the_sum():
    plain = ScorerSpec(
        id="checks",
        threshold=0.5,
        checks=[
            {"type": "exact", "value": "Lima", "weight": 2},
            {"type": "set", "checks": [{"type": "regex", "pattern": "Peru", "not": True}]},
        ],
    )
    family = profile("classic")
    made = build(plain, family)
    raw = asyncio.run(made.score(a_case(), a_trial(text="Lima, Peru")))
    lines = explain(stamp(raw, made, plain, family, ()))
    assert lines[0].startswith("✗ exact 'Lima' (score 0.74, weight 2)")
    assert any("✗ not regex pattern='Peru' (score 0, weight 1)" in line for line in lines)
    assert any("0.95 − 0.35" in line for line in lines)
    assert lines[-2].startswith("(2·0.74 + 1·0)/3 = 0.493333")
    assert lines[-1] == "0.493333 < threshold 0.5: failed"


# A plain evaluation of the design, with fractions, as the second road.

NUMBERS = st.sampled_from([0, 20, 50, 80, 100])
SHARES = st.sampled_from([None, 0, 0.2, 0.5, 0.8, 1])


def checks_over(count):
    """Random checks that read the first ``count`` words of the answer."""
    common = {
        "weight": st.sampled_from([0, 0.5, 1, 2]),
        "threshold": SHARES,
        "not": st.booleans(),
    }
    place = st.integers(0, count - 1)
    one = st.fixed_dictionaries(
        {"place": place, "kind": st.sampled_from(["Graded", "Lenient"])}, optional=common
    ).map(lambda it: graded(**it))
    inner = st.lists(one, min_size=1, max_size=3)
    nested = st.recursive(
        one,
        lambda deeper: st.fixed_dictionaries(
            {
                "type": st.sampled_from(["set", "checks"]),
                "checks": st.lists(deeper, min_size=1, max_size=3) | inner,
            },
            optional=common,
        ),
        max_leaves=6,
    )
    return st.lists(nested, min_size=1, max_size=4)


def plain_check(check, words):
    """The verdict and the score of one check, as the design says."""
    if "checks" in check:
        passed, value = plain_case(check["checks"], check.get("threshold"), words)
    else:
        value, passed = plain_graded(check, words[check["place"]])
    if check.get("not") and passed is not None:
        return not passed, 1 - value
    return passed, value


def plain_graded(check, word):
    if word in {"none", "error"}:
        return None, None
    value = Fraction(int(word), 100)
    threshold = check.get("threshold")
    if threshold is None and check["type"].endswith("Lenient"):
        threshold = 0.5
    limit = Fraction(1) if threshold is None else Fraction(str(threshold))
    return value, value >= limit


def plain_case(checks, threshold, words):
    results = [(Fraction(str(it.get("weight", 1))), *plain_check(it, words)) for it in checks]
    counted = [it for it in results if it[0] > 0]
    if not counted or any(passed is None for _, passed, _ in counted):
        return None, None
    if threshold is None:
        passed = all(passed for _, passed, _ in counted)
        return passed, Fraction(passed)
    total = sum(weight * value for weight, _, value in counted)
    share = total / sum(weight for weight, _, _ in counted)
    return share >= Fraction(str(threshold)), share


@given(
    checks=checks_over(3),
    threshold=SHARES,
    words=st.tuples(*[st.one_of(NUMBERS, st.sampled_from(["none", "error"])).map(str)] * 3),
)
def test_random_checks_agree_with_a_plain_evaluation(checks, threshold, words):
    found = scored(" ".join(words), *checks, threshold=threshold)
    passed, value = plain_case(checks, threshold, words)
    assert found.detail["passed"] is passed
    assert (found.score is None) == (value is None)
    assert value is None or found.score == pytest.approx(float(value), abs=1e-12)
    for check, result in zip(checks, results_of(found.detail), strict=True):
        own_passed, own_value = plain_check(check, words)
        assert result.passed is own_passed
        assert own_value is None or result.score == pytest.approx(float(own_value), abs=1e-12)


@given(checks=checks_over(3), words=st.tuples(*[NUMBERS.map(str)] * 3))
def test_not_twice_is_the_check_itself(checks, words):
    turned = {
        "type": "set",
        "checks": [{"type": "set", "checks": checks, "not": True}],
        "not": True,
    }
    alone = scored(" ".join(words), {"type": "set", "checks": checks})
    assert scored(" ".join(words), turned).score == alone.score


def test_notes_name_the_metric_of_a_failed_check():
    specs = [
        CheckSpec(type="contains", value="near", metric="word"),
        CheckSpec(type="contains", value="far"),
    ]
    score = asyncio.run(Checks(tuple(specs)).score(a_case(), a_trial(text="none")))
    assert score.notes == (
        "2 of 2 checks failed: contains (metric word: not found); contains (not found)"
    )
    first, second = failed_check_lines(score)
    assert first.startswith("check contains (metric word) failed: ")
    assert second.startswith("check contains failed: ")


FOUND = {"type": "contains", "value": "Peru", "metric": "country"}
FOUND_WORDS = "contains (metric country: found 'Peru')"
LACKING = {"type": "contains", "value": "Oslo"}


@pytest.mark.parametrize(
    ("inner", "more", "reason"),
    [
        (
            [FOUND, {**LACKING, "not": True}],
            {},
            f"2 of 2 checks passed: {FOUND_WORDS}; not contains (not found)",
        ),
        (
            [FOUND, LACKING],
            {"threshold": 0.5},
            f"1 of 2 checks passed: {FOUND_WORDS}; contains failed",
        ),
        ([FOUND] * 4, {}, f"4 of 4 checks passed: {'; '.join([FOUND_WORDS] * 3)}; and 1 more"),
        ([FOUND], {"not": True}, f"1 of 1 checks passed: {FOUND_WORDS}"),
        (
            [{"type": "set", "checks": [FOUND]}],
            {},
            f"1 of 1 checks passed: set (1 of 1 checks passed: {FOUND_WORDS})",
        ),
    ],
)
def test_a_set_that_passed_gives_the_reasons_of_its_checks(inner, more, reason):
    found = scored("Lima, Peru", {"type": "set", "checks": inner, **more})
    (result,) = results_of(found.detail)
    assert result.reason == reason


def test_a_policy_of_zero_fails_the_checks_of_nested_sets():
    inner = {"type": "set", "checks": [{"type": "contains", "value": "a"}]}
    score = Checks((spec(**inner),)).zero_score(a_case(), Outcome.EMPTY, "empty")
    (outer,) = score.checks
    (nested,) = outer["detail"]["checks"]
    assert (score.score, outer["passed"], nested["passed"]) == (0, False, False)
