"""The files of a suite: its own, and those that it names for cases, prompts, examples and tools.

A dataset in the suite's folder stands for all files in it.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmaker.errors import SpecError
from benchmaker.spec.documents.files import Signature, read_text, resolve_inside, signature
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.source_map import SourceLocation
from benchmaker.spec.documents.strict_json import read_json
from benchmaker.spec.documents.yaml import read_yaml

_READERS = {".yaml": read_yaml, ".yml": read_yaml, ".json": read_json}
_GLOB = re.compile(r"[*?\[]")

Signatures = Mapping[Path, Signature | None]
"""The signature of each file, None for a file that can't be read."""


@dataclass(frozen=True, slots=True)
class SuiteFiles:
    """The file of a suite, ``names`` of files, globs and folders beside it, and further files."""

    suite: Path
    names: Sequence[str] = ()
    besides: Sequence[Path] = ()

    @classmethod
    def of(cls, suite: Path, *, besides: Sequence[Path] = ()) -> "SuiteFiles":
        """Return the files that a suite names; only its own if it can't be read."""
        names: list[str] = []
        if read := _READERS.get(suite.suffix.lower()):
            limits = Limits()
            with suppress(SpecError):
                text = read_text(suite, limits=limits, cap=limits.document_bytes)
                document = read(text, str(suite), limits=limits, findings=Findings())
                names = list(dict.fromkeys(_named_files(document.data)))
        return cls(suite, names, besides)

    def signatures(self) -> dict[Path, Signature | None]:
        """Return the current signatures; globs and folders stand for their files of now."""
        return {path: _signature_of(path) for path in self._paths()}

    def _paths(self) -> Iterator[Path]:
        yield from (self.suite, *self.besides)
        for name in self.names:
            with suppress(SpecError, OSError, ValueError):
                yield from _matches(self.suite.parent, name)


def _matches(folder: Path, name: str) -> Iterator[Path]:
    """The file of a name, or the files of a folder or a glob, if they are in the suite's folder."""
    place = SourceLocation(str(folder))
    if name.endswith("/"):
        yield from _files_below(resolve_inside(folder, name, place))
    elif _GLOB.search(name) is None:
        yield resolve_inside(folder, name, place)
    elif ".." not in Path(name).parts:
        resolve_inside(folder, _GLOB.split(name)[0] + "x", place)
        yield from sorted(folder.glob(name))


def _files_below(folder: Path) -> Iterator[Path]:
    """The files in a folder and the folders below it, hidden ones left out."""
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(parent, name) for name in sorted(files) if not name.startswith("."))


def _signature_of(path: Path) -> Signature | None:
    try:
        return signature(path)
    except SpecError:
        return None


def _function_files(listed: Any, key: str) -> Iterator[str]:  # noqa: ANN401  as below
    """The files of functions, as ``file.py:function`` under a key of listed parts."""
    for part in listed if isinstance(listed, list) else ():
        value = part.get(key) if isinstance(part, dict) else None
        if isinstance(value, str) and ":" in value:
            yield value.rpartition(":")[0]


def _named_files(data: Any) -> Iterator[str]:  # noqa: ANN401  the content of a suite's file
    """The files that a document names, in any form that a reader may refuse later.

    The folder of a dataset ends in a slash.
    """
    suite = data if isinstance(data, dict) else {}
    prompts = suite.get("prompts")
    named = [suite.get("cases"), *(prompts if isinstance(prompts, list) else [])]
    parts = [one for one in named if isinstance(one, dict)]
    for part in (*parts, *(one.get("few_shot") for one in parts)):
        file = part.get("file") if isinstance(part, dict) else None
        if isinstance(file, str):
            yield file
    cases = suite.get("cases")
    yield from _function_files(suite.get("tools"), "python")
    dataset = cases.get("hf") if isinstance(cases, dict) else None
    if isinstance(dataset, str) and dataset.startswith("./"):
        yield f"{dataset}/"
