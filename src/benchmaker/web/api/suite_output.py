"""Suites and cases in responses."""

from typing import Any

from benchmaker.spec import Suite
from benchmaker.stats.means.means import weighted_mean
from benchmaker.store.suites.suite_pages import PlacedCase
from benchmaker.web.suites.export import plain_case
from benchmaker.web.suites.last_means import MeasuredSuite, last_runs, last_scores
from benchmaker.web.suites.versions import case_count
from benchmaker.web.workbench import Workbench


def suite_out(bench: Workbench, content: str) -> dict[str, Any]:
    """A version without its cases."""
    found = bench.store.suite(content)
    header = found.header()
    name, judge = header.pop("name"), header.pop("judge", None)
    return {
        "suite": name,
        "suite_hash": content,
        **header,
        "judge": judge,
        "cases": case_count(found),
    }


def suite_row(row: MeasuredSuite) -> dict[str, Any]:
    """A line of a list of suites."""
    return {
        "suite": row.suite.name,
        "suite_hash": row.suite.hash,
        "cases": row.suite.cases,
        "source": row.suite.source,
        "created_at": row.suite.created_at,
        "runs": row.runs,
        "last_run": row.last_run or None,
        "mean": row.mean.mean if row.mean else None,
        "ci95": row.interval,
        "best_model": row.model or None,
    }


def case_rows(bench: Workbench, found: Suite, rows: tuple[PlacedCase, ...]) -> list[dict[str, Any]]:
    """Return cases with their results in the last series or run."""
    places = [one.position for one in rows]
    scores = last_scores(bench.store, last_runs(bench.store, found.content_hash), places)
    return [case_row(one, scores.get(one.position, ()), default_scorer(found)) for one in rows]


def case_row(placed: PlacedCase, scores: tuple[float, ...], default: str) -> dict[str, Any]:
    """A case with these scores of the last series or run."""
    case = placed.case
    return {
        "number": placed.position + 1,
        "case": plain_case(case),
        "scorer": case.scorer_id(default),
        "last": {"mean": weighted_mean(scores).mean, "answers": len(scores)} if scores else None,
    }


def default_scorer(found: Suite) -> str:
    """The id of the suite's own scorer; "" without one."""
    return found.default_scorer.id if found.default_scorer else ""
