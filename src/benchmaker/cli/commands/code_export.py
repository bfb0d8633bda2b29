"""``benchmaker code export``: the generated pages of a run as one report, or as files."""

import io
from functools import partial
from pathlib import Path

import click

from benchmaker.cli.base_command import FILE
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.output.output import say, say_json
from benchmaker.errors import SpecError


@declare(
    "export",
    examples=(
        "benchmaker code export latest --output pages.html",
        "benchmaker code export latest --format zip --output pages.zip",
    ),
)
@click.argument("run", metavar="RUN")
@click.option(
    "--format",
    "form",
    type=click.Choice(("html", "zip")),
    default="html",
    help="Format of the file. Default: html.",
)
@click.option("--output", metavar="FILE", type=FILE, required=True, help="Output file.")
def command(context: Context, *, run: str, form: str, output: Path) -> None:
    """Export the pages of a run to a file.

    The html format is one file with screenshots, scores and code as text; it loads and runs
    nothing. The zip format contains every answer with its page and the bundled libraries of the
    pages; those pages do run.
    """
    from benchmaker.arenas.code.generated_pages import gather_pages, screenshots
    from benchmaker.cli.database import open_store
    from benchmaker.cli.output.key_redaction import redactor_of
    from benchmaker.engine.runs.code_runs import refuse_outside_code_arena
    from benchmaker.report.formats.atomic import open_atomic
    from benchmaker.report.formats.code_report import write_code_report
    from benchmaker.report.formats.code_zip import write_pages_zip

    with open_store(context) as store, open_atomic(output) as stream:
        found = store.resolve(run).run_ids
        if len(found) != 1:
            raise SpecError(f"{run} is a series of {len(found)} runs.", hint="Give one of them.")
        refuse_outside_code_arena(store, found)
        record = store.run(found[0])
        pages = gather_pages(store, record)
        if form == "zip":
            write_pages_zip(pages, stream)
        else:
            text = io.TextIOWrapper(stream, encoding="utf-8", errors="replace", newline="\n")
            write_code_report(
                record,
                pages,
                text,
                pictures=partial(screenshots, store),
                redactor=redactor_of(context),
            )
            text.detach()
    if context.use_json:
        say_json({"written": str(output), "format": form, "run_id": record.id})
    else:
        say(f"Written: {output}")
