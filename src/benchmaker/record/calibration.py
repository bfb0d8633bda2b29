"""The samples shown to a judge for calibration, and its replies."""

from typing import Literal

import msgspec

Tier = Literal["quick", "standard", "human"]

Role = Literal["sample", "doubled", "clean", "pair", "null"]
"""The role of an item: a sample that is rated; its twin of twice the length; its twin without the
instruction to the judge; a pair shown in both orders; an answer without content.
"""


class CalibrationItem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One judged answer, or one judged pair.

    ``expected`` and ``tolerance`` are from 0 to 1, as are ``units``: one per repeat, None without a
    judgment, for which ``failures`` holds the reason at the same index (empty elsewhere). For a
    pair they are the first answer's result (1, ½ or 0), shown first and then shown second. ``of``
    is the id of the sample that a twin derives from. ``author`` is the model that wrote the answer,
    if known. ``ratings`` are human ratings, from 0 to 1, None for a missing one.
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

    ``samples_hash`` names the texts, ``prompt_hash`` the instructions; ``judge_version`` is the
    provider's name of the model that replied, if reported. ``repeats`` is the number of repeats per
    sample. ``cost_usd`` is None if a price is unknown. ``created_at`` is UTC, ISO 8601.
    ``judge_scale`` is the lowest and highest score of the judge, ``label_scale`` that of people,
    None without human ratings and in calibrations of earlier versions. All results are computed
    from these fields.
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
