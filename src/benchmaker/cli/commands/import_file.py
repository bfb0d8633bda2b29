"""``benchmaker import``: results of other tools, logs of coding tools, and exported runs."""

from pathlib import Path

import click

from benchmaker.cli.base_command import FILE
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.options.numbers import SECONDS, WholeNumber
from benchmaker.cli.output.output import say_json
from benchmaker.cli.server.audit_log import written_down
from benchmaker.errors import SpecError

SCOPES = ("with_subagents", "main")


@declare(
    "import",
    examples=(
        "benchmaker import ~/.claude/projects ~/.codex/sessions",
        "benchmaker import --dry-run",
        "benchmaker import session.jsonl --dry-run --json",
        "benchmaker import results.json logs/2026-11-22_task.eval",
        "benchmaker import run.json",
    ),
)
@click.argument("paths", metavar="[PATH...]", type=FILE, nargs=-1)
@click.option("--task", metavar="TASK", help="Task for logs and rows that name none.")
@click.option(
    "--source",
    metavar="NAME",
    default="",
    help="Name that keeps rows apart from those of other sources.",
)
@click.option("--model", metavar="NAME", help="Model for logs that name none.")
@click.option(
    "--importer", metavar="ID", help="Use this importer instead of recognising the format."
)
@click.option(
    "--scope",
    type=click.Choice(SCOPES),
    default=SCOPES[0],
    help="Figures to print: with subagents (default), or of the main agent only. Both are stored.",
)
@click.option(
    "--drop-content", is_flag=True, help="Keep only numbers; drop texts, arguments and outputs."
)
@click.option(
    "--gap-limit",
    metavar="SECONDS",
    type=SECONDS,
    default=300.0,
    help="Longest gap in seconds that counts as active time. Default: 300.",
)
@click.option(
    "--max-line-bytes",
    metavar="BYTES",
    type=WholeNumber(min=1),
    default=64 * 2**20,
    help="Longest line in bytes; longer ones are skipped and listed. Default: 67108864 (64 MiB).",
)
@click.option("--dry-run", is_flag=True, help="Store nothing.")
def command(
    context: Context,
    *,
    paths: tuple[Path, ...],
    task: str | None,
    source: str,
    model: str | None,
    importer: str | None,
    scope: str,
    drop_content: bool,
    gap_limit: float,
    max_line_bytes: int,
    dry_run: bool,
) -> ExitCode:
    """Import results of other tools, logs of coding tools, tables of figures and exported runs.

    A path is a file or a folder; without one, the log folders of all coding tools are read. The
    format of each file is recognised by its content. Results of Inspect, promptfoo, lm-eval, HELM,
    DeepEval, OpenAI evals, pydantic-evals and lighteval become runs; samples that used tools become
    submissions. Every answer counts once, even if several files contain it. A row of a table is
    identified by its id, task, tool and submitter: if a table has grown or was corrected, new rows
    are added and changed ones revised.

    With --drop-content, texts that an earlier import of the same sessions stored are removed. Runs
    exported by Benchmaker keep their ids. An unreadable or unrecognised file is reported, and the
    others are imported. The exit code is 4 if some input is unreadable, and 2 if all of it is.
    """
    from benchmaker.arenas.standard.importers.importing import samples_with_tools
    from benchmaker.arenas.standard.importers.recognising import find_sources
    from benchmaker.cli.actions.evaluation_intake import (
        has_news,
        not_a_run,
        remaining_logs,
        take_evaluations,
    )
    from benchmaker.cli.actions.importing import exports_among, import_exports
    from benchmaker.cli.actions.log_intake import (
        combined_exit_code,
        exit_code,
        report_import,
        take_logs,
    )

    sources = find_sources(paths) if importer is None else ()
    paths = paths or _default_folders(context)
    exports = exports_among(paths)
    sources = tuple(one for one in sources if one.file not in exports)
    places = samples_with_tools(sources)
    logs = remaining_logs(paths, exports, sources, places)
    data, codes = import_exports(
        context, exports, dry_run=dry_run, keep_going=bool(logs or sources) or len(exports) > 1
    )
    if sources:
        several = len(paths) > 1 or len(sources) > 1
        entries, found = take_evaluations(
            context, sources, model=model, dry_run=dry_run, keep_going=several
        )
        data["files"] = entries
        codes.extend(found)
    if logs:
        action = "" if dry_run else "submission.add"
        with written_down(context, action, ", ".join(map(str, logs))) as ids:
            imported = take_logs(
                context,
                logs,
                task=task,
                source=source,
                model=model,
                importer=importer,
                drop_content=drop_content,
                gap_limit_s=gap_limit,
                max_line_bytes=max_line_bytes,
                keep_going=bool(exports or sources),
                dry_run=dry_run,
                wanted=not_a_run(sources, places),
            )
            ids.extend(it.id for it in imported.submissions)
        if has_news(imported) or not sources:
            data |= report_import(context, imported, scope, stored=not dry_run, paths=logs)
            codes.append(exit_code(imported))
    if context.use_json:
        say_json(data)
    return combined_exit_code(codes)


def _default_folders(context: Context) -> tuple[Path, ...]:
    """The log folders of the coding tools on this machine.

    Raises:
        SpecError: there are none.
    """
    from benchmaker.arenas.agentic.logs.tool_places import log_folders
    from benchmaker.cli.actions.log_intake import no_logs_found

    found = tuple(it.path for it in log_folders(context.environ))
    if not found:
        raise SpecError(
            no_logs_found(context.environ),
            hint=f"Give a file or a folder: {context.line('import', 'PATH')}",
        )
    return found
