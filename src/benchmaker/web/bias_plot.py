"""Plots of judges: expected scores by the judge's score, and errors."""

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from benchmaker.analysis.judges.calibration import CalibrationResult
from benchmaker.analysis.judges.reliability import Bin
from benchmaker.report.plots.plots import Axis, axis_over, marker_svg

_HEIGHT = 300
_TICKS = (0, 25, 50, 75, 100)


def bias_axis(results: Iterable[CalibrationResult]) -> Axis:
    """The axis, in points of 100, that holds 0 and the biases of all with their intervals."""
    values = [0.0]
    for one in results:
        if found := one.summary.intervals.bias:
            values += [100 * end for end in (found.mean, *(found.interval or ()))]
    return axis_over(values)


def reliability_svg(bins: Sequence[Bin]) -> Markup:
    """The reliability plot: judge's score across, expected score up, both 0 to 100.

    Marker and interval of each bin, a dashed diagonal of equality. The table next to it holds the
    values; it contains no user text.
    """
    grid = [_line("grid", at, 0, at, 100) + _line("grid", 0, at, 100, at) for at in _TICKS]
    parts = [*grid, _line("front", 0, 0, 100, 100)]
    for one in bins:
        x, y = one.given * 100, one.expected.mean * 100
        ends = one.expected.interval
        if ends:
            low, high = (min(max(end * 100, 0), 100) for end in ends)
            parts.append(_line("ci", x, low, x, high))
        marker = marker_svg("m1", hollow=ends is None)
        parts.append(f'<svg x="{x:.2f}%" y="{100 - y:.2f}%" overflow="visible">{marker}</svg>')
    return Markup(  # noqa: S704  numbers and our own marks alone
        f'<svg class="plot y" height="{_HEIGHT}" aria-hidden="true">{_y_labels()}</svg>'
        f'<svg class="plot m1" height="{_HEIGHT}" role="img" aria-labelledby="rel-t">'
        f'<title id="rel-t">{_sentence(bins)}</title>{"".join(parts)}</svg>'
        f'<svg class="plot xlab" height="18" aria-hidden="true">{_x_labels()}</svg>'
    )


def _sentence(bins: Sequence[Bin]) -> str:
    words = (
        f"{one.expected.mean * 100:.0f} expected at judge score {one.given * 100:.0f}"
        for one in bins
    )
    return f"Reliability: {'; '.join(words)}." if bins else "Reliability: no sample was judged."


def _y_labels() -> str:
    return "".join(
        f'<text x="32" y="{100 - at}%" dy="4" text-anchor="end">{at}</text>' for at in _TICKS
    )


def _x_labels() -> str:
    anchors = {0: "start", 100: "end"}
    return "".join(
        f'<text x="{at}%" y="13" text-anchor="{anchors.get(at, "middle")}">{at}</text>'
        for at in _TICKS
    )


def _line(name: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return (
        f'<line class="{name}" x1="{x1:.2f}%" y1="{100 - y1:.2f}%" x2="{x2:.2f}%" '
        f'y2="{100 - y2:.2f}%"/>'
    )
