"""Pairs of pages by the numbers under which a voter knows them, and which comes next."""

from collections.abc import Sequence

from benchmaker.arenas.code.duels import Duel, draw_pair
from benchmaker.errors import SpecError
from benchmaker.record import Run
from benchmaker.web.code.subject import CodeRun
from benchmaker.web.faults import Missing


def pair_of(subject: CodeRun, number: int, numbers: Sequence[int], voter: str) -> Duel:
    """Return the pair of two numbers of a prompt, with the sides drawn for this voter.

    Raises:
        SpecError: an unknown number.
        Missing: one of them is not a page, or both are equal.
    """
    case = subject.prompt(number)
    hidden = subject.blind_order(case.id, voter)
    first, second = (hidden[_place(one, subject.run)] for one in numbers)
    there = subject.pages.get(case.id, [])
    if first == second or first not in there or second not in there:
        raise Missing("there is no such pair of pages.", where=f"{subject.run.id}, {case.id}")
    return draw_pair(subject.run.id, case.id, (first, second), voter=voter)


def numbers_of(subject: CodeRun, pair: Duel, voter: str) -> tuple[int, int]:
    """Return the numbers of the left and right page; they do not reveal the models."""
    hidden = subject.blind_order(pair.case_id, voter)
    return hidden.index(pair.left) + 1, hidden.index(pair.right) + 1


def next_pair(subject: CodeRun, voter: str, *, after: int = 0) -> Duel | None:
    """Return the next pair without a vote of this voter; None if all have one.

    The search starts after position ``after`` in their own order, from 1, or at the beginning:
    skipped pairs come again at the end.
    """
    places = {pair: at for at, pair in enumerate(subject.queue(voter), 1)}
    waiting = subject.waiting_pairs(voter)
    behind = (pair for pair in waiting if places[pair] > after)
    return next(behind, waiting[0] if waiting else None)


def _place(number: int, run: Run) -> int:
    if not 1 <= number <= len(run.models):
        raise SpecError(f"there is no answer {number} here.", hint=f"Use 1 to {len(run.models)}.")
    return number - 1
