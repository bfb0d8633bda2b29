"""Two pages side by side, and which is better; names come after the vote."""

from typing import Any, ClassVar

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from benchmaker.arenas.code.duels import PICKS, Duel, Pick
from benchmaker.arenas.code.voting import UNDO_S, cast, current_vote, seconds_since, take_back
from benchmaker.errors import SpecError
from benchmaker.plugins import web_page
from benchmaker.record import PROBE_VERSION
from benchmaker.record.vote import VOTE_CATEGORIES, Vote, VoteCategory
from benchmaker.store import Store
from benchmaker.web.accounts.actors import by_actor
from benchmaker.web.code.code_diff import compare_files
from benchmaker.web.code.comparison_view import Pane, pane_of, policy_headers, user_agent_of
from benchmaker.web.code.links import duel_address, next_address, run_address, shared_address
from benchmaker.web.code.pairs import next_pair, numbers_of, pair_of, shared_pair
from benchmaker.web.code.subject import CodeRun
from benchmaker.web.code.thumbnails import WIDTHS
from benchmaker.web.code.vote_reveal import reveal_pair
from benchmaker.web.faults import Missing
from benchmaker.web.form_body import Fields, Posted
from benchmaker.web.pages.code.code_runs import HOME
from benchmaker.web.pages.code.live_pages import voter_of
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="vote")
class VotePage:
    """Two generated pages to vote on."""

    routes: ClassVar = router


_WORDS = dict.fromkeys(("a", "b", "by", "pair"))
_MOST_MS = 86_400_000


@router.get("/code/{run}/{number:int}")
def duel(request: Request, bench: Bench, run: str, number: int) -> Response:
    """A pair of pages, without a word on whose they are until this voter has voted."""
    subject = CodeRun.of(bench.store, run)
    view = by_actor(request, read_view(request, filters=_WORDS))
    voter = voter_of(view)
    if view.filters["pair"]:
        chosen = shared_pair(subject, number, _number(view.filters["pair"]), voter)
        return RedirectResponse(duel_address(subject, chosen, voter), 303)
    if not view.filters["a"] and not view.filters["b"]:
        return _first_pair(subject, number, voter)
    pair = _pair(subject, number, view)
    return _pair_page(request, bench, subject, pair, voter)


@router.post("/code/{run}/{number:int}")
def post_vote(request: Request, bench: Bench, run: str, number: int, fields: Posted) -> Response:
    """Store the vote, or withdraw the last one; then show the same pair with names."""
    subject = CodeRun.of(bench.store, run)
    view = by_actor(request, View("", filters={name: fields[name] for name in _WORDS}))
    voter, pair = voter_of(view), _pair(subject, number, view)
    if fields["do"] == "undo":
        _undo(bench.store, pair, voter)
    else:
        cast(
            bench.store,
            pair,
            _pick(fields["pick"]),
            voter=voter,
            ms_on_page=_milliseconds(fields["ms"]),
            viewports_seen=_widths(fields["seen"]),
            probe_version=PROBE_VERSION,
            categories=_categories(fields),
        )
    return RedirectResponse(duel_address(subject, pair, voter), 303)


def _first_pair(subject: CodeRun, number: int, voter: str) -> Response:
    """The prompt's first pair that waits, else its first."""
    case = subject.prompt(number)
    own = [it for it in subject.queue(voter) if it.case_id == case.id]
    if not own:
        raise Missing(
            "fewer than two answers to this prompt contain a page.",
            where=f"{subject.run.id}, {case.id}",
        )
    waiting = {*subject.waiting_pairs(voter)}
    chosen = next((it for it in own if it in waiting), own[0])
    return RedirectResponse(duel_address(subject, chosen, voter), 303)


