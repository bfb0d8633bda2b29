"""``benchmaker opinion``: what the figures of another tool's results hide."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from benchmaker.cli.base_command import FILE
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output.output import tell
from benchmaker.cli.output.table_formats import explain_option, form_options, tell_all
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmaker.analysis.opinion.opinion import SecondOpinion
    from benchmaker.arenas.standard.importers.importing import ImportedFile


@declare(
    "opinion",
    home="no data folder: nothing is stored",
    examples=(
        "benchmaker opinion results.json",
        "benchmaker opinion logs/ --json",
        "benchmaker opinion logs/ --model openai/gpt-4o --html > opinion.html",
    ),
)
@click.argument("paths", metavar="FILE...", type=FILE, nargs=-1, required=True)
@click.option(
    "--model",
    metavar="NAME",
    help="Model of the headline. Default: the one with the highest figure.",
)
@explain_option
@form_options
def command(
    context: Context, *, paths: tuple[Path, ...], model: str | None, form: str | None
) -> ExitCode:
    """Check the figures of other tools' results, and report what they hide.

    Reads the results of other tools that `import` reads, from files or folders; nothing is stored.
    Prints the tool's own figure, computed again, and the mean over cases with a 95% interval. Then
    it lists faults, each with its rows and its effect on the tool's figure in points.

    The exit code is 1 if there are findings, and 4 if there are none but some rows or files could
    not be read. Faults with an effect of 0.0 points are notes, not findings.
    """
    from benchmaker.report.arenas.opinion import opinion_data, opinion_report, write_opinion_csv

    found, files, has_others = _opinions(paths, model)
    for one in files:
        _tell_damage(one)
    tell_all(
        context,
        lambda: opinion_report(found),
        form=form,
        data=lambda: opinion_data(found),
        csv=lambda stream: write_opinion_csv(found, stream),
    )
    if any(one.findings for one in found):
        return ExitCode.THRESHOLD_MISSED
    is_partial = has_others or any(one.is_partial or one.is_refused for one in files)
    return ExitCode.PARTIAL if is_partial else ExitCode.OK


def _opinions(
    paths: tuple[Path, ...], model: str | None
) -> "tuple[Sequence[SecondOpinion], Sequence[ImportedFile], bool]":
    """The opinions on all files, what became of each, and whether some path is no results file.

    Raises:
        SpecError: no file holds results, or none of them a score.
    """
    from benchmaker.arenas.standard.importers.importing import import_evaluations
    from benchmaker.arenas.standard.importers.opinions import opinions
    from benchmaker.arenas.standard.importers.recognising import find_sources
    from benchmaker.store import Store

    sources = find_sources(paths)
    unread = [path for path in paths if not path.is_dir() and not find_sources([path])]
    if not sources:
        raise SpecError(_why_unread(paths[0]), where=str(paths[0]))
    for path in unread:
        tell(f"{path}: {_why_unread(path)}")
    with (
        TemporaryDirectory(prefix="benchmaker-") as folder,
        Store.open(Path(folder) / "benchmaker.db") as store,
    ):
        files = list(import_evaluations(store, sources))
        if len(files) == 1 and files[0].error is not None:
            raise files[0].error
        found = opinions(store, [run_id for one in files for run_id in one.runs], model=model)
    if not found:
        raise SpecError("no answer with a score from 0 to 1.", where=str(paths[0]))
    return found, files, bool(unread)


def _why_unread(path: Path) -> str:
    """Why there is no opinion on a file, as `import` says it."""
    from benchmaker.arenas.agentic.sessions.scan import why_unreadable

    why = "" if path.is_dir() else why_unreadable(path)
    return f"{why.rstrip('.')}." if why else "no results of another evaluation tool."


def _tell_damage(file: "ImportedFile") -> None:
    notes = [str(file.error)] if file.error else []
    for note in (*notes, *file.tally.notes):
        tell(f"{file.path.name}: {note}")
