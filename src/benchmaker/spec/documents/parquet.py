"""Parquet files as rows, read in slices, so that memory does not grow with their number."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmaker.errors import SpecError
from benchmaker.spec.documents.class_labels import (
    METADATA_KEY,
    features_of_metadata,
    name_labels,
)
from benchmaker.spec.documents.files import open_regular_raw
from benchmaker.spec.documents.findings import refusal
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.source_map import SourceLocation
from benchmaker.spec.documents.typed_values import DATA_EXTRA, load_library

_SLICE = 4_096
"""Rows decoded together."""
_BUFFER = 64
"""Rows converted together."""


def read_parquet(path: Path, *, limits: Limits) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each row's number from 1 and its values by column, with their types.

    Class labels of Hugging Face datasets are their names.

    Raises:
        SpecError: the file cannot be read, has too many rows, or a class label without a name.
        PrerequisiteError: polars is not installed.
    """
    polars = load_library("polars", "polars", DATA_EXTRA)
    faults = (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError)
    with open_regular_raw(path, limits=limits):
        try:
            known = polars.read_parquet_metadata(path).get(METADATA_KEY)
            rows = _numbered_rows(polars, path, limits)
            yield from name_labels(rows, features_of_metadata(known), str(path))
        except faults as exc:
            raise _damage_error(path, exc) from exc


def _numbered_rows(
    polars: Any,  # noqa: ANN401  a foreign module
    path: Path,
    limits: Limits,
) -> Iterator[tuple[int, dict[str, Any]]]:
    number = 0
    for frame in _frames(polars, path):
        for row in frame.iter_rows(named=True, buffer_size=_BUFFER):
            number += 1
            yield number, row
        if number > limits.lines:
            raise _excess_error(path, limits)


def _frames(polars: Any, path: Path) -> Iterator[Any]:  # noqa: ANN401  a foreign module and its frames
    """The rows of the file in slices; 32-bit floats with the digits that they have as text."""
    texts = polars.col(polars.Float32).cast(polars.String).cast(polars.Float64)
    rows = polars.scan_parquet(path, glob=False).with_columns(texts)
    start = 0
    while (frame := rows.slice(start, _SLICE).collect()).height:
        yield frame
        start += frame.height


def _excess_error(path: Path, limits: Limits) -> SpecError:
    return refusal(SourceLocation(str(path)), f"more than {limits.lines:,} rows.")


def _damage_error(path: Path, exc: BaseException) -> SpecError:
    reason = str(exc).partition("\n")[0].rstrip(".")[:200]
    return refusal(
        SourceLocation(str(path)), f"the Parquet file can't be read: {reason}.", "Write it again."
    )
