"""Scoring the answers in another tool's results, whose questions and keys are the suite."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmaker.cli.context import Context
from benchmaker.cli.database import home_of
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output.output import tell
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmaker.arenas.standard.importers.importing import ImportedFile
    from benchmaker.arenas.standard.importers.recognising import Source
    from benchmaker.spec import ScorerSpec, Suite
    from benchmaker.store import Store

_NAMED = 3
_NUMBER = re.compile(r"[-+−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
"""A number as a key: a year or a count, but no unit."""

_IMPORT = "To keep the tool's scores: benchmaker import FILE"


def score_results_file(context: Context, path: Path, options: dict[str, Any]) -> ExitCode:
    """Import a file of results, score its answers by their keys, and print the scores.

    Raises:
        SpecError: the file is no results of a known tool, or has answers without a key.
    """
    from benchmaker.arenas.standard import rescore
    from benchmaker.cli.options.run_options import options_of
    from benchmaker.cli.output.stored_result import say_result
    from benchmaker.cli.progress.verdict import verdict_code

    with home_of(context).open_store() as store:
        run_ids = _imported_runs(store, path)
        first = store.run(run_ids[0])
        scorer = _scorer_of(store.suite(first.suite_hash))
    tell(_scorer_note(scorer))
    chosen = options_of(context, options)
    result = rescore(
        first.series_id or first.id,
        scorer=scorer,
        home=context.home,
        environ=context.environ,
        options=chosen,
    )
    say_result(context, result)
    return verdict_code(result.summary)


def _scorer_of(suite: "Suite") -> "ScorerSpec | None":
    """The scorer of the suite; if every key is a number, one that reads numbers in any form."""
    from benchmaker.spec import ScorerSpec

    keys = (case.expectations for case in suite)
    if all(some and all(map(_NUMBER.fullmatch, some)) for some in keys):
        return ScorerSpec.model_validate({"id": "numeric", "tolerance": 0})
    return suite.scorer


def _scorer_note(scorer: "ScorerSpec | None") -> str:
    name = scorer.id if scorer is not None else "exact"
    reason = ", since every key is a number" if name == "numeric" else ""
    return f"Scored by {name}{reason}. To choose another: benchmaker rescore latest --scorer NAME"


def _imported_runs(store: "Store", path: Path) -> tuple[str, ...]:
    from benchmaker.arenas.standard.importers.importing import import_evaluations
    from benchmaker.arenas.standard.importers.recognising import find_sources

    sources = find_sources([path])
    if not sources:
        raise SpecError(
            "no suite given, and the file is not recognised as results of another tool.",
            where=str(path),
            hint="Add a suite: benchmaker run SUITE --recorded FILE",
        )
    _refuse_without_keys(sources, path)
    done = list(import_evaluations(store, sources))
    if error := next((one.error for one in done if one.error is not None), None):
        raise error
    return _runs_of_one(done, path)


def _runs_of_one(done: "list[ImportedFile]", path: Path) -> tuple[str, ...]:
    """The runs of the only evaluation in the files."""
    with_runs = [one for one in done if one.runs]
    if not with_runs:
        raise SpecError("the file has no answers.", where=str(path))
    if len(with_runs) > 1:
        names = ", ".join(one.path.name for one in with_runs[:5])
        raise SpecError(
            f"{len(with_runs)} files with results: {names}.", where=str(path), hint="Name one."
        )
    return with_runs[0].runs


def _refuse_without_keys(sources: "Sequence[Source]", path: Path) -> None:
    """Raise SpecError if a row has no right answer, before anything is stored."""
    from benchmaker.arenas.standard.importers.reading import Tally

    rows = (
        row
        for source in sources
        for evaluation in source.reader.evaluations(source.file, Tally())
        for row in evaluation.rows
    )
    without = dict.fromkeys(row.case.id for row in rows if not row.case.expected)
    if without:
        names = list(without)
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        raise SpecError(
            f"no right answer for the cases {', '.join(names[:_NAMED])}{more}.",
            where=str(path),
            hint=f"Score them with a suite of your own. {_IMPORT}",
        )
