"""Results of other tools from files into the store: one call from paths to runs."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import replace as replace_fields
from pathlib import Path

from benchmaker.arenas.standard.importers.evaluation import ImportedEvaluation
from benchmaker.arenas.standard.importers.headline import HeadlineFigure, headline, is_rounded
from benchmaker.arenas.standard.importers.inspect_logs import InspectLogs, tool_samples
from benchmaker.arenas.standard.importers.intake import store_evaluation
from benchmaker.arenas.standard.importers.other_forms import FORM
from benchmaker.arenas.standard.importers.reading import Tally
from benchmaker.arenas.standard.importers.recognising import Source
from benchmaker.arenas.standard.importers.row_blocks import rename_models
from benchmaker.errors import SpecError
from benchmaker.record import Run
from benchmaker.spec.documents.archives import ArchiveError
from benchmaker.store import Store

_SPREADS = frozenset({"stderr", "std", "var"})
"""Metrics of the spread, which tools may estimate at random."""

UNNAMED = frozenset({"unknown", "model"})
"""Names of models in files that name none."""


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """The result of importing one file.

    ``runs`` hold its rows, those of an earlier import included; ``added`` counts the trials that
    are new. ``headline`` are the tool's figures, computed from the stored rows. ``not_recomputed``
    names figures of the file with an unknown formula. ``error`` is the reason why nothing of the
    file could be read.
    """

    path: Path
    tool: str
    tally: Tally
    runs: tuple[str, ...] = ()
    added: int = 0
    headline: tuple[HeadlineFigure, ...] = ()
    not_recomputed: tuple[str, ...] = ()
    error: SpecError | None = None

    @property
    def is_refused(self) -> bool:
        """True if nothing of the file could be read."""
        return self.error is not None or 0 < self.tally.rows == self.tally.refused

    @property
    def is_partial(self) -> bool:
        """True if some rows could not be read."""
        return not self.is_refused and self.tally.refused > 0


def import_evaluations(
    store: Store | None, sources: Sequence[Source], *, model: str | None = None
) -> Iterator[ImportedFile]:
    """Store the evaluations of the files one after the other, and yield what became of each.

    ``model`` is the name of the model in files that name none. Without a store, rows are only
    counted. Damage is reported, not raised.

    Raises:
        StoreError: the store is unusable.
    """
    for source in sources:
        yield _import_file(store, source, model)


def _import_file(store: Store | None, source: Source, model: str | None) -> ImportedFile:
    tally = Tally()
    done = ImportedFile(source.path, source.reader.tool, tally)
    try:
        for evaluation in source.reader.evaluations(source.file, tally):
            done = _store(store, done, _with_model(evaluation, model))
    except SpecError as exc:
        if not done.runs:
            tally.refuse_all()
        return replace_fields(done, error=exc)
    return done


def _with_model(evaluation: ImportedEvaluation, model: str | None) -> ImportedEvaluation:
    if model is None:
        return evaluation
    renamed = rename_models(evaluation.rows, lambda name: model if name in UNNAMED else name)
    return replace_fields(evaluation, rows=renamed)


def _store(store: Store | None, done: ImportedFile, evaluation: ImportedEvaluation) -> ImportedFile:
    if store is None:
        for _ in evaluation.rows:
            pass
        return done
    stored = store_evaluation(store, evaluation)
    if stored.is_another_form:
        first = store.run(stored.run_ids[0])
        done.tally.note(_same_answers(first, evaluation))
    figures = headline(store, stored.run_ids)
    for said in _differences(store, stored.run_ids, evaluation, figures):
        done.tally.note(said)
    known = {(one.scorer, one.metric.partition("/")[0]) for one in figures}
    missing = {
        f"{one.scorer} {one.metric}"
        for one in evaluation.figures
        if one.value is not None and (one.scorer, one.metric.partition("/")[0]) not in known
    }
    return replace_fields(
        done,
        runs=tuple(dict.fromkeys((*done.runs, *stored.run_ids))),
        added=done.added + stored.added,
        headline=(*done.headline, *figures),
        not_recomputed=tuple(sorted({*done.not_recomputed, *missing})),
    )


def _same_answers(run: Run, evaluation: ImportedEvaluation) -> str:
    """The note on a run from another form, with what it lacks if that form holds less."""
    said = f"run {run.id} has the same answers, from {run.imported_from}."
    is_poorer = (run.provider.get("known") or {}).get(FORM) and not evaluation.known.get(FORM)
    if not is_poorer:
        return said
    return (
        f"{said} It lacks the date, prompts, tokens and costs of this file. To store them, delete "
        f"the run and import this file again: benchmaker delete {run.series_id or run.id}"
    )


def _differences(
    store: Store,
    run_ids: Sequence[str],
    evaluation: ImportedEvaluation,
    figures: Sequence[HeadlineFigure],
) -> Iterator[str]:
    """Yield a note for each figure that the file states otherwise than its rows give.

    Runs that hold rows of other files, too, have figures of their own.
    """
    files = {name for run_id in run_ids for name in store.run(run_id).provider.get("files", ())}
    if files != set(evaluation.files):
        return
    computed = {(one.scorer, one.metric, one.model, one.prompt): one.value for one in figures}
    for stated in evaluation.figures:
        for (scorer, metric, model, prompt), value in computed.items():
            is_other = (scorer, metric) != (stated.scorer, stated.metric) or metric in _SPREADS
            is_setup = stated.model in {"", model} and stated.prompt in {None, prompt}
            if is_other or not is_setup or stated.value is None or value is None:
                continue
            if not is_rounded(stated.value, value):
                yield (
                    f"the file states {scorer} {metric} {stated.value:.6g} for {model}, but its "
                    f"rows give {value:.6g}."
                )


def samples_with_tools(sources: Sequence[Source]) -> dict[Path, frozenset[int]]:
    """Return the places of samples that used tools, by file: they become submissions of agents."""
    found: dict[Path, frozenset[int]] = {}
    for source in sources:
        if isinstance(source.reader, InspectLogs):
            with suppress(SpecError, ArchiveError):
                if places := tool_samples(source.file):
                    found[source.file.resolve()] = places
    return found
