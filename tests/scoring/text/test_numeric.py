import asyncio
import math
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from benchmaker.errors import SpecError
from benchmaker.scoring.text.curve import error, on_curve
from benchmaker.scoring.text.numeric import Numeric
from benchmaker.spec import Family
from benchmaker.testing import a_case, a_trial

ROBUST = Family.ROBUST
FINITE = st.floats(allow_nan=False, allow_infinity=False)
ERROR = st.floats(0, 1)
CURVES = ("published", "continuous", "step")


def scored(reply, expected, family=Family.CLASSIC, **parameters):
    scorer = Numeric(family=family, **parameters)
    return scorer.score(a_case(expected=expected), a_trial(text=reply))


def classic(reply, expected, **parameters):
    return scored(reply, expected, **parameters).score


def robust(reply, expected, **parameters):
    return scored(reply, expected, ROBUST, **parameters).score


@given(value=st.integers(-(10**9), 10**9), expected=st.integers(-(10**9), 10**9))
def test_the_error_equals_exact_arithmetic(value, expected):
    exact = Fraction(abs(value - expected), abs(expected)) if expected else Fraction(abs(value))
    assert error(value, expected) == float(exact)


@given(value=FINITE, expected=FINITE)
def test_an_error_is_never_negative_nor_not_a_number(value, expected):
    assert error(value, expected) >= 0


@given(expected=st.floats(1e-6, 1e6), share=st.floats(0, 0.3))
def test_too_much_is_as_wrong_as_too_little(expected, share):
    off = expected * share
    assert error(expected + off, expected) == pytest.approx(
        error(expected - off, expected), abs=1e-9
    )
    assert error(-expected - off, -expected) == error(expected + off, expected)


@given(near=ERROR, far=ERROR, tolerance=st.floats(0, 0.3))
@pytest.mark.parametrize("curve", CURVES)
def test_a_larger_error_never_scores_more(curve, near, far, tolerance):
    near, far = sorted((near, far))
    nearer, farther = (on_curve(it, tolerance=tolerance, curve=curve) for it in (near, far))
    assert 0 <= farther <= nearer <= 1


@given(err=st.fractions(0, 1, max_denominator=1000))
def test_the_published_curve_squared_gives_the_error_back(err):
    score = on_curve(float(err))
    if err <= Fraction(1, 100):
        assert score == 1
    elif err >= Fraction(1, 4):
        assert score == 0
    else:
        assert (1 - score) ** 2 * 0.25 == pytest.approx(float(err))


@given(tolerance=st.floats(0.001, 0.2))
def test_the_continuous_curve_has_no_step(tolerance):
    just_above = on_curve(tolerance + 1e-12, tolerance=tolerance, curve="continuous")
    assert just_above == pytest.approx(1, abs=1e-4)
    assert on_curve(0.25, tolerance=tolerance, curve="continuous") == 0


@given(err=ERROR, tolerance=st.floats(0, 0.3))
def test_the_step_is_1_or_0(err, tolerance):
    assert on_curve(err, tolerance=tolerance, curve="step") == (
        err <= tolerance + 5e-16 * (tolerance > 0)
    )


@given(values=st.lists(st.integers(0, 1000), min_size=1, max_size=8), expected=st.integers(1, 1000))
def test_classic_scores_the_closest_of_all_numbers_in_any_order(values, expected):
    closest = min(values, key=lambda it: abs(it - expected))
    for order in (values, values[::-1], [*values, *values]):
        assert classic(" or ".join(map(str, order)), str(expected)) == on_curve(
            error(closest, expected)
        )


@given(value=st.integers(-(10**6), 10**6), expected=st.integers(-(10**6), 10**6))
def test_robust_takes_a_whole_number_for_right_only_when_it_is(value, expected):
    score = scored(f"The answer is {value}", str(expected), ROBUST)
    assert (score.score == 1) == (value == expected) == score.is_strict


@given(value=st.integers(10**38, 10**39), off=st.integers(1, 9))
def test_whole_numbers_of_40_digits_are_told_apart(value, off):
    assert robust(str(value + off), str(value)) < 1
    assert robust(str(value), str(value)) == 1


@given(expected=st.decimals(1, 10**6, places=2))
def test_one_per_cent_is_within_one_per_cent(expected):
    assume(expected != expected.to_integral_value())
    limit = expected * 101 / 100
    assert robust(f"{limit:f}", f"{expected:f}") == 1
    assert robust(f"{limit + expected / 1000:f}", f"{expected:f}") < 1


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("100", 1.0),
        ("101", 1.0),
        ("99", 1.0),
        ("101.0001", 1 - math.sqrt(0.010001 / 0.25)),
        ("104", 0.6),
        ("106.25", 0.5),
        ("93.75", 0.5),
        ("116", 0.2),
        ("125", 0.0),
        ("75", 0.0),
        ("1000", 0.0),
        ("-100", 0.0),
        ("no number", 0.0),
        ("3, 100 or 7", 1.0),
        ("1e2", 1.0),
    ],
)
def test_the_published_examples(reply, score):
    assert classic(reply, "100") == pytest.approx(score, abs=1e-9)


