"""Pairs of pages by the numbers under which a voter knows them, and which comes next."""

from collections.abc import Sequence

from benchmaker.arenas.code.duels import Duel, draw_pair, duels
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


def shared_number(subject: CodeRun, pair: Duel) -> int:
    """Return the number of a pair among those of its prompt, the same for all voters."""
    return _shared_order(subject, pair.case_id).index({pair.model_a, pair.model_b}) + 1


def shared_pair(subject: CodeRun, number: int, pair_number: int, voter: str) -> Duel:
    """Return the pair of a prompt with that number, with the sides drawn for this voter.

    Raises:
        Missing: there is no such pair.
    """
    case = subject.prompt(number)
    order = _shared_order(subject, case.id)
    if not 1 <= pair_number <= len(order):
        raise Missing("there is no such pair of pages.", where=f"{subject.run.id}, {case.id}")
    first, second = sorted(order[pair_number - 1])
    return draw_pair(subject.run.id, case.id, (first, second), voter=voter)


def _shared_order(subject: CodeRun, case_id: str) -> list[set[str]]:
    pages = {case_id: subject.pages.get(case_id, [])}
    return [{it.model_a, it.model_b} for it in duels(subject.run.id, pages, voter="")]


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
