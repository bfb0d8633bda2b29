"""The comparison of computed figures with the thresholds and limits of a suite."""

ROUNDING = 1e-12
"""The rounding of double precision, which decides nothing: absolute for scores from 0 to 1,
relative for other figures. Scores that are decimals or fractions of counts differ by more."""


def reaches(score: float, threshold: float, *, rounding: float = ROUNDING) -> bool:
    """Return True from the threshold on; a score that misses it by ``rounding`` reaches it.

    >>> reaches(1 - 0.8, 0.2), reaches(0.1999, 0.2)
    (True, False)
    """
    return score >= threshold - max(rounding, ROUNDING)


def is_at_most(value: float, limit: float) -> bool:
    """Return True up to a limit of at least 0, and beyond it by rounding alone.

    >>> is_at_most(0.1 + 0.2, 0.3), is_at_most(0.3001, 0.3)
    (True, False)
    """
    return value <= limit * (1 + ROUNDING)
