"""The progress of a series of agent trials on stderr."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from benchmaker.cli.context import Context, stderr_is_terminal
from benchmaker.cli.output.output import escape_controls, tell
from benchmaker.cli.progress.progress import PLAIN_EVERY_S
from benchmaker.cli.progress.snapshot import ProgressAggregator, headline, join_parts

if TYPE_CHECKING:
    from benchmaker.arenas.agentic.series.series_run import SeriesProgress

    Show = Callable[[SeriesProgress], None]

_BAR_WIDTH = 20


@contextmanager
def series_display(context: Context, *, quiet: bool) -> "Iterator[Show | None]":
    """Return the callback for each snapshot of a series; None for no display."""
    if quiet:
        yield None
    elif stderr_is_terminal() and not context.in_ci:
        with _live_display(context) as show:
            yield show
    else:
        yield _PlainLines().show


class _PlainLines:
    """A line every few seconds, and one at the end."""

    def __init__(self) -> None:
        self._last, self._ended = time.monotonic(), False

    def show(self, progress: "SeriesProgress") -> None:
        """Print the snapshot when it is time."""
        ends = progress.done >= progress.planned and not self._ended
        now = time.monotonic()
        if ends or (not self._ended and now - self._last >= PLAIN_EVERY_S):
            self._last, self._ended = now, self._ended or ends
            tell(join_parts([series_headline(progress), details(progress)]))


def series_headline(progress: "SeriesProgress") -> str:
    """Return progress, rate and time left, as for runs."""
    from benchmaker.engine.requests.progress import Progress

    seen = Progress(
        run_id=progress.series,
        planned=progress.planned,
        done=progress.done,
        rate=progress.rate,
        seconds_left=progress.seconds_left,
        outcomes={},
    )
    return headline(ProgressAggregator().snapshot(seen))


def details(progress: "SeriesProgress") -> str:
    """Return running trials, cost, outcomes and stopped systems."""
    from benchmaker.record.dollars import dollars

    ends = sorted(progress.outcomes.items(), key=lambda item: (-item[1], item[0]))
    stopped = ", ".join(progress.stopped)
    most = "at most " if progress.unknown_costs else ""
    judges_most = "at most " if progress.judge_unknown_costs else ""
    return join_parts(
        [
            f"{progress.running:,} running" if progress.running else "",
            "" if progress.cost_usd is None else f"cost {most}{dollars(progress.cost_usd)}",
            ""
            if progress.judge_usd is None
            else f"judges {judges_most}{dollars(progress.judge_usd)}",
            ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in ends),
            f"stopped: {stopped}" if stopped else "",
        ]
    )


@contextmanager
def _live_display(context: Context) -> "Iterator[Show]":
    from rich.console import Console, Group
    from rich.live import Live
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    console = Console(stderr=True, no_color=not context.use_color, highlight=False)

    def line(text: str) -> Text:
        return Text(escape_controls(text), no_wrap=True, overflow="ellipsis")

    with Live(console=console, auto_refresh=False, transient=True) as live:

        def show(progress: "SeriesProgress") -> None:
            grid = Table.grid(padding=(0, 1))
            bar = ProgressBar(progress.planned, progress.done, width=_BAR_WIDTH)
            grid.add_row(bar, line(series_headline(progress)))
            live.update(Group(grid, line(f"  {details(progress)}")), refresh=True)

        yield show
