"""``benchmaker search``: full-text search in sessions."""

from typing import TYPE_CHECKING

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.database import open_store
from benchmaker.cli.options.name_lookup import refuse
from benchmaker.cli.options.numbers import WholeNumber
from benchmaker.cli.output.output import one_line, say, say_json, tell
from benchmaker.cli.output.table import window_width

if TYPE_CHECKING:
    from benchmaker.arenas.agentic.traces.text_search import TextHit

_WIDEST = 200
_LIMIT = 20


@declare(
    "search",
    examples=(
        "benchmaker search 'connection refused'",
        "benchmaker search '\"no such table\"' --tool claude-code --since 30d",
        "benchmaker search --index",
    ),
)
@click.argument("text", required=False)
@click.option("--tool", metavar="NAME", help="Only sessions of this tool, such as claude-code.")
@click.option(
    "--project", metavar="TEXT", help="Only sessions whose folder contains TEXT, ignoring case."
)
@click.option("--since", metavar="DATE|7d", help="Only sessions active on or after this day.")
@click.option(
    "--limit",
    metavar="N",
    type=WholeNumber(1),
    default=_LIMIT,
    help=f"Stop after about N hits. Default: {_LIMIT}.",
)
@click.option("--after", metavar="PLACE", default="", help="Continue after the previous page.")
@click.option("--index", is_flag=True, help="Index stored sessions that are not indexed yet.")
def command(
    context: Context,
    *,
    text: str | None,
    tool: str | None,
    project: str | None,
    since: str | None,
    limit: int,
    after: str,
    index: bool,
) -> None:
    """Search the text of sessions: prompts, answers, tool calls.

    A text matches if it contains all of the words, as whole words in any order. Words in double
    quotes match as a phrase. Sessions are listed by the time they were stored, newest first; a
    session stored for several tasks is listed once. Sessions imported without their content have no
    text to search.
    """
    from benchmaker.arenas.agentic.traces.text_search import (
        TextQuery,
        index_texts,
        search_texts,
    )
    from benchmaker.arenas.agentic.unknown_names import unknown_tool

    if text is None and not index:
        raise click.UsageError("Give a text: search TEXT")
    with open_store(context, read_only=not index) as store:
        if index:
            tell(f"Sessions indexed: {len(index_texts(store)):,}.")
        if text is None:
            return
        if tool is not None:
            refuse(unknown_tool(store, tool))
        found = search_texts(store, TextQuery(text, tool, project, since), after=after, limit=limit)
    if context.use_json:
        say_json(found.to_dict())
        return
    for hit in found.hits:
        _say(hit)
    if not found.hits:
        say("No matches so far." if found.after else "Nothing found.")
    if found.may_have_more:
        _tell_extent(len(found.hits), limit, is_first=not after)
        chosen = {"--tool": tool, "--project": project, "--since": since}
        words: list[object] = [word for it in chosen.items() if it[1] for word in it]
        words += ["--limit", limit] if limit != _LIMIT else []
        more = context.line("search", text, *words, "--after", found.after)
        tell(f"More: {more}")


def _tell_extent(number: int, limit: int, *, is_first: bool) -> None:
    """Say that the hits shown are not all, so that their number is not read as a total."""
    from benchmaker.record.counts import count

    if not number:
        return
    which = "Showing the first" if is_first else "Showing another"
    more = "use --limit to show more" if number >= limit else "there may be more"
    tell(f"{which} {count(number, 'hit')}; {more}.")


def _say(hit: "TextHit") -> None:
    when = (hit.at or "")[:16].replace("T", " ")
    cells = (hit.submission.id, when, hit.kind, f"line {hit.line}" if hit.line else "")
    say("  ".join(filter(None, cells)))
    say("   " + one_line(hit.excerpt, min(window_width(), _WIDEST) - 3))
