"""The files of one run: its segments in order, then the trajectories of its subagents."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmaker.arenas.agentic.importers.atif_format.document import (
    DOCUMENTS,
    STEPS,
    Document,
    Ref,
)
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.lenient_json import loose_document, quiet_options
from benchmaker.arenas.agentic.logs.options import Options

_NAME = "trajectory.json"
_MOST = 1_000
_CONTINUATION = re.compile(r"[.-]cont-\d+$")


@dataclass(slots=True)
class Run:
    """The files of a run, and its id.

    ``threads`` are the ids and the possible paths of all trajectories that it names, ``unread`` the
    ids of those whose file is not at its path.
    """

    id: str
    segments: list[Path] = field(default_factory=list)
    children: list[Path] = field(default_factory=list)
    threads: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def find(self, path: Path, name: str | None, seen: set[Path], *, session: str) -> Path | None:
        """The file that a trajectory at that path names; ``session`` is the id in it."""
        self.threads += map(str, _sibling_paths(path, name))
        found = _sibling_file(path, name, seen)
        if found is None and session:
            self.unread.append(session)
        return found


def run_at(path: Path, options: Options) -> Run:
    """The run that begins in this file."""
    run = Run(path.stem)
    seen: set[Path] = set()
    following: Path | None = path
    while following is not None and len(seen) < _MOST:
        seen.add(following.resolve())
        run.segments.append(following)
        document = loose_document(following, quiet_options(options), DOCUMENTS)
        if document is None:
            break
        if following == path:
            run.id = document.session_id or document.trajectory_id or path.stem
        _add_children(following, document, run, seen, options)
        next_name = document.continued_trajectory_ref
        session = _continuation_id(document.session_id, next_name)
        run.threads.append(session)
        following = run.find(following, next_name, seen, session=session)
    return run


def continues(session: str, run: str) -> bool:
    """True if the id of a trajectory is that of a run's continuation.

    >>> continues("0195-a-run-cont-2", "0195-a-run")
    True
    """
    return bool(run) and _CONTINUATION.sub("", session) == run and session != run


def _continuation_id(session: str | None, name: str | None) -> str:
    """The id of the named continuation, as harbor makes it; empty without one."""
    number = _CONTINUATION.search((name or "").removesuffix(".json"))
    base = _CONTINUATION.sub("", session or "")
    return f"{base}-{number[0][1:]}" if number and base else ""


def _add_children(
    path: Path, document: Document, run: Run, seen: set[Path], options: Options
) -> None:
    """Also the children's children."""
    for ref in _subagent_refs(document):
        run.threads.append(ref.session_id or "")
        child = run.find(path, ref.trajectory_path, seen, session=ref.session_id or "")
        if child is None or len(seen) >= _MOST:
            continue
        seen.add(child.resolve())
        run.children.append(child)
        found = loose_document(child, quiet_options(options), DOCUMENTS)
        if found is not None:
            _add_children(child, found, run, seen, options)


def _subagent_refs(document: Document) -> Iterator[Ref]:
    for raw in document.steps or ():
        if b"trajectory_path" not in bytes(raw):
            continue
        try:
            step, _ = STEPS.decode(raw)
        except DecodingError:
            continue
        results = step.observation.results if step.observation else None
        for result in results or ():
            yield from (ref for ref in result.refs if ref.trajectory_path)


def _sibling_file(path: Path, name: str | None, seen: set[Path]) -> Path | None:
    """The file of that name in the same folder."""
    for found in _sibling_paths(path, name):
        if found.is_file() and found.resolve() not in seen:
            return found
    return None


def _sibling_paths(path: Path, name: str | None) -> Iterator[Path]:
    """The possible paths of a named file; runs that were renamed keep a common prefix."""
    if not name:
        return
    plain = Path(name).name
    prefix = path.name.split(_NAME.removesuffix(".json"))[0] if "trajectory" in path.name else ""
    for found in (path.parent / name, path.parent / plain, path.parent / (prefix + plain)):
        if found.resolve().is_relative_to(path.parent.resolve()):
            yield found
