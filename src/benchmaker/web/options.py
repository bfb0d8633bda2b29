"""The choices of long selects: drawn once for the same list, and then put together."""

from collections.abc import Iterable
from functools import lru_cache

from markupsafe import Markup

from benchmaker.web.words import line

_LISTS = 64
"""So many lists are held; each label of a profile's boards has one."""


def options(names: Iterable[str], chosen: str | None = "", *, plain: bool = False) -> Markup:
    """An option for each name.

    Args:
        names: the values; each is its own label.
        chosen: the one that is selected.
        plain: whether labels have hyphens where names have underscores.
    """
    known = tuple(names)
    drawn, places = _drawn(known, plain)
    at = None if chosen is None else places.get(chosen)
    if at is None:
        return Markup("".join(drawn))  # noqa: S704  each was escaped
    here = _option(known[at], " selected", plain=plain)
    return Markup("".join((*drawn[:at], here, *drawn[at + 1 :])))  # noqa: S704  as above


@lru_cache(_LISTS)
def _drawn(names: tuple[str, ...], plain: bool) -> tuple[tuple[str, ...], dict[str, int]]:  # noqa: FBT001  words of a cache
    drawn = tuple(_option(name, plain=plain) for name in names)
    return drawn, {name: at for at, name in enumerate(names)}


def _option(name: str, mark: str = "", *, plain: bool) -> str:
    label = line(name).replace("_", "-") if plain else line(name)
    return str(Markup('<option value="{}"{}>{}</option>').format(name, mark, label))
