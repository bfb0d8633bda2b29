"""Scoring profiles: the named, versioned families of definitions."""

from dataclasses import dataclass
from enum import StrEnum

from benchmaker.errors import SpecError


class Family(StrEnum):
    """``classic`` is the published method, to the digit; ``robust`` is ours."""

    CLASSIC = "classic"
    ROBUST = "robust"


@dataclass(frozen=True, slots=True)
class Profile:
    """A scoring profile; name and version are stored with every score."""

    name: str
    version: str
    family: Family


_PROFILES = {
    "classic": Profile("classic", "1", Family.CLASSIC),
    "robust": Profile("robust", "1", Family.ROBUST),
}


def profile(name: str) -> Profile:
    """The profile of that name; SpecError names the known ones.

    >>> profile("classic").family
    <Family.CLASSIC: 'classic'>
    """
    try:
        return _PROFILES[name]
    except KeyError:
        known = " or ".join(_PROFILES)
        raise SpecError(f"unknown profile {name!r}.", hint=f"Choose {known}.") from None
