"""The files of one run: its segments in order, then the trajectories of its subagents."""

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


@dataclass(slots=True)
class Run:
    """The files of a run, and its id.

    ``threads`` are the ids and the possible paths of all trajectories that it names.
    """

    id: str
    segments: list[Path] = field(default_factory=list)
    children: list[Path] = field(default_factory=list)
    threads: list[str] = field(default_factory=list)

    def find(self, path: Path, name: str | None, seen: set[Path]) -> Path | None:
        """The file that a trajectory at that path names."""
        self.threads += map(str, _sibling_paths(path, name))
        return _sibling_file(path, name, seen)


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
        following = run.find(following, document.continued_trajectory_ref, seen)
    return run


def _add_children(
    path: Path, document: Document, run: Run, seen: set[Path], options: Options
) -> None:
    """Also the children's children."""
    for ref in _subagent_refs(document):
        run.threads.append(ref.session_id or "")
        child = run.find(path, ref.trajectory_path, seen)
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
