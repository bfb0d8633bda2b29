"""Suites, their cases and versions; every change makes a new version by content."""

from typing import Annotated, Any

import msgspec
from fastapi import Path, Query, Response
from fastapi.responses import StreamingResponse

from benchmaker.errors import Conflict
from benchmaker.spec import Suite
from benchmaker.store.suites.suite_pages import SORTABLE
from benchmaker.web.api.paging import (
    NUMBER,
    QueryModel,
    SearchQuery,
    Word,
    checked_cursor,
    page_data,
)
from benchmaker.web.api.routes import FORM, Api
from benchmaker.web.api.shapes import suites as shapes
from benchmaker.web.api.suite_input import HeaderIn, SuiteIn, patch_suite
from benchmaker.web.api.suite_output import case_rows, default_scorer, suite_out, suite_row
from benchmaker.web.faults import Missing
from benchmaker.web.form_body import Fields, Upload, Uploaded
from benchmaker.web.suites import uploads
from benchmaker.web.suites.changes import FieldChange, changes
from benchmaker.web.suites.conflicts import EditConflict, save
from benchmaker.web.suites.export import as_lines, as_yaml
from benchmaker.web.suites.last_means import with_last_means
from benchmaker.web.workbench import Bench, Workbench

api = Api("suites")
router = api.router

Content = Annotated[str, Path(pattern="^[0-9a-f]{64}$", description="A suite's content hash.")]
"""A suite's content hash."""

Newest = Annotated[
    str,
    Query(
        pattern="^([0-9a-f]{64})?$",
        description="The newest version known to the client; by default this one.",
    ),
]
"""The newest version known to the client."""

_KINDS = {"suite": (str,), "stored": (str,), "cases": NUMBER}
_UPLOAD = {
    "requestBody": {
        "required": True,
        "content": {
            FORM: {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {"type": "string", "format": "binary"},
                        "name": {"type": "string", "maxLength": 200},
                        "scorer": {"type": "string", "maxLength": 200},
                        "sheet": {"type": "string", "maxLength": 200},
                    }
                    | {f"at_{name}": {"type": "string"} for name in uploads.FIELDS},
                }
            }
        },
    }
}


class SuitesQuery(SearchQuery):
    """Filter suites: all versions of each, or only the latest."""

    sort: Annotated[str, Query(pattern=f"^-?({'|'.join(SORTABLE)})$")] = "-stored"
    versions: Annotated[str, Query(pattern="^(newest|all)$")] = "newest"


class CasesQuery(SearchQuery):
    """Filter cases by tag or scorer."""

    tag: Word = ""
    scorer: Word = ""


class SuiteDiffQuery(QueryModel):
    """The other version; by default the previous one."""

    before: Annotated[str, Query(pattern="^([0-9a-f]{64})?$")] = ""


