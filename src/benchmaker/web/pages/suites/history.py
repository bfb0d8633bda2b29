"""The history of a suite: its setups over versions and dates."""

import re
from typing import Annotated, ClassVar

from fastapi import APIRouter, Path, Request, Response

from benchmaker.plugins import web_page
from benchmaker.report.runs.trend import write_trend_csv
from benchmaker.web.downloads import csv_answer, json_answer
from benchmaker.web.faults import Missing
from benchmaker.web.pages.suites.suite_list import HOME
from benchmaker.web.query import read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.suites.history import DRAWN, POINTS, history_content, history_of
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="suite_history")
class SuiteHistoryPage:
    """The setups of a suite over time."""

    routes: ClassVar = router


Named = Annotated[str, Path(max_length=300)]
"""A suite's content hash, or its name."""

_HASH = re.compile("[0-9a-f]{64}")


@router.get("/suites/{suite}/history.csv")
def history_csv(bench: Bench, suite: Named) -> Response:
    """The points of each setup, a row each; scores from 0 to 1."""
    made = history_of(bench, _name_of(bench, suite)).trend
    if made is None:
        raise Missing("There is no history.", hint="It takes two runs with scores.")
    hide = bench.redactor
    return csv_answer(lambda stream: write_trend_csv(made, stream, redactor=hide), "history")


@router.get("/suites/{suite}/history.json")
def history_json(bench: Bench, suite: Named) -> Response:
    """The same as ``benchmaker trend --json`` prints."""
    made = history_of(bench, _name_of(bench, suite)).trend
    if made is None:
        raise Missing("There is no history.", hint="It takes two runs with scores.")
    return json_answer(bench.redactor.tree(made.to_dict()))


@router.get("/suites/{suite}/history")
def history_page(request: Request, bench: Bench, suite: Named) -> Response:
    """The figure of each setup from run to run."""
    view = read_view(request)
    name = _name_of(bench, suite)
    history = history_of(bench, name)
    newest = bench.store.suites.versions(name, limit=1)[0].suite
    return page(
        request,
        "suites/history",
        title=f"History of {name}",
        here="Suites",
        crumbs=(HOME, Crumb(name, f"/suites/{newest.hash}"), Crumb("History")),
        view=view,
        suite=newest,
        history=history,
        most=POINTS,
        drawn=DRAWN,
        noun="model",
        **history_content(bench, history),
    )


def _name_of(bench: Workbench, suite: str) -> str:
    if _HASH.fullmatch(suite):
        return bench.store.suite(suite).name
    if not bench.store.suites.versions(suite, limit=1):
        raise Missing(f"there is no suite {suite!r}.")
    return suite
