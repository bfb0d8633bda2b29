"""The second opinion on a run or a series: its figure, ours, and the faults behind it."""

from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any, ClassVar

import msgspec
from fastapi import APIRouter, Request, Response

from benchmaker.analysis.opinion.evidence import OpinionFinding
from benchmaker.analysis.opinion.opinion import SecondOpinion
from benchmaker.arenas.standard.importers.opinions import is_on_whole_series, opinions
from benchmaker.plugins import web_page
from benchmaker.report.arenas.opinion import opinion_data, opinion_report, write_opinion_csv
from benchmaker.report.result_tables.opinion_findings import OPINION_FINDINGS, effect_text
from benchmaker.report.sentences.notes import name
from benchmaker.report.sentences.opinion_words import (
    TITLES,
    opinion_finding_sentence,
    opinion_sentences,
)
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import Surface
from benchmaker.web.faults import Missing
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.results import answers
from benchmaker.web.results.late_results import result_or_page
from benchmaker.web.results.subject import (
    Subject,
    result_crumb,
    run_subject,
    series_subject,
)
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)

CASES = 500
"""Maximum number of cases listed for a finding."""


@web_page(id="opinion")
class OpinionPage:
    """The second opinion on a run or a series."""

    routes: ClassVar = router


@router.get("/runs/{run}/opinion.{form}")
def run_file(request: Request, run: str, form: str, bench: Bench) -> Response:
    """The second opinion on a run as JSON, CSV or HTML."""
    return _file(request, bench, run_subject(bench.store, run), form)


@router.get("/series/{series}/opinion.{form}")
def series_file(request: Request, series: str, form: str, bench: Bench) -> Response:
    """The second opinion on a series as JSON, CSV or HTML."""
    return _file(request, bench, series_subject(bench.store, series), form)


@router.get("/runs/{run}/opinion")
def run_opinion(request: Request, run: str, bench: Bench) -> Response:
    """The second opinion on a run."""
    return _page(request, bench, run_subject(bench.store, run))


@router.get("/series/{series}/opinion")
def series_opinion(request: Request, series: str, bench: Bench) -> Response:
    """The second opinion on the runs of a series together."""
    return _page(request, bench, series_subject(bench.store, series))


def _view(request: Request) -> View:
    return read_view(request, filters={"model": None, "finding": tuple(TITLES)})


def _opinions(bench: Workbench, subject: Subject, view: View) -> Sequence[SecondOpinion]:
    """The second opinion, on the model with the number in the address or the best one."""
    chosen = view.filters["model"]
    model = subject.model(chosen) if chosen else None
    return opinions(bench.store, subject.run_ids, model=model)


def _file(request: Request, bench: Workbench, subject: Subject, form: str) -> Response:
    made = _opinions(bench, subject, _view(request))
    if form == "json":
        body = msgspec.json.encode(bench.redactor.tree(opinion_data(made)))
        return Response(body, media_type="application/json")
    stream = StringIO()
    if form == "csv":
        write_opinion_csv(made, stream)
        return Response(bench.redactor.text(stream.getvalue()), media_type="text/csv")
    if form != "html":
        raise Missing("Unknown format.", hint="Use one of: csv, html, json.")
    opinion_report(made).write_html(stream, redactor=bench.redactor)
    attached = f'attachment; filename="{subject.id}-opinion.html"'
    return Response(
        stream.getvalue(), media_type="text/html", headers={"content-disposition": attached}
    )


def _page(request: Request, bench: Workbench, subject: Subject) -> Response:
    view = _view(request)
    title = "Second opinion"
    crumbs = (
        Crumb("Results", "/runs"),
        result_crumb(bench, subject.run, subject.base),
        Crumb("Opinion"),
    )
    made = result_or_page(
        request, bench, subject.runs, lambda: _opinions(bench, subject, view),
        title=title, crumbs=crumbs, of=tuple(view.filters.items()),
    )  # fmt: skip
    if isinstance(made, Response):
        return made
    clean = bench.redactor.text
    return page(
        request,
        "results/opinion",
        title=title,
        here="Results",
        crumbs=crumbs,
        view=view,
        subject=subject,
        is_on_series=not subject.is_series and is_on_whole_series(subject.run),
        has_mean=any(one.ours for one in made),
        sentences=[clean(said) for one in made for said in opinion_sentences(one)],
        findings=_findings(bench, subject, made, view),
        legend=[said for one in made for said in OPINION_FINDINGS.legend(one, Surface.PAGE)],
        models=[(at, name(clean(model))) for at, model in enumerate(subject.run.models)],
    )


def _findings(
    bench: Workbench, subject: Subject, made: Sequence[SecondOpinion], view: View
) -> list[dict[str, Any]]:
    """The findings with their figures as in the table, their meaning, and links to their rows."""
    return [
        {
            "kind": found.kind,
            "title": TITLES[found.kind],
            "effect": effect_text(found),
            "rows": f"{found.rows:,}",
            "cases": len(found.case_ids),
            "meaning": opinion_finding_sentence(found).partition(": ")[2],
            "examples": [_example(bench, subject, one) for one in found.examples],
            "listed": _cases(bench, subject, found)
            if view.filters["finding"] == found.kind
            else (),
        }
        for one in made
        for found in one.findings
    ]


def _example(bench: Workbench, subject: Subject, row: Mapping[str, Any]) -> dict[str, Any]:
    hide, score = bench.redactor, row["score"]
    return {
        **_link(bench, subject, row["case_id"]),
        "answer": answers.safe_text(row["answer"], hide),
        "expected": answers.safe_text(" or ".join(row["expected"]), hide),
        "score": numbers.score(score) if score is not None else "unscored",
    }


def _cases(bench: Workbench, subject: Subject, found: OpinionFinding) -> list[dict[str, Any]]:
    """The cases of a finding: the first five hundred."""
    return [_link(bench, subject, case_id) for case_id in found.case_ids[:CASES]]


def _link(bench: Workbench, subject: Subject, case_id: str) -> dict[str, Any]:
    """A case with the address of its page, which has the answers of all runs of a series."""
    position = bench.store.suites.position_of(subject.run.suite_hash, case_id)
    return {
        "case": name(bench.redactor.text(case_id)),
        "href": f"/runs/{subject.run.id}/cases/{position}",
    }
