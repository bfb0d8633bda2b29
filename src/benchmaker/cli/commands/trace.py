"""``benchmaker trace``: an agent's session, step by step."""

import io
import sys
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchmaker.cli.base_command import FILE
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.options.numbers import WholeNumber
from benchmaker.cli.output.criteria import graded_of, say_criteria
from benchmaker.cli.output.output import say, say_json

if TYPE_CHECKING:
    from benchmaker.arenas.agentic.traces.steps import TraceStep
    from benchmaker.arenas.agentic.traces.trace import Trace

_SHOWN = 50


@declare(
    "trace",
    examples=(
        "benchmaker trace latest",
        "benchmaker trace session.jsonl --html trace.html",
        "benchmaker trace claude_code-3f2a --agent main --grep pytest",
    ),
)
@click.argument("what", metavar="SUBMISSION|FILE|FOLDER")
@click.option("--session", metavar="ID", help="Session id or task, if a log contains several.")
@click.option(
    "--html", metavar="FILE", type=FILE, help="Write the whole trace to this file as one page."
)
@click.option(
    "--limit",
    metavar="N",
    type=WholeNumber(0),
    help=f"Maximum number of steps. Default: {_SHOWN} in the terminal, else all.",
)
@click.option("--agent", metavar="ID", help="Only steps of this agent: main, an id or a name.")
@click.option("--grep", metavar="TEXT", help="Only steps that contain TEXT.")
@click.option(
    "--content/--no-content", default=True, help="Show texts, arguments and outputs, or hide them."
)
def command(
    context: Context,
    *,
    what: str,
    session: str | None,
    html: Path | None,
    limit: int | None,
    agent: str | None,
    grep: str | None,
    content: bool,
) -> None:
    """Show an agent's steps with their time and cost.

    SUBMISSION is the id of an imported session, a prefix of it, or latest. A file or folder is read
    without storing anything. Steps are prompts, model answers with their tokens and cost, and tool
    calls; subagents are listed below the call that started them. The results of the task's criteria
    follow.
    """
    from benchmaker.arenas.agentic.traces.trace import trace

    made = trace(what, session=session, content=content, home=context.home, store=context.store_url)
    steps = list(made.select(agent=agent, text=grep))
    if html is not None:
        _write(context, made, steps[:limit], html)
    elif context.use_json:
        data = made.to_dict(steps=islice(steps, limit))
        say_json({**data, **graded_of(context, made.submission).to_dict()})
    else:
        _say(context, made, steps, _SHOWN if limit is None else limit)


def _say(context: Context, made: "Trace", steps: "Iterable[TraceStep]", limit: int) -> None:
    from benchmaker.report.arenas.trace_text import trace_text
    from benchmaker.report.tables.sanitize import make_encodable
    from benchmaker.report.tables.width import width_of

    stream = sys.stdout
    if stream is None:
        return
    styled = stream.isatty() and context.use_color
    text = trace_text(made, steps=steps, limit=limit, width=width_of(stream), styled=styled)
    stream.write(make_encodable(text, stream.encoding))
    graded = graded_of(context, made.submission)
    if graded.criteria:
        stream.write("\n")
        say_criteria(context, graded)


def _write(context: Context, made: "Trace", steps: "list[TraceStep]", path: Path) -> None:
    from benchmaker.cli.output.key_redaction import redactor_of
    from benchmaker.report.arenas.trace_html import write_trace_html
    from benchmaker.report.formats.atomic import open_atomic

    with open_atomic(path) as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8", newline="")
        write_trace_html(made, text, steps=steps, redactor=redactor_of(context))
        text.flush()
        text.detach()
    if context.use_json:
        say_json({"written": str(path), "submission": made.submission.id, "steps": len(steps)})
        return
    from benchmaker.spec.documents.sizes import readable_size

    say(f"Written: {path} ({readable_size(path.stat().st_size)})")
