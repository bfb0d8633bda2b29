"""Cases against models: the heat map."""

from collections.abc import Iterable, Iterator
from typing import Final

from benchmaker.analysis import Summary
from benchmaker.record import INFRASTRUCTURE, Outcome, Trial
from benchmaker.report.sentences.outcomes import GROUPS, NOT_RUN, outcome_name

ROWS: Final = 30
"""Maximum number of cases in the heat map."""

_STEPS = 7


class Grid:
    """Sums of scores by case and model, gathered while the trials pass by."""

    def __init__(self, summary: Summary) -> None:
        self.columns = {model.model: at for at, model in enumerate(summary.models)}
        self.names: dict[int, str] = {}
        self._sums: dict[tuple[int, int], tuple[float, int]] = {}
        self._failed: set[tuple[int, int]] = set()
        self._unscored: set[tuple[int, int]] = set()
        self._begun: set[tuple[int, int]] = set()

    def accumulate(self, trials: Iterable[Trial]) -> Iterator[Trial]:
        """The same trials, each looked at on its way."""
        for trial in trials:
            if trial.model in self.columns:
                self._add(trial)
            yield trial

    def _add(self, trial: Trial) -> None:
        cell = (trial.position, self.columns[trial.model])
        self.names[trial.position] = trial.case_id
        if trial.score and trial.score.score is not None:
            total, count = self._sums.get(cell, (0.0, 0))
            self._sums[cell] = (total + trial.score.score, count + 1)
        elif trial.outcome in INFRASTRUCTURE:
            self._failed.add(cell)
        elif trial.outcome is Outcome.UNFINISHED:
            self._begun.add(cell)
        else:
            self._unscored.add(cell)

    def cells(self, position: int) -> list[dict[str, str]]:
        """One case's cells of the heat map, a class and a text for each model."""
        return [self._cell(position, column) for column in self.columns.values()]

    def _cell(self, position: int, column: int) -> dict[str, str]:
        mean = self.mean(position, column)
        if mean is not None:
            step = min(int(mean * _STEPS), _STEPS - 1) + 1
            return {"kind": f"q{step}", "text": f"{mean * 100:.0f}"}
        if (position, column) in self._failed:
            return {"kind": "f-infra", "text": GROUPS["infra"]}
        return {"kind": "f-none", "text": self._word((position, column))}

    def _word(self, cell: tuple[int, int]) -> str:
        """The word of a cell without a score whose requests did not fail."""
        if cell in self._unscored:
            return GROUPS["none"]
        return outcome_name(Outcome.UNFINISHED) if cell in self._begun else NOT_RUN

    def mean(self, position: int, column: int) -> float | None:
        """Return the mean over runs of one case and model; None without scores."""
        total, count = self._sums.get((position, column), (0.0, 0))
        return total / count if count else None

    def hardest_cases(self, limit: int) -> list[int]:
        """The places of the cases with the lowest means over the models, lowest first."""
        means = {}
        for position in self.names:
            known = [
                m for at in self.columns.values() if (m := self.mean(position, at)) is not None
            ]
            if known:
                means[position] = sum(known) / len(known)
        return sorted(means, key=lambda position: (means[position], position))[:limit]
