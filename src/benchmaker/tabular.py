"""Results that are tables: data frames, and HTML in notebooks.

The package ``report`` draws the tables of every result. It is above the results in the order of
imports, so that these methods load it by its path when they are called.
"""

from importlib import import_module
from typing import Any

_FRAMES = "benchmaker.report.notebooks.data_frames"
_HTML = "benchmaker.report.notebooks.html_view"


class Tabular:
    """A result with tables, as data frames and in notebooks.

    Frames have the columns of the CSV and JSON files, with types; missing values are null, scores
    are from 0 to 1. The libraries are optional, and loaded in the call.
    """

    __slots__ = ()

    def to_polars(self, table: str | None = None) -> Any:  # noqa: ANN401  a frame of an optional library
        """Return one of its tables as a data frame of polars; by default the first.

        Raises:
            SpecError: no such table; the message lists those of the result.
            PrerequisiteError: polars is not installed.
        """
        return import_module(_FRAMES).to_polars(self, table)

    def to_pandas(self, table: str | None = None) -> Any:  # noqa: ANN401  as above
        """Return one of its tables as a data frame of pandas, with nullable types.

        Raises:
            SpecError: no such table; the message lists those of the result.
            PrerequisiteError: pandas is not installed.
        """
        return import_module(_FRAMES).to_pandas(self, table)

    def to_arrow(self, table: str | None = None) -> Any:  # noqa: ANN401  as above
        """Return one of its tables as a table of pyarrow.

        Raises:
            SpecError: no such table; the message lists those of the result.
            PrerequisiteError: pyarrow is not installed.
        """
        return import_module(_FRAMES).to_arrow(self, table)

    def _repr_html_(self) -> str:
        """The verdict and the tables for notebooks, escaped, with the figures of the terminal."""
        shown: str = import_module(_HTML).html_of(self)
        return shown
