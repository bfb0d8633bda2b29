"""The tables of results as rows of plain values, for CSV and JSON; scores from 0 to 1."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from fastapi import Response

from benchmaker.report.runs.comparison import MODEL_COLUMNS, PAIR_COLUMNS
from benchmaker.report.runs.ranking import CSV_COLUMNS
from benchmaker.report.tables.trial_rows import SUMMARY_COLUMNS, summary_rows
from benchmaker.web.faults import Missing
from benchmaker.web.listing import Column, csv_response, json_response
from benchmaker.web.results.run_cache import RunsOverview

_RUNS = (
    "model", "run", "mean", "common_mean", "sd_over_runs", "ci95_low", "ci95_high", "n_cases",
    "reason",
)  # fmt: skip
"""``mean`` is the run's own; what follows is over the ``n_cases`` cases scored in every run."""
_OUTCOMES = ("model", "outcome", "trials")
_FAILURES = ("run", "model", "outcome", "error_type", "trials", "first_case_position")

Row = Mapping[str, Any]


class ResultTable(NamedTuple):
    """The keys of a table, and the source of its rows."""

    keys: tuple[str, ...]
    rows: Callable[[RunsOverview], Iterable[Row]]


def _means(made: RunsOverview) -> Iterable[Row]:
    return summary_rows(made.summary)


def _by_run(made: RunsOverview) -> Iterable[Row]:
    for model in made.summary.models:
        spread = model.runs
        if spread is None:
            continue
        for run_id, own, common in zip(
            spread.run_ids, spread.scores, spread.common_scores, strict=True
        ):
            yield {
                "model": model.model,
                "run": run_id,
                "mean": own,
                "common_mean": common,
                "sd_over_runs": spread.sd,
                "n_cases": spread.n_cases,
                "reason": spread.reason,
                **_interval_columns("ci95", spread.ci95),
            }


def _pairs(made: RunsOverview) -> Iterable[Row]:
    return [pair.to_dict() for pair in made.comparison.pairs] if made.comparison else []


def _compared_rows(made: RunsOverview) -> Iterable[Row]:
    return [one.to_dict() for one in made.comparison.models] if made.comparison else []


def _ranks(made: RunsOverview) -> Iterable[Row]:
    return [one.to_dict() for one in made.ranking.models] if made.ranking else []


def _outcomes(made: RunsOverview) -> Iterable[Row]:
    for model in made.summary.models:
        for outcome, trials in model.outcomes.items():
            yield {"model": model.model, "outcome": outcome, "trials": trials}


def _failures(made: RunsOverview) -> Iterable[Row]:
    for one in made.failures:
        yield {
            "run": one.run_id,
            "model": one.model,
            "outcome": str(one.outcome),
            "error_type": one.error_type,
            "trials": one.trials,
            "first_case_position": one.first,
        }


def _interval_columns(name: str, ends: tuple[float, float] | None) -> dict[str, float | None]:
    low, high = ends or (None, None)
    return {f"{name}_low": low, f"{name}_high": high}


TABLES: dict[str, ResultTable] = {
    "means": ResultTable(SUMMARY_COLUMNS, _means),
    "runs": ResultTable(_RUNS, _by_run),
    "differences": ResultTable(PAIR_COLUMNS, _pairs),
    "compared": ResultTable(MODEL_COLUMNS, _compared_rows),
    "ranks": ResultTable(CSV_COLUMNS, _ranks),
    "outcomes": ResultTable(_OUTCOMES, _outcomes),
    "failures": ResultTable(_FAILURES, _failures),
}
"""The tables by their names in addresses."""


def table_response(made: RunsOverview, table: str, form: str) -> Response:
    """A table as ``csv`` or ``json``.

    Raises:
        Missing: there is no such table, or not in this form.
    """
    if table not in TABLES or form not in {"csv", "json"}:
        known = ", ".join(TABLES)
        raise Missing("There is no such table.", hint=f"There are {known}, as csv and as json.")
    keys, rows = TABLES[table]
    columns = [_column(key) for key in keys]
    answer = csv_response if form == "csv" else json_response
    return answer(columns, iter(rows(made)), table)


def _column(key: str) -> Column[Row]:
    return Column(key, key, lambda row: row.get(key))
