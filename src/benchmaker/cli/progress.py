"""Progress on stderr: a line that is redrawn on a terminal, a plain line now and then elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from benchmaker.cli.context import Context, stderr_is_terminal
from benchmaker.cli.output import tell

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from benchmaker.engine.progress import Progress

    Show = Callable[[Progress], None]

PLAIN_EVERY_S = 5.0


@contextmanager
def showing(context: Context, *, quiet: bool) -> "Iterator[Show | None]":
    """What to call with each snapshot of a run; None when nothing shall be shown."""
    if quiet:
        yield None
    elif stderr_is_terminal() and not context.in_ci:
        with _drawn(context) as show:
            yield show
    else:
        yield PlainLines().show


class PlainLines:
    """A line every few seconds, and one when a run is done; short runs print that one alone."""

    def __init__(self, *, every_s: float = PLAIN_EVERY_S) -> None:
        self._every_s = every_s
        self._last = time.monotonic()

    def show(self, progress: "Progress") -> None:
        """Print the snapshot when it is time."""
        now = time.monotonic()
        ended = progress.done >= progress.planned
        if ended or now - self._last >= self._every_s:
            self._last = now
            tell(line(progress))


def line(progress: "Progress") -> str:
    """The snapshot in one line."""
    parts = [
        f"{_run_of(progress)}{progress.done:,} of {progress.planned:,} trials",
        f"{_rate(progress.rate)} trials/s",
        _left(progress),
        _failures(progress),
        "" if progress.cost_usd is None else f"recorded cost ${progress.cost_usd:.2f}",
    ]
    return " · ".join(part for part in parts if part)


def _run_of(progress: "Progress") -> str:
    return f"run {progress.number} of {progress.runs}: " if progress.runs > 1 else ""


def _rate(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"  # noqa: PLR2004  two figures will do


def _left(progress: "Progress") -> str:
    if progress.seconds_left is None or progress.done >= progress.planned:
        return ""
    return f"{_duration(progress.seconds_left)} left"


def _failures(progress: "Progress") -> str:
    counts = sorted(progress.failures.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{number:,} {outcome}".replace("_", " ") for outcome, number in counts)


def _duration(seconds: float) -> str:
    from benchmaker.report.numbers import duration  # noqa: PLC0415  --help needs none of it

    return f"{seconds:.0f} s" if seconds < 10 else duration(seconds)  # noqa: PLR2004  as rough as it is


@contextmanager
def _drawn(context: Context) -> "Iterator[Show]":
    from rich.console import Console  # noqa: PLC0415  only where somebody looks
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn  # noqa: PLC0415
    from rich.progress import Progress as Bar  # noqa: PLC0415

    console = Console(stderr=True, no_color=not context.use_color, highlight=False)
    bar = Bar(
        BarColumn(bar_width=20),
        TaskProgressColumn(),
        TextColumn("{task.fields[told]}", markup=False),
        console=console,
        transient=True,
        refresh_per_second=4,
    )
    with bar:
        yield _Drawing(bar).show


class _Drawing:
    """One bar for the run in work."""

    def __init__(self, bar: "Bar") -> None:
        self._bar = bar
        self._task: TaskID | None = None

    def show(self, progress: "Progress") -> None:
        told = line(progress)
        if self._task is None:
            self._task = self._bar.add_task("", total=progress.planned, told=told)
        self._bar.update(self._task, total=progress.planned, completed=progress.done, told=told)
