"""Two columns of the same rows."""

from numpy.typing import ArrayLike

from benchmaker.errors import SpecError
from benchmaker.stats.columns import Floats, finite_column


def align(first: ArrayLike, second: ArrayLike, *, noun: str = "value") -> tuple[Floats, Floats]:
    """Return both columns; SpecError for different lengths or non-finite values."""
    one, two = finite_column(first, noun), finite_column(second, f"second {noun}")
    if len(one) != len(two):
        message = f"There are {len(one)} {noun}s on one side and {len(two)} on the other"
        raise SpecError(f"{message}; give one of each per row.")
    return one, two
