"""The location of each value of a suite in its file."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from benchmaker.errors import place_text

Path = tuple[str | int, ...]
"""Keys and indexes from the top of the suite: ``("cases", 3, "weight")``."""


def as_text(value: Any) -> str:  # noqa: ANN401  any scalar
    """A scalar as a file would write it.

    >>> as_text(True), as_text(18)
    ('true', '18')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


class SourceLocation(NamedTuple):
    """A file, a line and a column; both count from 1, and 0 means the file as a whole."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return place_text(*self)


_NOTHING: "dict[Any, Any]" = {}  # what scalars share instead of dicts of their own


@dataclass(slots=True)
class SourceMark:
    """The location of one value of a document, and of the values inside it.

    ``source`` is the source text of a scalar that is not a string (``1.50``, ``true``). ``keys``
    are the places of a mapping's keys; ``inside`` holds its values' marks by key, a list's by
    index.
    """

    line: int
    column: int
    source: str | None = None
    keys: dict[str, tuple[int, int]] = field(default_factory=lambda: _NOTHING)
    inside: "dict[str | int, SourceMark]" = field(default_factory=lambda: _NOTHING)

    @classmethod
    def container(cls, place: SourceLocation) -> Self:
        """The mark of a list or a mapping, to be filled."""
        return cls(place.line, place.column, None, {}, {})

    def find(self, path: Path) -> "SourceMark":
        """The mark of the value at this path, or of its nearest ancestor that exists."""
        mark = self
        for step in path:
            if step not in mark.inside:
                break
            mark = mark.inside[step]
        return mark


@dataclass(frozen=True, slots=True)
class CaseLines:
    """The lines of a data file at which the cases of a suite begin, in their order."""

    file: str
    lines: Sequence[int]
    column: int = 1


@dataclass(frozen=True, slots=True)
class SourceMap:
    """The locations of a suite's values, for messages about them.

    ``cases`` locates cases that come from a data file; otherwise ``rows[i]`` is the
    index in the document of the suite's case i, where that differs. ``prompts`` are the places of
    its prompts: the index in the document, or the beginning of a file.
    """

    file: str
    root: SourceMark | None = None
    cases: CaseLines | None = None
    rows: Sequence[int] | None = None
    prompts: "Sequence[int | SourceLocation] | None" = None

    def locate(self, path: Path) -> SourceLocation:
        """Return the location of the value at this path, or of its nearest known ancestor."""
        match path:
            case ("cases", int(index), *_) if self.cases is not None:
                return SourceLocation(self.cases.file, self.cases.lines[index], self.cases.column)
            case ("prompts", int(index), *_) if self.prompts is not None:
                if isinstance(origin := self.prompts[index], SourceLocation):
                    return origin
        if self.root is None:
            return SourceLocation(self.file)
        mark = self.root.find(self._in_document(path))
        return SourceLocation(self.file, mark.line, mark.column)

    def locate_key(self, path: Path) -> SourceLocation:
        """Return the location of the key of the value at this path, or of the value itself."""
        if self.root is None or (self.cases is not None and path[:1] == ("cases",)):
            return self.locate(path)
        *parent, last = self._in_document(path)
        spot = self.root.find(tuple(parent)).keys.get(str(last))
        return SourceLocation(self.file, *spot) if spot else self.locate(path)

    def text(self, path: Path) -> str:
        """Return the source text of the scalar at this path; empty if it is unknown."""
        return (self.root.find(path).source if self.root else None) or ""

    def case(self, index: int) -> "CaseSourceMap":
        """The places of the values of the suite's case ``index``."""
        return CaseSourceMap(self, index)

    def _in_document(self, path: Path) -> Path:
        match path:
            case ("cases", int(index), *rest) if self.rows is not None:
                return ("cases", self.rows[index], *rest)
            case ("prompts", int(index), *rest) if self.prompts is not None:
                origin = self.prompts[index]
                return ("prompts", origin if isinstance(origin, int) else index, *rest)
        return path


@dataclass(frozen=True, slots=True)
class ArgumentMap(SourceMap):
    """The places of values passed from Python: ``suite 'sums', cases[3].weight``.

    ``file`` stands for the whole suite.
    """

    def locate(self, path: Path) -> SourceLocation:
        """Return the place of the value at this path."""
        place = value_name(self._in_document(path))
        return SourceLocation(f"{self.file}, {place}" if place else self.file)

    def locate_key(self, path: Path) -> SourceLocation:
        """Return the place of the mapping that holds the key."""
        return self.locate(path[:-1])


def value_name(path: Path) -> str:
    """A value's name for a sentence.

    >>> value_name(("tags", 2)), value_name(("parameters", "top_p"))
    ('tags[2]', 'parameters.top_p')
    """
    name = ""
    for step in path:
        name += f"[{step}]" if isinstance(step, int) else f".{step}" if name else str(step)
    return name


@dataclass(frozen=True, slots=True)
class CaseSourceMap:
    """The places of one case's values, by paths that begin in the case."""

    suite: SourceMap
    index: int

    def locate(self, path: Path) -> SourceLocation:
        """Return the location of the value at this path, or of its nearest known ancestor."""
        return self.suite.locate(("cases", self.index, *path))

    def locate_key(self, path: Path) -> SourceLocation:
        """Return the location of the key of the value at this path, or of the value itself."""
        return self.suite.locate_key(("cases", self.index, *path))
