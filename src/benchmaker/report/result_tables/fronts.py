"""The tables of the cost of success: the front, a success's cost, budgets, repeated attempts."""

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from benchmaker.analysis.comparison.probability_words import chance_words
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.board_words import VALUE_NAMES, board_figure_text
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import TableColumn, TableDeclaration
from benchmaker.report.tables.table import SCALE

Body: TypeAlias = Mapping[str, Any]
"""The fronts of a board as plain data, and each part of them."""

_BUDGETS: Final = 4
_NOT_TESTED: Final = "not tested"


@dataclass(frozen=True, slots=True)
class FrontRow:
    """A system: its ``point`` of the front, its cost ``per_success``, its ``area`` within budgets.

    ``point`` is None without an attempt that has both a verdict and the figure.
    """

    system: str
    point: Body | None
    per_success: Body
    area: float | None

    @property
    def on_front(self) -> Body:
        """The point of a system that has one."""
        return self.point or {}


FrontColumn: TypeAlias = TableColumn[Body, FrontRow]


def front_rows(body: Body) -> list[FrontRow]:
    """Every system, in the order of names."""
    points = {one["system"]: one for one in body["front"]["points"]}
    areas = {one["system"]: one["area"] for one in body["within_budget"]}
    listed = sorted(body["per_success"], key=lambda one: str(one["system"]))
    return [
        FrontRow(one["system"], points.get(one["system"]), one, areas.get(one["system"]))
        for one in listed
    ]


def figure_of(body: Body) -> str:
    """The figure that the fronts are over."""
    return str(body["front"]["figure"])


def _value_name(body: Body) -> str:
    return VALUE_NAMES[figure_of(body)]


def untested_systems(body: Body) -> Mapping[str, str]:
    """The systems whose place on the front is not tested, with the reasons."""
    found: Mapping[str, str] = body.get("untested", {})
    return found


def _on_front(row: FrontRow, body: Body) -> str:
    if row.system in untested_systems(body):
        return _NOT_TESTED
    return "yes" if row.on_front["on_front"] else "no"


def _membership(row: FrontRow, body: Body) -> str:
    """The share of draws in which it is on the front."""
    if row.system in untested_systems(body):
        return _NOT_TESTED
    return chance_words(row.on_front["membership"])


def _per_success(row: FrontRow, body: Body) -> str:
    one, figure = row.per_success, figure_of(body)
    if one["value"] is not None:
        return board_figure_text(figure, one["value"])
    if one["unknown"] == one["attempts"]:
        return "unknown"
    return "∞" if one["at_least"] is None else f"≥ {board_figure_text(figure, one['at_least'])}"


def _total(row: FrontRow, body: Body) -> str:
    one = row.per_success
    is_known = one["unknown"] < one["attempts"]
    return board_figure_text(figure_of(body), one["total"]) if is_known else "unknown"


def _costs_first(row: FrontRow) -> tuple[bool, float, str]:
    """Sums that are known in full come first: the others say only how much it is at least."""
    one = row.per_success
    at_least = math.inf if one["at_least"] is None else float(one["at_least"])
    return one["value"] is None, at_least, row.system


_SYSTEM: Final[FrontColumn] = TableColumn(
    name="system",
    value=lambda row, _: row.system,
    title="System",
    text=lambda row, _: name(row.system),
    is_right=False,
)

_POINT: Final[tuple[FrontColumn, ...]] = (
    TableColumn(
        name="mean",
        value=lambda row, _: row.on_front.get("figure"),
        title=lambda body: f"{_value_name(body)} of\nan attempt",
        text=lambda row, body: board_figure_text(figure_of(body), row.on_front["figure"]),
        shown_after="success",
    ),
    TableColumn(
        name="success",
        value=lambda row, _: row.on_front.get("success"),
        title="Success",
        unit=SCALE,
        text=lambda row, _: numbers.score(row.on_front["success"]),
    ),
    TableColumn(
        name="n",
        value=lambda row, _: row.on_front.get("n"),
        title="n",
        text=lambda row, _: f"{row.on_front['n']:,}",
        shown_after="membership",
        gives_way=2,
    ),
    TableColumn(
        name="tasks",
        value=lambda row, _: row.on_front.get("tasks"),
        title="Tasks",
        text=lambda row, _: f"{row.on_front['tasks']:,}",
        shown_after="n",
        gives_way=1,
    ),
    TableColumn(
        name="on_front",
        value=lambda row, _: row.on_front.get("on_front"),
        title="On the\nfront",
        text=_on_front,
        is_right=False,
    ),
    TableColumn(
        name="membership",
        value=lambda row, _: row.on_front.get("membership"),
        title="Share of\ndraws",
        text=_membership,
    ),
)
"""The columns of the front."""

_COST: Final[tuple[FrontColumn, ...]] = (
    TableColumn(
        name="per_success",
        value=lambda row, _: row.per_success["value"],
        title=lambda body: f"{_value_name(body)} of\na success",
        text=_per_success,
    ),
    TableColumn(name="at_least", value=lambda row, _: row.per_success["at_least"]),
    TableColumn(
        name="total",
        value=lambda row, _: row.per_success["total"],
        title="Total",
        text=_total,
        shown_after="attempts",
        gives_way=2,
    ),
    TableColumn(
        name="successes",
        value=lambda row, _: row.per_success["successes"],
        title="Successes",
        text=lambda row, _: f"{row.per_success['successes']:,}",
    ),
    TableColumn(
        name="attempts",
        value=lambda row, _: row.per_success["attempts"],
        title="Attempts",
        text=lambda row, _: f"{row.per_success['attempts']:,}",
    ),
    TableColumn(name="unknown", value=lambda row, _: row.per_success["unknown"]),
)
"""The columns of what a success costs."""

