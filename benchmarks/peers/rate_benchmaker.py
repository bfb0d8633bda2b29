"""Benchmaker: columns of text to ratings with 95 % sandwich intervals.

``columns``: they are polars columns before the clock starts; ``lists``: lists of text.
"""

import sys

from fights import Columns, timed

from benchmaker.stats.ratings import bradley_terry, counts


def framed(columns: Columns) -> object:
    import polars as pl  # noqa: PLC0415  the other manner goes without

    return [pl.Series(column) for column in columns]


def rate(columns: Columns) -> dict[str, float]:
    found = bradley_terry(counts(*columns))
    return dict(zip(found.names, found.theta.tolist(), strict=True))


timed(framed if sys.argv[4] == "columns" else lambda columns: columns, rate)
