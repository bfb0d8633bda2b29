"""Hugging Face datasets as rows, read by the library ``datasets`` where it is installed."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmaker.errors import DATASET, PrerequisiteError, SpecError
from benchmaker.spec.documents.class_labels import name_labels
from benchmaker.spec.documents.files import Signature, resolve_inside
from benchmaker.spec.documents.findings import refusal
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.rows import DataRow, Report, typed_rows
from benchmaker.spec.documents.source_map import SourceLocation
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.spec.documents.typed_values import load_library

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")
_OLDEST = 4
"""The first major version of the library that only reads data."""
_COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(slots=True)
class HubDataset:
    """One split of a dataset: ``owner/name`` on the hub, or ``./folder`` in the suite's folder.

    After a full pass, ``fingerprint`` is the SHA-256 of its rows; ``commit`` is the revision that
    was read, empty for a folder.
    """

    name: str
    folder: Path
    config: str | None = None
    split: str | None = None
    revision: str | None = None
    commit: str = ""
    fingerprint: str = ""
    _rows: Any = field(default=None, repr=False)

    @property
    def place(self) -> str:
        """The name of the dataset with its configuration and split."""
        parts = ", ".join(filter(None, (self.config, self.split)))
        return f"{DATASET}{self.name}" + (f" ({parts})" if parts else "")

    def signature(self) -> Signature | None:
        """Return None: the rows of a loaded dataset do not change."""
        return None

    def rows(self, *, limits: Limits, report: Report) -> Iterator[DataRow]:
        """Yield the rows with their number from 1.

        Raises:
            SpecError: the dataset cannot be loaded or read, or has too many rows.
            PrerequisiteError: the library is not installed, or too old.
        """
        digest = hashlib.sha256()
        for row in typed_rows(self._numbered_rows(limits), self.place, limits, report):
            digest.update((row.text or "").encode() + b"\n")
            yield row
        self.fingerprint = digest.hexdigest()

    def _numbered_rows(self, limits: Limits) -> Iterator[tuple[int, dict[str, Any]]]:
        rows = self._load()
        if len(rows) > limits.lines:
            raise self._refusal(f"more than {limits.lines:,} rows.")
        try:
            yield from name_labels(enumerate(rows, 1), self._features(), self.place)
        except SpecError:
            raise
        except Exception as exc:
            raise self._refusal(f"the dataset can't be read: {_reason(exc)}.") from exc

    def _features(self) -> Mapping[str, Any]:
        """The types of the columns; empty if the library has none for this dataset."""
        features = getattr(self._rows, "features", None)
        return {} if features is None else features.to_dict()

    def _load(self) -> Any:  # noqa: ANN401  a dataset of a foreign library
        """The rows of the split, downloaded once."""
        if self._rows is None:
            path = self._path()
            library = _load_datasets()
            try:
                builder = library.load_dataset_builder(path, self.config, revision=self.revision)
                builder.download_and_prepare()
                self.split = self._choose_split(sorted(builder.info.splits or ()))
                self._rows = builder.as_dataset(split=self.split)
            except SpecError:
                raise
            except Exception as exc:
                raise self._refusal(f"the dataset can't be loaded: {_reason(exc)}.") from exc
            self.commit = builder.hash if _COMMIT.fullmatch(str(builder.hash)) else ""
        return self._rows

    def _path(self) -> str:
        """The name on the hub, or the absolute path of a folder; SpecError for any other path."""
        if self.name.startswith("./"):
            return str(resolve_inside(self.folder, self.name, SourceLocation(self.place)).resolve())
        if _NAME.fullmatch(self.name) is None:
            hint = "Use OWNER/NAME, or ./FOLDER for a folder beside the suite."
            raise self._refusal("this is no name of a dataset.", hint)
        if Path(self.name).exists():
            message = f"the current folder has {self.name}, which would be read instead."
            raise self._refusal(message, "Run the command in another folder.")
        return self.name

    def _choose_split(self, splits: list[str]) -> str:
        if self.split is None and len(splits) == 1:
            return splits[0]
        if self.split is None:
            hint = f"Choose one with split: {', '.join(splits)}."
            raise self._refusal(f"the dataset has {len(splits)} splits.", hint)
        if self.split.partition("[")[0] not in splits:
            hint = did_you_mean(self.split, splits) or f"Splits: {', '.join(splits)}."
            raise self._refusal(f"no split {self.split!r}.", hint)
        return self.split

    def _refusal(self, message: str, hint: str = "") -> SpecError:
        return refusal(SourceLocation(self.place), message, hint)


def _load_datasets() -> Any:  # noqa: ANN401  a foreign module
    """Return the library; PrerequisiteError for a version that runs programs of datasets."""
    library = load_library("datasets", "The library datasets", f"pip install 'datasets>={_OLDEST}'")
    if int(library.__version__.partition(".")[0]) < _OLDEST:
        raise PrerequisiteError(
            f"datasets {library.__version__} is too old: it may run a program of the dataset.",
            hint=f"Install a newer one with: pip install 'datasets>={_OLDEST}'",
        )
    return library


def _reason(exc: Exception) -> str:
    """The first line of an error of the library."""
    return str(exc).strip().partition("\n")[0].rstrip(".")[:300] or type(exc).__name__
