"""What a judge was shown to see how far it can be trusted, and what it said."""

from typing import Literal

import msgspec

Tier = Literal["quick", "standard", "human"]

Role = Literal["sample", "doubled", "clean", "pair", "null"]
"""What an item is for: a sample that is rated; its twin of twice the length; its twin without the
instruction to the judge; a pair shown in both orders; an answer that says nothing."""


class CalibrationItem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One answer that was judged, or one pair.

    ``expected`` and ``tolerance`` are from 0 to 1, as are ``units``: one a repeat, None where no
    judgment could be had, and ``failures`` then says why, in the same places (empty elsewhere). Of
    a pair they are what its first answer won (1, ½ or 0), shown first and then shown second.
    ``of`` is the id of the sample that a twin is made of. ``author`` is the model that wrote the
    answer, where it is known. ``ratings`` are those of people, from 0 to 1, None where one did not
    rate.
    """

    id: str
    kind: str = ""
    role: Role = "sample"
    of: str = ""
    expected: float | None = None
    tolerance: float | None = None
    units: tuple[float | None, ...] = ()
    failures: tuple[str, ...] = ()
    author: str = ""
    ratings: tuple[float | None, ...] = ()


class Calibration(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One judge's replies to one set of samples.

    ``samples_hash`` names the texts, ``prompt_hash`` the instructions; ``judge_version`` is what
    the provider called the model that replied, where it said so. ``repeats`` is how often each
    sample was asked. ``cost_usd`` is None where a price is not known. ``created_at`` is UTC, ISO
    8601. ``judge_scale`` is the lowest and highest score of the judge, ``label_scale`` that of
    people, None where nobody rated, and in calibrations of earlier versions. Everything that a
    result says is computed from here.
    """

    id: str
    judge: str
    tier: Tier
    samples_hash: str
    prompt_hash: str
    repeats: int
    items: tuple[CalibrationItem, ...]
    created_at: str
    judge_version: str = ""
    package_version: str = ""
    replies: int = 0
    cost_usd: float | None = None
    notes: tuple[str, ...] = ()
    judge_scale: tuple[float, float] | None = None
    label_scale: tuple[float, float] | None = None

    def of_role(self, role: Role) -> tuple[CalibrationItem, ...]:
        """The items that are there for this."""
        return tuple(item for item in self.items if item.role == role)
