"""The tables of each kind of result by name, as typed rows."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar, get_args

import msgspec

from benchmaker.analysis import Comparison, ModelSummary, Ranking
from benchmaker.analysis.boards.board import BoardRow
from benchmaker.analysis.comparison.results import ComparedModel, ComparedPair
from benchmaker.analysis.effects.level_results import ComparedLevel, LevelComparison, LevelPair
from benchmaker.analysis.gates.gate_results import BaselineGate, CaseChange, GatedModel
from benchmaker.analysis.ratings.ranking import RankedModel
from benchmaker.analysis.summary.named_metrics import MetricMean
from benchmaker.analysis.summary.repeats import FlakyCase
from benchmaker.analysis.trends.trend_results import Trend, TrendPoint, TrendStep
from benchmaker.arenas.agentic.settling.stored_boards import Board
from benchmaker.arenas.standard.result import RunResult
from benchmaker.documents import entries
from benchmaker.errors import SpecError
from benchmaker.redact import Redactor
from benchmaker.report.formats.report_format import ReportSubject
from benchmaker.report.result_tables.board import BOARD
from benchmaker.report.result_tables.comparisons import COMPARED_MODELS, PAIRS, PairsView
from benchmaker.report.result_tables.gated_models import CHANGED_CASES, GATED_MODELS
from benchmaker.report.result_tables.levels import LEVEL_PAIRS, LEVELS
from benchmaker.report.result_tables.means import MEANS
from benchmaker.report.result_tables.named_metrics import NAMED_METRICS
from benchmaker.report.result_tables.ranks import RANKS
from benchmaker.report.result_tables.repeats import FLAKY_CASES, REPEATS
from benchmaker.report.result_tables.trend_points import TREND_POINTS, ModelView
from benchmaker.report.tables.column_kinds import ColumnKind, kind_of_type, kind_of_values
from benchmaker.report.tables.declaration import TableDeclaration
from benchmaker.report.tables.trial_rows import as_line
from benchmaker.report.tables.typed_trials import plain_rows, trial_kinds
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.tabular import Tabular

Made = TypeVar("Made")
Row = TypeVar("Row")
Rows = Sequence[dict[str, Any]]


class TypedRows(NamedTuple):
    """The kinds of a table's columns, in their order, and its rows as plain data."""

    kinds: Mapping[str, ColumnKind]
    rows: Rows


Read = Callable[[Any], TypedRows]


def table_of(made: Tabular, name: str | None = None) -> TypedRows:
    """Return a table of a result, by default the first.

    Raises:
        SpecError: the result has no such table; the message lists its tables.
    """
    tables = tables_of(made)
    if name is None:
        name = next(iter(tables))
    if name not in tables:
        hint = f"{did_you_mean(name, tables)} Tables: {', '.join(tables)}.".strip()
        raise SpecError(f"no table {name!r} in a {type(made).__name__}.", hint=hint)
    return tables[name](made)


def tables_of(made: Tabular) -> Mapping[str, Read]:
    """Return the functions that read the tables of a result, by the names of the tables."""
    return next(tables for kind, tables in _TABLES.items() if isinstance(made, kind))


def _trials(result: RunResult) -> TypedRows:
    with result.place.open_store() as store:
        hide = Redactor()
        subject = ReportSubject(result, store, hide)
        kinds = trial_kinds(has_tool_scores=subject.has_tool_scores)
        return TypedRows(kinds, list(plain_rows(subject.rows(), hide)))


def _declare(
    table: TableDeclaration[Made, Row], view: Callable[[Any], Iterable[Made]], *documents: type
) -> dict[str, Read]:
    """Return the reader of a declared table by its name.

    ``view`` returns what the table is made from, ``documents`` are the classes whose fields its
    columns have.
    """
    known = dict(_kinds_of(table, documents))
    return {table.name: lambda made: _typed_rows(table, list(view(made)), known)}


def _kinds_of(
    table: TableDeclaration[Made, Row], documents: Iterable[Any]
) -> Iterator[tuple[str, ColumnKind]]:
    """Yield the columns whose kind is declared, so that it does not depend on the values."""
    fields = {one.key.name: one for kind in documents for one in entries(kind)}
    for column in table.columns:
        field = fields.get(column.name)
        declared = field.kind if field and not field.key.form and not column.value else None
        kind = column.kind or kind_of_type(declared)
        if column.keys:
            kind = ColumnKind.INTEGER if _holds_integers(declared) else ColumnKind.NUMBER
        yield from ((key, kind) for key in column.file_keys if kind)


def _holds_integers(interval: Any) -> bool:  # noqa: ANN401  any annotation
    return any(get_args(one)[:1] == (int,) for one in (interval, *get_args(interval)))


def _typed_rows(
    table: TableDeclaration[Made, Row], views: Sequence[Made], known: Mapping[str, ColumnKind]
) -> TypedRows:
    hide = Redactor()
    plain = [
        msgspec.json.decode(as_line(hide.tree(record)))
        for made in views
        for record in table.records(made)
    ]
    kinds = {
        name: known.get(name) or kind_of_values([row[name] for row in plain]) for name in table.keys
    }
    return TypedRows(kinds, [_fitting(row, kinds) for row in plain])


def _fitting(row: dict[str, Any], kinds: Mapping[str, ColumnKind]) -> dict[str, Any]:
    """Return a row whose numbers have the type of their column; other content is JSON text."""
    return {name: _fit(row[name], kind) for name, kind in kinds.items()}


def _fit(value: Any, kind: ColumnKind) -> Any:  # noqa: ANN401  plain data of any shape
    if value is None or kind in {ColumnKind.TEXTS, ColumnKind.BOOLEAN, ColumnKind.INTEGER}:
        return value
    if kind is ColumnKind.NUMBER:
        return float(value)
    return value if isinstance(value, str) else as_line(value)


def _pairs(made: Comparison) -> Iterable[PairsView]:
    return [PairsView(made)]


def _summary(made: RunResult) -> Iterable[Any]:
    return [made.summary]


def _models(made: Trend) -> Iterable[ModelView]:
    return [ModelView(made, one) for one in made.models]


def _itself(made: Made) -> Iterable[Made]:
    return [made]


_TABLES: Mapping[type[Tabular], Mapping[str, Read]] = {
    RunResult: {
        "trials": _trials,
        **_declare(MEANS, _summary, ModelSummary),
        **_declare(NAMED_METRICS, _summary, MetricMean),
        **_declare(REPEATS, _summary),
        **_declare(FLAKY_CASES, _summary, FlakyCase),
    },
    Comparison: {
        **_declare(PAIRS, _pairs, ComparedPair),
        **_declare(COMPARED_MODELS, _itself, ComparedModel),
    },
    LevelComparison: {
        **_declare(LEVEL_PAIRS, _itself, ComparedPair, LevelPair),
        **_declare(LEVELS, _itself, ComparedModel, ComparedLevel),
    },
    Ranking: _declare(RANKS, _itself, RankedModel),
    BaselineGate: {
        **_declare(GATED_MODELS, _itself, GatedModel),
        **_declare(CHANGED_CASES, _itself, CaseChange),
    },
    Board: _declare(BOARD, _itself, BoardRow),
    Trend: _declare(TREND_POINTS, _models, TrendPoint, TrendStep),
}
"""The tables of each kind of result; the first is the default."""
