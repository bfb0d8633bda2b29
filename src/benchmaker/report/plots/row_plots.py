"""Small plots of a row in a list: the setups of a run as intervals, and the history of a suite."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from benchmaker.report.plots.plots import Axis, marker_svg

DRAWN: Final = 5
"""Maximum number of setups drawn in a row."""

_SCALE = Axis((0.0, 100.0))
_STEP, _EDGE = 11, 8
_SPARK, _INSET, _LEAST = 30, 6, 0.1


class RowInterval(NamedTuple):
    """A figure from 0 to 1 with the interval around it; None for what is missing."""

    value: float | None
    ends: tuple[float, float] | None


def setup_bars_svg(setups: Sequence[RowInterval], colours: Sequence[str]) -> str:
    """The first setups, one below the other: a line for the interval and a marker, from 0 to 100.

    The marker is hollow without an interval; setups without a figure have none.
    """
    shown = setups[:DRAWN]
    height = _STEP * max(len(shown) - 1, 0) + 2 * _EDGE
    ticks = "".join(_vertical(_SCALE.percent(at), height) for at in (0, 25, 50, 75, 100))
    bars = "".join(
        _bar(one, _EDGE + at * _STEP, colour)
        for at, (one, colour) in enumerate(zip(shown, colours, strict=False))
    )
    return (
        f'<svg class="plot" height="{height}" aria-hidden="true">'
        f'<g class="grid">{ticks}</g>{bars}</svg>'
    )


def _vertical(x: str, height: int) -> str:
    return f'<line x1="{x}" x2="{x}" y2="{height}"/>'


def _bar(one: RowInterval, y: int, colour: str) -> str:
    if one.value is None:
        return ""
    line = ""
    if one.ends:
        low, high = (_SCALE.percent(end * 100) for end in one.ends)
        line = f'<line class="ci" x1="{low}" x2="{high}" y1="{y}" y2="{y}"/>'
    marker = marker_svg(colour, hollow=one.ends is None)
    x = _SCALE.percent(one.value * 100)
    place = f'<svg x="{x}" y="{y}" overflow="visible">{marker}</svg>'
    return f'<g class="{colour}">{line}{place}</g>'


class SparkPoint(NamedTuple):
    """The best figure of a run from 0 to 1, and the version of the suite it is of."""

    value: float
    version: str
    is_own: bool = False


def sparkline_svg(points: Sequence[SparkPoint]) -> str:
    """Figures over time, evenly spaced, with a line within each version of the suite.

    The row's own figure has the larger dot. The height covers at least 10 points.
    """
    if not points:
        return ""
    values = [one.value for one in points]
    middle = (max(values) + min(values)) / 2
    half = max(max(values) - min(values), _LEAST) / 2
    places = [
        _place(at, len(points), one, middle + half, 2 * half) for at, one in enumerate(points)
    ]
    lines = "".join(
        f'<line x1="{x1:g}%" x2="{x2:g}%" y1="{y1:g}" y2="{y2:g}"/>'
        for ((x1, y1), a), ((x2, y2), b) in pairwise(zip(places, points, strict=True))
        if a.version == b.version
    )
    dots = "".join(_dot(x, y, one) for (x, y), one in zip(places, points, strict=True))
    return f'<svg class="spark" height="{_SPARK}" aria-hidden="true">{lines}{dots}</svg>'


def _place(at: int, of: int, one: SparkPoint, top: float, span: float) -> tuple[float, float]:
    """The position of a figure: across in percent, down in pixels."""
    across = 50.0 if of == 1 else 6 + 88 * at / (of - 1)
    return round(across, 2), round(_INSET + (top - one.value) / span * (_SPARK - 2 * _INSET), 2)


def _dot(x: float, y: float, one: SparkPoint) -> str:
    own = ' class="own"' if one.is_own else ""
    return f'<circle{own} cx="{x:g}%" cy="{y:g}" r="{3.5 if one.is_own else 2}"/>'
