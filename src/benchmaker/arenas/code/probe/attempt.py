"""One examination of a page, and whether it says something of the page or of the machine."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from benchmaker.arenas.code.probe.examination import PageObservations
from benchmaker.arenas.code.probe.hold_ups import HoldUpWatch
from benchmaker.record import CheckResult

MOST_STRETCH = 4.0
"""By how much limits are prolonged at most where the browser is held up."""

_ENOUGH = 0.7
"""The share of its time with which a page is held to a limit."""

_PROOF = 0.5
"""The part of the budget in seconds of processors that proves a page alone: a load's limit."""


@dataclass(slots=True)
class Attempt:
    """An examination: its observations, the results of the checks, and their pictures by digest.

    All limits were ``stretch`` times the usual ones, which belong to ``budget_s`` seconds.
    ``is_alone`` is true if the browser showed no other page meanwhile.
    """

    seen: PageObservations
    budget_s: float
    stretch: float = 1.0
    is_alone: bool = False
    watch: HoldUpWatch = field(init=False)
    results: tuple[CheckResult, ...] = ()
    film: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def has_reached_limit(self) -> bool:
        """True if something ended at a limit, or may have: a check fails after a time."""
        is_late = self.seen.timeout or "slow" in self.seen.flags
        return is_late or any(not it.passed for it in self.results)

    @property
    def had_its_time(self) -> bool:
        """True if the page had its time, or is itself what used up the processors."""
        is_proof = self.is_alone and self.watch.ran_s >= _PROOF * self.budget_s
        return is_proof or self.watch.share * self.stretch >= _ENOUGH

    @property
    def is_doubtful(self) -> bool:
        """True if the limits that were reached say nothing of the page."""
        return self.has_reached_limit and not self.had_its_time

    @property
    def needs_another(self) -> bool:
        """True if the page should be examined once more, alone."""
        return self.seen.timeout or self.is_doubtful

    @property
    def repeat_reason(self) -> str:
        """Why the page is examined once more, in a sentence."""
        if self.had_its_time:
            return "A page reached its time limit and is examined again, alone."
        return "The machine is busy: a page is examined again, with longer limits."

    @property
    def next_stretch(self) -> float:
        """The factor of the limits with which the page would have had its time."""
        needed = self.stretch if self.had_its_time else 1 / max(self.watch.share, 0.01)
        return min(MOST_STRETCH, max(self.stretch, needed))

    def abandon(self, results: tuple[CheckResult, ...]) -> None:
        """Record that the browser had to be killed."""
        self.seen.mark_abandoned()
        self.results = results

    def unknown(self) -> Self:
        """Return the attempt without what only the lack of time may explain."""
        had = self.watch.took_s - self.watch.held_s
        self.seen.mark_unknown(
            f"the machine was too busy: the page had {had:.1f} of {self.watch.took_s:.1f} seconds."
            " Render it again when the load is lower."
        )
        self.results = tuple(it for it in self.results if it.passed)
        return self
