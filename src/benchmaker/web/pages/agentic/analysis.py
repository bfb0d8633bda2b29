"""Baselines, profile comparison, bias and trend: one question per page, as in the commands."""

from typing import Any, ClassVar, Final
from urllib.parse import quote

from fastapi import APIRouter, Request, Response

from benchmaker.analysis.boards.board import VALUES
from benchmaker.arenas.agentic.boards.leaderboard import stored_bias
from benchmaker.arenas.agentic.boards.trending import SystemTrends, system_trends
from benchmaker.arenas.agentic.evaluation.profile_comparison import compared_profiles
from benchmaker.arenas.agentic.settling.stored_boards import BIAS
from benchmaker.plugins import web_page
from benchmaker.record.submissions.evaluation import BaselineSnapshot
from benchmaker.report.arenas import agent_trends as trend_words
from benchmaker.report.arenas.baselines import (
    baselines_report,
    task_baseline_report,
    write_baselines_csv,
)
from benchmaker.report.arenas.bias import bias_report, write_bias_csv
from benchmaker.report.arenas.profiles import profile_comparison_report, write_moves_csv
from benchmaker.report.arenas.sections import ReportDocument
from benchmaker.spec.tasks.agentic_profile import OPENING
from benchmaker.store import Store
from benchmaker.web.agentic.background_work import compute_in_background
from benchmaker.web.agentic.board_view import named_profile, visible_profiles
from benchmaker.web.agentic.sections_html import NO_ROWS, Link, report_content
from benchmaker.web.agentic.unevaluated import no_board
from benchmaker.web.downloads import csv_answer, json_answer
from benchmaker.web.faults import Missing
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="analysis")
class AnalysisPage:
    """Baselines, profiles, bias and trend."""

    routes: ClassVar = router
    is_public: ClassVar = True


_EMPTY: Final = {
    "Baselines": (
        "No baselines yet.",
        (
            "A task gets its first baseline with its first successful submission that is verified "
            "or attested."
        ),
    ),
    "Bias": (
        "No comparisons yet.",
        "Bias is tested on tasks that several tools have submissions to.",
    ),
    "Trend": (
        "No trends yet.",
        "A trend needs submissions of one system in two windows.",
    ),
}
"""The heading and the sentence of a page without rows."""

_DAYS = ("1", "7", "14", "30", "90")
_NEWEST = 500


@router.get("/agentic/baselines")
def baselines_page(request: Request, bench: Bench) -> Response:
    """The newest baseline of every task."""
    view, profile = _profile_view(request, bench.store)
    report = baselines_report(profile, all_newest(bench.store, profile))
    known = set(bench.store.agentic.metric_tasks())

    def link(row: tuple[str, ...]) -> str:
        return f"/agentic/baselines/{quote(row[0], safe='')}" if row[0] in known else ""

    choices = _profiles(bench, view)
    return _page(request, bench, view, "Baselines", report, choices=choices, link=link)


@router.get("/agentic/baselines.csv")
def baselines_csv(request: Request, bench: Bench) -> Response:
    """A row for each figure of every task's newest baseline."""
    shown = all_newest(bench.store, _profile_view(request, bench.store)[1])
    return csv_answer(lambda stream: write_baselines_csv(shown, stream), "baselines")


@router.get("/agentic/baselines.json")
def baselines_json(request: Request, bench: Bench) -> Response:
    """The newest of every task as data."""
    _, profile = _profile_view(request, bench.store)
    return json_answer({"profile": profile, "baselines": all_newest(bench.store, profile)})


def all_newest(store: Store, profile: str) -> list[BaselineSnapshot]:
    """The newest baseline of every task that has one."""
    rooms = store.agentic
    found = (rooms.snapshot(profile, task) for task in rooms.metric_tasks()[:_NEWEST])
    return [one for one in found if one is not None]


@router.get("/agentic/baselines/{task:path}")
def baseline(request: Request, bench: Bench, task: str) -> Response:
    """A task's baselines over time; ``.csv`` and ``.json`` behind its name."""
    name, _, form = task.rpartition(".")
    is_file = form in {"csv", "json"} and name
    view, profile = _profile_view(request, bench.store)
    task_id = name if is_file else task
    shown = known_snapshots(bench.store, profile, task_id)
    if is_file and form == "csv":
        return csv_answer(lambda stream: write_baselines_csv(shown, stream), "baselines")
    if is_file:
        return json_answer({"profile": profile, "task": name, "baselines": shown})
    count = bench.store.submission_pages.counts_by_task().get(task, 0)
    report = task_baseline_report(profile, task, shown, submissions=count)
    crumb = Crumb("Baselines", "/agentic/baselines")
    return _page(
        request, bench, view, "Baselines", report, choices=_profiles(bench, view), above=(crumb,)
    )


def known_snapshots(store: Store, profile: str, task: str) -> tuple[BaselineSnapshot, ...]:
    """Return a task's baselines under a profile; empty before its submissions are evaluated.

    Raises:
        Missing: no submission is to this task, and no such task is stored.
    """
    found = store.agentic.snapshots(profile, task)
    stored = (one.id for one in store.agentic.tasks())
    if found or task in store.submission_pages.counts_by_task() or task in stored:
        return tuple(found)
    raise Missing("there is no such task.", hint="See the list of tasks.")


