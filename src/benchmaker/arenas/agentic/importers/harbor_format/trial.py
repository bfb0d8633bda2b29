"""The fields of a trial's result that are read, and their sums."""

from collections.abc import Iterable
from typing import Any

import msgspec

from benchmaker.arenas.agentic.logs.lenient_json import Amount, Count, Loose
from benchmaker.arenas.agentic.logs.timestamps import seconds


class ModelInfo(msgspec.Struct):
    """The model that the agent used."""

    name: str | None = None
    provider: str | None = None


class AgentInfo(msgspec.Struct):
    """The agent."""

    name: str | None = None
    version: str | None = None
    model_info: ModelInfo | None = None


class AgentResult(msgspec.Struct):
    """The agent's usage; input includes the cache."""

    n_input_tokens: Count | None = None
    n_cache_tokens: Count | None = None
    n_output_tokens: Count | None = None
    cost_usd: Amount | None = None


class Verified(msgspec.Struct):
    """The verifier's result."""

    rewards: dict[str, float] | None = None
    reward: float | None = None


class Raised(msgspec.Struct):
    """A raised exception."""

    exception_type: str | None = None
    exception_message: str | None = None


class Phase(msgspec.Struct):
    """When a phase began and ended."""

    started_at: Any = None  # a text, or a number in some
    finished_at: Any = None

    @property
    def seconds(self) -> float | None:
        """Its duration."""
        begun, done = seconds(self.started_at), seconds(self.finished_at)
        return None if begun is None or done is None or done < begun else done - begun


class Step(msgspec.Struct):
    """One step of a trial that has several."""

    step_name: str | None = None
    agent_result: AgentResult | None = None
    verifier_result: Verified | None = None
    exception_info: Raised | None = None
    agent_execution: Phase | None = None
    verifier: Phase | None = None

    @property
    def verdict(self) -> Verified | None:
        """The rewards of the step."""
        return self.verifier_result


class Trial(msgspec.Struct):
    """One trial."""

    id: str | None = None
    task_name: str | None = None
    trial_name: str | None = None
    task_checksum: str | None = None
    source: str | None = None
    agent_info: AgentInfo | None = None
    agent_result: AgentResult | None = None
    verifier_result: Verified | None = None
    exception_info: Raised | None = None
    started_at: Any = None  # a text, or a number in some
    finished_at: Any = None
    environment_setup: Phase | None = None
    agent_setup: Phase | None = None
    agent_execution: Phase | None = None
    verifier: Phase | None = None
    step_results: list[Step] | None = None

    @property
    def parts(self) -> "list[Step | Trial]":
        """The trial itself, and its steps, if there are several."""
        return [self, *(self.step_results or ())]

    @property
    def agent_usage(self) -> AgentResult:
        """The agent's usage: of the trial as a whole, or else of all its steps."""
        found = [it.agent_result for it in self.parts if it.agent_result is not None]
        if self.agent_result is not None or not found:
            return self.agent_result or AgentResult()
        return AgentResult(*(_sum_known(getattr(it, name) for it in found) for name in _USED))

    @property
    def verdict(self) -> Verified | None:
        """The rewards: harbor's own, else the means over the steps that were graded."""
        if self.verifier_result is not None:
            return self.verifier_result
        found = [it.rewards or {} for step in self.step_results or () if (it := step.verdict)]
        names = dict.fromkeys(name for rewards in found for name in rewards)
        means = {name: sum(it.get(name, 0) for it in found) / len(found) for name in names}
        return Verified(rewards=means) if means else None

    @property
    def first_exception(self) -> Raised | None:
        """The first exception: of the trial, or else of a step."""
        return next((it.exception_info for it in self.parts if it.exception_info), None)

    @property
    def executions(self) -> list[Phase]:
        """The times at which the agent was at work."""
        return [it.agent_execution for it in self.parts if it.agent_execution]


_USED = AgentResult.__struct_fields__


def _sum_known(values: Iterable[Any]) -> Any:  # noqa: ANN401  counts or dollars
    known = [value for value in values if value is not None]
    return sum(known) if known else None


TRIALS = Loose(Trial)
