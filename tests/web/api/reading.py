"""Addresses of everything that is read, with places for what a store holds."""

from typing import Any

from tests.web.api.asking import Client, named

READING = (
    "/health",
    "/about",
    "/about/check",
    "/endpoints",
    "/models?q=gpt-5",
    "/prices?q=gpt-5",
    "/profiles",
    "/suites",
    "/suites/{suite}",
    "/suites/{suite}/cases",
    "/suites/{suite}/cases/1",
    "/suites/{suite}/versions",
    "/runs",
    "/runs/{run}",
    "/runs/{series}",
    "/runs/latest",
    "/runs/{run}/summary",
    "/runs/{series}/summary",
    "/runs/{series}/groups?by=tag",
    "/runs/{series}/export.json",
    "/runs/{series}/table?table=ranks",
    "/runs/{series}/table?table=failures",
    "/runs/{run}/trials",
    "/runs/{run}/cases/0",
    "/runs/{run}/trials/1/2",
    "/runs/{run}/trials/1/2/explain",
    "/runs/{run}/labels",
    "/runs/{run}/labels/queue",
    "/runs/{run}/labels/status",
    "/series/{series}",
    "/jobs",
    "/compare?run={series}",
    "/compare?run={run}&margin=2&correction=bh",
    "/compare/groups?run={series}&by=tag",
    "/compare/levels?run={series}&by=model&margin=2",
    "/runs/{run}/gate?baseline={earlier}",
    "/rank?run={series}",
    "/rank?run={series}&method=win_rate",
    "/rank?run={series}&method=elo",
    "/power?run={series}&delta=2",
    "/power?n=500&delta=2&judged=true",
    "/judges",
    "/judges/{judge}/calibrations",
    "/calibrations/{calibration}",
    "/code/runs",
    "/code/runs?q=demo",
    "/code/runs/{run}/pages",
    "/code/runs/{run}/pages/0/0",
    "/code/runs/{run}/pages/1/2",
    "/code/runs/{run}/pages/3/0",
    "/code/runs/{run}/pair",
    "/code/runs/{run}/pair?by=ada&after=3",
    "/code/runs/{run}/votes",
    "/code/standings",
    "/code/standings?run={run}",
    "/agentic/submissions",
    "/agentic/submissions?evidence=imported",
    "/agentic/submissions/{submission}",
    "/agentic/submissions/{submission}/evaluation?profile=classic",
    "/agentic/submissions/{submission}/evaluation?profile=robust",
    "/agentic/submissions/{submission}/explain",
    "/agentic/submissions/{submission}/trace",
    "/agentic/compare?id={submission}",
    "/agentic/tasks",
    "/agentic/usage",
    "/agentic/usage?by=model&utc=true",
    "/agentic/reviews",
    "/attempts",
    "/agents/series",
    "/agents/series/latest",
    "/agents/series/{agents}",
    "/agents/series/{agents}/trials?outcome=failed",
    "/agents/trials/{trial}",
    "/agents/trials/{trial}/requests",
    "/moderation",
    "/agentic/board",
    "/agentic/board?profile=robust&metric=success&by=tool",
    "/agentic/boards",
    "/agentic/front",
    "/agentic/front?metric=tokens&profile=robust",
    "/agentic/baselines",
    "/agentic/baselines/{task}",
    "/agentic/baselines/{task}?profile=robust",
    "/agentic/bias",
    "/agentic/bias?profile=robust",
    "/agentic/trend",
    "/agentic/trend?profile=robust&metric=speed&days=1",
    "/agentic/profiles",
    "/agentic/profiles/classic",
    "/agentic/profiles/compare",
)
"""Every one must be answered with 200."""


def places(api: Client) -> dict[str, str]:
    """The first of everything that a store holds, for the places in addresses."""
    run = api.get("/runs", limit=1)["items"][0]
    judge = api.get("/judges", limit=1)["items"][0]
    agents = api.get("/agents/series", limit=1)["items"][0]
    return {
        "run": run["run_id"],
        "earlier": _earlier(api, run),
        "series": run["series_id"],
        "suite": run["suite_hash"],
        "job": "none",
        "submission": named(api.get("/agentic/submissions", limit=1)["items"][0]["submission"]),
        "task": named(api.get("/agentic/tasks", limit=1)["items"][0]["task"]),
        "agents": agents["id"],
        "trial": api.get(f"/agents/series/{agents['id']}/trials", limit=1)["items"][0]["number"],
        "judge": judge["number"],
        "calibration": named(judge["calibration_id"]),
    }


def _earlier(api: Client, run: dict[str, Any]) -> str:
    """The run of the same series before this one."""
    found = api.get("/runs")["items"]
    before = (run["series_id"], run["number"] - 1)
    return next(str(it["run_id"]) for it in found if (it["series_id"], it["number"]) == before)


def read(api: Client, path: str) -> Any:
    """What is answered at one of these addresses."""
    path, _, query = path.format(**places(api)).partition("?")
    words = dict(one.split("=") for one in query.split("&")) if query else {}
    return api.get(path, **words)
