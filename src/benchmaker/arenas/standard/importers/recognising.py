"""Which files hold results of which tool."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmaker.arenas.standard.importers.deepeval import DeepEval
from benchmaker.arenas.standard.importers.helm import PARTS, Helm, is_state
from benchmaker.arenas.standard.importers.inspect_logs import InspectLogs
from benchmaker.arenas.standard.importers.lighteval import Lighteval
from benchmaker.arenas.standard.importers.lm_eval import LmEvalResults, LmEvalSamples
from benchmaker.arenas.standard.importers.openai_evals import OpenAIEvals
from benchmaker.arenas.standard.importers.promptfoo import Promptfoo
from benchmaker.arenas.standard.importers.promptfoo_table import PromptfooTable
from benchmaker.arenas.standard.importers.pydantic_evals import PydanticEvals
from benchmaker.arenas.standard.importers.reading import Reader, start_of

READERS: Final[tuple[Reader, ...]] = (
    InspectLogs(),
    Promptfoo(),
    PromptfooTable(),
    LmEvalSamples(),
    LmEvalResults(),
    Helm(),
    DeepEval(),
    OpenAIEvals(),
    PydanticEvals(),
    Lighteval(),
)
"""In the order in which a file is offered to them."""

_SUFFIXES = frozenset(
    {".json", ".jsonl", ".eval", ".csv", ".db", ".sqlite", ".sqlite3", ".gz", ".log", ".parquet"}
)
_PASSED_OVER = frozenset({".git", ".hg", ".venv", "node_modules", "__pycache__"})


@dataclass(frozen=True, slots=True)
class Source:
    """A file of results with its reader; ``path`` is shown: for HELM it is the run's folder."""

    path: Path
    file: Path
    reader: Reader

    @property
    def parts(self) -> frozenset[Path]:
        """The files that belong to it."""
        if not is_state(self.file):
            return frozenset({self.file})
        ends = ("", ".gz")
        return frozenset(self.file.parent / f"{name}{end}" for name in PARTS for end in ends)


def find_sources(paths: Iterable[Path]) -> tuple[Source, ...]:
    """Return the files of results among the paths and below folders, in their order, each once.

    Poorer forms of promptfoo come last: JSON lines, which have no id of the evaluation, and then
    CSV, which has no ids, dates or texts of prompts.
    """
    found: dict[Path, Source] = {}
    for path in paths:
        for file in _below(path) if path.is_dir() else (path,):
            if source := recognise(file):
                found.setdefault(source.file.resolve(), source)
    return tuple(sorted(found.values(), key=_poverty))


def _poverty(source: Source) -> int:
    """0 for the richest form of a tool's results, more for those that hold less."""
    if isinstance(source.reader, PromptfooTable):
        return 2
    is_lines = source.file.name.lower().endswith((".jsonl", ".jsonl.gz"))
    return int(isinstance(source.reader, Promptfoo) and is_lines)


def recognise(file: Path) -> Source | None:
    """Return a file of results with its reader; None for any other file."""
    if not file.is_file():
        return None
    start = start_of(file)
    reader = next((one for one in READERS if start and one.claims(file, start)), None)
    if reader is None:
        return None
    return Source(file.parent if is_state(file) else file, file, reader)


def _below(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder that may be results, in the order of their names."""
    for entry in sorted(folder.iterdir()):
        if entry.is_symlink() or entry.name in _PASSED_OVER:
            continue
        if entry.is_dir():
            yield from _below(entry)
        elif entry.suffix.lower() in _SUFFIXES:
            yield entry


def files_of(sources: Sequence[Source]) -> frozenset[Path]:
    """Return every file that belongs to the sources, links resolved."""
    return frozenset(part.resolve() for source in sources for part in source.parts)
