"""Plots as inline SVG: x in percent of the width, presentation from classes alone."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from benchmaker.analysis import ModelSummary, Summary
from benchmaker.report.tables.numbers import with_minus

HEIGHT: Final = 38
"""The height of a row in pixels."""

_ALTERNATE: Final = ' class="alt"'

_MARKERS: Final = (
    "M-4 0a4 4 0 1 0 8 0 4 4 0 1 0-8 0z",
    "M-3.5-3.5h7v7h-7z",
    "M0-5L5 0L0 5L-5 0z",
    "M0-5.2L5.2 4H-5.2z",
    "M0 5.2L5.2-4H-5.2z",
    "M-4.8 0L-2.4-4.2H2.4L4.8 0L2.4 4.2H-2.4z",
    "M-1.6-5h3.2v3.4h3.4v3.2h-3.4v3.4h-3.2v-3.4h-3.4v-3.2h3.4z",
    "M-1.8-5.2h3.6v10.4h-3.6z",
)
_STEPS: Final = (0.5, 1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1_000, 2_000, 5_000)
_MOST_TICKS: Final = 6
_NARROW_CHARACTERS: Final = 9
"""The most characters of tick labels that a narrow plot has room for."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Round values from ``ticks[0]`` to ``ticks[-1]``, on the scale of 0 to 100."""

    ticks: tuple[float, ...]

    def percent(self, value: float) -> str:
        """Return the position of a value, in percent of the width."""
        low, high = self.ticks[0], self.ticks[-1]
        return f"{_short_number((value - low) / (high - low) * 100)}%"


def axis_over(values: Iterable[float]) -> Axis:
    """Return the axis of 3 to 6 round ticks that covers all values; 0 to 100 without values.

    >>> axis_over([61.2, 88.9]).ticks
    (60, 65, 70, 75, 80, 85, 90)
    >>> axis_over([-604.0, 2604.0]).ticks
    (-1000, 0, 1000, 2000, 3000)
    """
    held = list(values) or [0.0, 100.0]
    low, high = min(held), max(held)
    for step in _STEPS:
        first = math.floor(low / step)
        last = max(math.ceil(high / step), first + 2)
        if last - first <= _MOST_TICKS:
            return Axis(tuple(at * step for at in range(first, last + 1)))
    return Axis((low, (low + high) / 2, high))


def interval_axis(summary: Summary) -> Axis:
    """The axis that holds every figure, interval and run of a summary."""
    values = [
        value * 100
        for model in summary.models
        if (figure := summary.figure(model)) is not None
        for value in (figure, *(summary.interval(model) or ()), *_of_runs(model))
    ]
    return axis_over(values)


def _of_runs(model: ModelSummary) -> Sequence[float]:
    """The metric's figure of each run."""
    return model.runs.scores if model.runs else ()


def axis_svg(axis: Axis) -> str:
    """The tick labels above an interval plot; some may be hidden, never that of 0."""
    words = [tick_label(tick) for tick in axis.ticks]
    zero = axis.ticks.index(0) if 0 in axis.ticks else 0
    halves = words[zero % 2 :: 2]
    every = 2 if sum(map(len, halves)) <= _NARROW_CHARACTERS else 3
    labels = (
        f'<text{"" if (at - zero) % every == 0 else _ALTERNATE} x="{axis.percent(tick)}" y="12" '
        f'text-anchor="middle">{word}</text>'
        for at, (tick, word) in enumerate(zip(axis.ticks, words, strict=True))
    )
    return f'<svg class="plot" height="18" aria-hidden="true">{"".join(labels)}</svg>'


def interval_svg(axis: Axis, summary: Summary, model: ModelSummary, colour: str) -> str:
    """Return one row of an interval plot: grid, dots of runs, interval with caps, marker.

    The marker is hollow without an interval. The row's table holds the same values as text.

    Args:
        axis: shared by all rows.
        summary: the summary whose metric is drawn.
        model: the model to draw.
        colour: a class of :func:`colours`.
    """
    figure, around = summary.figure(model), summary.interval(model)
    ends = None if around is None else (around[0] * 100, around[1] * 100)
    dots = [score * 100 for score in _of_runs(model)]
    return range_svg(axis, None if figure is None else figure * 100, ends, colour, dots=dots)


