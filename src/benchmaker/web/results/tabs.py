"""The tabs of a result's page: cases, categories, pairs, plots, settings; each computed alone."""

from typing import Any, NamedTuple

from benchmaker.analysis.comparison.groups import GroupBy, summarise_by
from benchmaker.errors import SpecError
from benchmaker.report.result_tables.groups import GROUPS, GroupedMeans
from benchmaker.report.runs.page import ReportPage
from benchmaker.report.sentences import notes
from benchmaker.report.tables.declaration import Surface
from benchmaker.report.tables.table import Table
from benchmaker.web.query import View
from benchmaker.web.results import panels
from benchmaker.web.results.dimensions import effects_content, within_content
from benchmaker.web.results.failed_cases import FailedCells, failed_panel
from benchmaker.web.results.failure_kinds import FailureKind, kinds_of_failure
from benchmaker.web.results.run_cache import RunsOverview
from benchmaker.web.results.subject import Subject
from benchmaker.web.workbench import Workbench

TABS = ("cases", "categories", "pairs", "plots", "settings")
"""The words of tabs in addresses, the first one by default."""

BY: tuple[GroupBy, ...] = ("category", "difficulty", "tag")
"""The properties that group cases."""

_GROUP_ROWS = 200


class TabContext(NamedTuple):
    """The data behind the content of a tab."""

    bench: Workbench
    page: ReportPage
    made: RunsOverview
    failed: FailedCells
    subject: Subject
    view: View
    reference: str


def tab_content(tab: str, context: TabContext) -> dict[str, Any]:
    """The values of the template of a tab."""
    makers = {
        "cases": _cases, "categories": _categories, "pairs": _pairs, "plots": _plots,
        "settings": _settings,
    }  # fmt: skip
    return makers[tab](context)


def _cases(it: TabContext) -> dict[str, Any]:
    kinds = kinds_of_failure(it.made.failures)
    return {
        "wrong": failed_panel(it.page, it.bench.store, it.subject, it.failed),
        **_heat(it),
        "outcomes": panels.outcomes(it.page, it.made),
        "failures": [_failure(it, one) for one in kinds[: panels.DRAWN]],
        "n_failures": len(kinds),
        "spread": panels.spread(it.page) if it.subject.is_series else None,
        "repeats": panels.repeats_panel(it.page, it.made),
    }


def _heat(it: TabContext) -> dict[str, Any]:
    """The hardest cases by setup."""
    hardest = it.made.grid.hardest_rows()[: panels.HARDEST].tolist()
    models = [model.model for model in it.made.summary.models]
    cases = f"/runs/{it.subject.run.id}/cases"
    return {
        "heat": panels.heat_rows(it.bench.store, it.page, it.made, hardest, cases),
        "across": panels.identities(it.page, models[: panels.ACROSS]),
        "cases": len(it.made.grid),
    }


def _failure(it: TabContext, one: FailureKind) -> dict[str, Any]:
    run = next(run for run in it.subject.runs if run.id == one.run_id)
    return {
        "outcome": str(one.outcome),
        "error": it.page.clean(one.reason),
        "trials": one.trials,
        "href": f"/runs/{one.run_id}/trials/{one.first}-{run.models.index(one.model)}",
        **panels.identities(it.page, [one.model])[0],
    }


def _categories(it: TabContext) -> dict[str, Any]:
    """The means within each group of cases, as ``results --by`` shows them."""
    by = next((one for one in BY if one == it.view.filters["by"]), BY[0])
    lines = (
        it.page.lines(found)
        if (found := it.made.remember(("groups", by), lambda: _groups(it, by)))
        else None
    )
    left_out = max(0, len(lines["rows"]) - _GROUP_ROWS) if lines else 0
    if lines:
        lines["rows"] = lines["rows"][:_GROUP_ROWS]
    return {"by": by, "groupings": BY, "groups": lines, "left_out": left_out}


def _groups(it: TabContext, by: GroupBy) -> Table | None:
    """The table of the groups; None if no case has a label of that kind."""
    suite = it.bench.store.suite(it.made.runs[0].suite_hash)
    try:
        groups = summarise_by(it.bench.store.columns(it.made.run_ids), suite, by, it.made.runs)
    except SpecError:
        return None
    return GROUPS.table(GroupedMeans.of(groups, by), Surface.PAGE) if groups else None


def _pairs(it: TabContext) -> dict[str, Any]:
    return {
        "differences": panels.differences(it.page, it.made.comparison, it.reference),
        "effects": effects_content(it.page, it.made),
    }


def _plots(it: TabContext) -> dict[str, Any]:
    return {
        **_heat(it),
        "differences": panels.differences(it.page, it.made.comparison, it.reference),
        "ranks": panels.ranks(it.page, it.made),
        "within": within_content(it.bench.store, it.page, it.made, it.view.filters["margin"]),
    }


def _settings(it: TabContext) -> dict[str, Any]:
    return {
        "facts_of_run": [it.page.clean(fact) for fact in notes.summary_facts(it.made.summary)],
        "corrected": panels.corrected_panel(it.page, it.made),
    }
