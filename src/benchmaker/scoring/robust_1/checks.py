"""Checks under robust/1: their scorers are those of that version."""

from dataclasses import dataclass
from typing import ClassVar

from benchmaker.scoring.checks import checks
from benchmaker.spec import Profile
from benchmaker.spec import profile as named_profile


@dataclass(frozen=True)
class Checks(checks.Checks):
    """Full marks if all checks pass, or their weighted share with a threshold."""

    earlier: ClassVar = {}

    @property
    def profile(self) -> Profile:
        """The profile under which its checks are built."""
        return named_profile("robust/1")
