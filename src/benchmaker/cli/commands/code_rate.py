"""``benchmaker code rate``: models by blind votes, with judge and checks."""

import sys
from typing import TYPE_CHECKING

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.output.output import say, say_json
from benchmaker.cli.output.table import window_width
from benchmaker.cli.output.table_formats import explain_option
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.record.vote import VoteCategory


@declare(
    "rate",
    examples=("benchmaker code rate", "benchmaker code rate latest --json"),
)
@click.argument("runs", metavar="[RUN]...", nargs=-1)
@click.option(
    "--category",
    type=click.Choice(["visual", "function", "code"]),
    help="Count the verdicts on this part of the pages alone.",
)
@click.option(
    "--style",
    type=click.Choice(["length", "libraries"]),
    multiple=True,
    help="Adjust the ratings for the length of the code or the use of libraries. Repeatable.",
)
@click.option("--csv", "form", flag_value="csv", help="Print CSV.")
@explain_option
def command(
    context: Context,
    *,
    runs: tuple[str, ...],
    category: "VoteCategory | None",
    style: tuple[str, ...],
    form: str | None,
) -> None:
    """Rate models by people's votes on their pages.

    People vote blind in the workbench; names are shown after the vote. Beside the ratings are the
    means that judge and checks gave the same pages, and their agreement with people. Voters with
    unusual votes are named; every vote counts until it is withdrawn. RUN defaults to the newest
    runs with generated pages.
    """
    if form == "csv" and context.use_json:
        raise SpecError("--json and --csv both write to stdout.", hint="Give --json or --csv.")
    from benchmaker.analysis.ratings.vote_ratings import standings
    from benchmaker.arenas.code.totals import judge_shares, styles_of, totals_of
    from benchmaker.cli.database import open_store
    from benchmaker.engine.runs.code_runs import refuse_outside_code_arena
    from benchmaker.report.arenas.voting import standings_text, write_standings_csv
    from benchmaker.report.sentences.judging import mixed_judges_words

    with open_store(context) as store:
        newest = store.code_pages.page().rows
        named = [it for name in runs for it in store.resolve(name).run_ids]
        for run_id in named:
            refuse_outside_code_arena(store, [run_id])
        run_ids = named or [row.run.id for row in newest]
        votes = store.votes.read(run_ids, with_undone=True)
        styles = styles_of(store, run_ids) if style else {}
        totals = totals_of(store, run_ids)
        prompts = store.votes.prompts(run_ids)
        shares = judge_shares(store, run_ids)
        made = standings(
            votes, totals, category=category, style=style, styles=styles, prompts=prompts
        )
    if context.use_json:
        scored_by = [one.to_dict() for one in shares]
        say_json({"runs": run_ids, "scored_by": scored_by, **made.to_dict()})
    elif form == "csv":
        write_standings_csv(made, sys.stdout)
    else:
        explain = form == "explain"
        words = mixed_judges_words(shares, "page")
        text = standings_text(made, explain=explain, width=window_width(), judges_words=words)
        say(text.rstrip("\n"))
