"""The leaderboard: systems in the order of a score, with ranks that the data can carry."""

from typing import Any, ClassVar

import msgspec
from fastapi import APIRouter, Request, Response

from benchmaker.analysis.boards.board import VALUES
from benchmaker.arenas.agentic.settling.board_keys import UNITS, WINDOWS
from benchmaker.arenas.agentic.settling.stored_boards import FRONT_FIGURES, Board
from benchmaker.errors import SpecError
from benchmaker.plugins import web_page
from benchmaker.record.submissions.scored_figures import BOARD_FIGURES
from benchmaker.report.arenas.fronts import fronts_report, write_fronts_csv
from benchmaker.report.arenas.leaderboard import board_sentences, write_board_csv
from benchmaker.report.result_tables.board import BOARD
from benchmaker.report.sentences.board_words import VALUE_NAMES, order_of
from benchmaker.report.tables.declaration import Surface
from benchmaker.web.agentic.background_work import compute_in_background
from benchmaker.web.agentic.board_cache import (
    PAGE_FRONT,
    BoardHashes,
    Index,
    board_cache_of,
    make_board,
    make_front,
)
from benchmaker.web.agentic.board_rows import board_rows
from benchmaker.web.agentic.board_view import LEVELS, NARROWED, BoardSelection, board_selection
from benchmaker.web.agentic.rendered_boards import render_once
from benchmaker.web.agentic.sections_html import NO_ROWS, report_content
from benchmaker.web.agentic.unevaluated import no_board
from benchmaker.web.downloads import csv_answer, json_answer
from benchmaker.web.listing import ROWS
from benchmaker.web.page_declaration import NavigationPlace
from benchmaker.web.render_cache import RenderedBody
from benchmaker.web.rendering import Crumb, Frame, page, render_page
from benchmaker.web.unchanged import answer_unless_kept
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="board")
class BoardPage:
    """The leaderboard of coding agents."""

    routes: ClassVar = router
    navigation: ClassVar = NavigationPlace("Agentic", position=40, key="t")
    is_public: ClassVar = True


_TITLE = "Agentic leaderboard"
_DRAWN = 40


@router.get("/agentic")
def leaderboard_page(request: Request, bench: Bench) -> Response:
    """Show the board of the address, and success against cost among the same submissions."""

    def draw() -> RenderedBody | Response:
        with bench.store.read_snapshot():
            return _leaderboard(request, bench)

    return answer_unless_kept(request, bench, draw)


def _leaderboard(request: Request, bench: Workbench) -> RenderedBody | Response:
    selection = board_selection(request, bench.store)
    missing = no_board(bench)
    if missing is not None or not bench.store.submission_pages.has_figures():
        return page(
            request,
            "agentic/empty",
            title=_TITLE,
            here="Agentic",
            no_board=missing,
            view=selection.view,
        )
    frame = Frame.of(request)
    key = ("page", frame, request.url.query, selection.name, selection.profiles, bench.redactor)
    return render_once(
        request,
        board_cache_of(bench),
        selection,
        key,
        media_type="text/html",
        draw=lambda seen: board_page(bench, selection, frame, seen),
    )


def board_page(
    bench: Workbench, selection: BoardSelection, frame: Frame, seen: BoardHashes
) -> tuple[bytes, bool]:
    """Return the whole page, and whether it shows only a stored board."""
    stored = board_cache_of(bench).board(selection, seen)
    board = stored or compute_in_background(
        bench, ("board", *selection.name), lambda: make_board(bench.store, selection)
    )
    text = render_page(
        frame,
        "agentic/board",
        title=_TITLE,
        here="Agentic",
        view=selection.view,
        selection=selection,
        options=_options(bench, selection, seen),
        **_board_content(bench, selection, board),
        **_front_panel(bench, selection, seen),
    )
    return text.encode(), stored is not None


@router.get("/agentic.csv")
def leaderboard_csv(request: Request, bench: Bench) -> Response:
    """The board for a spreadsheet."""
    board = _board(bench, board_selection(request, bench.store))
    return csv_answer(lambda stream: write_board_csv(board, stream), "leaderboard")


@router.get("/agentic.json")
def leaderboard_json(request: Request, bench: Bench) -> Response:
    """The board as ``leaderboard --json`` prints it."""
    return answer_unless_kept(request, bench, lambda: _board_json(request, bench))


def _board_json(request: Request, bench: Workbench) -> RenderedBody | Response:
    selection = board_selection(request, bench.store)
    return render_once(
        request,
        board_cache_of(bench),
        selection,
        ("data", selection.name),
        media_type="application/json",
        draw=lambda seen: board_data(bench, selection, seen),
    )


def board_data(
    bench: Workbench, selection: BoardSelection, seen: BoardHashes
) -> tuple[bytes, bool]:
    """Return the board as data, and whether it is stored."""
    stored = board_cache_of(bench).board(selection, seen)
    board = stored or make_board(bench.store, selection)
    return msgspec.json.encode(board.to_dict()), stored is not None