def _pair(subject: CodeRun, number: int, view: View) -> Duel:
    """The pair of an address, with the sides that were drawn for this voter."""
    numbers = [_number(view.filters[side]) for side in ("a", "b")]
    return pair_of(subject, number, numbers, voter_of(view))


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise SpecError(f"there is no answer {text[:20]!r} here.", hint="Use numbers from 1.")
    return int(text[:9])


def _pair_page(
    request: Request, bench: Workbench, subject: CodeRun, pair: Duel, voter: str
) -> Response:
    case = subject.prompt(subject.number(pair.case_id))
    given = current_vote(bench.store, pair, voter=voter)
    queue = subject.queue(voter)
    at = queue.index(pair) + 1
    agent = user_agent_of(request)
    panes = _panes(bench, subject, pair, is_named=given is not None, user_agent=agent)
    answer = page(
        request,
        "code/vote",
        title="Which page is better?",
        here="Code",
        crumbs=(HOME, Crumb(subject.run.suite_name, run_address(subject.run.id)), Crumb("Vote")),
        subject=subject,
        case=case,
        number=subject.number(case.id),
        panes=panes,
        compared=compare_files(panes[0].files, panes[1].files),
        categories=VOTE_CATEGORIES,
        widths=WIDTHS,
        at=at,
        pairs=len(queue),
        skip=next_pair(subject, voter, after=at) not in {pair, None},
        onwards=next_address(subject.run.id, voter, after=at),
        by=voter,
        shared=shared_address(subject, pair),
        words=_numbers(subject, pair, voter),
        **_vote_content(bench, subject, pair, given),
    )
    answer.headers.update(policy_headers(bench))
    return answer


def _panes(
    bench: Workbench, subject: CodeRun, pair: Duel, *, is_named: bool, user_agent: str
) -> tuple[Pane, ...]:
    sides = (("A", pair.left), ("B", pair.right))
    return tuple(
        pane_of(
            bench,
            subject,
            pair.case_id,
            model,
            letter=letter,
            is_named=is_named,
            user_agent=user_agent,
        )
        for letter, model in sides
    )


def _numbers(subject: CodeRun, pair: Duel, voter: str) -> dict[str, Any]:
    left, right = numbers_of(subject, pair, voter)
    return {"a": left, "b": right, "by": voter}


def _vote_content(
    bench: Workbench, subject: CodeRun, pair: Duel, given: Vote | None
) -> dict[str, Any]:
    """Return the content shown after the vote."""
    if given is None:
        return {"vote": None, "told": None, "undo_s": 0, "reports": (None, None)}
    sides = (pair.left, pair.right)
    passed = seconds_since(given.at, bench.store.now_utc())
    return {
        "vote": given,
        "told": reveal_pair(subject, pair),
        "reports": [subject.prepared_pages[pair.case_id, it].report for it in sides],
        "undo_s": max(0, round(UNDO_S - passed)),
    }


def _undo(store: Store, pair: Duel, voter: str) -> None:
    given = current_vote(store, pair, voter=voter)
    if given is None:
        raise SpecError("there is no vote to undo.", hint="Vote first.")
    take_back(store, given, voter=voter)


def _pick(text: str) -> Pick:
    found = next((it for it in PICKS if it == text), None)
    if found is None:
        raise SpecError(f"{text[:20]!r} is not a vote.", hint=f"Send one of {', '.join(PICKS)}.")
    return found


def _categories(fields: Fields) -> dict[VoteCategory, Pick]:
    """The verdicts on single categories; those left open are absent."""
    return {it: _pick(fields[it]) for it in VOTE_CATEGORIES if fields[it]}


def _milliseconds(text: str) -> int | None:
    """The time that the page measured; None where it could not, or can't be true."""
    known = text.isascii() and text.isdecimal() and int(text[:12]) <= _MOST_MS
    return int(text) if known else None


def _widths(text: str) -> tuple[int, ...]:
    """The widths among those that the page offers."""
    seen = text.split(",")
    return tuple(width for width in WIDTHS if str(width) in seen)
