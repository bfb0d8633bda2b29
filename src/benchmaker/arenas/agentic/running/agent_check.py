"""The check of an agent: one small task through it, with a scripted model."""

import shlex
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from benchmaker.arenas.agentic.running.agents import HARBOR, Agent, agent_of_harbor
from benchmaker.arenas.agentic.running.harbor.library import (
    INSTALL,
    HarborAdapter,
    every_adapter,
    library_python,
)
from benchmaker.arenas.agentic.running.measured import IMPORTER
from benchmaker.arenas.agentic.running.programs import (
    find_program,
    installed_version,
    program_of,
)
from benchmaker.arenas.agentic.running.scripted.gateway import scripted_gateway
from benchmaker.arenas.agentic.running.scripted.model import SHELL_TOOLS, Scripted
from benchmaker.arenas.agentic.running.scripted.script import Tokens, Turn
from benchmaker.arenas.agentic.running.trial import TrialOrder, run_trial
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.documents import OMITTED, Document, NullIfEmpty
from benchmaker.providers.prices.costs import Prices
from benchmaker.record.agent_trial import AgentTrial, TrialKey, TrialOutcome
from benchmaker.record.submissions.evaluation import current_evidence
from benchmaker.record.submissions.submission import EvidenceLevel
from benchmaker.spec.documents.bundled_files import resource_path
from benchmaker.spec.tasks.task import TaskFolder
from benchmaker.spec.tasks.task_file import load_task
from benchmaker.store import Store
from benchmaker.store.home import Home

MODEL: Final = "scripted/scripted"
"""The model of a check."""

IMAGE: Final = "docker.io/library/debian:bookworm"
"""The image of a check of an agent of harbor."""

_NAMES: Final = ("sorted.txt", "names.txt")
_EXPECTED: Final = {"nop": TrialOutcome.FAILED, "cheat": TrialOutcome.FAILED}


@dataclass(frozen=True, slots=True)
class AgentInstallation(Document):
    """An agent on this machine; ``version`` is empty if it is unknown."""

    name: str
    title: str
    installed: bool
    version: NullIfEmpty = ""
    wire: str | None = None
    program: str | None = None
    install: NullIfEmpty = ""


@dataclass(frozen=True, slots=True)
class AgentCheck(Document):
    """The result of a check.

    ``expected`` is the outcome of a working agent: ``solved``, or ``failed`` for ``nop`` and
    ``cheat``. ``evidence_level`` is ``verified`` if the workspace was graded in isolation.
    ``tokens`` are those of the gateway, ``log`` is the importer of the agent's log, and ``flags``
    say if the log differs.
    """

    name: str
    version: NullIfEmpty
    expected: str
    outcome: str
    detail: NullIfEmpty
    evidence_level: str | None
    isolation: str
    requests: int
    tokens: int | None
    log: str | None
    flags: tuple[str, ...]
    wall_s: float | None
    trial: Annotated[AgentTrial, OMITTED]

    @property
    def is_working(self) -> bool:
        """True if the outcome is the expected one, and verified."""
        is_verified = self.evidence_level == EvidenceLevel.VERIFIED
        return self.outcome == self.expected and is_verified


def check_task() -> TaskFolder:
    """The bundled task of the check."""
    return load_task(Path(str(resource_path("agents", "check"))))


def check_script(task: TaskFolder) -> Scripted:
    """The model of the check, which writes the reference solution by a shell command.

    A request without tools gets the solution as text, in the form that Aider takes for a file.
    """
    target, _ = _NAMES
    solution = (task.reference / target).read_text(encoding="utf-8")
    write = f"printf %s {shlex.quote(solution)} > {target}"
    turns = (
        Turn("I sort the names.", Tokens(1103, 2207, 409, 151, 67), command=write),
        Turn(
            "The work is done.",
            Tokens(307, 3719, 211, 97, 29),
            command="echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT",
        ),
        Turn("The names are sorted.", Tokens(503, 4337, 113, 59, 23)),
    )
    aside = Turn(f"{target}\n```\n{solution}```\n", Tokens(19, output=5))
    return Scripted(turns, SHELL_TOOLS, aside=aside)


async def check_agent(agent: Agent, search_path: str) -> AgentCheck:
    """Run the check's task through an agent, in a store of its own.

    Raises:
        PrerequisiteError: the agent, or the isolation, is not installed.
    """
    version, task = "", check_task()
    if agent.harbor is not None:
        version = agent.harbor.title
        task = TaskFolder(task.task.model_copy(update={"image": IMAGE}), task.folder, task.digest)
    elif agent.adapter is not None:
        version = await installed_version(agent.adapter, program_of(agent, search_path))
    model = MODEL if agent.needs_model or agent.adapter else ""
    key = TrialKey("check", task.task.id, agent.system(model).name, 1)
    order = TrialOrder(
        key=key, task=task, agent=agent, search_path=search_path, model=model, version=version
    )
    with _own_store() as (store, home), scripted_gateway(check_script(task)) as gateway:
        pricer = Pricer(Prices(home), now=time.time())
        trial = await run_trial(store, order, pricer=pricer, gateway=gateway)
        return _result(store, trial, version)


async def installation_of(agent: Agent, search_path: str) -> AgentInstallation:
    """The installation of an agent on this machine."""
    if agent.adapter is None:
        return AgentInstallation(agent.name, agent.name, installed=True)
    if agent.harbor is not None:
        return _harbor_installation(agent.harbor)
    adapter = agent.adapter
    program = find_program(adapter.argv[0], search_path)
    return AgentInstallation(
        name=agent.name,
        title=adapter.title or agent.name,
        installed=program is not None,
        version=await installed_version(adapter, program) if program else "",
        wire=adapter.wire,
        program=str(program.file) if program else None,
        install=adapter.install,
    )


def harbor_installations() -> list[AgentInstallation]:
    """The agents of harbor; without the library, one row with the command that installs it.

    Raises:
        SandboxError: the library can't be used.
    """
    found = [_harbor_installation(it) for it in every_adapter()]
    if found or library_python():
        return found
    lacking = AgentInstallation(
        f"{HARBOR}NAME", "Agents of harbor", installed=False, install=INSTALL
    )
    return [lacking]


def _harbor_installation(found: HarborAdapter) -> AgentInstallation:
    agent = agent_of_harbor(found)
    return AgentInstallation(
        agent.name,
        agent.adapter.title if agent.adapter else agent.name,
        installed=True,
        version=found.title,
        wire=found.wire,
    )


def _result(store: Store, trial: AgentTrial, version: str) -> AgentCheck:
    made = store.submission(trial.submission_id) if trial.submission_id else None
    verification = store.agentic.verification(made.id) if made else None
    level = current_evidence(made, verification) if made else None
    return AgentCheck(
        name=trial.agent,
        version=version,
        expected=_EXPECTED.get(trial.agent, TrialOutcome.SOLVED),
        outcome=str(trial.outcome),
        detail=trial.detail,
        evidence_level=str(level) if level else None,
        isolation=verification.isolation if verification else trial.isolation,
        requests=trial.meter.requests,
        tokens=made.total_tokens if made else None,
        log=made.importer if made and made.importer != IMPORTER else None,
        flags=trial.flags,
        wall_s=made.time.wall_s if made else None,
        trial=trial,
    )


@contextmanager
def _own_store() -> Iterator[tuple[Store, Path]]:
    with tempfile.TemporaryDirectory(prefix="benchmaker-check-") as name:
        home = Path(name)
        with Home.of(home, None).open_store() as store:
            yield store, home