def range_svg(
    axis: Axis,
    value: float | None,
    ends: tuple[float, float] | None,
    colour: str,
    *,
    dots: Sequence[float] = (),
    zero: bool = False,
) -> str:
    """Return one row of a plot of ranges: a marker, the line around it with caps, small dots.

    Args:
        axis: shared by all rows.
        value: the marker's value; None for no marker.
        ends: the ends of the line; without them the marker is hollow.
        colour: a class of :func:`colours`.
        dots: further values.
        zero: whether to draw a solid line at 0.
    """
    middle = HEIGHT // 2
    ticks = [tick for tick in axis.ticks if tick or not zero]
    parts = [_gridlines(axis, ticks)]
    parts += [_vertical_line("zero", axis, 0.0, 0, HEIGHT)] if zero else []
    parts += [
        f'<circle class="dot" cx="{axis.percent(dot)}" cy="{middle}" r="2.5"/>' for dot in dots
    ]
    if ends:
        low, high = map(axis.percent, ends)
        parts.append(_line("ci", low, high, middle, middle))
        parts += [_vertical_line("cap", axis, end, middle - 4, middle + 4) for end in ends]
    if value is not None:
        marker = marker_svg(colour, hollow=ends is None)
        x = axis.percent(value)
        parts.append(f'<svg x="{x}" y="{middle}" overflow="visible">{marker}</svg>')
    body = "".join(parts)
    return f'<svg class="plot {colour}" height="{HEIGHT}" aria-hidden="true">{body}</svg>'


def rank_axis(last: int) -> Axis:
    """The axis of the ranks 1 to ``last``, 1 at the left.

    >>> rank_axis(14).ticks, rank_axis(3).ticks
    ((1, 4, 7, 10, 14), (1, 2, 3))
    """
    step = max(1, math.ceil((last - 1) / (_MOST_TICKS - 1)))
    inner = [at for at in range(1, last, step) if 2 * (last - at) > step]
    return Axis((*inner, max(last, 2)))


def key_svg(colour: str) -> str:
    """A model's marker beside its name."""
    return (
        f'<svg class="{colour}" viewBox="-6 -6 12 12" aria-hidden="true">{marker_svg(colour)}</svg>'
    )


def colours(count: int) -> Sequence[str]:
    """Return the class of each model in order; past eight all are grey, identified by name."""
    return [f"m{at + 1}" if at < len(_MARKERS) else "mx" for at in range(count)]


def tick_label(tick: float) -> str:
    """A round value of an axis, with a true minus."""
    return with_minus(f"{tick:g}")


def marker_svg(colour: str, *, hollow: bool = False) -> str:
    """A colour's own shape around 0, 0."""
    shape = _MARKERS[0] if colour == "mx" else _MARKERS[int(colour[1:]) - 1]
    return f'<path class="mk{" hollow" if hollow else ""}" d="{shape}"/>'


def _gridlines(axis: Axis, ticks: Sequence[float]) -> str:
    """A line at each tick; their class is given once, since a table has hundreds of them."""
    lines = "".join(_vertical_line("", axis, tick, 0, HEIGHT) for tick in ticks)
    return f'<g class="grid">{lines}</g>'


def _vertical_line(name: str, axis: Axis, at: float, top: int, bottom: int) -> str:
    return _line(name, axis.percent(at), axis.percent(at), top, bottom)


def _line(name: str, x1: str, x2: str, y1: int, y2: int) -> str:
    """A line; an end at 0 is SVG's default and left out, since a table has hundreds of them."""
    ends = {"x1": x1, "x2": x2, "y1": str(y1), "y2": str(y2)}
    said = "".join(f' {end}="{at}"' for end, at in ends.items() if at not in {"0", "0%"})
    return f'<line class="{name}"{said}/>' if name else f"<line{said}/>"


def _short_number(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")
