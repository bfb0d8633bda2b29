"""Answers that several runs have scored: each counts once, with its newest scores."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmaker.record import Run

SourceOf = Callable[[str], str | None]
"""Returns the id of the run whose answers a run scored again; None for answers of its own."""


@dataclass(frozen=True, slots=True)
class Scorings:
    """The runs that count, and the ones replaced by a newer scoring.

    ``replaced`` pairs the id of an excluded run with that of the run that counts instead.
    """

    runs: tuple[Run, ...]
    replaced: tuple[tuple[str, str], ...]

    @property
    def sentence(self) -> str:
        """The excluded runs with the reason; empty if all count."""
        if not self.replaced:
            return ""
        pairs = ", ".join(f"{old} (rescored in {new})" for old, new in self.replaced)
        return f"rescored answers count once, with their newest scores; excluded: {pairs}"


def newest_scorings(runs: Sequence[Run], source_of: SourceOf | None = None) -> Scorings:
    """Select each answer once: of the runs that hold the same answers, the latest scoring.

    Args:
        runs: in any order.
        source_of: looks up a run that is not among them; without it, such a run is assumed to have
            its own answers.
    """
    known = {run.id: run.rescored_from for run in runs}
    origins = {run.id: _origin(run.id, known, source_of) for run in runs}
    newest: dict[str, Run] = {}
    for run in sorted(runs, key=lambda run: run.order):
        newest[origins[run.id]] = run
    instead = {run.id: newest[origins[run.id]].id for run in runs}
    return Scorings(
        tuple(run for run in runs if instead[run.id] == run.id),
        tuple((old, new) for old, new in instead.items() if old != new),
    )


def _origin(run_id: str, known: dict[str, str | None], source_of: SourceOf | None) -> str:
    """Return the run that requested the answers."""
    while True:
        if run_id not in known:
            known[run_id] = source_of(run_id) if source_of else None
        source = known[run_id]
        if source is None:
            return run_id
        run_id = source
