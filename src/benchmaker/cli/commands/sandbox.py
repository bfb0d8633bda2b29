"""``benchmaker sandbox``: run a command in the sandbox, or attack the sandbox."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchmaker.cli.base_command import FOLDER
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output.output import escape_controls, say, say_json, tell
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.sandbox import CommandResult, Isolation

_LEVELS = ("namespace", "container", "process")
_SIGNALLED = 128
_ENDED_BY_US = 124
_RISK = (
    "--unsafe-local: the command runs as a process of this machine. It can read your files and use "
    "the network."
)


@declare(
    "sandbox",
    examples=(
        "benchmaker sandbox exec --work . -- python3 -m unittest",
        "benchmaker sandbox exec --work . --timeout 10 --memory 256 -- ./build.sh",
        "benchmaker sandbox check",
    ),
)
@click.argument("action", type=click.Choice(("exec", "check")))
@click.argument("words", metavar="[-- COMMAND...]", nargs=-1, type=click.UNPROCESSED)
@click.option("--work", type=FOLDER, help="exec: folder to copy for the command.")
@click.option("--outputs", type=FOLDER, help="exec: empty folder for the resulting copy.")
@click.option(
    "--isolation",
    type=click.Choice(_LEVELS),
    help="Isolation. Default: namespace; if unavailable, the command is refused.",
)
@click.option(
    "--unsafe-local", is_flag=True, help="Run without isolation, as a process with limits."
)
@click.option("--image", default="", metavar="NAME", help="Image for container isolation.")
@click.option(
    "--timeout", type=float, default=60.0, metavar="S", help="Timeout in seconds. Default: 60."
)
@click.option(
    "--memory",
    type=int,
    default=1024,
    metavar="MB",
    help="Memory limit in megabytes. Default: 1024.",
)
@click.option(
    "--disk", type=int, default=256, metavar="MB", help="Disk limit in megabytes. Default: 256."
)
@click.option(
    "--processes",
    type=int,
    default=64,
    metavar="N",
    help="Maximum number of processes. Default: 64.",
)
@click.option("--network", is_flag=True, help="Allow full use of this machine's network.")
def command(
    context: Context,
    *,
    action: str,
    words: tuple[str, ...],
    work: Path | None,
    outputs: Path | None,
    isolation: str | None,
    unsafe_local: bool,
    image: str,
    timeout: float,
    memory: int,
    disk: int,
    processes: int,
    network: bool,
) -> int:
    """Run an untrusted command, or test the isolation.

    Use exec to run the command on a copy of a folder; the folder itself is not changed. The exit
    code is that of the command, 128 plus the number of its signal, or 124 if a limit ended it;
    stderr gives the reason. Use check to attack the isolation; the exit code is 3 if an attack
    succeeds.
    """
    from benchmaker.sandbox import (
        Outputs,
        ResourceLimits,
        SandboxCommand,
        interpreter_reads,
        run_sandboxed,
    )

    level = _level(isolation, unsafe_local=unsafe_local)
    if action == "check":
        return _check(context, level)
    if not words:
        raise SpecError(
            "no command given.", hint="Use: benchmaker sandbox exec --work . -- COMMAND"
        )
    limits = ResourceLimits(
        wall_s=timeout, cpu_s=timeout, memory_mb=memory, disk_mb=disk, processes=processes
    )
    reads = interpreter_reads() if words[0] == sys.executable else {}
    order = SandboxCommand(words, network=network, image=image, reads=reads, stdin=_stdin())
    taken = Outputs(outputs) if outputs else None
    ended = run_sandboxed(order, work, isolation=level, limits=limits, outputs=taken)
    _say(context, ended)
    return _code(ended)


def _level(requested: str | None, *, unsafe_local: bool) -> "Isolation":
    """Return the requested isolation level, or the best available; never a lower one."""
    from benchmaker.sandbox import Isolation, require

    least = Isolation(requested or (Isolation.PROCESS if unsafe_local else Isolation.NAMESPACE))
    if least is Isolation.PROCESS and not unsafe_local:
        raise SpecError(
            "isolation by process does not protect this machine.",
            hint="Confirm with --unsafe-local.",
        )
    level = least if requested else require(least, allow_unsafe=unsafe_local)
    if level is Isolation.PROCESS:
        tell(_RISK)
    return level


def _stdin() -> bytes:
    return b"" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read()


def _check(context: Context, level: "Isolation") -> ExitCode:
    from benchmaker.sandbox.selftest import self_test

    findings = self_test(level)
    is_sound = all(finding.holds for finding in findings)
    if context.use_json:
        say_json({"ok": is_sound, "isolation": level, "walls": findings})
        return ExitCode.OK if is_sound else ExitCode.PREREQUISITE
    width = max(len(finding.name) for finding in findings)
    for finding in findings:
        mark = "holds" if finding.holds else "OPEN"
        say(f"{finding.name:<{width}}  {mark:<5}  {finding.seen}")
    say(f"Isolation by {level}: " + ("all checks passed." if is_sound else "some checks failed."))
    return ExitCode.OK if is_sound else ExitCode.PREREQUISITE


def _say(context: Context, ended: "CommandResult") -> None:
    if context.use_json:
        say_json(_result_data(ended))
        return
    for text, stream in ((ended.stdout, sys.stdout), (ended.stderr, sys.stderr)):
        shown = escape_controls(text.decode("utf-8", "replace")) if stream.isatty() else text
        click.echo(shown, file=stream, nl=False)
    if ended.truncated:
        tell("The output was truncated to its end.")
    if ended.left_out:
        tell(f"Not copied: {', '.join(f'{path} ({why})' for path, why in ended.left_out[:5])}.")
    if ended.reason != "exited":
        signal = f"by signal {ended.signal}" if ended.reason == "killed" else ""
        words = " ".join(part for part in (ended.reason, signal, ended.detail) if part)
        tell(f"Ended: {words} (isolation by {ended.isolation}).")


def _result_data(ended: "CommandResult") -> dict[str, object]:
    from dataclasses import fields

    data = {field.name: getattr(ended, field.name) for field in fields(ended)}
    for name in ("stdout", "stderr", "channel"):
        data[name] = data[name].decode("utf-8", "replace")
    return data


def _code(ended: "CommandResult") -> int:
    if ended.reason == "not_started":
        return ExitCode.PREREQUISITE
    if ended.exit_status is not None:
        return ended.exit_status
    if ended.reason != "killed" or ended.signal is None:
        return _ENDED_BY_US
    return _SIGNALLED + ended.signal
