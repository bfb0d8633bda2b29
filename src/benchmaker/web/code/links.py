"""Addresses within the Code Arena."""

from urllib.parse import urlencode

from benchmaker.arenas.code.duels import Duel
from benchmaker.web.code.pairs import numbers_of, shared_number
from benchmaker.web.code.subject import CodeRun

CODE = "/code"


def run_address(run_id: str) -> str:
    """The page of a run."""
    return f"{CODE}/{run_id}"


def duel_address(subject: CodeRun, duel: Duel, voter: str) -> str:
    """Return the address for voting on a pair; its numbers do not reveal the models."""
    left, right = numbers_of(subject, duel, voter)
    words = {"a": left, "b": right, **_voter_query(voter)}
    number = subject.number(duel.case_id)
    return f"{run_address(subject.run.id)}/{number}?{urlencode(words)}"


def shared_address(subject: CodeRun, pair: Duel) -> str:
    """Return the address of a pair for other voters; it does not reveal the models."""
    query = urlencode({"pair": shared_number(subject, pair)})
    return f"{run_address(subject.run.id)}/{subject.number(pair.case_id)}?{query}"


def next_address(run_id: str, voter: str, *, after: int) -> str:
    """Return the address of the next pair after a position in the voter's order."""
    return f"{run_address(run_id)}/vote?{urlencode({'after': after, **_voter_query(voter)})}"


def live_events_address(run_id: str, number: int, voter: str, *, after: int) -> str:
    """Return the address of the stream of a prompt's answers, and of screenshots after a place."""
    query = urlencode({"after": after, **_voter_query(voter)})
    return f"{run_address(run_id)}/{number}/live/events?{query}"


def shot_events_address(run_id: str, voter: str, *, width: int, after: int) -> str:
    """Return the address of the stream of a run's screenshots of a width after a place."""
    query = urlencode({"w": width, "after": after, **_voter_query(voter)})
    return f"{run_address(run_id)}/events?{query}"


def gallery_address(run_id: str, rank: int) -> str:
    """Return the address of all pages of a model, by a run and its place there, from 0."""
    return f"{CODE}/models/{run_id}/{rank + 1}"


def _voter_query(voter: str) -> dict[str, str]:
    return {} if voter == "local" else {"by": voter}
