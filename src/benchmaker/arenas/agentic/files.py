"""The files that a session left behind, as far as its tools say so."""

from benchmaker.arenas.agentic.events import Ended
from benchmaker.arenas.agentic.tables import Change, Some
from benchmaker.record.submission import Artifacts, Patch

MOST = 10_000
"""So many paths are kept at most."""


def artifacts(
    changes: Some[Change], ended: Ended | None, *, recorded: bool, flags: set[str]
) -> Artifacts:
    """Created and modified files by path, sorted; failed changes left no file.

    A file that was created and then modified was created; one that was deleted again stays in
    the list. A log that speaks of changes gives a lower bound, since a shell makes files, too.
    """
    done = changes.only(lambda change: not change.failed)
    created = {change.path for change in done if change.kind == "created"}
    modified = {change.path for change in done if change.kind == "modified"} - created
    if len(created) > MOST or len(modified) > MOST:
        flags.add("files_cut")
    patch = _patch(ended.patch) if ended and ended.patch else None
    return Artifacts(
        files_created=tuple(sorted(created)[:MOST]),
        files_modified=tuple(sorted(modified)[:MOST]),
        patch=patch,
        completeness=_completeness(patch, seen=recorded or bool(done)),
    )


def _completeness(patch: Patch | None, *, seen: bool) -> str:
    if patch is not None:
        return "complete"
    return "lower_bound" if seen else "unknown"


def _patch(text: str) -> Patch:
    r"""The patch by its digest and size, with the lines that it adds and removes.

    >>> _patch("+++ b/x\n--- a/x\n+new\n-old\n-old\n").removed
    2
    """
    from hashlib import sha256  # noqa: PLC0415  few logs have a patch

    raw = text.encode("utf-8", "replace")
    lines = text.splitlines()
    files = sum(line.startswith("+++ ") for line in lines)
    removals = sum(line.startswith("-") for line in lines)
    return Patch(
        sha256=sha256(raw).hexdigest(),
        bytes=len(raw),
        files=files,
        added=sum(line.startswith("+") for line in lines) - files,
        removed=removals - sum(line.startswith("--- ") for line in lines),
    )
