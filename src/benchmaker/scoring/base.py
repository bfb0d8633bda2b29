"""What a scorer is, how it is registered, and how it is built from its name."""

from collections.abc import Awaitable
from typing import ClassVar, NamedTuple, Protocol, runtime_checkable

from benchmaker.record import Extraction, Score, Trial
from benchmaker.spec import Case


class Objection(NamedTuple):
    """What is wrong with a parameter of a scorer: its path, as ``("extract", 1)``, and why."""

    path: tuple[str | int, ...]
    message: str


@runtime_checkable
class Scorer(Protocol):
    """One method: how good is this answer to this case?

    A scorer is a frozen dataclass; its fields are its parameters, so it prints, compares and is
    recorded without further code. ``id`` and ``version`` are class variables set by
    :func:`benchmaker.plugins.scorer`. A field named ``family`` receives the profile's family.
    ``score`` raises what is natural; the caller attributes it. It may be ``async``.

    Three more methods are used where a scorer has them. ``faults() -> list[Objection]`` says what
    is wrong with its own parameters and takes time to find out, such as patterns that don't
    compile. ``check(case) -> list[str]`` says what is wrong with a case's expectation before
    anything is asked. ``explain(score) -> list[str]`` gives the lines of its arithmetic, from the
    score alone.

    Two class variables may tell more. ``check_needs`` names the parameters on which ``check``
    depends, so that it is asked in spite of faults in others; without it, on all. ``robust_only``
    names the parameters that the classic family does not read.
    """

    id: ClassVar[str]
    version: ClassVar[str]

    def score(self, case: Case, trial: Trial) -> Score | Awaitable[Score]:
        """The score of ``trial.text`` for ``case``."""
        ...


def auto_pass() -> Score:
    """Full marks because the case expects nothing; counted by its flag ``auto_pass``."""
    return Score.of(
        1.0,
        confidence=1.0,
        notes="nothing is expected",
        detail={"rung": "auto_pass"},
        flags=("auto_pass",),
    )


def nothing_extracted(extraction: Extraction, *, confidence: float = 1.0) -> Score:
    """No marks because the rules found no answer in the reply; its flag says so."""
    return Score(
        score=0.0,
        confidence=confidence,
        notes="no answer was found in the reply",
        detail={"rung": "nothing_extracted"},
        extraction=extraction,
        flags=("nothing_extracted",),
    )
