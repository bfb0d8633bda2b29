"""``benchmaker sandbox``: run a command behind the walls, or attack the walls."""

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
@click.option("--work", type=FOLDER, help="exec: the folder of which the command gets a copy.")
@click.option("--outputs", type=FOLDER, help="exec: an empty folder for the copy as it was left.")
@click.option(
    "--isolation", type=click.Choice(_LEVELS), help="The walls; default is namespace, or refused."
)
@click.option("--unsafe-local", is_flag=True, help="Go on without walls, as a process with limits.")
@click.option("--image", default="", metavar="NAME", help="The image, for isolation by container.")
@click.option("--timeout", type=float, default=60.0, metavar="S", help="Seconds; default 60.")
@click.option("--memory", type=int, default=1024, metavar="MB", help="Megabytes; default 1024.")
@click.option("--disk", type=int, default=256, metavar="MB", help="Megabytes; default 256.")
@click.option("--processes", type=int, default=64, metavar="N", help="At once; default 64.")
@click.option("--network", is_flag=True, help="Let it use this machine's network, all of it.")
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
    """Run a command that is not trusted, or test the walls.

    exec runs the command on a copy of the folder; the folder itself is not touched. The exit code
    is the command's, 128 plus the signal's number, or 124 where a limit ended it; stderr says why.
    check attacks the walls, and exits with 3 where one does not hold.
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
        raise SpecError("there is no command.", hint="benchmaker sandbox exec --work . -- COMMAND")
    limits = ResourceLimits(
        wall_s=timeout, cpu_s=timeout, memory_mb=memory, disk_mb=disk, processes=processes
    )
    reads = interpreter_reads() if words[0] == sys.executable else {}
    order = SandboxCommand(words, network=network, image=image, reads=reads, stdin=_stdin())
    taken = Outputs(outputs) if outputs else None
    ended = run_sandboxed(order, work, isolation=level, limits=limits, outputs=taken)
    _say(context, ended)
    return _code(ended)


def _level(asked: str | None, *, unsafe_local: bool) -> "Isolation":
    """Return the requested isolation level, or the best available; never a lower one."""
    from benchmaker.sandbox import Isolation, require

    least = Isolation(asked or (Isolation.PROCESS if unsafe_local else Isolation.NAMESPACE))
    if least is Isolation.PROCESS and not unsafe_local:
        raise SpecError("isolation by process is no wall.", hint="Say so with --unsafe-local.")
    level = least if asked else require(least, allow_unsafe=unsafe_local)
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
    say(f"Isolation by {level}: " + ("every wall holds." if is_sound else "not every wall holds."))
    return ExitCode.OK if is_sound else ExitCode.PREREQUISITE


def _say(context: Context, ended: "CommandResult") -> None:
    if context.use_json:
        say_json(_result_data(ended))
        return
    for text, stream in ((ended.stdout, sys.stdout), (ended.stderr, sys.stderr)):
        shown = escape_controls(text.decode("utf-8", "replace")) if stream.isatty() else text
        click.echo(shown, file=stream, nl=False)
    if ended.truncated:
        tell("The output was cut to its end.")
    if ended.left_out:
        tell(f"Not copied: {', '.join(f'{path} ({why})' for path, why in ended.left_out[:5])}.")
    if ended.reason != "exited":
        signal = f"by signal {ended.signal}" if ended.reason == "killed" else ""
        told = " ".join(part for part in (ended.reason, signal, ended.detail) if part)
        tell(f"Ended: {told} (isolation by {ended.isolation}).")


def _result_data(ended: "CommandResult") -> dict[str, object]:
    from dataclasses import fields

    told = {field.name: getattr(ended, field.name) for field in fields(ended)}
    for name in ("stdout", "stderr", "channel"):
        told[name] = told[name].decode("utf-8", "replace")
    return told


def _code(ended: "CommandResult") -> int:
    if ended.reason == "not_started":
        return ExitCode.PREREQUISITE
    if ended.exit_status is not None:
        return ended.exit_status
    if ended.reason != "killed" or ended.signal is None:
        return _ENDED_BY_US
    return _SIGNALLED + ended.signal
