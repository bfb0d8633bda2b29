"""Every page of the workbench on one list, and the routes that it has to cover."""

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote

from fastapi import FastAPI
from fastapi.routing import APIRoute

from benchmaker.plugins import list_plugins
from benchmaker.web.page_list import find_pages
from tests.web.illustrated import Names

NO_PAGES = frozenset({
    "/agentic/run/{series}/events",
    "/agentic/trials/{number}/events",
    "/arena/models",
    "/arena/estimate",
    "/arena/parameters",
    "/arena/suite",
    "/arena/{name}/cell",
    "/arena/{name}/events",
    "/code/shots/{sha256}",
    "/code/{run}/events",
    "/code/{run}/{number:int}/live/events",
    "/runs/{run}/rescore",
    "/series/{series}/rescore",
    "/suites/newest",
    "/healthz",
    "/metrics",
    "/readyz",
    "/static/{digest}/{name}",
})  # fmt: skip
"""Parts of pages, streams and files, which nobody opens by themselves."""

OF_ACCOUNTS = frozenset({
    "/account",
    "/settings/audit",
    "/settings/people",
    "/settings/secrets",
    "/sign-in",
    "/sign-in/oidc",
})  # fmt: skip
"""Pages that are there where there are accounts; looked at in tests/web/accounts."""

ANY = Names(
    run="RUN", other_run="OTHER", series="SERIES", suite="SUITE", suite_before="BEFORE",
    submissions=(1, 2, 3), task="TASK", upload="LOG", code="RUN", improved="RUN",
    agent_series="AGENTS", agent_trial=1,
)  # fmt: skip
"""What things are called where nothing is stored."""

_FILE = re.compile(r"\.(csv|html|json|jsonl|txt|yaml|zip)$|/export/\{form\}$|\.\{form\}$")
_API = "/api/"


class Place(NamedTuple):
    """A page: its address, and what it shows in a few words."""

    name: str
    path: str
    caption: str


def declared(listed: tuple[Place, ...]) -> Iterator[Place]:
    """Pages beside the listed ones that are linked to, and need no names of what is stored."""
    known = {one.path.partition("?")[0] for one in listed}
    summaries = {one.id: one.summary for one in list_plugins("page")}
    for one in find_pages().pages:
        is_linked = one.navigation is not None or one.palette
        if is_linked and "{" not in one.path and one.path not in known:
            yield Place(one.id.replace("_", "-"), one.path, summaries[one.id].rstrip("."))


def places(it: Names) -> tuple[Place, ...]:
    """The pages that the documentation shows, over what is stored under those names."""
    return (
        *_general(it),
        *_arena(it),
        *_code(it),
        *_results(it),
        *_suites(it),
        *_judges(it),
        *_agentic(it),
        *_settings(it),
    )


def _general(_: Names) -> tuple[Place, ...]:
    return (
        Place("home", "/", "Home: action needed and the results of recent runs"),
        Place("jump", "/jump?q=a", "Jump to any suite, run, model or page"),
        Place("keys", "/keys", "Keyboard shortcuts"),
    )


def _arena(it: Names) -> tuple[Place, ...]:
    asked = f"set=1&suite={it.suite}&models=openai/gpt-4o-mini&q=haiku&benchmark_mode=on"
    return (
        Place("arena", "/arena", "Arena: setting up a run"),
        Place(
            "arena-set-up",
            f"/arena?{asked}&temperature=0.7",
            "Arena: chosen models, estimate, Benchmark Mode",
        ),
        Place("arena-live", f"/arena/{it.series}", "A series in the live grid"),
        Place("arena-cell", f"/arena/{it.series}?at=0.0&run=2", "A cell of the live grid in full"),
    )


def _code(it: Names) -> tuple[Place, ...]:
    run = f"/code/{it.code}"
    return (
        Place("code", "/code", "Code: a prompt for a page, and runs with generated pages"),
        Place("code-run", run, "The unnamed pages of a run, to vote on"),
        Place("code-named", f"{run}?names=1", "The prompts and pages of a run"),
        Place("code-gallery", f"/code/models/{it.code}/1?all=1", "The pages of a model"),
        Place("code-vote", f"{run}/vote", "Two pages side by side for a blind vote"),
        Place("code-pair", f"{run}/1?a=1&b=2", "A chosen pair"),
        Place("code-page", f"{run}/1/1", "A page with its code, probe and score"),
        Place("code-before", f"/code/{it.improved}/1/1/before", "A page before and after a change"),
        Place("code-live", f"{run}/1/live", "Pages as they are written"),
        Place("code-standings", "/code/standings", "Standings by votes, judge and checks"),
    )


def _results(it: Names) -> tuple[Place, ...]:
    run, series = f"/runs/{it.run}", f"/series/{it.series}"
    return (
        Place("runs", "/runs", "Results: a row per series"),
        Place("run", run, "A run: means, differences, cases"),
        Place("series", series, "Multi-Run Analysis of a series"),
        Place("run-categories", f"{run}?tab=categories", "The categories of a run"),
        Place("run-pairs", f"{run}?tab=pairs", "The pairs of a run"),
        Place("run-plots", f"{run}?tab=plots", "The plots of a run"),
        Place("run-settings", f"{run}?tab=settings", "The settings and notes of a run"),
        Place(
            "corrected-suite", f"{run}/corrected-suite", "Rescoring a run with a corrected suite"
        ),
        Place("series-corrected", f"{series}/corrected-suite", "The same for a series"),
        Place("run-opinion", f"{run}/opinion", "The second opinion on a run"),
        Place("series-opinion", f"{series}/opinion", "The same for a series"),
        Place("run-cases", f"{run}/cases", "The cases of a run"),
        Place("series-cases", f"{series}/cases?sort=mean", "The cases of a series"),
        Place("case", f"{run}/cases/0", "A case, answers side by side"),
        Place("trial", f"{run}/trials/1-1?diff=expected", "A trial with its score explained"),
        Place("notes", f"{run}/notes", "The notes on the trials of a run"),
        Place(
            "changes", f"/compare?runs={it.run},{it.other_run}", "The same models before and after"
        ),
        Place("compare-choice", f"/compare?runs={it.run}", "Choosing runs to compare"),
        Place("compare", f"/compare?runs={it.run},{it.other_run}&ref=1", "Runs compared"),
    )


