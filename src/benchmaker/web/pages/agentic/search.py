"""Search submissions, tasks, systems, flags and the text of sessions."""

from collections.abc import Iterator
from typing import ClassVar, Final, NamedTuple
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request, Response

from benchmaker.arenas.agentic.logs.word_filters import words_of
from benchmaker.arenas.agentic.traces.text_search import TextHit, TextQuery, search_texts
from benchmaker.plugins import web_page
from benchmaker.record.submissions.evaluation import Flag
from benchmaker.spec.tasks.agentic_profile import BUILT_IN, OPENING
from benchmaker.store.agentic.submission_pages import SubmissionRow
from benchmaker.web.agentic.board_cache import board_cache_of
from benchmaker.web.agentic.names import known_names
from benchmaker.web.listing import ROWS, RowPage
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="search")
class SearchPage:
    """Search in submissions, tasks and flags."""

    routes: ClassVar = router
    title: ClassVar = "Search submissions"
    is_public: ClassVar = True


KINDS: Final = {
    "submissions": "Submissions",
    "tasks": "Tasks",
    "files": "Task files",
    "systems": "Systems",
    "flags": "Flags",
    "texts": "Texts of sessions",
}
_FEW = 8
_BOARD = "board:"


class Hit(NamedTuple):
    """A search result: its name, its address, and a remark."""

    name: str
    href: str
    note: str = ""


@router.get("/agentic/search")
def search(request: Request, bench: Bench) -> Response:
    """A few of each kind; or one kind, a page at a time."""
    view = read_view(request, filters={"in": tuple(KINDS)})
    text, chosen = view.q.strip(), view.filters["in"]
    kinds = (chosen,) if chosen else tuple(KINDS)
    parts = {kind: _part(bench, kind, text, view) for kind in kinds} if text else {}
    return page(
        request,
        "agentic/search",
        title="Search submissions",
        here="Agentic",
        crumbs=(Crumb("Agentic", "/agentic"), Crumb("Search")),
        view=view,
        text=text,
        kinds=KINDS,
        parts_of=parts,
        hide=bench.redactor.text,
    )


def _part(bench: Workbench, kind: str, text: str, view: View) -> RowPage:
    """The hits of one kind; alone a whole page from its place on, else a few."""
    is_alone = bool(view.filters["in"])
    limit, after = (ROWS, view.after) if is_alone else (_FEW, "")
    stored = bench.store.search
    if kind == "submissions":
        return _submissions(bench, text, after, limit)
    if kind == "texts":
        return _texts(bench, text, after, limit)
    if kind == "flags":
        flags = stored.flags_saying(text, after=after, limit=limit)
        hits = (_flag(bench, one) for one in flags.rows)
        return RowPage([one for one in hits if one.href], flags.after)
    if kind == "systems":
        return RowPage([Hit(name, href) for name, href in systems_called(bench, text, limit)])
    find = stored.tasks_called if kind == "tasks" else stored.tasks_saying
    names = find(text, after=after, limit=limit)
    return RowPage([_task(name) for name in names.rows], names.after)


def _task(name: str) -> Hit:
    return Hit(name, f"/agentic/tasks/{quote(name, safe='')}")


def _submissions(bench: Workbench, text: str, after: str, limit: int) -> RowPage:
    """First those whose id begins so, of any age; then what holds the text, the last first."""
    first = () if after else bench.store.search.submissions_beginning(text, limit)
    found = bench.store.submission_pages.page(text=text, after=after, limit=limit)
    rows = {row.number: _submission(row) for row in found.rows}
    own = {it.number: Hit(it.id, f"/agentic/submissions/{it.number}") for it in first}
    return RowPage([*(own | {n: rows[n] for n in own & rows.keys()} | rows).values()], found.after)


def _submission(row: SubmissionRow) -> Hit:
    it = row.submission
    task = f" on {it.task.id}" if it.task else ""
    return Hit(it.id, f"/agentic/submissions/{row.number}", f"{it.system.name}{task}")


def _texts(bench: Workbench, text: str, after: str, limit: int) -> RowPage:
    """Hits in the text of sessions; none where the query has no whole word."""
    query = TextQuery(text)
    if not words_of(text):
        return RowPage([])
    found = search_texts(bench.store, query, after=after, limit=limit)
    return RowPage([_text_hit(one, query) for one in found.hits], found.after)


def _text_hit(hit: TextHit, query: TextQuery) -> Hit:
    it = hit.submission
    wanted = next(iter(query.phrases), "") or max(query.words, key=len).decode()
    href = f"/agentic/submissions/{hit.number}/trace?{urlencode({'q': wanted})}"
    when = f", {hit.at[:16].replace('T', ' ')}" if hit.at else ""
    return Hit(hit.excerpt, href, f"{hit.kind}, {it.system.name}{when}")


def _flag(bench: Workbench, flag: Flag) -> Hit:
    about = flag.submission_id
    if about.startswith(_BOARD):
        profile = about.removeprefix(_BOARD).partition("/")[0]
        href = f"/agentic/bias?{urlencode({'profile': profile})}"
    else:
        known = bench.store.search.submissions_beginning(about, 1)
        href = f"/agentic/submissions/{known[0].number}" if known else ""
    return Hit(about, href, f"{flag.kind}: {flag.evidence}")


def systems_called(bench: Workbench, text: str, limit: int) -> Iterator[tuple[str, str]]:
    """Yield tools and models whose names contain the text, with their submissions."""
    wanted, index = text.casefold(), board_cache_of(bench).index(BUILT_IN[OPENING].id)
    recent = known_names(bench)
    found: list[tuple[str, str]] = []
    for label in ("tool", "model"):
        names = dict.fromkeys([*(index.offered[label] if index else ()), *recent[label]])
        found += [
            (name, f"/agentic/submissions?{urlencode({label: name})}")
            for name in names
            if wanted in name.casefold()
        ]
    return iter(found[:limit])


def hits(bench: Workbench, text: str) -> Iterator[tuple[str, Hit]]:
    """Yield the targets of a jump: by names and ids only, for an instant answer."""
    for one in bench.store.search.submissions_beginning(text, _FEW):
        yield "Submission", Hit(one.id, f"/agentic/submissions/{one.number}")
    for name in bench.store.search.tasks_called(text, limit=_FEW).rows:
        yield "Task", _task(name)
    for name, href in systems_called(bench, text, _FEW):
        yield "System", Hit(name, href, "its submissions")


def search_for(text: str) -> Hit:
    """The way to everything that holds a text."""
    words = urlencode({"q": text})
    return Hit(f"Submissions, tasks and flags with “{text}”", f"/agentic/search?{words}")
