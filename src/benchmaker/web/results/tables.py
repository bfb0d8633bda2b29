"""The tables of results as rows of plain values, for CSV and JSON; scores from 0 to 1."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from fastapi import Response

from benchmaker.redact import Redactor
from benchmaker.report.result_tables.comparisons import COMPARED_MODELS, PAIRS, PairsView
from benchmaker.report.result_tables.levels import LEVEL_PAIRS
from benchmaker.report.result_tables.matrix import MATRIX
from benchmaker.report.result_tables.means import MEANS
from benchmaker.report.result_tables.named_metrics import NAMED_METRICS
from benchmaker.report.result_tables.overview import OVERVIEW
from benchmaker.report.result_tables.ranks import RANKS
from benchmaker.report.result_tables.repeats import FLAKY_CASES, REPEATS
from benchmaker.report.tables.table import write_rows
from benchmaker.web.downloads import csv_answer, json_answer
from benchmaker.web.faults import Missing
from benchmaker.web.results.failure_kinds import kinds_by_run
from benchmaker.web.results.overview import overview_of
from benchmaker.web.results.run_cache import RunsOverview

_RUNS = (
    "model", "run", "metric", "mean", "common_mean", "sd_over_runs", "ci95_low", "ci95_high",
    "n_cases", "reason",
)  # fmt: skip
"""``mean`` is the run's own figure of ``metric``.

What follows is over the ``n_cases`` cases scored in every run.
"""
_OUTCOMES = ("model", "outcome", "trials")
_FAILURES = (
    "run", "model", "outcome", "error_type", "reason", "trials", "first_case_position",
)  # fmt: skip

Row = Mapping[str, Any]


class ResultTable(NamedTuple):
    """The keys of a table, and the source of its rows."""

    keys: tuple[str, ...]
    rows: Callable[[RunsOverview], Iterable[Row]]


def _means(made: RunsOverview) -> Iterable[Row]:
    return MEANS.records(made.summary)


def _named_metrics(made: RunsOverview) -> Iterable[Row]:
    return NAMED_METRICS.records(made.summary)


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
                "metric": spread.metric,
                "mean": own,
                "common_mean": common,
                "sd_over_runs": spread.sd,
                "n_cases": spread.n_cases,
                "reason": spread.reason,
                **_interval_columns("ci95", spread.ci95),
            }


def _repeats(made: RunsOverview) -> Iterable[Row]:
    return REPEATS.records(made.summary)


def _flaky(made: RunsOverview) -> Iterable[Row]:
    return FLAKY_CASES.records(made.summary)


def _pairs(made: RunsOverview) -> Iterable[Row]:
    return PAIRS.records(PairsView(made.comparison)) if made.comparison else []


def _compared_rows(made: RunsOverview) -> Iterable[Row]:
    return COMPARED_MODELS.records(made.comparison) if made.comparison else []


def _effects(made: RunsOverview) -> Iterable[Row]:
    comparisons = made.effects.comparisons if made.effects else ()
    return (row for one in comparisons for row in LEVEL_PAIRS.records(one))


def _matrix(made: RunsOverview) -> Iterable[Row]:
    matrix = made.effects.matrix if made.effects else None
    return MATRIX.records(matrix) if matrix else []


def _ranks(made: RunsOverview) -> Iterable[Row]:
    return RANKS.records(made.ranking) if made.ranking else []


def _outcomes(made: RunsOverview) -> Iterable[Row]:
    for model in made.summary.models:
        for outcome, trials in model.outcomes.items():
            yield {"model": model.model, "outcome": outcome, "trials": trials}


def _failures(made: RunsOverview) -> Iterable[Row]:
    for one in kinds_by_run(made.failures):
        yield {
            "run": one.run_id,
            "model": one.model,
            "outcome": str(one.outcome),
            "error_type": one.error_type,
            "reason": one.reason,
            "trials": one.trials,
            "first_case_position": one.first,
        }


def _interval_columns(name: str, ends: tuple[float, float] | None) -> dict[str, float | None]:
    low, high = ends or (None, None)
    return {f"{name}_low": low, f"{name}_high": high}


def _overview(made: RunsOverview) -> Iterable[Row]:
    return OVERVIEW.records(overview_of(made))


TABLES: dict[str, ResultTable] = {
    MEANS.name: ResultTable(MEANS.keys, _means),
    OVERVIEW.name: ResultTable(OVERVIEW.keys, _overview),
    NAMED_METRICS.name: ResultTable(NAMED_METRICS.keys, _named_metrics),
    "runs": ResultTable(_RUNS, _by_run),
    REPEATS.name: ResultTable(REPEATS.keys, _repeats),
    FLAKY_CASES.name: ResultTable(FLAKY_CASES.keys, _flaky),
    PAIRS.name: ResultTable(PAIRS.keys, _pairs),
    COMPARED_MODELS.name: ResultTable(COMPARED_MODELS.keys, _compared_rows),
    RANKS.name: ResultTable(RANKS.keys, _ranks),
    LEVEL_PAIRS.name: ResultTable(LEVEL_PAIRS.keys, _effects),
    MATRIX.name: ResultTable(MATRIX.keys, _matrix),
    "outcomes": ResultTable(_OUTCOMES, _outcomes),
    "failures": ResultTable(_FAILURES, _failures),
}
"""The tables by their names in addresses."""


def table_response(made: RunsOverview, table: str, form: str, redactor: Redactor) -> Response:
    """A table as ``csv`` or ``json``, without secrets.

    Raises:
        Missing: there is no such table, or not in this form.
    """
    if table not in TABLES or form not in {"csv", "json"}:
        known = ", ".join(TABLES)
        raise Missing("There is no such table.", hint=f"Tables: {known}, as csv or json.")
    keys, rows = TABLES[table]
    if form == "csv":
        return csv_answer(
            lambda stream: write_rows(stream, keys, rows(made), redactor=redactor), table
        )
    plain = [{key: row[key] for key in keys} for row in rows(made)]
    return json_answer({table: redactor.tree(plain)})
