"""The forms in which tables with plots are printed: text, JSON, CSV, Markdown, HTML."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TextIO

import click

from benchmaker.cli.context import Context
from benchmaker.cli.options.options import Decorator, combine
from benchmaker.cli.output.output import say_json
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.report.arenas.sections import ReportDocument
    from benchmaker.store import Store

form_options: Decorator[Any] = combine(
    [
        click.option("--csv", "form", flag_value="csv", help="Print CSV."),
        click.option("--markdown", "form", flag_value="markdown", help="Print Markdown."),
        click.option(
            "--html", "form", flag_value="html", help="Print a self-contained HTML page with plots."
        ),
    ]
)
"""Options for printing a table: ``form``."""

explain_option: Decorator[Any] = click.option(
    "--explain", "form", flag_value="explain", help="Add methods and the meaning of columns."
)
"""An option for a text that explains itself: ``form``."""


def opening_profile() -> str:
    """The default profile of boards and evaluations."""
    from benchmaker.spec.tasks.agentic_profile import OPENING

    return OPENING


def profile_option_with(words: str) -> Decorator[Any]:
    """An option for the scoring profile of submissions, with these words of help."""
    return click.option("--profile", metavar="NAME|FILE", default=opening_profile, help=words)


profile_option = profile_option_with(
    "Scoring profile: robust (default), classic, a category's, or your own."
)


def tell_all(
    context: Context,
    report: Callable[[], "ReportDocument"],
    *,
    form: str | None,
    data: Callable[[], Any],
    csv: Callable[[TextIO], None],
) -> None:
    """Print the report in the requested form; only that one is generated.

    Args:
        context: the context, for JSON.
        report: the sentences and tables.
        form: ``csv``, ``markdown``, ``html`` or None for text.
        data: the JSON data.
        csv: writes the CSV table.

    Raises:
        SpecError: JSON and another form.
    """
    if form in {"csv", "markdown", "html"} and context.use_json:
        raise SpecError("stdout can't hold both.", hint=f"Give --json or --{form}.")
    if context.use_json:
        say_json(data())
    elif sys.stdout is not None:
        _write(report, sys.stdout, form, csv)


def _write(
    report: Callable[[], "ReportDocument"],
    stream: TextIO,
    form: str | None,
    csv: Callable[[TextIO], None],
) -> None:
    from benchmaker.report.tables.width import width_of

    if form == "csv":
        csv(stream)
    elif form == "markdown":
        stream.write(report().markdown())
    elif form == "html":
        report().write_html(stream)
    else:
        stream.write(report().text(explain=form == "explain", width=width_of(stream)))


def evaluated_store(context: Context) -> "Store":
    """Return the store, with figures in it.

    Raises:
        SpecError: nothing has been evaluated yet.
    """
    from benchmaker.cli.database import existing_store

    store = existing_store(context, read_only=False)
    if store is not None and store.agentic.metric_tasks():
        return store
    if store is None:
        raise _no_board(context, 0, 0)
    with store:
        number = store.agentic.count_submissions()
        with_task = sum(store.submission_pages.counts_by_task().values())
    raise _no_board(context, number, with_task)


def _no_board(context: Context, number: int, with_task: int) -> SpecError:
    """The error of a store without figures: of its submissions, some or none have a task."""
    from benchmaker.report.sentences.board_words import no_board_reason

    message = no_board_reason(number, with_task)
    if with_task:
        hint = f"Evaluate with: {context.line('evaluate')}"
    elif number:
        hint = f"Submit with a task: {context.line('submit', 'LOG', '--task', 'TASK')}"
    else:
        hint = f"Evaluate with a task: {context.line('evaluate', 'FILE', '--task', 'TASK')}"
    return SpecError(message, where=str(context.home), hint=hint)
