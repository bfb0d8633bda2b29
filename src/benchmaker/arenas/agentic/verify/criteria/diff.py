"""Criterion: changes to the initial files stay within bounds."""

from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final

from benchmaker.arenas.agentic.verify.criterion_context import READ_BYTES, GradingContext
from benchmaker.arenas.agentic.verify.finding import Finding, fail_with, join_some, pass_with
from benchmaker.arenas.agentic.verify.patterns import matcher
from benchmaker.arenas.agentic.verify.workspace import files
from benchmaker.record.counts import count
from benchmaker.spec.tasks.criterion import DiffLimits

_MOST_PAIRS: Final = 4_000_000
"""Beyond so many pairs of lines, lines are counted and their order is not looked at."""


async def diff_limits(criterion: DiffLimits, place: GradingContext) -> Finding:
    """Files and lines that differ from the start; lines count once added and once removed."""
    before, after = place.task.start, place.prepared.submitted
    changed = sorted(_changed_files(before, after))
    said = f"{count(len(changed), 'file')} changed"
    is_forbidden = matcher(criterion.forbidden)
    touched = [path for path in changed if is_forbidden(path)]
    if touched:
        return fail_with(f"{said}, forbidden: {join_some(touched)}")
    is_within = matcher(criterion.only)
    beyond = [path for path in changed if criterion.only and not is_within(path)]
    if beyond:
        return fail_with(f"{said}, not allowed: {join_some(beyond)}")
    if criterion.max_files is not None and len(changed) > criterion.max_files:
        return fail_with(f"{said}, at most {criterion.max_files} allowed: {join_some(changed)}")
    if criterion.max_lines is None:
        return pass_with(said)
    lines = sum(_lines_changed(before / path, after / path) for path in changed)
    said = f"{said}, {count(lines, 'line')} of at most {criterion.max_lines}"
    return Finding.of(is_met=lines <= criterion.max_lines, evidence=said)


def _changed_files(before: Path, after: Path) -> Iterator[str]:
    for path in {*files(before), *files(after)}:
        if _bytes(before / path) != _bytes(after / path):
            yield path


def _bytes(place: Path) -> bytes | str | None:
    if place.is_symlink():
        return str(place.readlink())
    if not place.is_file():
        return None
    if place.stat().st_size > READ_BYTES:
        return f"large:{place.stat().st_size}"
    return place.read_bytes()


def _lines_changed(before: Path, after: Path) -> int:
    old, new = _lines(before), _lines(after)
    begin = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), None)
    if begin is None:
        return abs(len(old) - len(new))
    old, new = old[begin:], new[begin:]
    while old and new and old[-1] == new[-1]:
        old.pop()
        new.pop()
    if len(old) * len(new) > _MOST_PAIRS:
        gone, come = Counter(old), Counter(new)
        return (gone - come).total() + (come - gone).total()
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return len(old) + len(new) - 2 * sum(block.size for block in blocks)


def _lines(place: Path) -> list[bytes]:
    content = _bytes(place)
    if isinstance(content, bytes):
        return content.splitlines()
    return [] if content is None else [content.encode()]
