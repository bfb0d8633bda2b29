"""The history of a suite as SVG: each setup's figure with its interval from run to run."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from benchmaker.report.plots.plots import Axis, axis_over, marker_svg, tick_label

HEIGHT: Final = 260
"""Pixels."""

_AXIS: Final = 34
"""Pixels of the axis beside the plot."""

_TOP, _BOTTOM, _LEFT, _RIGHT = 14, 26, 4.0, 97.0
_MOST_LABELS, _NARROW_LABELS = 6, 3
_EDGE, _INWARDS = 13, 15
_FEW = 8
"""The most moments that fit a narrow page without scrolling."""


class HistoryPoint(NamedTuple):
    """A figure from 0 to 1 in the moment of that number, counted from 0, with its interval."""

    moment: int
    value: float
    ends: tuple[float, float] | None


class Moment(NamedTuple):
    """A run or series: its time, and the version of the suite and of the scoring it used.

    ``time`` is UTC, ISO 8601.
    """

    time: str
    version: str


def history_axis_svg(lines: Sequence[tuple[str, Sequence[HistoryPoint]]]) -> str:
    """The numbers of the axis for the plot of these lines, to stand beside it."""
    axis = _axis(lines)
    labels = "".join(
        f'<text x="{_AXIS - 4}" y="{float(_y(tick, axis)) + 4:.1f}" text-anchor="end">'
        f"{tick_label(tick)}</text>"
        for tick in axis.ticks
    )
    return f'<svg class="plot" width="{_AXIS}" height="{HEIGHT}" aria-hidden="true">{labels}</svg>'


def history_svg(
    moments: Sequence[Moment], lines: Sequence[tuple[str, Sequence[HistoryPoint]]]
) -> str:
    """The figures of setups over time, moments evenly spaced; a line ends at a new version.

    The axis is :func:`history_axis_svg`.

    Args:
        moments: in the order of time.
        lines: the colour of a setup, a class of :func:`~.plots.colours`, and its points.
    """
    axis = _axis(lines)
    drawn = "".join(_line(moments, axis, colour, points) for colour, points in lines)
    frame = f"{_grid(axis)}{_versions(moments)}{_days(moments)}"
    names = "plot over-time few" if len(moments) <= _FEW else "plot over-time"
    return f'<svg class="{names}" height="{HEIGHT}" aria-hidden="true">{frame}{drawn}</svg>'


def _axis(lines: Sequence[tuple[str, Sequence[HistoryPoint]]]) -> Axis:
    return axis_over(
        [
            end * 100
            for _, points in lines
            for one in points
            for end in (one.value, *(one.ends or ()))
        ]
    )


def _x(moment: float, of: int) -> str:
    return f"{_percent(moment, of):.2f}%"


def _percent(moment: float, of: int) -> float:
    share = 0.5 if of < 2 else (moment + 0.25) / (of - 0.5)  # noqa: PLR2004  one stands in the middle
    return _LEFT + share * (_RIGHT - _LEFT)


def _y(value: float, axis: Axis) -> str:
    low, high = axis.ticks[0], axis.ticks[-1]
    share = (value - low) / (high - low)
    return f"{HEIGHT - _BOTTOM - share * (HEIGHT - _BOTTOM - _TOP):.1f}"


def _grid(axis: Axis) -> str:
    lines = "".join(
        f'<line x1="0" x2="{_RIGHT}%" y1="{_y(tick, axis)}" y2="{_y(tick, axis)}"/>'
        for tick in axis.ticks
    )
    return f'<g class="grid">{lines}</g>'


def _versions(moments: Sequence[Moment]) -> str:
    """A dashed line before the first run of each later version."""
    return "".join(
        f'<line class="change" x1="{_x(at + 0.5, len(moments))}" x2="{_x(at + 0.5, len(moments))}" '
        f'y1="{_TOP}" y2="{HEIGHT - _BOTTOM}"/>'
        for at, (one, other) in enumerate(pairwise(moments))
        if one.version != other.version
    )


def _days(moments: Sequence[Moment]) -> str:
    """The times of some moments, fewer of them on a narrow page."""
    labels = _labels([one.time for one in moments])
    step, narrow = (max(1, -(-len(moments) // most)) for most in (_MOST_LABELS, _NARROW_LABELS))
    return "".join(
        _day(at, len(moments), label, "day" if at % narrow == 0 else "day hide-s")
        for at, label in enumerate(labels)
        if at % step == 0 or at % narrow == 0
    )


def _labels(times: Sequence[str]) -> list[str]:
    """The days; with times if two share a day, and with seconds if two share a minute.

    The times of a single day have no date if they have seconds.
    """
    days = [one[:10] for one in times]
    minutes = [f"{one[5:10]} {one[11:16]}" for one in times]
    if len(set(days)) == len(days):
        return days
    if len(set(minutes)) == len(minutes):
        return minutes
    is_one_day = len(set(days)) == 1
    return [one[11:19] if is_one_day else f"{one[5:10]} {one[11:19]}" for one in times]


def _day(at: int, of: int, day: str, shown: str) -> str:
    """A day below its moment, moved inwards near an edge, so that a narrow plot has it whole."""
    percent, anchor = _percent(at, of), "middle"
    if percent < _EDGE:
        anchor = f'start" dx="-{_INWARDS}'
    elif percent > 100 - _EDGE:
        anchor = f'end" dx="{_INWARDS}'
    place = f'x="{_x(at, of)}" y="{HEIGHT - 8}" text-anchor="{anchor}"'
    return f'<text class="{shown}" {place}>{day}</text>'


def _line(
    moments: Sequence[Moment], axis: Axis, colour: str, points: Sequence[HistoryPoint]
) -> str:
    of = len(moments)
    spans = "".join(
        f'<line class="span" x1="{_x(a.moment, of)}" x2="{_x(b.moment, of)}" '
        f'y1="{_y(a.value * 100, axis)}" y2="{_y(b.value * 100, axis)}"/>'
        for a, b in pairwise(points)
        if moments[a.moment].version == moments[b.moment].version
    )
    marks = "".join(_mark(of, axis, colour, one) for one in points)
    return f'<g class="{colour}">{spans}{marks}</g>'


def _mark(of: int, axis: Axis, colour: str, one: HistoryPoint) -> str:
    x = _x(one.moment, of)
    interval = ""
    if one.ends:
        low, high = (_y(end * 100, axis) for end in one.ends)
        interval = f'<line class="ci" x1="{x}" x2="{x}" y1="{low}" y2="{high}"/>'
    marker = marker_svg(colour, hollow=one.ends is None)
    place = f'<svg x="{x}" y="{_y(one.value * 100, axis)}" overflow="visible">{marker}</svg>'
    return f"{interval}{place}"
