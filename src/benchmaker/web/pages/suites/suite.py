"""One suite: its header, its cases, its versions, and the changes between them."""

import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any, ClassVar, NamedTuple
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse, StreamingResponse

from benchmaker.plugins import web_page
from benchmaker.record import Run
from benchmaker.record.run import began_at
from benchmaker.spec import Suite
from benchmaker.stats.means.means import Mean, weighted_mean
from benchmaker.store.suites.suite_pages import PlacedCase, SuiteRow
from benchmaker.web.faults import Missing
from benchmaker.web.form_body import Posted
from benchmaker.web.listing import ROWS, Column, RowPage, all_rows, csv_response, json_response
from benchmaker.web.pages.suites.suite_list import HOME, choices
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, fragment, page
from benchmaker.web.results.run_cache import Known
from benchmaker.web.suites import header_form
from benchmaker.web.suites.changes import changes
from benchmaker.web.suites.conflicts import EditConflict, newest_of, save
from benchmaker.web.suites.export import as_lines, as_yaml
from benchmaker.web.suites.last_means import last_runs, last_scores, with_last_means
from benchmaker.web.suites.message_preview import preview_messages
from benchmaker.web.suites.prompt_results import prompt_results
from benchmaker.web.suites.prompts_form import PromptsForm, prompt_texts
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="suite")
class SuitePage:
    """A suite with its cases and versions."""

    routes: ClassVar = router


Content = Annotated[str, Path(pattern="^[0-9a-f]{64}$")]
"""A suite's content hash."""


Named = Annotated[str, Path(max_length=300)]
"""A suite's content hash, or its name."""

_HASH = re.compile("[0-9a-f]{64}")


class CaseRow(NamedTuple):
    """A case with its scorer's id and the mean of the answers to it in the last series or run.

    ``mean`` is None without a score; ``was_run`` is true if the case was run in it.
    """

    placed: PlacedCase
    scorer: str
    mean: Mean | None
    was_run: bool


COLUMNS: tuple[Column[CaseRow], ...] = (
    Column("case", "Case", lambda row: row.placed.case.id, is_sortable=False),
    Column("scorer", "Scorer", lambda row: row.scorer, is_sortable=False),
    Column("weight", "Weight", lambda row: row.placed.case.weight, is_sortable=False),
    Column("tags", "Tags", lambda row: list(row.placed.case.tags), is_sortable=False),
    Column("mean", "Last mean", lambda row: row.mean and row.mean.mean, is_sortable=False),
    Column("answers", "Answers", lambda row: row.mean.n if row.mean else 0, is_sortable=False),
)


def has_hash(content: str) -> bool:
    """True for a content hash, False for the name of a suite."""
    return _HASH.fullmatch(content) is not None


def suite_of(bench: Workbench, content: str) -> Suite:
    """Return the stored suite, or respond with a page that it is missing."""
    return bench.store.suite(content)


def crumb(suite: Suite) -> Crumb:
    """The way back to a suite."""
    return Crumb(suite.name, f"/suites/{suite.content_hash}")


@router.get("/suites/{content}.csv")
def suite_csv(request: Request, bench: Bench, content: Content) -> Response:
    """The cases as the table shows them, for a spreadsheet; means from 0 to 1."""
    return csv_response(
        COLUMNS, all_rows(_part(bench, suite_of(bench, content)), _view(request)), "cases"
    )


@router.get("/suites/{content}.json")
def suite_json(request: Request, bench: Bench, content: Content) -> Response:
    """The same as objects."""
    return json_response(
        COLUMNS, all_rows(_part(bench, suite_of(bench, content)), _view(request)), "cases"
    )


@router.get("/suites/{content}/export.yaml")
def export_yaml(bench: Bench, content: Content) -> Response:
    """The whole suite as a file that reads back as the same version."""
    text = as_yaml(suite_of(bench, content))
    return Response(text, media_type="application/yaml", headers=_as_file(content, "yaml"))


@router.get("/suites/{content}/export.jsonl")
def export_lines(bench: Bench, content: Content) -> StreamingResponse:
    """The cases as JSON lines."""
    lines = as_lines(suite_of(bench, content))
    return StreamingResponse(
        lines, media_type="application/jsonl", headers=_as_file(content, "jsonl")
    )


@router.get("/suites/newest")
def newest_suite(bench: Bench, name: Annotated[str, Query(max_length=300)] = "newest") -> Response:
    """The newest version of the suite of that name, whatever characters are in it."""
    return to_newest(bench, name)


@router.get("/suites/{content}")
def suite_page(request: Request, bench: Bench, known: Known, content: Named) -> Response:
    """Show the header, and the cases with their results in the last series or run.

    A suite's name instead of a hash redirects to its latest version.
    """
    if not has_hash(content):
        return to_newest(bench, content)
    found = suite_of(bench, content)
    every_version = with_last_means(bench, bench.store.suites.versions(found.name))
    own = next((one for one in every_version if one.suite.hash == content), None)
    view = _view(request)
    order = [one.suite.hash for one in every_version]
    before = request.query_params.get("from", "")
    last = last_runs(bench.store, content)
    return page(
        request,
        "suites/suite",
        title=found.name,
        here="Suites",
        crumbs=(HOME, Crumb(found.name)),
        suite=found,
        own=own,
        number=len(order) - order.index(content) if content in order else 1,
        versions=every_version,
        newest=every_version[0].suite.hash,
        lasting=_permanent_address(found.name),
        before=before if before in order and before != content else "",
        view=view,
        part=_part_of(bench, found, last)(view),
        last=last,
        last_began=began_at(last),
        scorers=choices()["scorers"],
        preview=preview_messages(bench.store, found, view.filters["case"], view.filters["setup"]),
        prompts_form=PromptsForm(prompt_texts(found)),
        results=prompt_results(bench, known, found) if found.prompts else None,
    )


