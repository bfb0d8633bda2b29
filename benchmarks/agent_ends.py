"""The time from the refusal of a request to the end of an agent, for ``agent_checks.py``."""

import asyncio
import tempfile
import time
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from benchmaker.arenas.agentic.gateway.caps import TrialCaps
from benchmaker.arenas.agentic.gateway.gateway import open_gateway
from benchmaker.arenas.agentic.running.agent_check import check_script, check_task
from benchmaker.arenas.agentic.running.agents import find_agent
from benchmaker.arenas.agentic.running.scripted.server import serve_model
from benchmaker.arenas.agentic.running.steps import LocalSteps
from benchmaker.arenas.agentic.running.trial import TrialOrder, run_trial
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.providers.prices.costs import Prices
from benchmaker.record.agent_trial import TrialKey, Wire
from benchmaker.store.home import Home

MOST_S = 10.0
"""The most seconds between a refusal and the end of the agent's processes."""

MODELS = {
    Wire.CHAT: "openai/gpt-4o-mini",
    Wire.RESPONSES: "openai/gpt-4o-mini",
    Wire.MESSAGES: "anthropic/claude-sonnet-4-5",
    Wire.GEMINI: "google/gemini-2.5-flash",
}
"""A model with a known price for each protocol."""


@dataclass(frozen=True, slots=True)
class AgentEnd:
    """The end of an agent whose second request was refused.

    ``seconds`` are those from the first refusal, as stored, to the end of all processes of the
    agent; None if it sent no second request. ``refusals`` counts refused requests.
    """

    name: str
    outcome: str
    seconds: float | None
    refusals: int

    @property
    def is_in_time(self) -> bool:
        """True if the agent ended within the limit."""
        return self.seconds is not None and self.seconds <= MOST_S

    def __str__(self) -> str:
        if self.seconds is None:
            return f"{self.name}: {self.outcome}, no request was refused"
        refusals = (
            f"{self.refusals} refused requests" if self.refusals != 1 else "1 refused request"
        )
        return (
            f"{self.name}: {self.outcome}, ended {self.seconds:.1f} s after the first refusal "
            f"(at most {MOST_S:g}), {refusals}"
        )


@dataclass(frozen=True, slots=True)
class TimedSteps(LocalSteps):
    """Executes the steps in this process, and keeps the moments at which agents ended."""

    ends: list[float] = field(default_factory=list)

    async def run_agent(self, *words, **options):
        run = await LocalSteps.run_agent(self, *words, **options)
        self.ends.append(time.time())
        return run


def end_after_refusal(name: str, search_path: str) -> AgentEnd:
    """Run the check's task through an agent that may send one request, behind the real gateway.

    Raises:
        PrerequisiteError: the agent, or the isolation, is not installed.
    """
    with serve_model(check_script(check_task())) as url, tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_end_of(name, search_path, url, Path(folder)))


async def _end_of(name: str, search_path: str, url: str, home: Path) -> AgentEnd:
    agent, task, steps = find_agent(name), check_task(), TimedSteps()
    model = MODELS[Wire(agent.adapter.wire)]
    key = TrialKey("ends", task.task.id, agent.system(model).name, 1)
    order = TrialOrder(
        key=key, task=task, agent=agent, search_path=search_path, model=model,
        caps=TrialCaps(requests=1),
    )  # fmt: skip
    with Home.of(home, None).open_store() as store:
        pricer = Pricer(Prices(home), now=time.time())
        async with open_gateway(
            store, [model], series=key.series, environ=endpoints_at(url), home=home
        ) as gateway:
            trial = await run_trial(store, order, pricer=pricer, gateway=gateway, steps=steps)
        refused = [row.started_at for row in store.agent_trials.requests(key) if row.refused]
    began = datetime.fromisoformat(refused[0]).timestamp() if refused else None
    seconds = None if began is None else steps.ends[0] - began
    return AgentEnd(name, str(trial.outcome), seconds, len(refused))


def endpoints_at(url: str) -> dict[str, str]:
    """The variables by which all endpoints are one server."""
    keys = {f"{it}_API_KEY": "sk-none" for it in ("OPENAI", "ANTHROPIC", "GEMINI")}
    return keys | {
        "OPENAI_BASE_URL": f"{url}/v1",
        "ANTHROPIC_BASE_URL": url,
        "GEMINI_BASE_URL": f"{url}/v1beta/openai",
    }
