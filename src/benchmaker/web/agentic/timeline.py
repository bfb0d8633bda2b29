"""A session on one clock: time of the model, the tools and the person, as lanes of SVG."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from markupsafe import Markup

from benchmaker.arenas.agentic.traces.steps import StepKind, ToolUse, TraceStep
from benchmaker.record.counts import count
from benchmaker.report.tables import numbers

LANES: Final = (
    ("model", "Model"),
    ("shell", "Shell, tools"),
    ("edit", "Edits"),
    ("test", "Tests"),
    ("wait", "Waiting"),
)
_GAP_LIMIT_S: Final = 300.0
_LEAST: Final = 0.3
_APART: Final = 0.5
_TICKS: Final = (1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 14_400, 43_200, 86_400, 604_800)
_MOST_TICKS: Final = 6
_CROSSES: Final = 60
_TESTS: Final = re.compile(
    r"\b(?:pytest|unittest|tox|(?:npm|yarn|pnpm)(?: run)? test|go test|cargo test|jest|vitest|"
    r"mvn test|gradle test|make test|ctest|rspec|phpunit)\b"
)


class Bar(NamedTuple):
    """Start and end in seconds, and whether something failed at its end."""

    start: float
    end: float
    is_error: bool = False


class Lane(NamedTuple):
    """A lane: its name, its drawing, and its text alternative."""

    name: str
    drawing: Markup
    said: str


class Timeline(NamedTuple):
    """All lanes on one clock, with the axis below them."""

    lanes: tuple[Lane, ...]
    axis: Markup
    seconds: float


def timeline(steps: Iterable[TraceStep], *, gap_limit_s: float | None) -> Timeline | None:
    """The lanes of a session; None where its log has no times."""
    bars = _bars(list(steps), gap_limit_s or _GAP_LIMIT_S)
    every = [bar for lane in bars.values() for bar in lane]
    if not every:
        return None
    start, end = min(bar.start for bar in every), max(bar.end for bar in every)
    whole = end - start
    if whole <= 0:
        return None
    lanes = tuple(
        _lane(key, name, sorted(bars[key]), (start, whole)) for key, name in LANES if bars[key]
    )
    return Timeline(lanes, _axis(_ticks(whole), whole), whole)


def _bars(steps: Sequence[TraceStep], limit: float) -> dict[str, list[Bar]]:
    found: dict[str, list[Bar]] = {key: [] for key, _ in LANES}
    for step in steps:
        for lane, bar in _of_step(step, limit):
            found[lane].append(bar)
    return found


def _of_step(step: TraceStep, limit: float) -> Iterator[tuple[str, Bar]]:
    if step.at is not None:
        gap = step.gap_s or 0.0
        if step.kind is StepKind.ANSWER:
            before = gap if gap <= limit else 0.0
            yield "model", Bar(step.at - before, step.at)
        elif step.is_prompt and gap > 0:
            yield "wait", Bar(step.at - gap, step.at)
    for call in step.calls:
        if call.at is not None and call.duration_s is not None:
            yield _lane_of(call), Bar(call.at, call.at + call.duration_s, call.is_error)


def _lane_of(call: ToolUse) -> str:
    """Return the key of a call's lane; edits are the recorded changes of files, as in metrics."""
    if call.arguments and _TESTS.search(call.arguments[:2_000]):
        return "test"
    return "edit" if call.edits else "shell"


def _lane(key: str, name: str, bars: Sequence[Bar], clock: tuple[float, float]) -> Lane:
    start, whole = clock
    drawn = [_grid_line(tick / whole * 100) for tick in _ticks(whole)]
    for left, right in _merge_bars(bars, start, whole):
        width = max(right - left, _LEAST)
        drawn.append(
            f'<rect class="l-{key}" x="{left:.2f}%" width="{width:.2f}%" y="3" height="14"/>'
        )
    failed = [bar for bar in bars if bar.is_error]
    drawn += [_cross((bar.end - start) / whole * 100) for bar in failed[:_CROSSES]]
    body = "".join(drawn)
    taken = sum(bar.end - bar.start for bar in bars)
    errors = f", {count(len(failed), 'error')}" if failed else ""
    said = f"{count(len(bars), 'time')}, {numbers.duration(taken)}{errors}"
    return Lane(name, _svg(body, 20), said)


def _merge_bars(bars: Sequence[Bar], start: float, whole: float) -> Iterator[tuple[float, float]]:
    """Yield bars in percent; indistinguishably close ones are merged."""
    held: tuple[float, float] | None = None
    for bar in bars:
        left, right = (bar.start - start) / whole * 100, (bar.end - start) / whole * 100
        if held is not None and left - held[1] < _APART:
            held = held[0], max(held[1], right)
            continue
        if held is not None:
            yield held
        held = left, right
    if held is not None:
        yield held


def _ticks(whole: float) -> list[float]:
    step = next((one for one in _TICKS if whole / one <= _MOST_TICKS), _TICKS[-1])
    while whole / step > _MOST_TICKS:
        step *= 2
    return [float(at * step) for at in range(int(whole / step) + 1)]


def _axis(ticks: Sequence[float], whole: float) -> Markup:
    parts = []
    for at, tick in enumerate(ticks):
        share = tick / whole * 100
        anchor = "start" if at == 0 else "end" if share > 95 else "middle"  # noqa: PLR2004  at the edge
        label = numbers.duration(tick).removesuffix(" 00 s") if tick else "0"
        narrow = ' class="alt"' if at % 2 else ""
        parts.append(f'<text{narrow} x="{share:.2f}%" y="12" text-anchor="{anchor}">{label}</text>')
    return _svg("".join(parts), 18)


def _grid_line(share: float) -> str:
    return f'<line class="grid" x1="{share:.2f}%" x2="{share:.2f}%" y1="0" y2="20"/>'


def _cross(share: float) -> str:
    at = min(max(share, 0.5), 99.5)
    return (
        f'<svg x="{at:.2f}%" y="4" width="12" height="12" overflow="visible">'
        '<rect class="l-err" x="-6" width="12" height="12" rx="2"/>'
        '<path class="xm" d="M-3 3l6 6M3 3l-6 6"/></svg>'
    )


def _svg(body: str, height: int) -> Markup:
    """A drawing made of numbers alone."""
    return Markup(f'<svg class="plot" height="{height}" aria-hidden="true">{body}</svg>')  # noqa: S704  our own drawing
