"""Criterion: source files parse."""

from pathlib import Path

import msgspec

from benchmaker.arenas.agentic.verify.criterion_context import Place, not_clean, shown
from benchmaker.arenas.agentic.verify.finding import (
    Finding,
    error,
    failed,
    listed,
    one_line,
    passed,
)
from benchmaker.arenas.agentic.verify.frameworks.python import RUNNER
from benchmaker.record.counts import count
from benchmaker.sandbox import Isolation
from benchmaker.spec.tasks.criterion import CodeCompiles

_INSIDE = "/benchmaker/compiles.py"


async def code_compiles(criterion: CodeCompiles, place: Place) -> Finding:
    """Each file parses: Python by its own parser, never run, else by the command that is given."""
    found = [path for path in place.paths(criterion.paths) if place.size(path) is not None]
    if not found:
        return failed(f"no such files: {listed(list(criterion.paths))}")
    if criterion.run:
        return await _by_command(criterion, criterion.run, place, found)
    others = [path for path in found if not path.endswith((".py", ".pyi"))]
    if others:
        return error(f"the criterion needs run, a command for {listed(others)}")
    return await _as_python(criterion, place, found)


async def _as_python(criterion: CodeCompiles, place: Place, found: list[str]) -> Finding:
    own = RUNNER / "compiles.py"
    inside = str(own) if place.isolation is Isolation.PROCESS else _INSIDE
    reads: dict[str | Path, str] = {own: inside}
    argv = ("python3", "-I", "-S", "-B", inside)
    words = msgspec.json.encode(found)
    ended = await place.run(argv, seconds=criterion.timeout_s, stdin=words, reads=reads)
    if (finding := not_clean(ended, argv)) is not None:
        return finding
    if ended.exit_status:
        return failed(shown(ended))
    return _parsed(found)


async def _by_command(
    criterion: CodeCompiles, run: tuple[str, ...], place: Place, found: list[str]
) -> Finding:
    """The command is called for each file, which is its last argument."""
    until = place.clock.monotonic() + criterion.timeout_s
    for path in found:
        left = until - place.clock.monotonic()
        if left <= 0:
            return failed(
                f"not all of {count(len(found), 'file')} within {criterion.timeout_s:g} s"
            )
        argv = (*run, path)
        ended = await place.run(argv, seconds=left)
        if (finding := not_clean(ended, argv)) is not None:
            return finding
        if ended.exit_status:
            return failed(f"{one_line(path)}: {shown(ended)}")
    return _parsed(found)


def _parsed(found: list[str]) -> Finding:
    return passed(f"{count(len(found), 'file')} {'parses' if len(found) == 1 else 'parse'}")
