"""Words for missing figures: each names the step that was not done."""

from benchmaker.report.tables import numbers

NOT_SCORED = "unscored"
NOT_TESTED = "not tested"

SAME_SCORES = "same scores"
"""The verdict on two models, or two points of one, with equal scores in every case."""

NOT_RANKED = "not ranked"
NOT_RATED = "not rated"
NO_INTERVAL = "no interval"
NO_SD = "no SD"
NOT_KNOWN = "unknown"
TOO_FEW_CASES = "too few cases"
ABSENT = frozenset({
    NOT_SCORED, NOT_TESTED, NOT_RANKED, NOT_RATED, NO_INTERVAL, NO_SD, NOT_KNOWN, TOO_FEW_CASES,
})  # fmt: skip
"""All missing figures."""


def optional_score(value: float | None) -> str:
    """A mean or a score of 0 to 1 on the scale to 100."""
    return NOT_SCORED if value is None else numbers.score(value)


def optional_share(value: float | None) -> str:
    """A share in percent."""
    return NOT_SCORED if value is None else numbers.share(value)


def statistic_over_cases(value: float | None) -> str:
    """A statistic of scores on the scale to 100, for which a model may have too few cases."""
    return TOO_FEW_CASES if value is None else numbers.score(value)


def sd(value: float | None) -> str:
    """A standard deviation."""
    return NO_SD if value is None else numbers.score(value)


def optional_interval(ends: tuple[float, float] | None) -> str:
    """An interval between 0 and 1 on the scale to 100."""
    return NO_INTERVAL if ends is None else numbers.interval(ends)


def optional_p_value(value: float | None) -> str:
    """A p-value of a test."""
    return NOT_TESTED if value is None else numbers.p_value(value)


def optional_money(usd: float | None) -> str:
    """An amount in dollars."""
    return NOT_KNOWN if usd is None else numbers.money(usd)


def optional_seconds(seconds: float | None) -> str:
    """A time of seconds or minutes."""
    return NOT_KNOWN if seconds is None else numbers.duration(seconds)
