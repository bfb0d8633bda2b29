"""What a scorer is, how it is registered, and how it is built from its name."""

from collections.abc import Awaitable
from typing import ClassVar, Protocol, runtime_checkable

from benchmaker.record import Score, Trial
from benchmaker.spec import Case


@runtime_checkable
class Scorer(Protocol):
    """One method: how good is this answer to this case?

    A scorer is a frozen dataclass; its fields are its parameters, so it prints, compares and is
    recorded without further code. ``id`` and ``version`` are class variables set by
    :func:`benchmaker.plugins.scorer`. A field named ``family`` receives the profile's family.
    ``score`` raises what is natural; the caller attributes it. It may be ``async``.
    """

    id: ClassVar[str]
    version: ClassVar[str]

    def score(self, case: Case, trial: Trial) -> Score | Awaitable[Score]:
        """The score of ``trial.text`` for ``case``."""
        ...