@router.get("/suites/{content}/header")
def header_page(request: Request, bench: Bench, content: Named) -> Response:
    """The form of everything but the cases."""
    if not has_hash(content):
        return to_newest(bench, content, "/header")
    found = suite_of(bench, content)
    form = header_form.HeaderForm(header_form.header_texts(found))
    return _header(request, bench, found, form)


@router.post("/suites/{content}/header")
def save_header(request: Request, bench: Bench, content: Content, fields: Posted) -> Response:
    """Store the suite with another header as a new version, or show its faults."""
    found = suite_of(bench, content)
    form = header_form.read_suite(fields, found)
    if form.suite is None:
        return _header(request, bench, found, form, status=422)
    saved = save(bench.store, found, fields["newest"], form.suite, is_checked=True)
    if isinstance(saved, EditConflict):
        return _header(request, bench, saved.newest, form, status=409, newer=saved)
    return RedirectResponse(f"/suites/{saved}?from={content}", 303)


@router.post("/suites/{content}/header/check")
def check_header(bench: Bench, content: Content, fields: Posted) -> HTMLResponse:
    """Return the faults of the header during typing."""
    form = header_form.read_suite(fields, suite_of(bench, content), glance=True)
    return HTMLResponse(fragment("suites/checked", remarks=form.remarks, fields=header_form.FIELDS))


@router.get("/suites/{content}/diff")
def diff(request: Request, bench: Bench, content: Content) -> Response:
    """Show the differences to another version: the previous one by default."""
    view = read_view(request, filters={"with": None})
    new = suite_of(bench, content)
    others = [one for one in bench.store.suites.versions(new.name) if one.suite.hash != content]
    other = view.filters["with"] or _previous_version(bench, new.name, content, others)
    old = bench.store.suite(other) if other else None
    return page(
        request,
        "suites/diff",
        title="Changes",
        here="Suites",
        crumbs=(HOME, crumb(new), Crumb("Changes")),
        view=view,
        new=new,
        old=old,
        others=others,
        made=changes(bench.store, old, new) if old else None,
    )


def _permanent_address(name: str) -> str:
    """The address that leads to the newest version of a suite."""
    quoted = quote(name, safe="")
    is_plain = not {"/", "\\"} & set(name) and name.strip(".") == name
    return f"/suites/{quoted}" if is_plain else f"/suites/newest?name={quoted}"


def to_newest(bench: Workbench, name: str, rest: str = "") -> Response:
    """Redirect to the version stored last under a name, or to its page at ``rest``."""
    found = bench.store.suites.versions(name, limit=1)
    if not found:
        raise Missing(f"there is no suite {name!r}.")
    return RedirectResponse(f"/suites/{found[0].suite.hash}{rest}", 307)


def _previous_version(bench: Workbench, name: str, content: str, others: list[SuiteRow]) -> str:
    """The version that was stored before, else any other."""
    order = [one.suite.hash for one in bench.store.suites.versions(name)]
    later = order[order.index(content) + 1 :] if content in order else []
    return next(iter(later), others[0].suite.hash if others else "")


def _header(
    request: Request,
    bench: Workbench,
    found: Suite,
    form: header_form.HeaderForm,
    *,
    status: int = 200,
    newer: EditConflict | None = None,
) -> Response:
    return page(
        request,
        "suites/header",
        title="Prompts, profile and parameters",
        here="Suites",
        crumbs=(HOME, crumb(found), Crumb("Edit")),
        status=status,
        suite=found,
        newest=newest_of(bench.store, found),
        overtaken=newer,
        form=form,
        **choices(),
    )


def _view(request: Request) -> View:
    names = ("tag", "scorer", "from", "case", "setup")
    filters: dict[str, Any] = dict.fromkeys(names)
    return read_view(request, filters=filters)


def _part(bench: Workbench, found: Suite) -> Callable[[View], RowPage]:
    return _part_of(bench, found, last_runs(bench.store, found.content_hash))


def _part_of(bench: Workbench, found: Suite, last: Sequence[Run]) -> Callable[[View], RowPage]:
    """Reads a page of the cases, with their scores in the last runs."""
    default = found.default_scorer.id if found.default_scorer else ""

    def part(view: View) -> RowPage:
        read = bench.store.suites.page_of_cases(
            found.content_hash,
            after=view.after,
            limit=ROWS,
            text=view.q,
            tag=view.filters["tag"],
            scorer=view.filters["scorer"],
            default_scorer=default,
        )
        places = [one.position for one in read.rows]
        scores = last_scores(bench.store, last, places)
        rows = [
            CaseRow(
                one,
                one.case.scorer_id(default),
                weighted_mean(own) if (own := scores.get(one.position)) else None,
                one.position in scores,
            )
            for one in read.rows
        ]
        return RowPage(rows, read.after)

    return part


def _as_file(content: str, ending: str) -> dict[str, str]:
    name = f"suite-{content[:12]}.{ending}"
    return {"content-disposition": f'attachment; filename="{name}"'}