@api.get("/suites", shapes.SuitePage)
def suites(bench: Bench, query: Annotated[SuitesQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """Suites with the mean of their last series or run."""
    sort = query.sort.removeprefix("-")
    found = bench.store.suites.page(
        sort=sort,
        descending=query.sort.startswith("-"),
        after=checked_cursor(query.after, _KINDS[sort]),
        limit=query.limit,
        text=query.q,
        every_version=query.versions == "all",
    )
    return page_data(map(suite_row, with_last_means(bench, found.rows)), found.after, scale="0-1")


@api.post("/suites", shapes.SuiteOut, status=201, hides=False)
def make_suite(bench: Bench, suite: SuiteIn) -> Any:  # noqa: ANN401  its shape
    """Store a suite with its cases; the fields are those of a suite's file."""
    written = msgspec.json.format(msgspec.json.encode(suite.plain()), indent=2)
    return suite_out(bench, uploads.take(bench.store, Upload(Fields(), "suite.json", written)))


@api.post("/suites/import", shapes.SuiteOut, status=201, hides=False, openapi_extra=_UPLOAD)
def import_suite(bench: Bench, upload: Uploaded) -> Any:  # noqa: ANN401  its shape
    """Store the suite in a file: YAML, JSON, JSON lines, CSV, Parquet or Excel (`.xlsx`)."""
    return suite_out(bench, uploads.take(bench.store, upload))


@api.get("/suites/{content}", shapes.SuiteOut, hides=False)
def suite(bench: Bench, content: Content) -> Any:  # noqa: ANN401  its shape
    """One version, without its cases."""
    return suite_out(bench, content)


@api.patch("/suites/{content}", shapes.SuiteOut, hides=False)
def change_suite(bench: Bench, content: Content, header: HeaderIn, newest: Newest = "") -> Any:  # noqa: ANN401  its shape
    """Store the suite with other prompts, profile, scorer or parameters as a new version.

    If another version was stored meanwhile, nothing is stored, and the response is 409.
    """
    base = bench.store.suite(content)
    return stored_after(bench, base, patch_suite(base, header), newest)


@api.get("/suites/{content}/cases", shapes.CasePage, hides=False)
def cases(bench: Bench, content: Content, query: Annotated[CasesQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """List its cases in order, with the mean of each in the last series or run."""
    found = bench.store.suite(content)
    read = bench.store.suites.page_of_cases(
        content,
        after=checked_cursor(query.after, NUMBER),
        limit=query.limit,
        text=query.q,
        tag=query.tag,
        scorer=query.scorer,
        default_scorer=default_scorer(found),
    )
    return page_data(case_rows(bench, found, read.rows), read.after, scale="0-1")


@api.get("/suites/{content}/versions", shapes.SuitePage)
def suite_versions(bench: Bench, content: Content) -> Any:  # noqa: ANN401  its shape
    """The versions that share its name, the one stored last first."""
    name = bench.store.suite(content).name
    found = bench.store.suites.versions(name, limit=500)
    return page_data(map(suite_row, with_last_means(bench, found)), scale="0-1")


@api.get("/suites/{content}/diff", shapes.SuiteDiff, hides=False)
def diff(bench: Bench, content: Content, query: Annotated[SuiteDiffQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """Return the differences between this version and another."""
    new = bench.store.suite(content)
    other = query.before or _previous_version(bench, new)
    made = changes(bench.store, bench.store.suite(other), new)
    return {
        "suite_hash": content,
        "before": other,
        "header": list(map(_change, made.header)),
        "added": [{"number": at + 1, "id": name} for at, name in made.added],
        "removed": made.removed,
        "changed": [
            {"number": one.position + 1, "id": one.id, "fields": list(map(_change, one.fields))}
            for one in made.changed
        ],
        "more": made.more,
        "same": made.same,
        "moved": made.moved,
    }


@api.text("/suites/{content}/export.yaml", "application/yaml")
def export_yaml(bench: Bench, content: Content) -> Response:
    """The whole suite as a file that reads back as the same version."""
    return Response(as_yaml(bench.store.suite(content)), media_type="application/yaml")


@api.text("/suites/{content}/export.jsonl", "application/jsonl")
def export_lines(bench: Bench, content: Content) -> Response:
    """The cases as JSON lines."""
    lines = as_lines(bench.store.suite(content))
    return StreamingResponse(lines, media_type="application/jsonl")


def stored_after(bench: Workbench, base: Suite, wanted: Suite, known: str) -> dict[str, Any]:
    """The version that was made out of another, stored.

    Raises:
        Conflict: a version that the editor does not know was stored meanwhile.
    """
    saved = save(bench.store, base, known, wanted)
    if isinstance(saved, EditConflict):
        old, new = base.content_hash, saved.newest.content_hash
        raise Conflict(
            f"version {new} of {base.name!r} was stored after {old}, and nothing was changed.",
            hint=f"See what is new: /suites/{new}/diff?before={old}. Send the change to {new}.",
        )
    return suite_out(bench, saved)


def _previous_version(bench: Workbench, new: Suite) -> str:
    """The version that was stored before, else any other."""
    order = [one.suite.hash for one in bench.store.suites.versions(new.name)]
    at = order.index(new.content_hash) if new.content_hash in order else len(order)
    others = [*order[at + 1 :], *order[:at]]
    if not others:
        raise Missing("there is no other version of this suite.", hint="Name one with before.")
    return others[0]


def _change(one: FieldChange) -> dict[str, Any]:
    return {"name": one.name, "before": one.before, "after": one.after}
