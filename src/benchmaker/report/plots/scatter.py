"""Points and curves over a logarithmic axis, as SVG without script or style."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from html import escape
from typing import Final

from benchmaker.report.plots import plots
from benchmaker.report.plots.label_layout import Box, LabelLayout, Spot
from benchmaker.report.tables.sanitize import sanitise

WIDTH: Final = 760
HEIGHT: Final = 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 20, 14, 34
_MOST_TICKS: Final = 10
_CLEAR: Final = 8.0
_LINE: Final = 1.0
_HEAD, _TAIL = 26, 17
_INSIDE: Final = Box(_LEFT, 0, WIDTH, HEIGHT - _BOTTOM + 4)


@dataclass(frozen=True, slots=True)
class Point:
    """A marker with its name; hollow if uncertain, with a line along each interval it has."""

    x: float
    y: float
    name: str
    colour: str
    hollow: bool = False
    on_front: bool = False
    x_ends: tuple[float, float] | None = None
    y_ends: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class LogPlane:
    """x on a logarithmic scale from ``low`` to ``high``, y a share from 0 to ``top``."""

    low: float
    high: float
    top: float = 1.0

    @classmethod
    def from_values(cls, xs: Sequence[float], ys: Sequence[float]) -> "LogPlane | None":
        """Return the plane that covers all positive x; None if there is none."""
        known = [x for x in xs if 0 < x < math.inf]
        if not known:
            return None
        low, high = min(known) / 1.25, max(known) * 1.6
        top = min(1.0, max(0.1, math.ceil(max(ys, default=1.0) * 10) / 10))
        return cls(low, high, top)

    def x(self, value: float) -> float:
        """Across."""
        share = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        return _LEFT + min(share, 1.0) * (WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        """Up."""
        return HEIGHT - _BOTTOM - min(value / self.top, 1.0) * (HEIGHT - _BOTTOM - _TOP)

    def ticks(self) -> list[float]:
        """Round values: every digit within a decade, 1, 2 and 5 over few, powers over many."""
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        powers = range(first, last + 1)
        for steps in (tuple(range(1, 10)), (1, 2, 5)):
            inside = self._ticks_inside([step * 10.0**power for power in powers for step in steps])
            if len(inside) <= _MOST_TICKS:
                return inside
        return self._ticks_inside([10.0**power for power in powers])

    def _ticks_inside(self, ticks: Sequence[float]) -> list[float]:
        return [tick for tick in ticks if self.low <= tick <= self.high]


def scatter_svg(
    plane: LogPlane, points: Sequence[Point], *, label: str, unit: str, sign: str = "%"
) -> str:
    """Plot points by x and success, with the front as a line; the table holds the same values.

    ``unit`` is that of x; ``sign`` follows the numbers of success, which go up to 100.
    """
    front = sorted((one for one in points if one.on_front), key=lambda one: one.x)
    line = " ".join(f"{plane.x(one.x):.1f},{plane.y(one.y):.1f}" for one in front)
    parts = [
        _grid(plane, unit, sign),
        f'<polyline class="front" points="{line}"/>' if front else "",
    ]
    lines = [box for one in points for box in _line_boxes(plane, one)]
    names = LabelLayout(_INSIDE, ((plane.x(one.x), plane.y(one.y)) for one in points), lines)
    parts += [_interval_lines(plane, one) for one in points if one.x_ends or one.y_ends]
    parts += [_point(plane, one, names) for one in points]
    return _svg("".join(parts), label)


def curves_svg(
    plane: LogPlane,
    curves: Sequence[tuple[str, str, Sequence[float], Sequence[float]]],
    *,
    label: str,
    unit: str,
) -> str:
    """Steps by name and colour: the share at or below each x, the name at the end."""
    parts = [_grid(plane, unit)]
    names = LabelLayout(_INSIDE)
    for name, colour, xs, ys in curves:
        path, before = [], 0.0
        for x, y in zip(xs, ys, strict=True):
            path += [
                f"{plane.x(x):.1f},{plane.y(before):.1f}",
                f"{plane.x(x):.1f},{plane.y(y):.1f}",
            ]
            before = y
        path.append(f"{WIDTH - _RIGHT},{plane.y(before):.1f}")
        parts.append(f'<g class="{colour}"><polyline class="step" points="{" ".join(path)}"/></g>')
        right, end = WIDTH - _RIGHT, plane.y(before) - _CLEAR
        if spot := names.place_ending_at(right, end, name):
            parts.append(_name(right, end, spot, name, curve=True))
    return _svg("".join(parts), label)


def _interval_lines(plane: LogPlane, one: Point) -> str:
    """The intervals of a point across and up."""
    x, y = plane.x(one.x), plane.y(one.y)
    lines = []
    if one.x_ends:
        left, right = map(plane.x, one.x_ends)
        lines.append(f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>')
    if one.y_ends:
        low, high = map(plane.y, one.y_ends)
        lines.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{low:.1f}" y2="{high:.1f}"/>')
    return f'<g class="ends {one.colour}">{"".join(lines)}</g>'


def _line_boxes(plane: LogPlane, one: Point) -> list[Box]:
    """The room that the intervals of a point take."""
    x, y = plane.x(one.x), plane.y(one.y)
    boxes = []
    if one.x_ends:
        left, right = map(plane.x, one.x_ends)
        boxes.append(Box(left, y - _LINE, right, y + _LINE))
    if one.y_ends:
        low, high = map(plane.y, one.y_ends)
        boxes.append(Box(x - _LINE, high, x + _LINE, low))
    return boxes


def _point(plane: LogPlane, one: Point, names: LabelLayout) -> str:
    """A marker with its name, where there is room for that; the table has it in any case."""
    x, y = plane.x(one.x), plane.y(one.y)
    marker = plots.marker_svg(one.colour, hollow=one.hollow)
    shown = _cut_middle(one.name)
    spot = names.place_beside(x, y, shown)
    return (
        f'<g class="{one.colour}" transform="translate({x:.1f} {y:.1f})">{marker}</g>'
        f"{_name(x, y, spot, shown) if spot else ''}"
    )


def _cut_middle(name: str) -> str:
    """A name that fits beside any marker: a long one without its middle."""
    return name if len(name) <= _HEAD + _TAIL + 1 else f"{name[:_HEAD]}…{name[-_TAIL:]}"


def _name(x: float, y: float, spot: Spot, name: str, *, curve: bool = False) -> str:
    """Return a name at its position, with a line if it is far from its marker."""
    at, base = x + spot.across, y + spot.down
    text = f'<text x="{at:.1f}" y="{base:.1f}" text-anchor="{spot.anchor}">{_escape(name)}</text>'
    if curve or not spot.is_far:
        return text
    return (
        f'<line class="lead-to" x1="{x:.1f}" y1="{y:.1f}" x2="{at:.1f}" y2="{base - 4:.1f}"/>{text}'
    )


def _grid(plane: LogPlane, unit: str, sign: str = "%") -> str:
    bottom, right = HEIGHT - _BOTTOM, WIDTH - _RIGHT
    parts = []
    for at in range(6):
        share = plane.top * at / 5
        y = f"{plane.y(share):.1f}"
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{right}" y1="{y}" y2="{y}"/>')
        parts.append(
            f'<text x="{_LEFT - 6}" y="{y}" text-anchor="end">{100 * share:.0f}{sign}</text>'
        )
    for tick in plane.ticks():
        x = f"{plane.x(tick):.1f}"
        parts.append(f'<line class="grid" x1="{x}" x2="{x}" y1="{_TOP}" y2="{bottom}"/>')
        parts.append(f'<text x="{x}" y="{bottom + 16}" text-anchor="middle">{_plain(tick)}</text>')
    parts.append(f'<text x="{right}" y="{HEIGHT - 4}" text-anchor="end">{_escape(unit)}</text>')
    return "".join(parts)


def _plain(tick: float) -> str:
    """A tick without an exponent: 0.00008, 2,000,000."""
    return f"{Decimal(f'{tick:g}'):,f}"


def _svg(body: str, label: str) -> str:
    return (
        f'<svg class="scatter" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{_escape(label)}">{body}</svg>'
    )


def _escape(text: str) -> str:
    return escape(sanitise(text), quote=True)
