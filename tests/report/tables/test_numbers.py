from decimal import ROUND_HALF_EVEN, Decimal

import pytest

from benchmaker.record.counts import count
from benchmaker.report.tables import numbers

MINUS = "\N{MINUS SIGN}"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.869, "86.9"), (1.0, "100.0"), (0.0, "0.0"), (-0.0, "0.0"), (-0.012, f"{MINUS}1.2"),
     (-0.0004, "0.0"), (1.05, "105.0")],
)  # fmt: skip
def test_scores_are_shown_on_the_scale_of_a_hundred(value, shown):
    assert numbers.score(value) == shown


@pytest.mark.parametrize(
    ("low", "shown"),
    [(0.0, "0.0"), (-0.0, "0.0"), (1e-16, "0.0"), (-1e-16, "0.0"), (0.0006, "0.1"),
     (-0.0000006, f"{MINUS}0.00006"), (0.0004, "0.04"), (-0.0004, f"{MINUS}0.04")],
)  # fmt: skip
def test_an_end_of_an_interval_is_zero_only_if_it_is_zero(low, shown):
    assert numbers.interval((low, 0.051)) == f"[{shown}, 5.1]"


def test_intervals_shares_and_counts():
    assert numbers.interval((-0.012, 0.8921)) == f"[{MINUS}1.2, 89.2]"
    assert numbers.share(0.71) == "71.0%"
    assert (count(1, "case"), count(1319, "case")) == ("1 case", "1,319 cases")


@pytest.mark.parametrize(
    ("usd", "shown"),
    [(6.42, "$6.42"), (1234.5, "$1,234.50"), (0.187, "$0.187"), (0.0042, "$0.0042"),
     (0.00001234, "$0.0000123"), (0, "$0.00"), (0.01, "$0.01")],
)  # fmt: skip
def test_money(usd, shown):
    assert numbers.money(usd) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.62, "0.62 s"), (48, "48 s"), (59.7, "1 min 00 s"), (386, "6 min 26 s"),
     (4320, "1 h 12 min")],
)  # fmt: skip
def test_durations(seconds, shown):
    assert numbers.duration(seconds) == shown


@pytest.mark.parametrize(
    ("count", "shown"), [(0, "0"), (21840, "21,840"), (118_000, "118 k"), (2_400_000, "2.4 M")]
)
def test_tokens(count, shown):
    assert numbers.tokens(count) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.9996, "99.96%"), (0.0004, "0.04%"), (1.0, "100.0%"), (0.0, "0.0%"), (0.1, "10.0%")],
)
def test_only_all_is_a_hundred_per_cent_and_only_none_is_zero(value, shown):
    assert numbers.share(value) == shown


@pytest.mark.parametrize("hundredths", range(5, 10_000, 10))
def test_a_half_is_rounded_alike_on_both_scales(hundredths):
    """A score from 0 to 1 and the same from 0 to 100, a difference, and an end of an interval."""
    exact = Decimal(hundredths) / 100
    shown = str(exact.quantize(Decimal("0.1"), ROUND_HALF_EVEN))
    share, hundred = hundredths / 10_000, hundredths / 100

    if shown not in {"0.0", "100.0"}:
        assert numbers.score(share) == numbers.score(hundred / 100) == numbers.end(share) == shown
        assert numbers.difference(share) == f"+{shown}"
    assert numbers.fixed_point(hundred, 1) == numbers.fixed_point(share * 100, 1) == shown


def test_the_noise_of_a_sum_does_not_decide_on_the_last_digit():
    scores = [0.31, 0.539, 0.41, 0.419]
    mean = sum(scores) / 4
    noisy = [mean, *(mean * (1 + k * 2**-52) for k in (-4, -1, 1, 4))]
    assert {numbers.score(value) for value in noisy} == {"42.0"}


def test_numbers_that_are_not_finite_have_a_text():
    assert numbers.fixed_point(float("inf"), 1) == "inf"