_REASON: Final[FrontColumn] = TableColumn(
    name="reason",
    value=lambda row, _: row.per_success["reason"],
    title="Reason",
    text=lambda row, _: row.per_success["reason"],
    is_right=False,
    gives_way=1,
)


def front_label(body: Body) -> str:
    """The caption of the front, and of its drawing."""
    return f"Success against {_value_name(body).lower()} of an attempt"


def _in_order_of_points(body: Body) -> list[FrontRow]:
    rows = {row.system: row for row in front_rows(body)}
    return [rows[one["system"]] for one in body["front"]["points"]]


FRONT: TableDeclaration[Body, FrontRow] = TableDeclaration(
    "points",
    (_SYSTEM, *_POINT),
    rows=_in_order_of_points,
    caption=front_label,
)
"""Success against the figure of an attempt, and the place on the front."""

COST_OF_SUCCESS: TableDeclaration[Body, FrontRow] = TableDeclaration(
    "per_success",
    (_SYSTEM, *_COST, _REASON),
    rows=lambda body: sorted(front_rows(body), key=_costs_first),
    caption=lambda body: f"{_value_name(body)} of one success",
)
"""The cost of a success, failed attempts included."""

FRONTS: TableDeclaration[Body, FrontRow] = TableDeclaration(
    "front",
    (
        _SYSTEM,
        TableColumn(name="figure", value=lambda _, body: figure_of(body)),
        *_POINT,
        *_COST,
        TableColumn(name="area", value=lambda row, _: row.area),
        _REASON,
    ),
    rows=front_rows,
)
"""Every figure of each system, for files."""


def share_within(one: Body, budget: float) -> float:
    """The share of attempts that succeed within a budget."""
    place = bisect_right(one["budgets"], budget)
    return float(one["shares"][place - 1]) if place else 0.0


def _ticks(known: Sequence[Body]) -> list[float]:
    """Budgets at even steps of the logarithm, to two digits."""
    if not known or not 0 < known[0]["low"] < known[0]["high"] < math.inf:
        return []
    low, high = math.log(known[0]["low"]), math.log(known[0]["high"])
    steps = (math.exp(low + (high - low) * at / _BUDGETS) for at in range(1, _BUDGETS + 1))
    return sorted({float(f"{step:.2g}") for step in steps})


def within_budgets(body: Body) -> list[Body]:
    """The systems with a success at a known figure."""
    return [one for one in body["within_budget"] if one["budgets"]]


def budget_table(body: Body) -> TableDeclaration[Body, Body]:
    """The shares of successes within four budgets of the figure, and the area below them."""
    return TableDeclaration(
        "within_budget",
        (
            TableColumn(
                name="system",
                title="System",
                text=lambda one, _: name(one["system"]),
                is_right=False,
            ),
            *(_within(budget, figure_of(body)) for budget in _ticks(within_budgets(body))),
            TableColumn(
                name="area",
                title="Area",
                text=lambda one, _: _area(one["area"]),
            ),
            TableColumn(
                name="left_out",
                title="Left out",
                text=lambda one, _: f"{one['left_out']:,}",
                gives_way=1,
            ),
        ),
        rows=within_budgets,
        caption=f"Success within a budget of {_value_name(body).lower()}",
    )


def _area(value: float | None) -> str:
    return missing_figures.NOT_KNOWN if value is None else numbers.score(value)


def _within(budget: float, figure: str) -> TableColumn[Body, Body]:
    return TableColumn(
        title=f"within\n{board_figure_text(figure, budget)}",
        text=lambda one, _: numbers.score(share_within(one, budget)),
    )


@dataclass(frozen=True, slots=True)
class Attempts:
    """A system and its success in several attempts, by their number."""

    system: str
    by_k: Mapping[int, Body]


def _attempts(body: Body) -> list[Attempts]:
    by_system: dict[str, dict[int, Body]] = {}
    for one in body["passes"]:
        by_system.setdefault(one["system"], {})[one["k"]] = one
    return [Attempts(system, by_k) for system, by_k in by_system.items()]


def attempts_table(body: Body) -> TableDeclaration[Body, Attempts]:
    """The probabilities that one of several attempts succeeds, and that all do."""
    ks = sorted({one["k"] for one in body["passes"]})
    ends = [*ks[:1], *ks[-1:]] if len(ks) > 1 else ks
    return TableDeclaration(
        "passes",
        (
            TableColumn(title="System", text=lambda one, _: name(one.system), is_right=False),
            *(_passes("pass@", "pass_at_k", k) for k in ends),
            *(_passes("pass^", "pass_hat_k", k) for k in ends[1:]),
            *(_passes("pass@", "pass_at_k", k, is_short=True) for k in ks if k not in ends),
        ),
        rows=_attempts,
        caption="Several attempts",
    )


def _passes(label: str, key: str, k: int, *, is_short: bool = False) -> TableColumn[Body, Attempts]:
    """A probability with its interval; without it where the column ``is_short``."""
    return TableColumn(
        title=f"{label}{k}",
        unit="" if is_short else lambda body: f"{100 * body['level']:g}% CI",
        text=lambda one, _: _pass(one.by_k.get(k), key, is_short=is_short),
        gives_way=is_short,
    )


def _pass(one: Body | None, key: str, *, is_short: bool) -> str:
    if one is None or one[key]["mean"] is None:
        return missing_figures.NOT_KNOWN
    made = one[key]
    if is_short or made["low"] is None:
        return numbers.score(made["mean"])
    return f"{numbers.score(made['mean'])} {numbers.interval((made['low'], made['high']))}"
