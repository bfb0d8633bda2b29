"""The rules by which systems of a series, or all of it, are stopped."""

from collections import defaultdict
from dataclasses import dataclass, field

from benchmaker.record.agent_trial import AgentTrial, TrialOutcome
from benchmaker.record.counts import count


@dataclass(slots=True)
class StopRules:
    """Stops a system whose first trials of this process all crashed, or never ran.

    ``stopped`` has the reasons by system.
    """

    most_crashes: int
    stopped: dict[str, str] = field(default_factory=dict)
    _ends: dict[str, list[AgentTrial]] = field(default_factory=lambda: defaultdict(list))

    def add(self, trial: AgentTrial) -> bool:
        """Take the end of a trial into account; True if its system is stopped for it."""
        ends = self._ends[trial.key.system]
        ends.append(trial)
        is_stopped = len(ends) == self.most_crashes and all(map(_is_fault, ends))
        if is_stopped:
            number = count(len(ends), "trial")
            mark = ":" if len({it.detail for it in ends}) == 1 else "; the last one:"
            last = f"{mark} {trial.detail}" if trial.detail else ""
            self.stopped[trial.key.system] = f"its first {number} all ended {_kinds(ends)}{last}"
        return is_stopped


def _is_fault(trial: AgentTrial) -> bool:
    return trial.outcome is TrialOutcome.AGENT_CRASHED or not trial.is_finished


def _kinds(ends: list[AgentTrial]) -> str:
    return ", ".join(dict.fromkeys(str(it.outcome) for it in ends))
