"""Criteria that look at single files: they are there, they are not, they hold something."""

import hashlib

from benchmaker.arenas.agentic.verify.criteria.patterns import find
from benchmaker.arenas.agentic.verify.criterion_context import GradingContext, Unreadable
from benchmaker.arenas.agentic.verify.finding import (
    Finding,
    fail_with,
    join_some,
    one_line,
    pass_with,
)
from benchmaker.spec.tasks.criterion import FileAbsent, FileContent, FileExists


async def file_exists(criterion: FileExists, place: GradingContext) -> Finding:
    """A regular file of that name, or one that the pattern names, of that size at least."""
    found = place.matching_files(criterion.path)
    large = [path for path in found if (place.size(path) or 0) >= criterion.min_bytes]
    if large:
        return pass_with(f"found: {join_some(large)}")
    if found:
        return fail_with(f"smaller than {criterion.min_bytes:,} bytes: {join_some(found)}")
    return fail_with(f"not found: {criterion.path}")


async def file_absent(criterion: FileAbsent, place: GradingContext) -> Finding:
    """Check that there is no file or link of that name, and nothing below it."""
    found = place.paths((criterion.path,))
    return Finding.of(
        is_met=not found,
        evidence=f"found: {join_some(found)}" if found else f"not found: {criterion.path}",
    )


async def file_content(criterion: FileContent, place: GradingContext) -> Finding:
    """Check that one of the files at the path meets all conditions."""
    found = place.matching_files(criterion.path)
    if not found:
        return fail_with(f"not found: {criterion.path}")
    objections: list[str] = []
    for path in found:
        objection = await _objection(criterion, place, path)
        if objection is None:
            return pass_with(f"as expected: {one_line(path)}")
        objections.append(f"{path}: {objection}")
    return fail_with(join_some(objections))


async def _objection(criterion: FileContent, place: GradingContext, path: str) -> str | None:
    try:
        content = place.read(path)
        if criterion.sha256 and hashlib.sha256(content).hexdigest() != criterion.sha256:
            return "unexpected content"
        is_text = criterion.contains or criterion.not_contains or criterion.pattern
        return await _said_wrong(criterion, place.text(path)) if is_text else None
    except Unreadable as exc:
        return str(exc)


async def _said_wrong(criterion: FileContent, text: str) -> str | None:
    for wanted in criterion.contains:
        if wanted not in text:
            return f"{one_line(wanted)!r} is missing"
    for unwanted in criterion.not_contains:
        if unwanted in text:
            return f"{one_line(unwanted)!r} is not allowed"
    if criterion.pattern and not await find(criterion.pattern, text):
        return f"no match for {one_line(criterion.pattern)}"
    return None
