"""The files of one run: its segments in order, then the trajectories of its subagents."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmaker.arenas.agentic.importers.atif_format.document import DOCUMENTS, STEPS, Document
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.lenient_json import loose_document, quiet_options
from benchmaker.arenas.agentic.logs.options import Options

_NAME = "trajectory.json"
_MOST = 1_000


@dataclass(slots=True)
class Run:
    """The files of a run, and its id."""

    id: str
    segments: list[Path] = field(default_factory=list)
    children: list[Path] = field(default_factory=list)


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
        _add_children(following, document, run.children, seen, options)
        following = _sibling_file(following, document.continued_trajectory_ref, seen)
    return run


def _add_children(
    path: Path, document: Document, children: list[Path], seen: set[Path], options: Options
) -> None:
    """Also the children's children."""
    for name in _subagent_paths(document):
        child = _sibling_file(path, name, seen)
        if child is None or len(seen) >= _MOST:
            continue
        seen.add(child.resolve())
        children.append(child)
        found = loose_document(child, quiet_options(options), DOCUMENTS)
        if found is not None:
            _add_children(child, found, children, seen, options)


def _subagent_paths(document: Document) -> Iterator[str]:
    for raw in document.steps or ():
        if b"trajectory_path" not in bytes(raw):
            continue
        try:
            step, _ = STEPS.decode(raw)
        except DecodingError:
            continue
        results = step.observation.results if step.observation else None
        for result in results or ():
            yield from (ref.trajectory_path for ref in result.refs if ref.trajectory_path)


def _sibling_file(path: Path, name: str | None, seen: set[Path]) -> Path | None:
    """The file of that name in the same folder; runs that were renamed keep a common prefix."""
    if not name:
        return None
    plain = Path(name).name
    prefix = path.name.split(_NAME.removesuffix(".json"))[0] if "trajectory" in path.name else ""
    for found in (path.parent / name, path.parent / plain, path.parent / (prefix + plain)):
        is_inside = found.resolve().is_relative_to(path.parent.resolve())
        if is_inside and found.is_file() and found.resolve() not in seen:
            return found
    return None
