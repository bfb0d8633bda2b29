"""Importing results of other evaluation tools, and reporting what became of them."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from benchmaker.cli.context import Context
from benchmaker.cli.database import home_of
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output.failure import tell_failure
from benchmaker.cli.output.output import one_line, say, say_hint, say_wrapped, tell
from benchmaker.cli.output.table import format_table
from benchmaker.cli.server.audit_log import write_down
from benchmaker.record.counts import count

if TYPE_CHECKING:
    from benchmaker.arenas.agentic.sessions.importing import Imported
    from benchmaker.arenas.agentic.sessions.scan import FoundSession
    from benchmaker.arenas.standard.importers.headline import HeadlineFigure
    from benchmaker.arenas.standard.importers.importing import ImportedFile
    from benchmaker.arenas.standard.importers.recognising import Source

_HEADS = ("file", "tool", "rows", "translated", "kept verbatim", "refused")
_FIGURES = ("scorer", "metric", "value", "model", "prompt")
_SHOWN = 12
_OF_EACH = 3
_FIELDS = 8
_WIDTH = 26


def take_evaluations(
    context: Context,
    sources: "Sequence[Source]",
    *,
    model: str | None,
    dry_run: bool,
    keep_going: bool,
) -> tuple[list[dict[str, Any]], list[ExitCode]]:
    """Import the files of results; return an entry for each, and its exit code.

    Raises:
        SpecError: the only file can't be read.
    """
    from benchmaker.arenas.standard.importers.importing import import_evaluations

    opened = nullcontext() if dry_run else home_of(context).open_store()
    with opened as store:
        done = list(import_evaluations(store, sources, model=model))
    if len(done) == 1 and done[0].error is not None and not keep_going:
        raise done[0].error
    new = [run_id for one in done if one.added for run_id in one.runs]
    if new:
        write_down(context, "run.import", ", ".join(dict.fromkeys(new)))
    if not context.use_json:
        _say(context, done)
    return [_entry(one) for one in done], [_exit_code(one) for one in done]


def not_a_run(sources: "Sequence[Source]", places: "Mapping[Path, frozenset[int]]") -> "Any":  # noqa: ANN401  a predicate of the other arena's sessions
    """Return a test for sessions that are no rows of these files, but for samples with tools."""
    from benchmaker.arenas.standard.importers.recognising import files_of

    taken = files_of(sources)

    def is_wanted(found: "FoundSession") -> bool:
        file = found.ref.files[0].resolve()
        if file in places:
            return found.ref.part.isdigit() and int(found.ref.part) in places[file]
        return file not in taken

    return is_wanted


def remaining_logs(
    paths: "Sequence[Path]",
    exports: "Sequence[Path]",
    sources: "Sequence[Source]",
    places: "Mapping[Path, frozenset[int]]",
) -> list[Path]:
    """Return the paths that may hold logs of coding tools: the others, and samples with tools."""
    files = {source.file.resolve() for source in sources}
    folders = {source.path.resolve() for source in sources}
    return [
        path
        for path in paths
        if path not in exports
        and (path.resolve() in places or path.resolve() not in files | folders)
    ]


def has_news(imported: "Imported") -> bool:
    """True if logs beside results of other tools were read, or could not be."""
    return bool(imported.submissions or imported.skipped or imported.copies or imported.refused)


def _exit_code(done: "ImportedFile") -> ExitCode:
    if done.is_refused:
        return ExitCode.USAGE
    return ExitCode.PARTIAL if done.is_partial else ExitCode.OK


def _entry(done: "ImportedFile") -> dict[str, Any]:
    tally = done.tally
    error = [str(done.error)] if done.error else []
    return {
        "file": str(done.path),
        "tool": done.tool,
        "rows": tally.rows,
        "translated": tally.translated,
        "verbatim": tally.verbatim,
        "refused": tally.refused,
        "submissions": tally.submissions,
        "runs": list(done.runs),
        "added": done.added,
        "headline": msgspec.to_builtins(done.headline),
        "not_translatable": list(done.not_recomputed),
        "kept_fields": dict(tally.untranslated),
        "notes": [*error, *tally.notes],
    }


def _say(context: Context, done: "Sequence[ImportedFile]") -> None:
    rows = [
        (
            one_line(one.path.name, _WIDTH),
            one.tool,
            *(
                f"{number:,}"
                for number in (
                    one.tally.rows,
                    one.tally.translated,
                    one.tally.verbatim,
                    one.tally.refused,
                )
            ),
        )
        for one in done
    ]
    for line in format_table(_HEADS, rows, right=(2, 3, 4, 5)):
        say(line)
    for one in done:
        _say_file(one, is_only=len(done) == 1)
    if len(done) > 1:
        _say_headlines(done)
    runs = list(dict.fromkeys(run_id for one in done for run_id in one.runs))
    if runs:
        added = sum(one.added for one in done)
        say_wrapped(f"Stored: {added:,} new trials. Runs: {', '.join(runs)}")
        say_hint(f"Show one: {context.line('results', runs[0])}")


def _say_file(done: "ImportedFile", *, is_only: bool) -> None:
    prefix = "" if is_only else f"{done.path.name}: "
    if done.error is not None:
        tell_failure(done.error, use_json=False, debug=False)
    for note in done.tally.notes:
        tell(f"{prefix}{note}")
    if is_only and done.headline:
        _say_headline(done.headline)
    fields = done.tally.untranslated.most_common(_FIELDS)
    if is_only and fields:
        names = ", ".join(f"{name} ({number:,})" for name, number in fields)
        say_wrapped(f"Fields kept verbatim: {names}")
    if missing := done.not_recomputed:
        more = f" and {len(missing) - _FIELDS:,} more" if len(missing) > _FIELDS else ""
        say_wrapped(f"{prefix}Not translatable: {', '.join(missing[:_FIELDS])}{more}")
    if done.tally.submissions:
        number = count(done.tally.submissions, "sample")
        say_wrapped(f"{prefix}{number} with tools: stored as agent submissions, not as trials.")


def _say_headline(figures: "Sequence[HeadlineFigure]") -> None:
    rows = [
        (one.scorer, one.metric, _number(one.value), one.model, one.prompt or "")
        for one in figures[:_SHOWN]
    ]
    for line in format_table(_FIGURES, rows, right=(2,)):
        say(line)
    if len(figures) > _SHOWN:
        say(f"… and {len(figures) - _SHOWN:,} more figures; --json lists them.")


def _say_headlines(done: "Sequence[ImportedFile]") -> None:
    """Print the first figures of each of several files."""
    rows = [
        (one_line(file.path.name, _WIDTH), it.scorer, it.metric, _number(it.value), it.model)
        for file in done[:_SHOWN]
        for it in file.headline[:_OF_EACH]
    ]
    if not rows:
        return
    for line in format_table(("file", *_FIGURES[:4]), rows, right=(3,)):
        say(line)
    if more := sum(len(one.headline) for one in done) - len(rows):
        say(f"… and {more:,} more figures; --json lists them.")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.6g}"
