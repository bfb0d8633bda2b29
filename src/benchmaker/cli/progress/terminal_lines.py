"""Progress on a terminal: a few lines redrawn in place, removed at the end."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from benchmaker.cli.context import Context
from benchmaker.cli.output.output import escape_controls
from benchmaker.cli.progress.snapshot import (
    ProgressAggregator,
    ProgressSnapshot,
    headline,
    rate_lines,
    spending,
    stopped_lines,
)
from benchmaker.report.tables.width import WIDTH

if TYPE_CHECKING:
    from benchmaker.engine.requests.progress import Progress

_BAR_WIDTH = 20
_INDENT = "  "


@contextmanager
def live_display(
    context: Context, *, spent_usd: float = 0.0
) -> "Iterator[Callable[[Progress], None]]":
    """Return the callback for each snapshot; other output in the block appears above the lines.

    ``spent_usd`` is the known cost of earlier executions.
    """
    console = Console(stderr=True, no_color=not context.use_color, highlight=False)
    aggregator = ProgressAggregator(spent_usd=spent_usd)
    with Live(console=console, auto_refresh=False, transient=True) as live:

        def show(progress: "Progress") -> None:
            moment = aggregator.snapshot(progress)
            live.update(render_snapshot(moment, console.width), refresh=True)

        yield show


def render_snapshot(moment: ProgressSnapshot, width: int = WIDTH) -> Group:
    """Return the bar with the headline, then a line for each fact, within the width.

    The percentage leaves out answers that wait for their score. The rate is left out where it does
    not fit, then the bar: the time left is always whole.
    """
    progress = moment.progress
    below = [
        spending(moment, width - len(_INDENT)),
        *rate_lines(progress.limiters),
        *stopped_lines(progress),
    ]
    return Group(_head(moment, width), *(_line(f"{_INDENT}{text}") for text in below if text))


def _head(moment: ProgressSnapshot, width: int) -> Table:
    grid = Table.grid(padding=(0, 1))
    progress = moment.progress
    total = max(1, progress.runs * progress.planned)
    done = (progress.number - 1) * progress.planned + progress.done - progress.awaiting
    share = f"{int(100 * done / total):>3}%"
    room = width - _BAR_WIDTH - len(share) - 2
    text = headline(moment)
    if len(text) > room:
        text = headline(moment, has_rate=False)
    if len(text) > width - len(share) - 1:
        grid.add_row(_line(text))
    elif len(text) > room:
        grid.add_row(share, _line(text))
    else:
        bar = ProgressBar(total=total, completed=done, width=_BAR_WIDTH)
        grid.add_row(bar, share, _line(text))
    return grid


def _line(text: str) -> Text:
    return Text(escape_controls(text), no_wrap=True, overflow="ellipsis")
