"""What a series of agent trials costs beside bare bubblewrap with the same agent and verifier.

    python -m benchmarks.agent_series [--trials N] [--jobs N] [--chunk N] [--json]

A small agent asks a model server in a process of its own, which answers after 50 ms, runs one
command, and asks again. Chunks of trials run in alternation, each arm in a process of its own that
has run two trials before: ``agents run`` (gateway, durable rows, submissions, evaluation), and a
loop that copies the start folder, runs the agent in bubblewrap with the network of the machine,
and calls the verifier. Agents run by the same Python at the same priority, that of the sandbox.
Processor time is that of the process and of all its children, the start of the series and the
boards at its end included. The median of the differences of pairs is the result.
"""

import argparse
import asyncio
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmaker.arenas.agentic.running.programs import find_program
from benchmaker.arenas.agentic.running.scripted.model import SHELL_TOOLS, Scripted
from benchmaker.arenas.agentic.running.scripted.script import Tokens, Turn
from benchmaker.arenas.agentic.running.scripted.server import serve_model
from benchmaker.arenas.agentic.series.api import run_agents
from benchmaker.arenas.agentic.verify import averify
from benchmaker.spec.tasks.task import TaskFolder
from benchmaker.spec.tasks.task_file import load_task

ROOT = Path(__file__).parents[1]
AGENT = ROOT / "tests/arenas/agentic/running/tiny_agent.py"
MODEL = "openai/gpt-4o-mini"
DELAY_S = 0.05
MOST_S = 0.150
TURNS = (
    Turn("I write it.", Tokens(1103, 2207, output=151), command="printf right > answer.txt"),
    Turn("The work is done.", Tokens(307, 3719, output=97)),
)
TASK = """\
id: one-word
prompt: Write the word right to answer.txt.
outputs: [answer.txt]
criteria:
  - {id: answer, type: output_match, run: [cat, answer.txt], expected: right, required: true}
"""


def main() -> int:
    """Print both arms and their difference; exit with 1 if a bar is not met."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--chunk", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--arm", choices=ARMS, help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    words = parser.parse_args()
    if words.arm:
        print(json.dumps(measure(words.arm, words.url, words.chunk, words.jobs)))
        return 0
    pairs = alternate(words.trials // words.chunk, words.chunk, words.jobs)
    made = {"trials": words.trials, "jobs": words.jobs, **summary(pairs)}
    print(json.dumps(made) if words.json else sentence(made))
    return int(max(made["more_wall_s"], made["more_cpu_s"]) > MOST_S)


def alternate(number: int, chunk: int, jobs: int) -> list[dict[str, list[float]]]:
    """Wall and processor seconds per trial of both arms, by pairs; the order alternates."""
    pairs = []
    with serve_model(LateModel(TURNS, SHELL_TOOLS)) as url:
        for at in range(number):
            arms = ARMS if at % 2 else tuple(reversed(ARMS))
            pairs.append({arm: in_process(arm, url, chunk, jobs) for arm in arms})
    return pairs


class LateModel(Scripted):
    """Answers after a while, as models do."""

    def reply(self, *given, **options):
        time.sleep(DELAY_S)
        return super().reply(*given, **options)


def in_process(arm: str, url: str, chunk: int, jobs: int) -> list[float]:
    words = ("--arm", arm, "--url", url, "--chunk", str(chunk), "--jobs", str(jobs))
    argv = [sys.executable, "-m", "benchmarks.agent_series", *words]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def measure(arm: str, url: str, chunk: int, jobs: int) -> list[float]:
    """Wall and processor seconds per trial of one arm, after two that are not counted.

    Two, since figures of spread load their library at the second.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "one-word")
        (folder / "start").mkdir(parents=True)
        (folder / "start" / "question.txt").write_text("Which word?\n")
        (folder / "task.yaml").write_text(TASK)
        run = {"series": run_series, "bare": run_bare}[arm]
        run(folder, url, 2, 1)
        began, used = time.monotonic(), processor_s()
        run(folder, url, chunk, jobs)
        return [(time.monotonic() - began) / chunk, (processor_s() - used) / chunk]


def processor_s() -> float:
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(it.ru_utime + it.ru_stime for it in map(resource.getrusage, kinds))


def run_series(folder: Path, url: str, trials: int, jobs: int) -> None:
    adapter = folder.parent / "tiny.toml"
    shutil.copy(AGENT, folder.parent / AGENT.name)
    argv = ["python3", "-I", "-S", AGENT.name, "chat"]
    adapter.write_text(f'name = "tiny"\nargv = {argv}\nwire = "chat"\n')
    made = run_agents(
        folder, str(adapter), models=MODEL, attempts=trials, jobs=jobs,
        home=folder.parent / "home",
        environ={
            "PATH": os.environ["PATH"], "OPENAI_API_KEY": "sk-none", "OPENAI_BASE_URL": f"{url}/v1",
        },
    )  # fmt: skip
    if [str(it.outcome) for it in made.trials] != ["solved"] * trials:
        raise SystemExit(f"not solved: {made.trials}")


def run_bare(folder: Path, url: str, trials: int, jobs: int) -> None:
    task = load_task(folder)
    with ThreadPoolExecutor(jobs) as threads:
        list(threads.map(lambda _: bare_trial(task, url), range(trials)))


def bare_trial(task: TaskFolder, url: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        work, python = Path(name, "project"), str(find_program("python3", os.environ["PATH"]).file)
        shutil.copytree(task.start, work)
        env = {
            "PATH": os.environ["PATH"], "BENCHMAKER_BASE_URL": url, "BENCHMAKER_TOKEN": "none",
            "BENCHMAKER_MODEL": MODEL.partition("/")[2], "BENCHMAKER_PROMPT": task.task.prompt,
        }  # fmt: skip
        argv = [
            "nice", "-n", "5",  # as the sandbox runs it, so that others slow both arms alike
            "bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", name,
            name, "--unshare-user", "--unshare-pid", "--unshare-ipc", "--die-with-parent",
            "--as-pid-1",  # so that bubblewrap waits for the agent, whose time then counts
            "--chdir", str(work), python, "-I", "-S", str(AGENT), "chat",
        ]  # fmt: skip
        subprocess.run(argv, env=env, check=True, capture_output=True)
        if not asyncio.run(averify(task, work)).success:
            raise SystemExit("not solved")


ARMS = ("series", "bare")


def summary(pairs: list[dict[str, list[float]]]) -> dict[str, float]:
    made = {}
    for at, what in enumerate(("wall_s", "cpu_s")):
        for arm in ARMS:
            made[f"{arm}_{what}"] = statistics.median(it[arm][at] for it in pairs)
        made[f"more_{what}"] = statistics.median(it["series"][at] - it["bare"][at] for it in pairs)
    return {name: round(value, 4) for name, value in made.items()}


def sentence(made: dict[str, float]) -> str:
    lines = [f"{made['trials']} trials, --jobs {made['jobs']}, medians of pairs, ms per trial"]
    for name, what in (("processor", "cpu_s"), ("wall", "wall_s")):
        values = [f"{arm} {1000 * made[f'{arm}_{what}']:.0f}" for arm in (*ARMS, "more")]
        lines.append(f"{name}: {', '.join(values)} (at most {1000 * MOST_S:.0f})")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