def test_the_published_80_is_the_limit_from_above():
    assert on_curve(math.nextafter(0.01, 1) + 1e-9) == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize(
    ("reply", "expected", "score"),
    [
        ("0.005", "0", 1.0),
        ("0.02", "0", 1 - math.sqrt(0.02 / 0.25)),
        ("0.014", "0.005", 0.0),
        ("0.505", "0.5", 1.0),
        ("0.5051", "0.5", 1 - math.sqrt(0.0102 / 0.25)),
        ("18/20 points", "18", 1.0),
        ("at 12:30", "30", 1.0),
        ("GPT-4 says", "4", 1.0),
    ],
)
def test_classic_readings(reply, expected, score):
    assert classic(reply, expected) == pytest.approx(score, abs=1e-9)


@pytest.mark.parametrize(
    ("reply", "expected", "score"),
    [
        ("The answer is 42 of 50.", "42", 1.0),
        ("42 eggs, so the answer is 43", "42", 0.0),
        ("#### 1,080", "# 1,080", 1.0),
        ("so 50%", "0.5", 1.0),
        ("so 50%", "50", 1.0),
        ("so 0.5", "50%", 1.0),
        ("so 0.07", "7%", 1.0),
        ("so 50", "50%", 1.0),
        ("so 0.5%", "50%", 0.0),
        (r"\boxed{\frac{3}{4}}", "0.75", 1.0),
        ("It starts at 12:30", "12", 0.0),
        ("", "12", 0.0),
        ('{"answer": "4 * 125 = 500"}', "500", 0.0),
        ("The answer is 4 * 125 = 500", "500", 1.0),
        ("0.333", "1/3", 1.0),
    ],
)
def test_robust_readings(reply, expected, score):
    assert robust(reply, expected) == pytest.approx(score, abs=1e-9)


@pytest.mark.parametrize(
    ("parameters", "score"),
    [
        ({"tolerance": 0.05}, 1.0),
        ({"absolute": 4}, 1.0),
        ({"absolute": 3.9}, 0.6),
        ({"curve": "step"}, 0.0),
        ({"curve": "continuous"}, 1 - math.sqrt(0.03 / 0.24)),
        ({"curve": "continuous", "tolerance": 0.3}, 1.0),
        ({"tolerance": 0}, 0.6),
    ],
)
def test_tolerance_absolute_and_curve_are_the_suites(parameters, score):
    assert classic("104", "100", **parameters) == pytest.approx(score)


@pytest.mark.parametrize(
    ("reply", "family", "parameters", "confidence"),
    [
        ("42", Family.CLASSIC, {}, 0.8),
        ("42", ROBUST, {}, 0.8),
        ("The answer is 42", ROBUST, {}, 1.0),
        (r"\boxed{42}", ROBUST, {}, 1.0),
        ("42", ROBUST, {"extract": "whole"}, 0.8),
        ("none", ROBUST, {}, 0.8),
    ],
)
def test_an_anchored_number_is_sure(reply, family, parameters, confidence):
    assert scored(reply, "42", family, **parameters).confidence == confidence


def test_what_was_missing_is_flagged():
    assert scored("none", "42").flags == ("no_number",)
    assert scored("none", "42", ROBUST).flags == ("nothing_extracted",)
    unsure = scored('{"answer": "unknown"} but 42', "42", ROBUST)
    assert (unsure.score, unsure.flags, unsure.extraction.rule) == (0.0, ("no_number",), "json")


def test_the_expected_number_can_be_taken_out_of_a_longer_text():
    gold = "16 - 7 = 9\nA: 18"
    assert robust("A: 18", gold, extract_expected="answer_is") == 1
    assert Numeric(family=ROBUST, extract_expected="json").check(a_case(expected=gold))


@pytest.mark.parametrize("expected", [None, "", "forty-two", "12:30"])
@pytest.mark.parametrize("family", Family)
def test_a_case_that_expects_no_number_is_a_fault_of_the_suite(family, expected):
    scorer = Numeric(family=family)
    assert "numeric needs an expected number" in scorer.check(a_case(expected=expected))[0]
    with pytest.raises(SpecError, match="numeric needs an expected number"):
        scored("42", expected, family)


@pytest.mark.parametrize("expected", [">=3.8", "≤ 7", "< 5", "x > 3", "= 2, > -1", ">$5"])
@pytest.mark.parametrize("family", Family)
def test_a_bound_is_no_expected_number(family, expected):
    (said,) = Numeric(family=family).check(a_case(expected=expected))
    assert f"{expected!r} is a bound" in said


