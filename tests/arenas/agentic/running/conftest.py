"""One trial after another, in a store that they share."""

import asyncio
import itertools
import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from benchmaker.arenas.agentic.evaluation.evaluate import EvaluationOptions
from benchmaker.arenas.agentic.running.agent_check import check_script, check_task
from benchmaker.arenas.agentic.running.agents import Agent
from benchmaker.arenas.agentic.running.scripted.gateway import scripted_gateway
from benchmaker.arenas.agentic.running.trial import TrialOrder, run_trial
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.providers.prices.costs import Prices
from benchmaker.record.agent_trial import TrialKey
from benchmaker.sandbox import Isolation, ResourceLimits
from benchmaker.sandbox.isolation_check import unmet_prerequisite
from benchmaker.spec.agents.adapter import AgentAdapter
from benchmaker.spec.tasks.agentic_profile import load_profile
from benchmaker.store.home import Home
from tests.left_out import leave_out

HERE = Path(__file__).parent
LIMITS = ResourceLimits(
    wall_s=60, cpu_s=60, memory_mb=512, processes=40, disk_mb=16, inodes=2_000, file_mb=64
)


def pytest_collection_modifyitems(config, items):
    """Without bubblewrap trials fail under CI, and are deselected elsewhere."""
    fault = unmet_prerequisite(Isolation.NAMESPACE)
    if fault and os.environ.get("CI", "") not in {"1", "true"}:
        out = [item for item in items if "trials" in getattr(item, "fixturenames", ())]
        leave_out(config, items, out, f"of agent trials not run: {fault}")


@dataclass(frozen=True)
class Caps:
    requests: int | None = None


@dataclass
class Trials:
    """Runs agents on the small task of the check."""

    store: Any
    home: Path
    series: str
    numbers: Any

    def run(self, agent, *, task=None, model="scripted/tiny", fails=None, **order):
        """Run an agent; the trial, and the stored submission if there is one."""
        task = task or check_task()
        script = order.pop("script", None) or check_script(check_task())
        steps = order.pop("steps", None)
        attempt = order.pop("attempt", None) or next(self.numbers)
        given = TrialOrder(
            key=TrialKey(self.series, task.task.id, agent.name, attempt),
            task=task,
            agent=agent,
            search_path=order.pop("search_path", os.environ["PATH"]),
            model=model,
            limits=replace(LIMITS, **order.pop("limits", {})),
            grace_s=order.pop("grace_s", 0.2),
            **order,
        )
        trial = asyncio.run(self._run(given, script, fails, steps))
        made = self.store.submission(trial.submission_id) if trial.submission_id else None
        return trial, made

    async def _run(self, order, script, fails, steps):
        parts = {"pricer": Pricer(Prices(self.home), now=time.time()), "steps": steps}
        with scripted_gateway(script, fails=fails) as gateway:
            return await run_trial(self.store, order, gateway=gateway, **parts)

    def evaluation(self):
        """The options that evaluate a submission at once."""
        return EvaluationOptions(profile=load_profile("robust"), place=Home.of(self.home, None))


@pytest.fixture(scope="session")
def trials_store(tmp_path_factory):
    home = tmp_path_factory.mktemp("trials")
    with Home.of(home, None).open_store() as store:
        yield store, home


@pytest.fixture
def trials(trials_store, request):
    store, home = trials_store
    return Trials(store, home, request.node.name, itertools.count(1))


@pytest.fixture
def agent_of(tmp_path):
    """Make an agent of a Python script, or of the tiny agent if there is none."""

    def make(code=None, *words, name="tiny", **adapter):
        file = HERE / "tiny_agent.py"
        if code is not None:
            file = tmp_path / "agent.py"
            file.write_text(code, encoding="utf-8")
            file.chmod(0o644)
        argv = ("python3", "-I", "-S", file.name, *words)
        given = {"name": name, "argv": argv, "wire": "chat", **adapter}
        return Agent(name, AgentAdapter(**given), folder=file.parent)

    return make
