"""Check that real agents run behind walls, one after another: ``benchmaker agents check`` of each.

``python benchmarks/agent_checks.py FOLDER`` installs the pinned release of each agent from npm or
PyPI into a folder of its own below FOLDER, and runs the small task of the check through it, with a
scripted model. Each must end solved and verified, with the tokens of its log equal to those of the
gateway. The exit status is 1 where one does not, 2 where one could not be installed.

``--only NAME`` checks one agent, ``--installed`` uses what is installed, in this folder or in that
of ``agent_drift.py``; ``--python PATH`` names an interpreter for agents from PyPI.

``--refusal`` runs each agent a second time, with one request before its cap, and prints the seconds
from the refusal to the end of its processes, without the verification: at most 10.
``--connections`` runs each check under strace, and prints the addresses that Benchmaker, the
sandbox and the agent connect to: the gateway, through loopback inside, and local sockets alone.
"""

import argparse
import asyncio
import os
import sys
from pathlib import Path

from agent_connections import traced
from agent_ends import end_after_refusal
from drift.installing import NotInstalledError, installed_pinned

from benchmaker.arenas.agentic.running.agent_check import AgentCheck, check_agent
from benchmaker.arenas.agentic.running.agents import find_agent
from benchmaker.errors import BenchmakerError

PINNED = {
    "claude-code": ("npm", ("@anthropic-ai/claude-code@2.1.332",)),
    "codex": ("npm", ("@openai/codex@0.171.0",)),
    "gemini-cli": ("npm", ("@google/gemini-cli@0.61.0",)),
    "qwen-code": ("npm", ("@qwen-code/qwen-code@0.24.4",)),
    "opencode": ("npm", ("opencode-ai@1.18.33",)),
    "mini-swe-agent": ("pip", ("mini-swe-agent==2.4.6", "mcp")),
    "aider": ("pip", ("aider-chat==0.86.2",)),
}
"""The releases that were checked, with the packages that they need besides."""

EXTRA_REQUESTS = {"opencode"}
"""Agents that send a request for a title, which their logs don't count."""

FAILED, NOT_INSTALLED = 1, 2
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"


def main() -> None:
    given = arguments()
    statuses = [status(name, given) for name in given.only or PINNED]
    sys.exit(max(statuses))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the agents are installed")
    parser.add_argument("--only", choices=PINNED, action="append", default=[])
    parser.add_argument("--installed", action="store_true", help="install nothing")
    parser.add_argument("--python", metavar="PATH", default=sys.executable)
    parser.add_argument("--refusal", action="store_true", help="time the end after a refusal")
    parser.add_argument("--connections", action="store_true", help="list addresses, by strace")
    return parser.parse_args()


def status(name: str, given: argparse.Namespace) -> int:
    try:
        path = os.pathsep.join((str(installed(name, given)), SYSTEM_PATH))
        checks = [is_working_alone(name, given) if given.connections else is_working(name, path)]
        if given.refusal:
            end = end_after_refusal(name, path)
            print(end, flush=True)
            checks.append(end.is_in_time)
    except (NotInstalledError, BenchmakerError) as exc:
        print(f"{name}: not installed: {exc}", flush=True)
        return NOT_INSTALLED
    return 0 if all(checks) else FAILED


def installed(name: str, given: argparse.Namespace) -> Path:
    """The folder of an agent's programs."""
    index, packages = PINNED[name]
    return installed_pinned(
        index, packages, given.folder.resolve(), python=given.python, is_kept=given.installed
    )


def is_working(name: str, path: str) -> bool:
    found = asyncio.run(check_agent(find_agent(name), path))
    print(line(found), flush=True)
    return is_right(found)


def is_working_alone(name: str, given: argparse.Namespace) -> bool:
    """Check an agent in a process of its own under strace, and print the addresses."""
    words = (str(given.folder), "--only", name, "--installed")
    try:
        found = traced([sys.executable, __file__, *words])
    except FileNotFoundError as exc:
        raise NotInstalledError("--connections needs strace") from exc
    print("\n".join(found.lines()), flush=True)
    return found.is_closed and not found.status


def is_right(found: AgentCheck) -> bool:
    flags = set(found.flags) - ({"metered_otherwise"} if found.name in EXTRA_REQUESTS else set())
    return found.is_working and not flags


def line(found: AgentCheck) -> str:
    evidence = f"{found.evidence_level} ({found.isolation})"
    figures = f"{found.requests} requests, {found.tokens:,} tokens, {found.wall_s:.1f} s"
    words = (found.outcome, evidence, figures, *found.flags, found.detail)
    return f"{found.name} {found.version}: {', '.join(filter(None, words))}"


if __name__ == "__main__":
    main()
