"""Trials of a run: lists, one in full, its score explained."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Annotated, Any

from fastapi import Query

from benchmaker.engine.runs.recomputing import recompute_score
from benchmaker.engine.trials.setup_cases import case_of_setup
from benchmaker.errors import SpecError, StoreError
from benchmaker.record import Outcome, Run, Trial
from benchmaker.record.trial import STORE_FIELDS
from benchmaker.report.runs.explain import explain
from benchmaker.report.sentences.judging import judge_calibration_lines
from benchmaker.spec import Case
from benchmaker.store import Store
from benchmaker.store.database.paging import decode_cursor, encode_cursor
from benchmaker.structs import further_fields
from benchmaker.web.api.name_lookup import (
    Position,
    Rank,
    RunName,
    model_of_run,
    one_run,
    resolve_runs,
)
from benchmaker.web.api.paging import AGAIN, PagedQuery, Word, checked_cursor, page_data
from benchmaker.web.api.routes import Api
from benchmaker.web.api.shapes import runs as shapes
from benchmaker.web.faults import Missing
from benchmaker.web.workbench import Bench

api = Api("runs")
router = api.router

_START = (-1, -1)
_PARTS = 2
_DIGITS = 12


class TrialsQuery(PagedQuery):
    """Filter trials by model, case and outcome."""

    model: Word = ""
    case: Word = ""
    outcome: Outcome | None = None


@api.get("/runs/{run}/trials", shapes.TrialPage)
def trials(bench: Bench, run: RunName, query: Annotated[TrialsQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """The trials of the runs in the order of cases, then of models."""
    runs = [bench.store.run(run_id) for run_id in resolve_runs(bench.store, run).run_ids]
    if query.model:
        model_of_run(runs[0], query.model)
    wanted = _trials_after(bench.store, runs, query)
    rows = list(islice(wanted, query.limit + 1))
    after = _cursor_after(*rows[query.limit - 1], runs) if len(rows) > query.limit else ""
    shown = (_row(runs[at], one) for at, one in rows[: query.limit])
    return page_data(shown, after, scale="0-1")


def _trials_after(store: Store, runs: list[Run], query: TrialsQuery) -> Iterator[tuple[int, Trial]]:
    """Yield each trial after the cursor, with the position of its run."""
    first, place = _start_position(query.after)
    for at in range(first, len(runs)):
        read = store.trials(
            runs[at].id,
            model=query.model or None,
            case_id=query.case or None,
            after=place if at == first else _START,
        )
        yield from ((at, it) for it in read if query.outcome in {None, it.outcome})


def _start_position(after: str) -> tuple[int, tuple[int, int]]:
    """The place of a run, and behind which case and model to begin in it."""
    found = decode_cursor(checked_cursor(after, str))
    if found is None:
        return 0, _START
    parts = str(found[0]).split(".")
    if len(parts) != _PARTS or not all(it.isdecimal() and len(it) < _DIGITS for it in parts):
        raise SpecError("after is no place in this list.", where="query.after", hint=AGAIN)
    return int(parts[0]), (int(parts[1]), found[1])


def _cursor_after(at: int, last: Trial, runs: Sequence[Run]) -> str:
    return encode_cursor(f"{at}.{last.position}", runs[at].models.index(last.model))


@api.get("/runs/{run}/cases/{position}", shapes.CaseTrials)
def case_trials(bench: Bench, run: RunName, position: Position) -> Any:  # noqa: ANN401  its shape
    """A case with its trials in full, over all runs of a series."""
    store = bench.store
    runs = [store.run(run_id) for run_id in resolve_runs(store, run).run_ids]
    case = _case(store, runs[0], position)
    found = [(one, it) for one in runs for it in store.trials_at(one.id, position)]
    data = case.model_dump(mode="json", exclude_defaults=True)
    return {"scale": "0-1", "case": data, "trials": [_in_full(store, *one) for one in found]}


@api.get("/runs/{run}/trials/{position}/{rank}", shapes.CaseTrials)
def trial(bench: Bench, run: RunName, position: Position, rank: Rank) -> Any:  # noqa: ANN401  its shape
    """One trial in full, with its case."""
    found = one_run(bench.store, run)
    it = _trial(bench.store, found, position, rank)
    case = _case(bench.store, found, position).model_dump(mode="json", exclude_defaults=True)
    return {"scale": "0-1", "case": case, "trials": [_in_full(bench.store, found, it)]}


@api.get("/runs/{run}/trials/{position}/{rank}/explain", shapes.Explanation, name="explained")
def explain_trial(bench: Bench, run: RunName, position: Position, rank: Rank) -> Any:  # noqa: ANN401  its shape
    """Return the derivation of its score, recomputed, as printed by `explain --json`."""
    found = one_run(bench.store, run)
    it = _trial(bench.store, found, position, rank)
    case = _case(bench.store, found, position)
    again = recompute_score(bench.store, found, it, case)
    case = case_of_setup(bench.store, found, it.model, case)
    return explain(it, case=case, recomputed=again, run=found).to_dict(redactor=bench.redactor)


def _case(store: Store, run: Run, position: int) -> Case:
    try:
        return store.case(run.suite_hash, position)
    except StoreError as exc:
        hint = f"See /api/v1/suites/{run.suite_hash}/cases."
        raise Missing("there is no such case.", hint=hint) from exc


def _trial(store: Store, run: Run, position: int, rank: int) -> Trial:
    wanted = run.models[rank] if rank < len(run.models) else None
    found = (one for one in store.trials_at(run.id, position) if one.model == wanted)
    trial = next(found, None)
    if trial is None:
        raise Missing("there is no such trial.", hint=f"See /api/v1/runs/{run.id}/trials.")
    return trial


def _row(run: Run, it: Trial) -> dict[str, Any]:
    return {
        "run_id": it.run_id,
        "position": it.position,
        "rank": run.models.index(it.model),
        "case_id": it.case_id,
        "model": it.model,
        "outcome": it.outcome,
        "output": it.text if it.completion else None,
        "score": it.score.score if it.score else None,
        "score_version": it.score_version,
        "notes": it.score.notes if it.score else "",
        "error": it.error,
        "flags": sorted({*it.flags, *(it.score.flags if it.score else ())}),
    }


def _in_full(store: Store, run: Run, it: Trial) -> dict[str, Any]:
    singles = it.score.judgments if it.score else ()
    judges = {one["judge"] for one in singles if isinstance(one, dict)}
    row = _row(run, it)
    return {
        **row,
        **further_fields(it, row.keys() | STORE_FIELDS),
        "transcript": it.transcript,
        "scores": store.scores.versions(run.id, it.model, it.case_id),
        "judges": judge_calibration_lines(run, judges) if judges else [],
    }
