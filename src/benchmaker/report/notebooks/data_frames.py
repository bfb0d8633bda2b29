"""Tables of results as data frames of polars, pandas and pyarrow, each loaded when it is used."""

from typing import Any

from benchmaker.report.notebooks.frame_tables import TypedRows, table_of
from benchmaker.report.tables.column_kinds import ColumnKind, polars_schema
from benchmaker.spec.documents.typed_values import DATA_EXTRA, load_library
from benchmaker.tabular import Tabular

_PANDAS = {
    ColumnKind.INTEGER: "Int64",
    ColumnKind.NUMBER: "Float64",
    ColumnKind.BOOLEAN: "boolean",
    ColumnKind.TEXT: "string",
    ColumnKind.TEXTS: "object",
}
_ARROW = {ColumnKind.INTEGER: "int64", ColumnKind.NUMBER: "float64", ColumnKind.BOOLEAN: "bool_"}


def to_polars(made: Tabular, table: str | None = None) -> Any:  # noqa: ANN401  a foreign frame
    """Return a table as a data frame of polars; see :meth:`Tabular.to_polars`."""
    polars = load_library("polars", "polars", DATA_EXTRA)
    found = table_of(made, table)
    return polars.DataFrame(_columns(found), schema=polars_schema(polars, found.kinds))


def to_pandas(made: Tabular, table: str | None = None) -> Any:  # noqa: ANN401  as above
    """Return a table as a data frame of pandas; see :meth:`Tabular.to_pandas`."""
    pandas = load_library("pandas", "pandas", "pip install pandas")
    found = table_of(made, table)
    return pandas.DataFrame(
        {
            name: pandas.Series(values, dtype=_PANDAS[found.kinds[name]])
            for name, values in _columns(found).items()
        }
    )


def to_arrow(made: Tabular, table: str | None = None) -> Any:  # noqa: ANN401  as above
    """Return a table of pyarrow; see :meth:`Tabular.to_arrow`."""
    pyarrow = load_library("pyarrow", "pyarrow", "pip install pyarrow")
    found = table_of(made, table)
    columns = _columns(found)
    arrays = [pyarrow.array(columns[it], _arrow_type(pyarrow, found.kinds[it])) for it in columns]
    return pyarrow.Table.from_arrays(arrays, names=list(columns))


def _arrow_type(pyarrow: Any, kind: ColumnKind) -> Any:  # noqa: ANN401  as above
    if kind is ColumnKind.TEXTS:
        return pyarrow.list_(pyarrow.string())
    return getattr(pyarrow, _ARROW.get(kind, "string"))()


def _columns(found: TypedRows) -> dict[str, list[Any]]:
    return {name: [row.get(name) for row in found.rows] for name in found.kinds}
