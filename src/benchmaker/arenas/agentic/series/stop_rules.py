"""The rule by which systems of a series are stopped."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from benchmaker.record.agent_trial import AgentTrial, TrialOutcome
from benchmaker.record.counts import count


@dataclass(slots=True)
class StopRules:
    """Stops a system whose first trials all crashed, or ended without a score.

    A resumed series starts the count again, since the cause may be gone; but a system of which any
    trial was scored without a crash, also before, is never stopped. A trial that was not run, since
    earlier tries used up its cap, does not count. ``stopped`` has the reasons by system.
    """

    most_crashes: int
    stopped: dict[str, str] = field(default_factory=dict)
    _ends: dict[str, list[AgentTrial]] = field(default_factory=lambda: defaultdict(list))

    _resumed: set[str] = field(default_factory=set)
    _sound: set[str] = field(default_factory=set)

    def add_earlier(self, trials: Iterable[AgentTrial]) -> None:
        """Take the trials of earlier processes into account."""
        for trial in trials:
            if trial.outcome is not None:
                self._resumed.add(trial.key.system)
                if not _is_fault(trial):
                    self._sound.add(trial.key.system)

    def add(self, trial: AgentTrial) -> bool:
        """Take the end of a trial into account; True if its system is stopped for it."""
        if _is_unrun(trial):
            return False
        system = trial.key.system
        ends = self._ends[system]
        ends.append(trial)
        is_long = len(ends) == self.most_crashes
        is_stopped = is_long and system not in self._sound and all(map(_is_fault, ends))
        if is_stopped:
            number = count(len(ends), "trial")
            mark = ":" if len({it.detail for it in ends}) == 1 else "; the last one:"
            last = f"{mark} {trial.detail}" if trial.detail else ""
            since = " since the series was resumed" if system in self._resumed else ""
            self.stopped[system] = f"its first {number}{since} all ended {_kinds(ends)}{last}"
        return is_stopped


def _is_fault(trial: AgentTrial) -> bool:
    return trial.outcome is TrialOutcome.AGENT_CRASHED or not trial.is_finished


def _is_unrun(trial: AgentTrial) -> bool:
    """True if its try was refused before its start: the cap of the trial was used up."""
    return trial.outcome is TrialOutcome.GATEWAY_ERROR and not trial.started_at


def _kinds(ends: list[AgentTrial]) -> str:
    return ", ".join(dict.fromkeys(str(it.outcome) for it in ends))