def _suites(it: Names) -> tuple[Place, ...]:
    suite = f"/suites/{it.suite}"
    return (
        Place("suites", "/suites", "Suites"),
        Place("suite-new", "/suites/new", "A new suite, from a form or a file"),
        Place("suite-new-paste", "/suites/new/paste", "A new suite from a pasted table"),
        Place("suite", suite, "A suite and its cases"),
        Place("suite-header", f"{suite}/header", "The header of a suite"),
        Place("suite-sheet", f"{suite}/sheet", "The cases of a suite as a sheet"),
        Place("suite-prompts", f"{suite}/prompts", "The prompts of a suite and their results"),
        Place("suite-paste", f"{suite}/paste", "Pasting cases into a suite"),
        Place("suite-case", f"{suite}/cases/1", "Editing a case"),
        Place("suite-case-new", f"{suite}/cases/new", "A new case"),
        Place("suite-history", f"/suites/{it.suite_before}/history", "A suite over time"),
        Place("suite-diff", f"{suite}/diff?with={it.suite_before}", "Two versions of a suite"),
    )


def _judges(it: Names) -> tuple[Place, ...]:
    return (
        Place("judges", "/judges", "Judges and their calibrations"),
        Place("judge", "/judges/1", "A judge: reliability and drift"),
        Place("label-choice", "/judges/label", "Choosing answers to label"),
        Place("label", f"/judges/label?run={it.run}&by=carl", "Labelling"),
        Place("label-status", f"/judges/label/status?run={it.run}", "Labelling progress"),
    )


def _agentic(it: Names) -> tuple[Place, ...]:
    below = "evidence=self_reported"
    task = quote(it.task, safe="")
    ids = ",".join(map(str, it.submissions))
    first, last = it.submissions[0], it.submissions[-1]
    return (
        Place("agentic", "/agentic", "The leaderboard of agents"),
        Place("agentic-hollow", "/agentic?evidence=attested", "Rows below the required evidence"),
        Place("front", f"/agentic/front?{below}", "Cost against correctness"),
        Place("submissions", "/agentic/submissions", "Submissions"),
        Place("submission", f"/agentic/submissions/{first}", "A submission and its composite"),
        Place("submission-cost", f"/agentic/submissions/{first}/cost", "The cost of a submission"),
        Place("search", f"/agentic/search?q={quote(it.found)}", "Search in tasks and submissions"),
        Place("trace", f"/agentic/submissions/{last}/trace", "The trace of a session"),
        Place("trace-step", f"/agentic/submissions/{last}/trace/1", "A step of a trace"),
        Place("agentic-compare", f"/agentic/compare?ids={ids}", "Submissions side by side"),
        Place("submit", "/agentic/submit", "Submitting a log"),
        Place("submit-found", f"/agentic/submit/{it.upload}", "The preview of a submitted log"),
        Place("usage", "/agentic/usage?by=model", "Usage of agents"),
        Place("tasks", "/agentic/tasks", "Tasks"),
        Place("task", f"/agentic/tasks/{task}", "A task"),
        Place("baselines", "/agentic/baselines", "Baselines"),
        Place("baseline", f"/agentic/baselines/{task}", "A task's baselines over time"),
        Place("profiles", "/agentic/profiles", "Two profiles compared"),
        Place("bias", "/agentic/bias", "Bias of scores"),
        Place("trend", "/agentic/trend?days=7", "Scores over time"),
        Place("review", "/agentic/review", "The review queue"),
        Place("agent-series-list", "/agentic/run", "Series of agent trials"),
        Place("agent-series", f"/agentic/run/{it.agent_series}", "A series and its trials"),
        Place("agent-trial", f"/agentic/trials/{it.agent_trial}", "An agent trial"),
    )


def _settings(_: Names) -> tuple[Place, ...]:
    return (
        Place("endpoints", "/settings/endpoints", "Endpoints and the state of their keys"),
        Place("prices", "/settings/prices?q=gpt-4o", "Prices"),
        Place("scoring-profiles", "/settings/profiles", "Scoring profiles"),
        Place("about", "/settings/about", "Versions and the data folder"),
    )


def page_routes(app: FastAPI) -> list[APIRoute]:
    """The routes that answer GET with a page."""
    return [
        route
        for route in _routes(app.routes)
        if "GET" in route.methods
        and not route.path.startswith(_API)
        and route.path not in NO_PAGES | OF_ACCOUNTS
        and not _FILE.search(route.path)
    ]


def _routes(held: list) -> Iterator[APIRoute]:
    """Routes in the order in which they are tried, those of included routers too."""
    for one in held:
        if isinstance(one, APIRoute):
            yield one
        elif (inner := getattr(one, "original_router", None)) is not None:
            yield from _routes(inner.routes)


def answered_by(app: FastAPI, path: str) -> str:
    """The route that an address leads to, as it is written in the code."""
    bare = path.partition("?")[0]
    found = (one for one in _routes(app.routes) if "GET" in one.methods)
    return next((one.path for one in found if one.path_regex.fullmatch(bare)), "")
