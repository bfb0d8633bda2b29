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
    pace_lines,
    spending,
    stopped_lines,
)

if TYPE_CHECKING:
    from benchmaker.engine.requests.progress import Progress

_BAR_WIDTH = 20


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
            live.update(render_snapshot(aggregator.snapshot(progress)), refresh=True)

        yield show


def render_snapshot(moment: ProgressSnapshot) -> Group:
    """Return the bar with the headline, then a line for each fact."""
    progress = moment.progress
    below = [spending(moment), *pace_lines(progress.paces), *stopped_lines(progress)]
    return Group(_head(moment), *(_line(f"  {text}") for text in below if text))


def _head(moment: ProgressSnapshot) -> Table:
    grid = Table.grid(padding=(0, 1))
    progress = moment.progress
    total = max(1, progress.runs * progress.planned)
    done = (progress.number - 1) * progress.planned + progress.done
    bar = ProgressBar(total=total, completed=done, width=_BAR_WIDTH)
    share = int(100 * done / total)
    grid.add_row(bar, f"{share:>3}%", _line(headline(moment)))
    return grid


def _line(text: str) -> Text:
    return Text(escape_controls(text), no_wrap=True, overflow="ellipsis")
