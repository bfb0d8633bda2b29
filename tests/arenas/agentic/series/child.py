"""A process that runs or resumes a series, to be killed.

    python -m tests.arenas.agentic.series.child HOME URL JOBS TASK,TASK AGENT,AGENT ATTEMPTS

For each line of its input it forks one, which writes its process id, then a line for each snapshot
of the progress, and ``ended`` at its end.
"""

import os
import sys
from pathlib import Path

from benchmaker.arenas.agentic.series.api import resume_agents, run_agents
from benchmaker.store.home import Home
from tests.arenas.agentic.series.conftest import MODEL, QUICK


def work(words: list[str]) -> None:
    home, url, jobs, tasks, agents, attempts = words
    os.write(1, f"{os.getpid()}\n".encode())
    options = {
        "home": Path(home),
        "environ": {
            "PATH": os.environ["PATH"], "OPENAI_API_KEY": "sk-test",
            "OPENAI_BASE_URL": f"{url}/v1",
        },
        "limits": QUICK,
        "on_progress": lambda _: os.write(1, b"progress\n"),
    }  # fmt: skip
    if has_series(Path(home)):
        made = resume_agents(**options)
    else:
        made = run_agents(
            tasks.split(","), agents.split(","), models=MODEL, attempts=int(attempts),
            jobs=int(jobs), **options,
        )  # fmt: skip
    os.write(1, b"ended\n" if not made.open else b"open\n")


def has_series(home: Path) -> bool:
    place = Home.of(home, None)
    if not place.is_there():
        return False
    with place.open_store() as store:
        return bool(store.agent_trials.every_series())


def main() -> None:
    for _ in sys.stdin:
        child = os.fork()
        if not child:
            work(sys.argv[1:])
            os._exit(0)
        os.waitpid(child, 0)
        os.write(1, b"gone\n")


if __name__ == "__main__":
    main()
