"""Series of small agents on small tasks, with a scripted model behind the real gateway."""

import os
import shlex
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from benchmaker.arenas.agentic.running.scripted.model import SHELL_TOOLS, Scripted
from benchmaker.arenas.agentic.running.scripted.script import Tokens, Turn
from benchmaker.arenas.agentic.running.scripted.server import serve_model
from benchmaker.arenas.agentic.series.api import resume_agents, run_agents
from benchmaker.arenas.agentic.series.attempt import SeriesLimits
from benchmaker.sandbox import Isolation
from benchmaker.sandbox.isolation_check import unmet_prerequisite
from benchmaker.store.home import Home
from tests.left_out import leave_out

TINY = Path(__file__).parents[1] / "running" / "tiny_agent.py"
MODEL = "openai/gpt-4o-mini"
TURNS = (
    Turn("I write it.", Tokens(1103, 2207, output=151), command="printf right > answer.txt"),
    Turn("The work is done.", Tokens(307, 3719, output=97)),
)
TOKENS = sum(turn.tokens.uncached + turn.tokens.cached + turn.tokens.output for turn in TURNS)
QUICK = SeriesLimits(pause_s=0.01)


def pytest_collection_modifyitems(config, items):
    """Without bubblewrap series fail under CI, and are deselected elsewhere."""
    fault = unmet_prerequisite(Isolation.NAMESPACE)
    if fault and os.environ.get("CI", "") not in {"1", "true"}:
        out = [item for item in items if "agents" in getattr(item, "fixturenames", ())]
        leave_out(config, items, out, f"of series of agents not run: {fault}")


def write_task(folder, name, answer="right"):
    """A task whose solution is a file with one word."""
    place = folder / name
    (place / "start").mkdir(parents=True)
    (place / "start" / "question.txt").write_text("Which word?\n")
    (place / "reference").mkdir()
    (place / "reference" / "answer.txt").write_text(answer)
    (place / "cheats" / "wrong").mkdir(parents=True)
    (place / "cheats" / "wrong" / "answer.txt").write_text("wrong")
    (place / "task.yaml").write_text(
        f"id: {name}\nprompt: Write the word {answer!r} to answer.txt.\n"
        "outputs: [answer.txt]\ncriteria:\n"
        f"  - {{id: answer, type: output_match, run: [cat, answer.txt], expected: {answer}, "
        "required: true}\n"
    )
    return place


@dataclass
class Agents:
    """Runs series in a data folder of the test's own."""

    folder: Path
    home: Path
    variables: dict[str, str] = field(default_factory=dict)

    def tasks(self, number):
        return [
            self.folder / "tasks" / f"t{at}"
            if (self.folder / "tasks" / f"t{at}").exists()
            else write_task(self.folder / "tasks", f"t{at}")
            for at in range(number)
        ]

    def adapter(self, code=None, *, name="tiny", wire="chat", **more):
        """The adapter file of an agent: a Python script, or the tiny agent."""
        words = [] if code else [wire]
        place = self.folder / name
        place.mkdir(exist_ok=True)
        file = place / f"{name}.py"
        file.write_text(code or TINY.read_text())
        argv = ["python3", "-I", "-S", file.name, *words]
        lines = [f'name = "{name}"', f"argv = {argv}", *([f'wire = "{wire}"'] if wire else [])]
        lines += [f"{key} = {value}" for key, value in more.items()]
        path = place / f"{name}.toml"
        path.write_text("\n".join(lines))
        return str(path)

    def run(self, tasks, agents, **options):
        options.setdefault("limits", QUICK)
        tasks = self.tasks(tasks) if isinstance(tasks, int) else tasks
        environ = {"PATH": os.environ["PATH"], **self.variables}
        return run_agents(tasks, agents, home=self.home, environ=environ, **options)

    def resume(self, series="latest", **options):
        options.setdefault("limits", QUICK)
        environ = {"PATH": os.environ["PATH"], **self.variables}
        return resume_agents(series, home=self.home, environ=environ, **options)

    @contextmanager
    def model(self, *turns, script=None):
        """Serve a scripted model in place of OpenAI's."""
        model = script or Scripted(turns or TURNS, SHELL_TOOLS)
        with serve_model(model) as url:
            self.variables = {"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": f"{url}/v1"}
            yield model

    def store(self):
        return Home.of(self.home, None).open_store()


def shell(line):
    return f"command:sh -c {shlex.quote(line)}"


@pytest.fixture
def agents(tmp_path):
    return Agents(tmp_path, tmp_path / "home")
