"""The compact letter display: systems that share a letter do not differ significantly."""

from collections.abc import Iterable
from itertools import combinations
from string import ascii_letters
from typing import TypeAlias

from benchmaker.errors import SpecError

Group: TypeAlias = int
"""A set of places as bits."""

Apart: TypeAlias = set[tuple[int, int]]

_GROUPS_PER_SYSTEM = 2


def compact_letters(count: int, apart: Iterable[tuple[int, int]]) -> tuple[str, ...]:
    """Return one string of letters per system; two share a letter if they do not differ.

    Insert and absorb (Piepho 2004, Journal of Computational and Graphical Statistics 13): all start
    in one group, each significant pair splits the groups that contain both, and groups within
    others are removed. If the pairs form no order, so that this would need more than two groups per
    system, the other pairs are assigned to groups one after the other. After z comes A, after Z
    comes a1.

    Args:
        count: number of systems, best first: the first gets the letter a.
        apart: the pairs of places (from 0) that differ significantly.

    Raises:
        SpecError: a pair that names one place twice, or a place that does not exist.

    >>> compact_letters(3, [(0, 2)])
    ('a', 'ab', 'b')
    """
    pairs = {_check_pair(pair, count) for pair in apart}
    groups = _split(count, pairs) or _fill_groups(count, pairs)
    ordered = sorted(_places(group) for group in groups)
    marks: list[list[str]] = [[] for _ in range(count)]
    for number, group in enumerate(ordered):
        for place in group:
            marks[place].append(_letter(number))
    return tuple("".join(letters) for letters in marks)


def _check_pair(pair: tuple[int, int], count: int) -> tuple[int, int]:
    i, j = min(pair), max(pair)
    if not 0 <= i < j < count:
        raise SpecError(f"The pair {pair} does not name two of {count} systems.")
    return i, j


def _split(count: int, apart: Apart) -> set[Group]:
    """Insert and absorb; empty when that takes too many groups."""
    groups: set[Group] = {(1 << count) - 1}
    for i, j in sorted(apart):
        both = 1 << i | 1 << j
        torn = {group for group in groups if group & both == both}
        pieces = {group & ~(1 << one) for group in torn for one in (i, j)}
        kept = groups - torn
        groups = kept | {piece for piece in pieces if not _within(piece, kept | pieces)}
        if len(groups) > _GROUPS_PER_SYSTEM * count:
            return set()
    return groups


def _within(group: Group, others: Iterable[Group]) -> bool:
    """True if the group is a subset of another."""
    return any(group & ~other == 0 and group != other for other in others)


def _fill_groups(count: int, apart: Apart) -> set[Group]:
    """Groups grown around each pair that is not apart and not yet together in one."""
    groups: set[Group] = set()
    pairs = [(i, i) for i in range(count)] + list(combinations(range(count), 2))
    for i, j in sorted(pairs):
        both = 1 << i | 1 << j
        if (i, j) in apart or any(group & both == both for group in groups):
            continue
        groups.add(_grow(both, count, apart))
    return groups


def _grow(group: Group, count: int, apart: Apart) -> Group:
    """The group with every system, best first, that is apart from none of it."""
    for place in range(count):
        members = (member for member in _places(group) if member != place)
        if not any((min(place, one), max(place, one)) in apart for one in members):
            group |= 1 << place
    return group


def _places(group: Group) -> list[int]:
    return [place for place in range(group.bit_length()) if group >> place & 1]


def _letter(number: int) -> str:
    turn, at = divmod(number, len(ascii_letters))
    return ascii_letters[at] + (str(turn) if turn else "")
