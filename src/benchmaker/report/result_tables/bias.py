"""The tables of a bias report, and one of all its tests for files."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import TableColumn, TableDeclaration

Body: TypeAlias = Mapping[str, Any]
"""A bias report as plain data."""

Test: TypeAlias = Mapping[str, Any]
"""A test of a report as plain data."""

BiasColumn: TypeAlias = TableColumn[Body, Test]


def _figure_words(row: Test, _: Body) -> str:
    return str(row["figure"]).replace("_", " ")


def _level(body: Body) -> str:
    return f"{100 * body['level']:g}% CI"


def _points(value: float | None) -> str:
    return missing_figures.NOT_TESTED if value is None else numbers.difference(value / 100)


def _points_interval(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return missing_figures.NO_INTERVAL
    ends = (numbers.end(end / 100, signed=True) for end in (low, high))
    return f"[{', '.join(ends)}]"


def _gap_interval(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return missing_figures.NO_INTERVAL
    return f"[{numbers.limit(low, 3)}, {numbers.limit(high, 3)}]"


_TOOL: Final[BiasColumn] = TableColumn(
    name="tool", title="Tool", text=lambda row, _: name(row["tool"]), is_right=False
)
_FIGURE: Final[BiasColumn] = TableColumn(
    name="figure", title="Figure", text=_figure_words, is_right=False
)
_P_ADJUSTED: Final[BiasColumn] = TableColumn(
    name="p_adjusted",
    title="p",
    unit="adjusted",
    text=lambda row, _: missing_figures.optional_p_value(row["p_adjusted"]),
)
_N: Final[BiasColumn] = TableColumn(
    name="n", title="n", text=lambda row, _: f"{row['n']:,}", gives_way=2
)
_FLAGGED: Final[BiasColumn] = TableColumn(
    name="is_flagged",
    title="Flag",
    text=lambda row, _: "flagged" if row["is_flagged"] else "",
    is_right=False,
)

RESIDUALS: TableDeclaration[Body, Test] = TableDeclaration(
    "residuals",
    (
        _TOOL,
        TableColumn(name="points", title="Points", text=lambda row, _: _points(row["points"])),
        TableColumn(
            name="interval",
            keys=("low", "high"),
            value=lambda row, _: (row["low"], row["high"]),
            title=_level,
            text=lambda row, _: _points_interval(row["low"], row["high"]),
            beside="points",
        ),
        _P_ADJUSTED,
        _N,
        _FLAGGED,
        TableColumn(
            name="reason",
            title="Reason",
            text=lambda row, _: row["reason"],
            is_right=False,
            gives_way=1,
        ),
    ),
    rows=lambda body: body["residuals"],
    caption="Composite relative to others at the same task and outcome",
)
"""The composites of each tool over what its tasks and outcomes explain, in points."""

MISSING_FIGURES: TableDeclaration[Body, Test] = TableDeclaration(
    "missing",
    (
        _TOOL,
        _FIGURE,
        TableColumn(
            name="share",
            value=lambda row, _: row["share"]["share"],
            title="Missing",
            text=lambda row, _: numbers.share(row["share"]["share"]),
        ),
        TableColumn(
            name="others",
            value=lambda row, _: row["others"]["share"],
            title="Others",
            text=lambda row, _: numbers.share(row["others"]["share"]),
        ),
        _P_ADJUSTED,
        _FLAGGED,
    ),
    rows=lambda body: [
        one for one in body["missing"] if one["share"]["share"] or one["is_flagged"]
    ],
    caption="Missing figures",
)
"""The share of submissions that lack a figure, beside that of the other tools."""

GAPS: TableDeclaration[Body, Test] = TableDeclaration(
    "gaps",
    (
        _FIGURE,
        TableColumn(
            name="gap",
            title="Difference",
            text=lambda row, _: numbers.fixed_point(row["gap"], 3, signed=True),
        ),
        TableColumn(
            name="interval",
            keys=("low", "high"),
            value=lambda row, _: (row["low"], row["high"]),
            title=_level,
            text=lambda row, _: _gap_interval(row["low"], row["high"]),
            beside="gap",
        ),
        _P_ADJUSTED,
        _N,
        _FLAGGED,
    ),
    rows=lambda body: [one for one in body["gaps"] if one["gap"] is not None],
    caption="Self-reported against other figures",
)
"""Self-reported figures less measured ones, of logarithms."""

INFLUENCE: TableDeclaration[Body, Test] = TableDeclaration(
    "influence",
    (
        TableColumn(
            name="system",
            title="Excluded from baselines",
            text=lambda row, _: name(row["system"]),
            is_right=False,
        ),
        TableColumn(
            name="largest", title="Largest\nchange of rank", text=lambda row, _: f"{row['largest']}"
        ),
        TableColumn(
            name="moved",
            title="Moved beyond rank intervals",
            text=lambda row, _: ", ".join(map(name, row["moved"])) or "none",
            is_right=False,
        ),
    ),
    rows=lambda body: body["influence"],
    caption="Effect of excluding a system from baselines",
)
"""The ranks that change without a system's submissions in the baselines."""


def _tests(body: Body) -> Iterator[Test]:
    """Every test of a report under the names of :data:`BIAS_TESTS`."""
    for one in body["residuals"]:
        yield {**one, "look": "residual", "about": one["tool"], "value": one["points"]}
    for one in body["missing"]:
        share = one["share"]
        own = {"value": share["share"], "n": share["n"], "others": one["others"]["share"]}
        yield {**one, "look": "missing", "about": one["tool"], **own}
    for one in body["gaps"]:
        yield {**one, "look": "self_reported", "about": one["figure"], "value": one["gap"]}
    for one in body["influence"]:
        flagged, reason = bool(one["moved"]), ", ".join(one["moved"])
        own = {"value": one["largest"], "is_flagged": flagged, "reason": reason}
        yield {"look": "baseline", "about": one["system"], **own}


def _of_tests(column: str, *, key: str = "") -> BiasColumn:
    """A column of all tests; empty for those that have no such figure."""
    return TableColumn(name=column, value=lambda row, _: row.get(key or column))


BIAS_TESTS: TableDeclaration[Body, Test] = TableDeclaration(
    "bias",
    (
        *map(_of_tests, ("look", "about", "figure", "value", "low", "high", "others", "p_value")),
        *map(_of_tests, ("p_adjusted", "n")),
        _of_tests("flagged", key="is_flagged"),
        _of_tests("reason"),
    ),
    rows=lambda body: list(_tests(body)),
)
"""Every test of the report, for files."""