@router.get("/agentic/front")
def front_page(request: Request, bench: Bench) -> Response:
    """Show the cost of success: the front, cost per success, budgets, repeats."""
    selection = board_selection(request, bench.store)
    figure, shelf = _figure(selection), board_cache_of(bench)
    missing = no_board(bench)
    body = None
    if missing is None:
        body = shelf.front(selection, figure) or compute_in_background(
            bench, ("front", figure, *selection.name), lambda: make_front(shelf, selection, figure)
        )
    report = None if body is None else report_content(fronts_report(body), bench.redactor.text)
    return page(
        request,
        "agentic/report",
        title=report["title"] if report else "Cost and success",
        here="Agentic",
        place="Leaderboard",
        crumbs=(Crumb("Agentic", "/agentic"), Crumb("Cost and success")),
        view=selection.view,
        report=report,
        no_board=missing,
        choices=_choices(selection, metrics=FRONT_FIGURES),
        empty=NO_ROWS,
    )


@router.get("/agentic/front.csv")
def front_csv(request: Request, bench: Bench) -> Response:
    """A row for each system."""
    body = _front_body(bench, request)
    return csv_answer(lambda stream: write_fronts_csv(body, stream), "front")


@router.get("/agentic/front.json")
def front_json(request: Request, bench: Bench) -> Response:
    """All of it as data."""
    return json_answer(_front_body(bench, request))


def _board(bench: Workbench, selection: BoardSelection) -> Board:
    return board_cache_of(bench).board(selection) or make_board(bench.store, selection)


def _front_body(bench: Workbench, request: Request) -> dict[str, Any]:
    selection = board_selection(request, bench.store)
    return make_front(board_cache_of(bench), selection, _figure(selection))


def _figure(selection: BoardSelection) -> str:
    """Return the x-axis of the front: the board's figure, if it is a resource."""
    return selection.key.value if selection.key.value in BOARD_FIGURES else "dollars"


def _board_content(
    bench: Workbench, selection: BoardSelection, board: Board | None
) -> dict[str, Any]:
    """The rows of this page, the sentences around them."""
    if board is None:
        return {"board": None, "rows": [], "report": None, "first": 0, "after": ""}
    hide = bench.redactor.text
    first = _first_row(selection)
    rows = board.rows[first : first + ROWS]
    more = first + ROWS < len(board.rows)
    return {
        "board": board,
        "heads": BOARD.page_heads(board, Surface.PAGE),
        "rows": board_rows(board, rows, hide),
        "order": order_of(board),
        "report": report_content(board_sentences(board), hide),
        "first": first,
        "after": str(first + ROWS) if more else "",
    }


def _first_row(selection: BoardSelection) -> int:
    after = selection.view.after
    if not after:
        return 0
    if not (after.isascii() and after.isdecimal() and len(after) < 10):  # noqa: PLR2004  digits
        raise SpecError("invalid value for after.", hint="Start at the first page.")
    return int(after)


def _front_panel(bench: Workbench, selection: BoardSelection, seen: BoardHashes) -> dict[str, Any]:
    """Success against dollars, as a drawing with its table; short where there are many systems.

    Where it is not stored, the page has a link to it.
    """
    body = board_cache_of(bench).front(selection, PAGE_FRONT, seen)
    link = selection.view.link(metric=PAGE_FRONT).replace("/agentic", "/agentic/front", 1)
    if body is None or not body["front"]["points"]:
        return {"front": None, "front_link": link if body is None else ""}
    content = board_cache_of(bench).get_or_make(
        ("front panel", selection.profile.id, seen.front_hash, bench.redactor),
        lambda: _front_content(bench, body),
    )
    return {"front": content, "front_link": link}


def _front_content(bench: Workbench, body: dict[str, Any]) -> dict[str, Any]:
    content = report_content(fronts_report(body), bench.redactor.text)
    section = content["sections"][0]
    section["rows"] = section["rows"][:_DRAWN]
    return content | {"sections": [section]}


def _options(bench: Workbench, selection: BoardSelection, seen: BoardHashes) -> dict[str, Any]:
    index: Index | None = board_cache_of(bench).index(selection.profile.id, seen)
    return {
        "profile": selection.profiles,
        "metric": [(value, VALUE_NAMES[value]) for value in VALUES],
        "by": UNITS,
        "window": tuple(WINDOWS),
        "evidence": LEVELS,
        **(index.offered if index else dict.fromkeys(NARROWED, ())),
    }


def _choices(
    selection: BoardSelection, *, metrics: tuple[str, ...]
) -> list[tuple[str, str, str, list[str]]]:
    """Return the fields of a shorter form: label, word, value, choices."""
    chosen = selection.view.filters
    return [
        (
            "Profile",
            "profile",
            chosen["profile"] or selection.profile.name,
            list(selection.profiles),
        ),
        ("Against", "metric", chosen["metric"] or "dollars", list(metrics)),
        ("By", "by", chosen["by"] or "system", list(UNITS)),
        ("Window", "window", chosen["window"] or "all", list(WINDOWS)),
    ]
