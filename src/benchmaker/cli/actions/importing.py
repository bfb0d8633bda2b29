"""Taking runs from an export into the store."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmaker.cli.context import Context
from benchmaker.cli.database import home_of
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output.failure import tell_failure
from benchmaker.cli.output.output import say, say_hint, say_wrapped, tell
from benchmaker.cli.server.audit_log import write_down
from benchmaker.errors import Conflict, SpecError

if TYPE_CHECKING:
    from benchmaker.engine.runs.intake import ImportResult
    from benchmaker.report.formats.read_export import Export


_MARK = b'"benchmaker_export"'


def exports_among(paths: Sequence[Path]) -> list[Path]:
    """Return the files that are our own exports of runs, recognised by their heads."""
    from benchmaker.arenas.agentic.importers.sniffing import file_start

    return [path for path in paths if path.is_file() and _MARK in file_start(path)[:4096]]


def import_exports(
    context: Context, files: Sequence[Path], *, dry_run: bool, keep_going: bool
) -> tuple[dict[str, Any], list[ExitCode]]:
    """Import exports; return the reports as data, and the exit code for each.

    To ``keep_going``, an export that is invalid or conflicts with the store is only reported.
    """
    done: list[dict[str, Any]] = []
    refused: list[dict[str, str]] = []
    codes: list[ExitCode] = []
    for file in files:
        try:
            done.append(import_export_file(context, file, dry_run=dry_run))
            codes.append(ExitCode.OK)
        except (SpecError, Conflict) as error:
            if not keep_going:
                raise
            codes.append(tell_failure(error, use_json=False, debug=False))
            refused.append({"file": str(file), "reason": str(error)})
    data = done[0] if len(files) == 1 and done else {"exports": done} if files else {}
    return data | ({"refused_exports": refused} if refused else {}), codes


def import_export_file(context: Context, file: Path, *, dry_run: bool) -> dict[str, Any]:
    """Import an export, report it unless JSON is requested, and return the report as data."""
    if dry_run:
        from benchmaker.record.counts import count
        from benchmaker.report.formats.read_export import read_export

        read = read_export(file)
        if not context.use_json:
            size = f"{count(len(read.runs), 'run')}, {count(read.n_trials, 'trial')}"
            say(f"{file}: {size} of {read.suite.name}")
        ids = [run.id for run in read.runs]
        return {"run_ids": ids, "cases": read.n_cases, "trials": read.n_trials}
    export, taken = take_in(context, file)
    new = [run_id for run_id in taken.run_ids if run_id not in taken.already_there]
    write_down(context, "run.import", ", ".join(new))
    if not context.use_json:
        _say_taken(context, export, taken)
    return {
        "run_ids": list(taken.run_ids),
        "already_there": list(taken.already_there),
        "cases": export.n_cases,
        "trials": export.n_trials,
    }


def _say_taken(context: Context, export: "Export", taken: "ImportResult") -> None:
    from benchmaker.record.counts import count

    run_ids, there = list(taken.run_ids), list(taken.already_there)
    if there:
        say_wrapped(f"Already stored with the same content: {', '.join(there)}")
    if new := [run_id for run_id in run_ids if run_id not in there]:
        trials = count(export.n_trials, "trial")
        say_wrapped(f"Imported: {', '.join(new)}, {trials} of {export.suite.name}")
    if not export.suite_hash_kept:
        tell(
            "The imported suite differs from the original in details, so its content hash differs."
        )
    if export.redacted:
        tell(f"The export has {count(export.redacted, 'line')} with redacted secrets.")
    say_hint(
        f"Show it: {context.line('results', export.series.id if export.series else run_ids[0])}"
    )


def take_in(context: Context, file: Path) -> "tuple[Export, ImportResult]":
    """Read and validate a whole export, then store it; repetition changes nothing.

    Raises:
        SpecError: the file is not a valid export.
        Conflict: the store has a run of the same id with different content.
    """
    from benchmaker.engine.runs.intake import import_export
    from benchmaker.report.formats.read_export import read_export

    export = read_export(file)
    with home_of(context).open_store() as store:
        return export, import_export(store, export)
