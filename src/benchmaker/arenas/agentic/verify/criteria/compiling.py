"""Criterion: source files parse."""

from pathlib import Path

import msgspec

from benchmaker.arenas.agentic.verify.criterion_context import (
    GradingContext,
    TimeLeft,
    describe_exit,
    not_clean,
)
from benchmaker.arenas.agentic.verify.finding import (
    Finding,
    error_with,
    fail_with,
    join_some,
    one_line,
    pass_with,
)
from benchmaker.arenas.agentic.verify.frameworks.python import RUNNER
from benchmaker.record.counts import count
from benchmaker.sandbox import Isolation
from benchmaker.spec.tasks.criterion import CodeCompiles

_INSIDE = "/benchmaker/compiles.py"


async def code_compiles(criterion: CodeCompiles, place: GradingContext) -> Finding:
    """Check that each file parses: Python by its own parser, else by the given command."""
    found = [path for path in place.paths(criterion.paths) if place.size(path) is not None]
    if not found:
        return fail_with(f"no such files: {join_some(list(criterion.paths))}")
    if criterion.run:
        return await _by_command(criterion, criterion.run, place, found)
    others = [path for path in found if not path.endswith((".py", ".pyi"))]
    if others:
        return error_with(f"the criterion needs run, a command for {join_some(others)}")
    return await _as_python(criterion, place, found)


async def _as_python(criterion: CodeCompiles, place: GradingContext, found: list[str]) -> Finding:
    own = RUNNER / "compiles.py"
    inside = str(own) if place.isolation is Isolation.PROCESS else _INSIDE
    reads: dict[str | Path, str] = {own: inside}
    argv = ("python3", "-I", "-S", "-B", inside)
    words = msgspec.json.encode(found)
    ended = await place.run(argv, seconds=criterion.timeout_s, stdin=words, reads=reads)
    if (finding := not_clean(ended, argv)) is not None:
        return finding
    if ended.exit_status:
        return fail_with(describe_exit(ended))
    return _passed_finding(found)


async def _by_command(
    criterion: CodeCompiles, run: tuple[str, ...], place: GradingContext, found: list[str]
) -> Finding:
    """The command is called for each file, which is its last argument."""
    left = TimeLeft(criterion.timeout_s)
    for path in found:
        if left.seconds <= 0:
            return fail_with(
                f"not all of {count(len(found), 'file')} finished within {criterion.timeout_s:g} s"
            )
        argv = (*run, path)
        ended = await place.run(argv, seconds=left.seconds)
        left.use(ended)
        if (finding := not_clean(ended, argv)) is not None:
            return finding
        if ended.exit_status:
            return fail_with(f"{one_line(path)}: {describe_exit(ended)}")
    return _passed_finding(found)


def _passed_finding(found: list[str]) -> Finding:
    return pass_with(f"{count(len(found), 'file')} {'parses' if len(found) == 1 else 'parse'}")
