"""The results of a run, and Multi-Run Analysis of a series."""

from typing import Any, ClassVar, NamedTuple

import msgspec
from fastapi import APIRouter, Request, Response

from benchmaker.plugins import web_page
from benchmaker.record import RunState
from benchmaker.report.formats.report_format import listed_formats
from benchmaker.report.sentences import notes
from benchmaker.store import Store
from benchmaker.web.pages.results.next_steps import failures_address
from benchmaker.web.pages.results.rescoring import choices
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.results import panels
from benchmaker.web.results.earlier import changes_address, earlier_runs
from benchmaker.web.results.exports import export_response
from benchmaker.web.results.failed_cases import FailedCells, failed_cells
from benchmaker.web.results.late_results import result_or_page
from benchmaker.web.results.overview import COLUMNS, SORTABLE, overview_panel
from benchmaker.web.results.rescorings import rescoring_of
from benchmaker.web.results.run_cache import Known, OverviewCache, RunsOverview
from benchmaker.web.results.subject import Subject, result_crumb, run_subject, series_subject
from benchmaker.web.results.tables import table_response
from benchmaker.web.results.tabs import BY, TABS, TabContext, tab_content
from benchmaker.web.unchanged import PageContent, render_unless_kept
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="results")
class ResultsPage:
    """The results of a run or a series."""

    routes: ClassVar = router


@router.get("/runs/{run}.json")
def run_json(run: str, bench: Bench, known: Known) -> Response:
    """Return the output of ``benchmaker results --json``."""
    return answered_summary(bench, known, run_subject(bench.store, run))


@router.get("/runs/{run}.csv")
def run_csv(run: str, bench: Bench, known: Known) -> Response:
    """The means, a row a model."""
    return table_response(known.of_runs(bench.store, (run,)), "means", "csv", bench.redactor)


@router.get("/series/{series}.json")
def series_json(series: str, bench: Bench, known: Known) -> Response:
    """Return the output of ``benchmaker results --json``."""
    return answered_summary(bench, known, series_subject(bench.store, series))


@router.get("/series/{series}.csv")
def series_csv(series: str, bench: Bench, known: Known) -> Response:
    """The means, a row a model."""
    made = known.of_runs(bench.store, series_subject(bench.store, series).run_ids)
    return table_response(made, "means", "csv", bench.redactor)


@router.get("/runs/{run}")
def run_page(request: Request, run: str, bench: Bench, known: Known) -> Response:
    """A run: the verdict, a table of its setups, and tabs with the details."""
    return render_unless_kept(
        request, bench, lambda: _page(request, bench, known, run_subject(bench.store, run))
    )


@router.get("/series/{series}")
def series_page(request: Request, series: str, bench: Bench, known: Known) -> Response:
    """Show the Multi-Run Analysis: the runs of a series together, and the noise of repetition."""
    return render_unless_kept(
        request, bench, lambda: _page(request, bench, known, series_subject(bench.store, series))
    )


@router.get("/runs/{run}/export/{form}")
def export_run(run: str, form: str, bench: Bench, known: Known) -> Response:
    """The run as a file."""
    return export_response(bench, known, run_subject(bench.store, run), form)


@router.get("/series/{series}/export/{form}")
def export_series(series: str, form: str, bench: Bench, known: Known) -> Response:
    """The series as a file."""
    return export_response(bench, known, series_subject(bench.store, series), form)


@router.get("/runs/{run}/tables/{table}.{form}")
def run_table(run: str, table: str, form: str, bench: Bench, known: Known) -> Response:
    """One table of the page."""
    return table_response(known.of_runs(bench.store, (run,)), table, form, bench.redactor)


@router.get("/series/{series}/tables/{table}.{form}")
def series_table(series: str, table: str, form: str, bench: Bench, known: Known) -> Response:
    """One table of the page."""
    made = known.of_runs(bench.store, series_subject(bench.store, series).run_ids)
    return table_response(made, table, form, bench.redactor)


def answered_summary(bench: Workbench, known: OverviewCache, subject: Subject) -> Response:
    """The summary as JSON, secrets taken out."""
    made = known.of_runs(bench.store, subject.run_ids)
    document = made.summary.to_dict() | (made.effects.to_dict() if made.effects else {})
    body = msgspec.json.encode(bench.redactor.tree(document))
    return Response(body, media_type="application/json")


def _page(
    request: Request, bench: Workbench, known: OverviewCache, subject: Subject
) -> PageContent:
    view = read_view(
        request, sortable=SORTABLE, columns=COLUMNS,
        filters={"ref": None, "margin": None, "tab": TABS, "by": BY},
    )  # fmt: skip
    reference = subject.model(view.filters["ref"]) if view.filters["ref"] else ""
    title, crumbs = bench.redactor.text(subject.run.suite_name), _crumbs(bench, subject)
    found = result_or_page(
        request, bench, subject.runs, lambda: _result(bench.store, known, subject),
        title=title, crumbs=crumbs,
    )  # fmt: skip
    if isinstance(found, Response):
        return PageContent(None, lambda: found)
    made, failed = found
    rescoring = rescoring_of(bench.store, subject)
    can_retry = subject.can_retry and not subject.is_in_progress(bench.store)
    is_finished = all(run.state is RunState.FINISHED for run in subject.runs)
    return PageContent(
        (made.number, failed.number, can_retry) if is_finished and rescoring is None else None,
        lambda: page(
            request,
            "results/result",
            title=title,
            here="Results",
            crumbs=crumbs,
            view=view,
            subject=subject,
            live_page=subject.live_page,
            changes_page=changes_address(subject, failed.before),
            failures_page=failures_address(bench.store, subject, made.grid),
            can_retry=can_retry,
            exports=listed_formats(),
            choices=choices(subject.run),
            rescoring=rescoring,
            **_content(bench, made, failed, subject, view=view, reference=reference),
        ),
    )


class _Result(NamedTuple):
    """What a page shows of its runs, and its failed cases."""

    overview: RunsOverview
    failed: FailedCells


def _result(store: Store, known: OverviewCache, subject: Subject) -> _Result:
    made = known.of_runs(store, subject.run_ids)
    return _Result(made, failed_cells(known, store, subject, earlier_runs(store, subject)))


def _crumbs(bench: Workbench, subject: Subject) -> tuple[Crumb, ...]:
    above, series = Crumb("Results", "/runs"), subject.run.series_id
    if subject.is_series:
        return (above, Crumb(subject.id))
    if series:
        of_series = result_crumb(bench, subject.run, f"/series/{series}")
        return (above, of_series, Crumb(f"Run {subject.run.number}"))
    return (above, result_crumb(bench, subject.run, ""))


def _content(
    bench: Workbench,
    made: RunsOverview,
    failed: FailedCells,
    subject: Subject,
    *,
    view: View,
    reference: str,
) -> dict[str, Any]:
    """The head of the page with its table, and the tab that the address names."""
    shown = panels.report_page_of(made, bench.redactor)
    tab = view.filters["tab"] or ("plots" if view.filters["margin"] else TABS[0])
    models = [model.model for model in made.summary.models]
    return {
        "chosen": view.filters["ref"],
        **panels.head(shown, made),
        "facts": [shown.clean(fact) for fact in notes.summary_facts(made.summary)],
        "overview": overview_panel(shown, made, reference, view),
        "alone": shown.clean(made.alone),
        "models": [(subject.rank(model), shown.clean(model)) for model in models],
        "tab": tab,
        "tabs": TABS,
        **tab_content(tab, TabContext(bench, shown, made, failed, subject, view, reference)),
    }
