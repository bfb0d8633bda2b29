"""Progress on stderr: redrawn lines on a terminal, a plain line now and then elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from benchmaker.cli.context import Context, stderr_is_terminal
from benchmaker.cli.output.output import tell
from benchmaker.cli.progress.snapshot import (
    ProgressAggregator,
    ProgressSnapshot,
    headline,
    join_parts,
    rate_lines,
    spending,
)

if TYPE_CHECKING:
    from benchmaker.engine.requests.progress import Progress

    Show = Callable[[Progress], None]

PLAIN_EVERY_S = 5.0


@contextmanager
def progress_display(
    context: Context, *, quiet: bool, spent_usd: float = 0.0
) -> "Iterator[Show | None]":
    """Return the callback for each snapshot of a run; None for no display.

    ``spent_usd`` is the known cost of earlier executions.
    """
    if quiet:
        yield None
    elif stderr_is_terminal() and not context.in_ci:
        from benchmaker.cli.progress.terminal_lines import live_display

        with live_display(context, spent_usd=spent_usd) as show:
            yield show
    else:
        yield PlainLines(spent_usd=spent_usd).show


class PlainLines:
    """A line every few seconds, and one when a run is done; short runs print that one alone."""

    def __init__(self, *, every_s: float = PLAIN_EVERY_S, spent_usd: float = 0.0) -> None:
        self._every_s = every_s
        self._last = time.monotonic()
        self._ended = ""
        self._aggregator = ProgressAggregator(spent_usd=spent_usd)

    def show(self, progress: "Progress") -> None:
        """Print the snapshot when it is time; the end of a run once."""
        moment = self._aggregator.snapshot(progress)
        now = time.monotonic()
        ends = moment.has_ended and self._ended != progress.run_id
        if ends or (not moment.has_ended and now - self._last >= self._every_s):
            self._last = now
            self._ended = progress.run_id if moment.has_ended else self._ended
            tell(line(moment))


def line(moment: ProgressSnapshot) -> str:
    """Return the snapshot in one line.

    Endpoints are listed if they are throttled; reasons for stopped models are printed at the end.
    """
    stopped = ", ".join(moment.progress.stopped)
    parts = [
        headline(moment),
        spending(moment),
        *rate_lines(moment.slowed),
        f"stopped: {stopped}" if stopped else "",
    ]
    return join_parts(parts)
