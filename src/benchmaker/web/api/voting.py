"""Blind votes on pairs of pages: the next pair, a vote, and a vote taken back."""

from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import ConfigDict, Field

from benchmaker.arenas.code.duels import Duel, Pick
from benchmaker.arenas.code.voting import UNDO_S, cast, current_vote, take_back
from benchmaker.errors import SpecError
from benchmaker.record import PROBE_VERSION
from benchmaker.record.vote import VOTE_CATEGORIES, Vote, VoteCategory
from benchmaker.web.accounts.actors import Who, name_of
from benchmaker.web.api.name_lookup import RunName, one_run
from benchmaker.web.api.paging import BodyModel, PagedQuery, QueryModel, part
from benchmaker.web.api.routes import Api
from benchmaker.web.api.shapes import code as shapes
from benchmaker.web.code.comparison_view import pane_of
from benchmaker.web.code.pairs import next_pair, numbers_of, pair_of
from benchmaker.web.code.subject import CodeRun
from benchmaker.web.workbench import Bench, Workbench

api = Api("code")
router = api.router

_STRICT = ConfigDict(extra="forbid", frozen=True, strict=True)
_A_DAY_MS = 86_400_000
_LARGEST = 2**31

By = Annotated[str, Field(max_length=200, description="The voter's name.")]
Number = Annotated[int, Field(ge=1, le=_LARGEST, description="A page's number from the pair.")]
Width = Literal[375, 768, 1440]


class VotePairQuery(QueryModel):
    """The voter of the next pair, and the position before it; skipped pairs come at the end."""

    by: By = "local"
    after: Annotated[int, Query(ge=0, le=_LARGEST, description="`at` of the previous pair.")] = 0


class PairIn(BodyModel):
    """A pair by its numbers, as `/code/runs/{run}/pair` gave them."""

    model_config = _STRICT

    position: Annotated[int, Field(ge=0, le=_LARGEST, description="A case's position, from 0.")]
    a: Number
    b: Number
    by: By = "local"


class VoteIn(PairIn):
    """A vote on two pages: `left` is a, `right` is b; with verdicts on single categories."""

    pick: Pick
    visual: Pick | None = None
    function: Pick | None = None
    code: Pick | None = None
    ms_on_page: Annotated[int, Field(ge=0, le=_A_DAY_MS)] | None = None
    viewports_seen: Annotated[list[Width], Field(max_length=3, default_factory=list)]

    def categories(self) -> dict[VoteCategory, Pick]:
        """The verdicts on single categories."""
        found = {name: getattr(self, name) for name in VOTE_CATEGORIES}
        return {name: one for name, one in found.items() if one is not None}


@api.get("/code/runs/{run}/pair", shapes.NextPair)
def pair(bench: Bench, who: Who, run: RunName, query: Annotated[VotePairQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """The next two pages that wait for this voter, without a word on whose they are."""
    subject, voter = CodeRun(bench.store, one_run(bench.store, run)), _voter(name_of(who, query.by))
    found = next_pair(subject, voter, after=query.after)
    return {
        "by": voter,
        "pairs": len(subject.queue(voter)),
        "waiting": len(subject.waiting_pairs(voter)),
        "pair": None if found is None else _blind(bench, subject, found, voter),
    }


@api.get("/code/runs/{run}/votes", shapes.VotePage)
def votes(bench: Bench, run: RunName, query: Annotated[PagedQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """List all votes in chronological order, withdrawn ones included."""
    run_id = one_run(bench.store, run).id
    return part(bench.store.votes.read([run_id], with_undone=True), query)


@api.post("/code/runs/{run}/votes", shapes.Voted, status=201)
def vote(bench: Bench, who: Who, run: RunName, said: VoteIn) -> Any:  # noqa: ANN401  its shape
    """Keep a vote; the answer names the models. A pair has one vote of a voter."""
    subject, voter = CodeRun(bench.store, one_run(bench.store, run)), _voter(name_of(who, said.by))
    kept = cast(
        bench.store,
        _pair(subject, said, voter),
        said.pick,
        voter=voter,
        ms_on_page=said.ms_on_page,
        viewports_seen=tuple(dict.fromkeys(said.viewports_seen)),
        probe_version=PROBE_VERSION,
        categories=said.categories(),
    )
    return _vote_state(subject, voter, kept)


@api.post("/code/runs/{run}/votes/undo", shapes.Voted)
def undo(bench: Bench, who: Who, run: RunName, said: PairIn) -> Any:  # noqa: ANN401  its shape
    """Withdraw a vote soon after casting it; its pair returns to the queue."""
    subject, voter = CodeRun(bench.store, one_run(bench.store, run)), _voter(name_of(who, said.by))
    given = current_vote(bench.store, _pair(subject, said, voter), voter=voter)
    if given is None:
        raise SpecError("there is nothing to take back.", hint="Vote first.")
    return _vote_state(subject, voter, take_back(bench.store, given, voter=voter))


def _voter(by: str) -> str:
    if not by.strip():
        raise SpecError("no name given.", where="by", hint="Give the name of the voter.")
    return by.strip()


def _pair(subject: CodeRun, said: PairIn, voter: str) -> Duel:
    """The pair that is meant, its sides as they were shown."""
    found = pair_of(subject, said.position + 1, (said.a, said.b), voter)
    if numbers_of(subject, found, voter) != (said.a, said.b):
        raise SpecError(
            f"page {said.b} stands left of page {said.a} for this voter.",
            where="body.a",
            hint="Send the numbers as the pair gave them.",
        )
    return found


def _blind(bench: Workbench, subject: CodeRun, found: Duel, voter: str) -> dict[str, Any]:
    number = subject.number(found.case_id)
    left, right = numbers_of(subject, found, voter)
    turns = subject.prompt(number).conversation()
    return {
        "position": number - 1,
        "case_id": found.case_id,
        "messages": [{"role": it.role, "content": it.content} for it in turns],
        "at": subject.queue(voter).index(found) + 1,
        "a": _page(bench, subject, found.case_id, found.left, left),
        "b": _page(bench, subject, found.case_id, found.right, right),
    }


def _page(
    bench: Workbench, subject: CodeRun, case_id: str, model: str, number: int
) -> dict[str, Any]:
    pane = pane_of(bench, subject, case_id, model, letter=str(number), is_named=False)
    return {
        "number": number,
        "preview": pane.src or None,
        "waits": pane.waits,
        "files": pane.files,
        "trouble": pane.trouble,
        "notes": list(pane.notes),
    }


def _vote_state(subject: CodeRun, voter: str, given: Vote) -> dict[str, Any]:
    return {
        "by": voter,
        "vote": given,
        "undo_s": UNDO_S if given.counts else 0,
        "waiting": len(subject.waiting_pairs(voter)),
    }
