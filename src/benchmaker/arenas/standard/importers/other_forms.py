"""Recognising an evaluation that is stored in another form: as CSV without ids, or with them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchmaker.arenas.standard.importers.evaluation import ImportedEvaluation, digest
from benchmaker.arenas.standard.importers.promptfoo import PASS
from benchmaker.arenas.standard.importers.reading import as_text
from benchmaker.arenas.standard.importers.spool import SetupName, Spool
from benchmaker.errors import SpecError
from benchmaker.record import Outcome, Run
from benchmaker.record.imports.imported import PROMPT_TEXTS
from benchmaker.store import Store

FORM: Final = "form"
"""The fact that tells forms of an evaluation apart which have no ids in common."""

_WITH_FORMS = frozenset({"promptfoo"})


def runs_in_another_form(
    store: Store, evaluation: ImportedEvaluation, spool: Spool
) -> tuple[str, ...]:
    """Return the runs that hold every answer of an evaluation in another form; empty without any.

    Answers are compared by model, prompt, variables, text and verdict, each as often as it occurs.

    Raises:
        SpecError: a run holds only a part of the answers.
    """
    members = list(_candidates(store, evaluation, spool))
    if not members:
        return ()
    wanted = Counter(_spooled_contents(spool))
    for runs in members:
        stored = Counter(content for run in runs for content in _stored_contents(store, run))
        if wanted <= stored:
            return tuple(run.id for run in runs)
        if stored <= wanted:
            name = runs[0].series_id or runs[0].id
            raise SpecError(
                f"run {runs[0].id} holds {stored.total():,} of these {wanted.total():,} answers in "
                "another form.",
                where=", ".join(evaluation.files),
                hint=f"To import all of them, delete it first: benchmaker delete {name}",
            )
    return ()


def _candidates(
    store: Store, evaluation: ImportedEvaluation, spool: Spool
) -> Iterator[Sequence[Run]]:
    """Yield the runs of each evaluation of the tool in another form with the same setups."""
    if evaluation.tool not in _WITH_FORMS:
        return
    form, setups = evaluation.known.get(FORM), set(spool.setups)
    found: dict[str, list[Run]] = {}
    for run in store.imported_rows.runs_of(evaluation.tool):
        is_other = (run.provider.get("known") or {}).get(FORM) != form
        if is_other and run.rescored_from is None and not setups.isdisjoint(_setups(run)):
            found.setdefault(run.series_id or run.id, []).append(run)
    yield from found.values()


def _setups(run: Run) -> list[SetupName]:
    return [SetupName(one.model, one.prompt_id) for one in map(run.setup, run.models)]


def _spooled_contents(spool: Spool) -> Iterator[bytes]:
    variables = {one.number: _values(one.case.vars) for one in spool.cases()}
    names = list(spool.setups)
    for placed in spool.rows():
        spooled = placed.row
        row, setup = spooled.row, names[spooled.setup]
        is_answer = row.outcome is Outcome.SCORED
        said = row.output if is_answer else None
        yield _content(setup, variables[spooled.case], said, row.scores.get(row.scorer))


def _stored_contents(store: Store, run: Run) -> Iterator[bytes]:
    variables = {case.id: _values(case.vars) for case in store.suite(run.suite_hash)}
    names = dict(zip(run.models, _setups(run), strict=True))
    records = store.imported_rows.each_record([run.id])
    for trial, record in zip(store.trials(run.id), records, strict=True):
        is_answer = trial.outcome in {Outcome.SCORED, Outcome.UNSCORED}
        said = trial.text if is_answer else None
        verdict = record.scores.get(PASS)
        yield _content(names[trial.model], variables[trial.case_id], said, verdict)


def _values(variables: Mapping[str, Any]) -> list[str]:
    """The values of a case as a table has them: texts, in the order of their names."""
    known = sorted((name, value) for name, value in variables.items() if name != PROMPT_TEXTS)
    return [text for _, value in known if value is not None and (text := as_text(value))]


def _content(
    setup: SetupName, variables: Sequence[str], said: str | None, score: float | None
) -> bytes:
    return digest((setup, variables, said or "", score))
