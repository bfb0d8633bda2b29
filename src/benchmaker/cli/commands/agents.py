"""``benchmaker agents``: the coding agents that can be run, a check of each, and their series."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.commands.agents_run import resume_series, run, show
from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.group import Subgroup
from benchmaker.cli.output.output import say, say_beside, say_json, tell

if TYPE_CHECKING:
    from benchmaker.arenas.agentic.running.agent_check import AgentCheck, AgentInstallation


class AgentsGroup(Subgroup):
    """The group."""

    examples = (
        "benchmaker agents list",
        "benchmaker agents check mini-swe-agent",
        "benchmaker agents run room-calendar --agent oracle --agent nop",
        "benchmaker agents show latest",
    )


command = AgentsGroup(
    "agents",
    help="""List, check, run and compare coding agents.

    An agent is a bundled one by name, the path of an adapter file (.toml), command:LINE for any
    command line, or harbor:NAME for an adapter of the library harbor. The agents oracle, nop and
    cheat call no model.
    """,
)


@declare("list", examples=("benchmaker agents list", "benchmaker agents list --json"))
@click.argument("names", metavar="[AGENT]...", nargs=-1)
def list_agents(context: Context, *, names: tuple[str, ...]) -> None:
    """List the agents with their installed versions and install commands.

    Versions are read by running the programs in the sandbox, without a network. The agents of the
    library harbor are listed if it is installed; they are installed in the images of tasks.
    """
    from benchmaker.arenas.agentic.running.agent_check import harbor_installations
    from benchmaker.arenas.agentic.running.agents import STAND_INS, bundled_adapters, find_agent

    chosen = names or (*(it.name for it in bundled_adapters()), *STAND_INS)
    found = asyncio.run(_installations([find_agent(name) for name in chosen], _path(context)))
    found += [] if names else harbor_installations()
    if context.use_json:
        say_json({"agents": [it.to_dict() for it in found]})
        return
    _print_list(found, dict(STAND_INS))


def _print_list(found: Sequence["AgentInstallation"], stand_ins: Mapping[Any, str]) -> None:
    from benchmaker.cli.output.table import format_table

    rows = [
        [
            it.name,
            it.version or ("yes" if it.installed else "no"),
            it.wire or "–",
            stand_ins.get(it.name) or ("" if it.installed else it.install),
        ]
        for it in found
    ]
    for line in format_table(("agent", "installed", "wire", "about"), rows):
        say(line)


@declare(
    "check",
    examples=(
        "benchmaker agents check oracle",
        "benchmaker agents check claude-code --json",
    ),
)
@click.argument("agent", metavar="AGENT")
def check(context: Context, *, agent: str) -> ExitCode:
    """Run one small task through an agent, with a scripted model.

    The agent runs in the sandbox, and the gateway to the scripted model is its only way out. The
    check passes if the task is solved and verified; nop and cheat must fail it. Nothing is stored,
    no key is needed. The exit code is 1 if the check fails.
    """
    from benchmaker.arenas.agentic.running.agent_check import check_agent
    from benchmaker.arenas.agentic.running.agents import find_agent

    found = asyncio.run(check_agent(find_agent(agent), _path(context)))
    if context.use_json:
        say_json(found.to_dict() | {"ok": found.is_working})
    else:
        _print_check(found)
    return ExitCode.OK if found.is_working else ExitCode.THRESHOLD_MISSED


def _print_check(found: "AgentCheck") -> None:
    say(f"{found.name} {found.version or ''}".rstrip() + f": {found.outcome}")
    if found.outcome != found.expected:
        tell(f"Expected: {found.expected}.")
    say_beside("Detail: ", found.detail or "–")
    say_beside("Evidence: ", f"{found.evidence_level or 'none'} ({found.isolation})")
    say_beside("Requests: ", f"{found.requests:,}")
    say_beside("Tokens: ", "unknown" if found.tokens is None else f"{found.tokens:,}")
    say_beside("Log: ", found.log or "none")
    if found.flags:
        say_beside("Flags: ", ", ".join(found.flags))


async def _installations(agents: Sequence[object], path: str) -> list["AgentInstallation"]:
    from benchmaker.arenas.agentic.running.agent_check import installation_of

    return [await installation_of(agent, path) for agent in agents]  # type: ignore[arg-type]


def _path(context: Context) -> str:
    """The search path for programs."""
    import os

    return context.environ.get("PATH") or os.defpath


for _one in (list_agents, check, run, resume_series, show):
    command.add_command(_one)
