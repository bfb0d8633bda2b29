"""Importing logs of coding tools, and reporting the result."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output.output import one_line, say, say_wrapped, tell
from benchmaker.cli.output.table import format_table
from benchmaker.record.counts import count
from benchmaker.record.submissions.submission import UNKNOWN_MODEL
from benchmaker.report.sentences.figures import NO_MODEL
from benchmaker.report.tables.optional_figures import dollars, grouped_count, seconds

if TYPE_CHECKING:
    from benchmaker.arenas.agentic.sessions.importing import Imported
    from benchmaker.record.submissions.submission import Submission

_HEADS = ("id", "began", "tool", "cost", "active", "tokens", "calls", "tools", "model")
_RIGHT = (3, 4, 5, 6, 7)
_BEGAN = (1,)
"""The column that narrow terminals leave out first: the id and the cost matter more."""
_SHOWN = 30
_ID = 40
_LISTED = 10
_NAMED = 3


def no_logs_found(environ: Mapping[str, str]) -> str:
    """A sentence on the folders in which no logs were found."""
    from benchmaker.arenas.agentic.logs.tool_places import possible_folders

    home = str(Path.home())
    folders = [str(one.path).replace(home, "~", 1) for one in possible_folders(environ)]
    searched = f" in {', '.join(dict.fromkeys(folders))}" if folders else ""
    return f"no logs of coding tools found{searched}."


def take_logs(context: Context, paths: Sequence[Path], **options: Any) -> "Imported":  # noqa: ANN401  the words of import_logs
    """Read the logs into the store of this call."""
    from benchmaker.arenas.agentic.sessions.importing import import_logs

    return import_logs(paths, home=context.home, store=context.store_url, **options)


def report_import(
    context: Context, imported: "Imported", scope: str, *, stored: bool, paths: Sequence[Path]
) -> dict[str, Any]:
    """Report the import of some paths, unless JSON is requested, and return it as data."""
    from benchmaker.analysis.composite.tool_metrics import missing_metrics
    from benchmaker.record.submissions.main_agent import apply_scope
    from benchmaker.record.submissions.submission import Scope

    shown = [apply_scope(it, Scope(scope)) for it in imported.submissions]
    if not context.use_json:
        _say(context, imported, shown, stored=stored)
        _tell_not_imported(imported, paths)
    return {
        "submissions": shown,
        **unread_data(imported),
        "kept": imported.kept,
        "missing": {it.id: missing_metrics(it) for it in imported.submissions},
        "secrets": {
            name: [{"kind": it.kind, "file": it.file, "line": it.line} for it in found]
            for name, found in imported.secrets.items()
        },
    }


def unread_data(imported: "Imported") -> dict[str, Any]:
    """Return unread and skipped parts, and notes, as data."""
    return {
        "skipped_lines": [_line(it) for it in imported.skipped_lines],
        "skipped": imported.skipped,
        "notes": [_line(it) for it in imported.notes],
        "copies": list(map(str, imported.copies)),
        "repeats": list(map(str, imported.repeats)),
        "empty": list(map(str, imported.empty)),
        "refused": list(map(str, imported.refused)),
        "refused_rows": imported.refused_rows,
        "unknown": list(map(str, imported.unknown)),
    }


def exit_code(imported: "Imported") -> ExitCode:
    """Return the exit code for a full, partial or empty import."""
    if imported.is_refused or _is_unrecognised(imported):
        return ExitCode.USAGE
    return ExitCode.PARTIAL if imported.is_partial else ExitCode.OK


def _is_unrecognised(imported: "Imported") -> bool:
    """True if there were files, but none of a known format."""
    was_read = imported.submissions or imported.copies or imported.repeats or imported.empty
    return bool(imported.unknown) and not was_read


def combined_exit_code(codes: Sequence[ExitCode]) -> ExitCode:
    """Return the exit code of an import from those of its inputs, which fail separately."""
    different = set(codes)
    return different.pop() if len(different) == 1 else ExitCode.PARTIAL


def _line(skipped: Any) -> dict[str, Any]:  # noqa: ANN401  a named tuple of the arena
    return {"file": str(skipped.path), "line": skipped.line, "reason": skipped.reason}


def _say(
    context: Context, imported: "Imported", shown: "list[Submission]", *, stored: bool
) -> None:
    newest = sorted(shown, key=lambda it: it.started_at or "", reverse=True)
    listed, has_rows = newest[:_SHOWN], any(it.row_id for it in shown)
    heads = (*_HEADS, "row") if has_rows else _HEADS
    rows = [(*_row(it), *([one_line(it.row_id or "", _ID)] if has_rows else [])) for it in listed]
    table = format_table(heads, rows, right=_RIGHT, gives_way=_BEGAN) if rows else []
    for line in table or [_empty_message(imported)]:
        say(line)
    if len(shown) > _SHOWN:
        say(f"… and {len(shown) - _SHOWN:,} more")
    _say_gap(shown)
    tell_unread(imported)
    if stored and imported.kept:
        say(f"{stored_counts(imported)}. Show the totals: {_usage_line(context, shown)}")


def _tell_not_imported(imported: "Imported", paths: Sequence[Path]) -> None:
    """Count the named files that were not imported, if others were."""
    whole = {one.path for one in imported.skipped_lines if not one.line}
    failed = whole | set(imported.refused)
    files = [path for path in paths if not path.is_dir()]
    lost = sum(path in failed or path.resolve() in failed for path in files)
    if lost and len(files) > 1:
        tell(f"{lost:,} of {count(len(files), 'file')} not imported.")


def stored_counts(imported: "Imported") -> str:
    """Return the numbers of submissions by state: ``Stored: 3 new, 2 revised``."""
    return "Stored: " + ", ".join(f"{n:,} {what}" for what, n in imported.counts.items())


def _usage_line(context: Context, shown: "list[Submission]") -> str:
    """The command that sums these up."""
    from benchmaker.arenas.agentic.sessions.stored_usage import is_own

    return context.line("usage", *(() if any(map(is_own, shown)) else ("--benchmarks",)))


def _empty_message(imported: "Imported") -> str:
    if imported.is_refused:
        return "Nothing imported: all input was rejected."
    if _is_unrecognised(imported):
        return "Nothing imported: no file has a known format."
    return "No sessions found."


def _row(submission: "Submission") -> tuple[str, ...]:
    system, cost = submission.system, submission.cost
    return (
        submission.id,
        (submission.started_at or "")[:16].replace("T", " "),
        system.harness,
        dollars(cost.usd) + ("" if cost.usd is None or cost.reported_usd is not None else "*"),
        seconds(submission.time.active_s),
        grouped_count(submission.total_tokens),
        grouped_count(submission.llm_calls),
        grouped_count(submission.tool_calls),
        system.model or "",
    )


def _say_gap(shown: "list[Submission]") -> None:
    """Say which costs are ours, how far they are from those reported, and what has no price."""
    if any(it.cost.reported_usd is None and it.cost.computed_usd is not None for it in shown):
        say_wrapped("* computed from tokens and prices; the tool reported no cost.")
    both = [it.cost for it in shown if it.cost.gap_usd is not None]
    if both:
        reported = sum(it.reported_usd or 0 for it in both)
        computed = sum(it.computed_usd or 0 for it in both)
        say_wrapped(
            f"{count(len(both), 'session')} {'has' if len(both) == 1 else 'have'} both costs: "
            f"{dollars(reported)} reported by the tool, {dollars(computed)} computed from tokens "
            "and prices. The table shows the reported one."
        )
    models = {name for it in shown for name in it.cost.unpriced}
    if named := sorted(models - {UNKNOWN_MODEL}):
        say_wrapped(f"Price unknown: {', '.join(named)}")
    if UNKNOWN_MODEL in models:
        say_wrapped(f"Cost unknown: {NO_MODEL}. Set it with: benchmaker import --model NAME PATH")


def _tell_empty(paths: "Sequence[Path]") -> None:
    """Name the files, with the number of sessions where a file has several, that were empty."""
    if not paths:
        return
    files = count(len(set(paths)), "file")
    sessions = f" ({count(len(paths), 'session')})" if len(paths) > len(set(paths)) else ""
    tell(f"Skipped, empty: {files}{sessions}: {_names(paths)}")


def _names(paths: "Sequence[Path]") -> str:
    """The first few files, each once, and the number of the others."""
    different = list(dict.fromkeys(map(str, paths)))
    more = len(different) - _NAMED
    return ", ".join(different[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def tell_unread(imported: "Imported") -> None:
    """Report unread and skipped parts, and notes."""
    for skipped in (*imported.notes[:_LISTED], *imported.skipped_lines[:_LISTED]):
        place = f"{skipped.path}:{skipped.line}" if skipped.line else str(skipped.path)
        tell(f"{place}: {skipped.reason}")
    if imported.skipped > _LISTED:
        tell(f"… {imported.skipped:,} unreadable places in total; --json lists them.")
    for what, paths in (("session", imported.copies), ("file", imported.repeats)):
        if paths:
            tell(f"Skipped {count(len(paths), f'duplicate {what}')}: {_names(paths)}")
    _tell_empty(imported.empty)
    if imported.refused:
        files = count(len(imported.refused), "file")
        tell(f"Skipped, rejected: {files}: {_names(imported.refused)}")
    if imported.unknown:
        files = count(len(imported.unknown), "file")
        tell(f"Skipped, not a log of a known format: {files}: {_names(imported.unknown)}")
    if imported.refused_rows:
        tell(f"Skipped, rejected: {count(imported.refused_rows, 'row')}")
    for name, found in imported.secrets.items():
        kinds = ", ".join(f"{it.kind} (line {it.line})" for it in found[:_LISTED])
        tell(f"Secrets removed from {name}: {kinds}")