@router.get("/agentic/profiles")
def profile_comparison_page(request: Request, bench: Bench) -> Response:
    """Two scoring profiles on all submissions."""
    view = _pair_view(request)
    a, b = _pair(view)
    pair = named_profile(bench.store, a), named_profile(bench.store, b)
    made = compute_in_background(
        bench, ("profiles", a, b), lambda: compared_profiles(bench.store, *pair)
    )
    known = list(visible_profiles(bench.store))
    report = profile_comparison_report(*made) if made else None
    choices = [("Profile A", "a", a, known), ("Profile B", "b", b, known)]
    return _page(request, bench, view, "Profiles", report, choices=choices)


@router.get("/agentic/profiles.csv")
def profiles_csv(request: Request, bench: Bench) -> Response:
    """A row for each system that moves."""
    made, _ = _compare_profiles(request, bench)
    return csv_answer(lambda stream: write_moves_csv(made, stream), "profiles")


@router.get("/agentic/profiles.json")
def profiles_json(request: Request, bench: Bench) -> Response:
    """All of it as data."""
    made, submissions = _compare_profiles(request, bench)
    return json_answer({"submissions": submissions, **made.to_dict()})


def _compare_profiles(request: Request, bench: Workbench) -> tuple[Any, int]:
    a, b = _pair(_pair_view(request))
    return compared_profiles(
        bench.store, named_profile(bench.store, a), named_profile(bench.store, b)
    )


def _pair_view(request: Request) -> View:
    return read_view(request, filters={"a": None, "b": None})


def _pair(view: View) -> tuple[str, str]:
    return view.filters["a"] or "classic", view.filters["b"] or "robust"


@router.get("/agentic/bias")
def bias_page(request: Request, bench: Bench) -> Response:
    """Show four tests of a board for bias towards a tool."""
    view, profile = _profile_view(request, bench.store)
    body = compute_in_background(bench, ("bias", profile), lambda: _bias(bench.store, profile))
    report = bias_report(body) if body else None
    return _page(request, bench, view, "Bias", report, choices=_profiles(bench, view))


@router.get("/agentic/bias.csv")
def bias_csv(request: Request, bench: Bench) -> Response:
    """A row for each look."""
    body = _bias(bench.store, _profile_view(request, bench.store)[1])
    return csv_answer(lambda stream: write_bias_csv(body, stream), "bias")


@router.get("/agentic/bias.json")
def bias_json(request: Request, bench: Bench) -> Response:
    """All of it as data."""
    return json_answer(_bias(bench.store, _profile_view(request, bench.store)[1]))


def _bias(store: Store, profile: str) -> dict[str, Any]:
    """As it was looked at after the last settling, else now."""
    return store.agentic.board(profile, BIAS) or stored_bias(store, named_profile(store, profile))


@router.get("/agentic/trend")
def trend_page(request: Request, bench: Bench) -> Response:
    """Every system over time."""
    view = _trend_view(request)
    chosen = view.filters
    words = tuple(chosen.values())
    made = compute_in_background(bench, ("trend", *words), lambda: _trends(bench.store, view))
    report = None
    if made is not None:
        report = trend_words.agent_trends_report(
            made.trends,
            profile=made.profile,
            value=made.value,
            window_days=made.days,
        )
    choices = [
        *_profiles(bench, view),
        ("Metric", "metric", chosen["metric"] or "overall", list(VALUES)),
        ("Days per window", "days", chosen["days"] or "7", list(_DAYS)),
    ]
    return _page(request, bench, view, "Trend", report, choices=choices)


@router.get("/agentic/trend.csv")
def trend_csv(request: Request, bench: Bench) -> Response:
    """A row for each system and window."""
    made = _trends(bench.store, _trend_view(request))
    return csv_answer(
        lambda stream: trend_words.write_agent_trends_csv(made.trends, stream), "trend"
    )


@router.get("/agentic/trend.json")
def trend_json(request: Request, bench: Bench) -> Response:
    """All of it as data."""
    return json_answer(_trends(bench.store, _trend_view(request)).to_dict())


def _trend_view(request: Request) -> View:
    filters: dict[str, Any] = {"profile": None, "metric": VALUES, "days": _DAYS}
    return read_view(request, filters=filters)


def _trends(store: Store, view: View) -> SystemTrends:
    chosen = view.filters
    return system_trends(
        store,
        named_profile(store, chosen["profile"] or OPENING).name,
        value=chosen["metric"] or "overall",
        days=int(chosen["days"] or 7),
    )


def _profile_view(request: Request, store: Store) -> tuple[View, str]:
    view = read_view(request, filters={"profile": None})
    return view, named_profile(store, view.filters["profile"] or OPENING).id


def _profiles(bench: Workbench, view: View) -> list[tuple[str, str, str, list[str]]]:
    asked = view.filters["profile"].partition("/")[0] or OPENING
    return [("Profile", "profile", asked, list(visible_profiles(bench.store)))]


def _page(
    request: Request,
    bench: Workbench,
    view: View,
    place: str,
    report: ReportDocument | None,
    *,
    choices: list[Any],
    link: Link | None = None,
    above: tuple[Crumb, ...] = (),
) -> Response:
    """A page of sentences and tables; None while they are computed."""
    missing = no_board(bench)
    content = report_content(report, bench.redactor.text, link) if report and not missing else None
    if content:
        content["sections"] = [it for it in content["sections"] if it["rows"] or it["drawing"]]
    return page(
        request,
        "agentic/report",
        title=content["title"] if content else place,
        here="Agentic",
        place=place,
        crumbs=(
            Crumb("Agentic", "/agentic"),
            *above,
            Crumb(content["title"] if content else place),
        ),
        view=view,
        report=content,
        no_board=missing,
        choices=choices,
        empty=_EMPTY.get(place, NO_ROWS),
    )
