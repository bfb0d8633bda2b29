"""Points and curves over a logarithmic axis, as SVG without script or style."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from benchmaker.report import plots
from benchmaker.report.inert import inert

WIDTH: Final = 760
HEIGHT: Final = 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 20, 14, 34
_MOST_TICKS: Final = 10
_LETTER, _LINE = 6.2, 12.0
_AWAY: Final = (4.0, -8.0, 16.0, -20.0, 28.0)
_ABOVE: Final = (-4.0, 12.0, -16.0, 24.0, -28.0, 36.0, -40.0, 48.0)


@dataclass(frozen=True, slots=True)
class Point:
    """A marker; hollow where it is not sure, with its name beside it."""

    x: float
    y: float
    name: str
    colour: str
    hollow: bool = False
    on_front: bool = False


@dataclass(frozen=True, slots=True)
class LogPlane:
    """x on a logarithmic scale from ``low`` to ``high``, y a share from 0 to ``top``."""

    low: float
    high: float
    top: float = 1.0

    @classmethod
    def over(cls, xs: Sequence[float], ys: Sequence[float]) -> "LogPlane | None":
        """The plane that holds all positive x; None where there is none."""
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
            inside = self._inside([step * 10.0**power for power in powers for step in steps])
            if len(inside) <= _MOST_TICKS:
                return inside
        return self._inside([10.0**power for power in powers])

    def _inside(self, ticks: Sequence[float]) -> list[float]:
        return [tick for tick in ticks if self.low <= tick <= self.high]


def scatter_svg(plane: LogPlane, points: Sequence[Point], *, label: str, unit: str) -> str:
    """Points by x and success, with the front as a line; the table beside says the same."""
    front = sorted((one for one in points if one.on_front), key=lambda one: one.x)
    line = " ".join(f"{plane.x(one.x):.1f},{plane.y(one.y):.1f}" for one in front)
    parts = [_grid(plane, unit), f'<polyline class="front" points="{line}"/>' if front else ""]
    taken: list[tuple[float, float, float]] = []
    parts += [_point(plane, one, taken) for one in points]
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
    taken: list[tuple[float, float, float]] = []
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
        right, end = WIDTH - _RIGHT, plane.y(before)
        y = end + _free(right, end, -len(name) * _LETTER, taken, _ABOVE)
        parts.append(f'<text x="{right}" y="{y:.1f}" text-anchor="end">{_escaped(name)}</text>')
    return _svg("".join(parts), label)


def _point(plane: LogPlane, one: Point, taken: list[tuple[float, float, float]]) -> str:
    x, y = plane.x(one.x), plane.y(one.y)
    marker = plots.marker_svg(one.colour, hollow=one.hollow)
    anchor = "end" if x > WIDTH * 0.7 else "start"
    aside = -9 if anchor == "end" else 9
    length = len(one.name) * _LETTER * (-1 if anchor == "end" else 1)
    down = _free(x, y, length, taken)
    return (
        f'<g class="{one.colour}" transform="translate({x:.1f} {y:.1f})">{marker}'
        f'<text x="{aside}" y="{down:g}" text-anchor="{anchor}">{_escaped(one.name)}</text></g>'
    )


def _free(
    x: float,
    y: float,
    length: float,
    taken: list[tuple[float, float, float]],
    ways: Sequence[float] = _AWAY,
) -> float:
    """How far below the marker its name stands so that it crosses no other, if possible."""
    start, end = min(x, x + length), max(x, x + length)
    for down in ways:
        crosses = (
            start < right and left < end and abs(y + down - at) < _LINE for left, right, at in taken
        )
        if not any(crosses):
            break
    else:
        down = ways[0]
    taken.append((start, end, y + down))
    return down


def _grid(plane: LogPlane, unit: str) -> str:
    bottom, right = HEIGHT - _BOTTOM, WIDTH - _RIGHT
    parts = []
    for at in range(6):
        share = plane.top * at / 5
        y = f"{plane.y(share):.1f}"
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{right}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y}" text-anchor="end">{share:.0%}</text>')
    for tick in plane.ticks():
        x = f"{plane.x(tick):.1f}"
        parts.append(f'<line class="grid" x1="{x}" x2="{x}" y1="{_TOP}" y2="{bottom}"/>')
        parts.append(f'<text x="{x}" y="{bottom + 16}" text-anchor="middle">{tick:g}</text>')
    parts.append(f'<text x="{right}" y="{HEIGHT - 4}" text-anchor="end">{_escaped(unit)}</text>')
    return "".join(parts)


def _svg(body: str, label: str) -> str:
    return (
        f'<svg class="scatter" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{_escaped(label)}">{body}</svg>'
    )


def _escaped(text: str) -> str:
    return escape(inert(text), quote=True)