@pytest.mark.parametrize(
    "expected", ["<b>3</b>", "3", "-> 3", "=> 3", "~3.8", "<answer>18</answer>"]
)
def test_other_signs_before_an_expected_number_are_none_of_a_bound(expected):
    assert Numeric().check(a_case(expected=expected)) == []


def test_a_readable_expectation_is_no_fault():
    assert Numeric().check(a_case(expected="# 18")) == []


def test_a_pattern_is_awaited_and_anchors():
    scorer = Numeric(family=ROBUST, extract=r"/total (\d+)/")

    async def waited():
        return await scorer.score(a_case(expected="18"), a_trial(text="total 18, spare 2"))

    score = asyncio.run(waited())
    assert (score.score, score.confidence) == (1.0, 1.0)


@given(reply=st.text(max_size=40), expected=FINITE)
@pytest.mark.parametrize("family", Family)
def test_any_reply_gets_a_score_in_0_to_1_and_an_explanation(family, reply, expected):
    score = scored(reply, repr(expected), family)
    assert 0 <= score.score <= 1
    assert Numeric().explain(score)


@pytest.mark.parametrize(
    ("score", "lines"),
    [
        (
            scored("3 or 106.25", "100"),
            [
                "number 106.25, expected 100; the closest of 2 candidates",
                "err = |106.25 − 100|/|100| = 0.0625",
                "0.0625 > tolerance 0.01: max(0, 1 − √(0.0625/0.25)) = 0.5",
            ],
        ),
        (scored("101", "100"), ["number 101, expected 100", "err = |101 − 100|/|100| = 0.01",
                                "0.01 ≤ tolerance 0.01: 1"]),
        (scored("0.5", "0"), ["number 0.5, expected 0", "err = |0.5| = 0.5",
                              "0.5 > tolerance 0.01: max(0, 1 − √(0.5/0.25)) = 0"]),
        (scored("102", "100", absolute=2), ["number 102, expected 100",
                                            "|102 − 100| = 2 ≤ absolute tolerance 2", "score = 1"]),
        (scored("104", "100", curve="step", absolute=1),
         ["number 104, expected 100", "|104 − 100| = 4 > absolute tolerance 1",
          "err = |104 − 100|/|100| = 0.04", "0.04 > tolerance 0.01, curve step: 0"]),
        (scored("107", "100", curve="continuous"),
         ["number 107, expected 100", "err = |107 − 100|/|100| = 0.07",
          "0.07 > tolerance 0.01: max(0, 1 − √((0.07 − 0.01)/(0.25 − 0.01))) = 0.5"]),
        (scored("none", "100"), ["the answer holds no number: 0"]),
    ],
)  # fmt: skip
def test_the_arithmetic_is_explained(score, lines):
    assert Numeric().explain(score)[1:] == lines


@pytest.mark.parametrize(
    "reply",
    [
        "[18, 20]",
        "{18, 20}",
        "18, 20",
        "The answers are 18, 20.",
        "Answer: 18, 20",
        "Alice: 18, Bob: 20",
        "Alice: 18 apples; Bob: 20 apples",
        "18, maybe 20",
    ],
)
def test_one_of_several_numbers_is_no_answer(reply):
    for expected in ("18", "20"):
        assert robust(reply, expected) == 0, expected


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("[18]", 18),
        ("In 1969, 18 people came.", 18),
        ("Alice: 8, Bob: 10, total: 18", 18),
        ("18 is 20% of 90", 18),
        ("20% of 90 is 18.", 18),
        ("18 is a fifth of 90.", 18),
        ("18 is 1/5 of 90.", 18),
        ("Total: 42\nTime taken: 3 minutes", 42),
        ("Total: 42 eggs\n\nConfidence: 90%\nTokens: 512", 42),
        ("Distance: 40 km\nTime: 2 hours", 2),
        ("1.5 km (90 m)", 1.5),
        ("$18 (€16)", 18),
        ("Multiply the 9 kg by the price to get the total cost ($18).", 18),
        ("It is the bill ($8) plus the tip ($10), which is $18.", 18),
        ("Total words = 90\n* Time = 90 ÷ 5 = 18 minutes", 18),
        ("12,34,567", 1234567),
        ("The price is ₹1,50,000.", 150000),
        ('{"answer": "12,34,567"}', 1234567),
    ],
)
def test_numbers_on_the_side_cost_nothing(reply, value):
    numbers = (1.5, 2, 3, 8, 9, 10, 16, 18, 20, 40, 42, 90, 512, 1500, 1969, 150000, 1234567)
    assert [it for it in numbers if robust(reply, str(it)) == 1] == [value]
