"""Setups in words: by their model, effort or prompt where that names all of them."""

from collections.abc import Callable, Iterator, Sequence

from benchmaker.record import Setup
from benchmaker.report.tables.sanitize import sanitise, truncate

_SHOWN = 3

JoinNames = Callable[[Sequence[str]], str]
"""A function that lists names of models or setups in words."""


def join_some(names: Sequence[str]) -> str:
    """The first names, and the number of the others.

    >>> join_some(["a", "b", "c", "d"])
    'a, b, c and 1 more'
    """
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return join_all(names[:_SHOWN]) + more


def join_all(names: Sequence[str]) -> str:
    """All names."""
    return ", ".join(truncate(sanitise(one), 120) for one in names)


def join_groups(setups: Sequence[Setup]) -> JoinNames:
    """Return a function that lists setups by model, effort or prompt.

    >>> high = Setup(name="m · high", model="m", effort="high")
    >>> others = (Setup(name="m · low", model="m", effort="low"), Setup(name="n", model="n"))
    >>> join_groups((high, *others))(["m · high", "m · low", "n"])
    'm, n'
    """
    return lambda names: join_some(list(_groups(setups, names)))


def _groups(setups: Sequence[Setup], names: Sequence[str]) -> Iterator[str]:
    """Yield the groups all of whose setups are named, then the other names."""
    wanted, rest = set(names), dict.fromkeys(names)
    by: tuple[Callable[[Setup], str], ...] = (
        lambda one: one.model_label,
        lambda one: f"effort {one.effort}" if one.effort else "",
        lambda one: f"prompt {one.prompt_id}" if one.prompt_id else "",
    )
    for word in by:
        for group in dict.fromkeys(filter(None, map(word, setups))):
            members = {one.name for one in setups if word(one) == group}
            if members <= wanted and len(members & rest.keys()) > 1:
                yield group
                rest = {name: None for name in rest if name not in members}
    yield from rest
