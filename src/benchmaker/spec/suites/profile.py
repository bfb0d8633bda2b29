"""Scoring profiles: the named, versioned families of definitions."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, cast, get_args

from benchmaker.errors import SpecError

Metric = Literal["mean", "strict"]
"""The metric of scores: their mean, or the share of exactly right answers."""


def metric_named(name: str | None) -> Metric | None:
    """Return the metric of that name; None for an empty name.

    Raises:
        SpecError: no metric has that name.

    >>> metric_named("strict"), metric_named(None)
    ('strict', None)
    """
    if name is not None and name not in get_args(Metric):
        raise SpecError(f"metric must be 'mean' or 'strict', not {name!r}.")
    return cast("Metric | None", name)  # one of the two, or none


class Family(StrEnum):
    """``classic`` reproduces the published method; ``robust`` is ours."""

    CLASSIC = "classic"
    ROBUST = "robust"


@dataclass(frozen=True, slots=True)
class Profile:
    """A scoring profile; name and version are stored with every score."""

    name: str
    version: str
    family: Family

    @property
    def id(self) -> str:
        """Name and version, as stored with every score: ``robust/2``."""
        return f"{self.name}/{self.version}"


_CURRENT = {
    "classic": Profile("classic", "1", Family.CLASSIC),
    "robust": Profile("robust", "2", Family.ROBUST),
}
_EARLIER = (Profile("robust", "1", Family.ROBUST),)
_PROFILES = {**_CURRENT, **{it.id: it for it in (*_CURRENT.values(), *_EARLIER)}}
PROFILES = tuple(_PROFILES)
"""Every name under which a profile is known: alone it means the current version."""


def profile(name: str) -> Profile:
    """The profile of that name, or of name and version; SpecError names the known ones.

    >>> profile("classic").family, profile("robust").id, profile("robust/1").version
    (<Family.CLASSIC: 'classic'>, 'robust/2', '1')
    """
    try:
        return _PROFILES[name]
    except KeyError:
        known = " or ".join(_CURRENT)
        raise SpecError(f"unknown profile {name!r}.", hint=f"Choose {known}.") from None
