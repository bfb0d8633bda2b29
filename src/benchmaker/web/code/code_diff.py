"""Differences of two answers' code, file by file and line by line."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from rapidfuzz.distance import Levenshtein

from benchmaker.record.artifact import CodeFile

MOST_LINES = 8_000
"""Maximum number of lines of a compared file."""

_CONTEXT = 3


class DiffLine(NamedTuple):
    """A line that both files have, that is new or missing; or the gap of many equal lines."""

    kind: Literal["same", "ins", "del", "gap"]
    text: str


class FileDiff(NamedTuple):
    """The changes to one file; none if both are equal, None if they are too long to compare."""

    path: str
    lines: tuple[DiffLine, ...] | None


def compare_files(before: Sequence[CodeFile], after: Sequence[CodeFile]) -> tuple[FileDiff, ...]:
    """Return the changes to each file; a file of one side alone is all new or all missing.

    If both sides have a single file, these are compared, whatever they are called.
    """
    old, new = ({file.path: file.text for file in files} for files in (before, after))
    if len(old) == len(new) == 1:
        (path,), (text,), (other,) = new.keys(), old.values(), new.values()
        return (FileDiff(path, line_diff(text, other)),)
    paths = dict.fromkeys((*old, *new))
    return tuple(FileDiff(it, line_diff(old.get(it, ""), new.get(it, ""))) for it in paths)


def line_diff(before: str, after: str) -> tuple[DiffLine, ...] | None:
    """Return the changed lines with three lines around them; None for too many lines.

    By the Levenshtein distance over lines, whose time is bounded for any text (Hyyrö 2003).
    """
    old, new = before.splitlines(), after.splitlines()
    if max(len(old), len(new)) > MOST_LINES:
        return None
    if old == new:
        return ()
    return tuple(_with_gaps(list(_diff_lines(old, new))))


def _diff_lines(old: list[str], new: list[str]) -> Iterator[DiffLine]:
    for change in Levenshtein.opcodes(old, new):
        if change.tag == "equal":
            yield from (DiffLine("same", it) for it in new[change.dest_start : change.dest_end])
            continue
        yield from (DiffLine("del", it) for it in old[change.src_start : change.src_end])
        yield from (DiffLine("ins", it) for it in new[change.dest_start : change.dest_end])


def _with_gaps(lines: list[DiffLine]) -> Iterator[DiffLine]:
    """The lines, with stretches of equal ones cut down to their ends."""
    changed = [at for at, line in enumerate(lines) if line.kind != "same"]
    near = {it for at in changed for it in range(at - _CONTEXT, at + _CONTEXT + 1)}
    skipped = 0
    for at, line in enumerate(lines):
        if at not in near:
            skipped += 1
            continue
        if skipped:
            yield _gap(skipped)
        skipped = 0
        yield line
    if skipped:
        yield _gap(skipped)


def _gap(number: int) -> DiffLine:
    return DiffLine("gap", f"… {number:,} equal {'line' if number == 1 else 'lines'}")
