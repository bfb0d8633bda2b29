"""The tables of scoring profiles, and of two of them compared."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from benchmaker.analysis.boards.profile_comparison import (
    Move,
    ProfileComparison,
    ProfileQuality,
    StrategyResult,
)
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import TableColumn, TableDeclaration
from benchmaker.spec.tasks.agentic_profile import AgenticProfile
from benchmaker.spec.tasks.task import TaskWeights

_STRATEGIES: Final = {
    "fast_fail": "fast fail",
    "token_starved": "token-starved",
    "one_tool_call": "one tool call",
    "spam": "spam",
    "no_cost": "cost omitted",
    "no_time": "time omitted",
    "no_tokens": "tokens omitted",
    "zero_dollars": "0 dollars",
    "tiny_dollars": "$0.000001",
    "negative_figures": "negative figures",
    "absurd_figures": "absurdly small figures",
    "huge_figures": "absurdly large figures",
}


class ProfileState(NamedTuple):
    """A profile, and its state in words."""

    profile: AgenticProfile
    state: str


PROFILES: TableDeclaration[Sequence[tuple[AgenticProfile, str]], ProfileState] = TableDeclaration(
    "profiles",
    (
        TableColumn(
            name="id",
            value=lambda one, _: one.profile.id,
            title="Profile",
            text=lambda one, _: one.profile.id,
            is_right=False,
        ),
        TableColumn(
            name="family",
            value=lambda one, _: one.profile.family,
            title="Family",
            text=lambda one, _: one.profile.family,
            is_right=False,
        ),
        TableColumn(
            name="state",
            value=lambda one, _: one.state,
            title="State",
            text=lambda one, _: one.state,
            is_right=False,
        ),
        TableColumn(
            name="description",
            value=lambda one, _: one.profile.description,
            title="Description",
            text=lambda one, _: name(one.profile.description) if one.profile.description else "",
            is_right=False,
        ),
    ),
    rows=lambda listed: [ProfileState(*one) for one in listed],
)
"""Every profile with its state."""


class WeightsRow(NamedTuple):
    """The weights of tasks of a category; those of all others are ``otherwise``."""

    category: str
    weights: TaskWeights


def _weight(part: str) -> TableColumn[AgenticProfile, WeightsRow]:
    """The weight of a part of the composite."""
    return TableColumn(
        name=part,
        value=lambda row, _: getattr(row.weights, part),
        title=part.capitalize(),
        text=lambda row, _: f"{getattr(row.weights, part):g}",
    )


WEIGHTS: TableDeclaration[AgenticProfile, WeightsRow] = TableDeclaration(
    "weights",
    (
        TableColumn(
            name="category",
            value=lambda row, _: row.category,
            title="Weights",
            text=lambda row, _: row.category,
            is_right=False,
        ),
        *map(_weight, TaskWeights.model_fields),
    ),
    rows=lambda profile: [
        WeightsRow("otherwise", profile.weights),
        *(WeightsRow(category, one) for category, one in profile.by_category.items()),
    ],
)
"""The weights of a profile for each category of tasks."""


def _discrimination(one: ProfileQuality) -> str:
    share = one.discrimination
    return missing_figures.NOT_TESTED if share is None else numbers.share(share)


def _stability(one: ProfileQuality) -> str:
    return missing_figures.NOT_TESTED if one.stability is None else f"{one.stability:.3f}"


def _resistance(one: ProfileQuality) -> str:
    if one.gamed is None:
        return "not tried"
    zero = f", {one.at_zero:,} not: median also 0" if one.at_zero else ""
    return f"{one.kept_below:,} of {one.gamed:,}{zero}"


QUALITIES: TableDeclaration[ProfileComparison, ProfileQuality] = TableDeclaration(
    "qualities",
    (
        TableColumn(
            name="profile",
            value=lambda one, _: one.profile,
            title="Profile",
            text=lambda one, _: one.profile,
            is_right=False,
        ),
        TableColumn(
            name="evaluated",
            value=lambda one, _: one.evaluated,
            title="Evaluated",
            text=lambda one, _: f"{one.evaluated:,}",
        ),
        TableColumn(
            name="systems",
            value=lambda one, _: one.systems,
            title="Systems\nranked",
            text=lambda one, _: f"{one.systems:,}",
        ),
        TableColumn(
            name="discrimination",
            value=lambda one, _: one.discrimination,
            title="Pairs that\ndiffer",
            text=lambda one, _: _discrimination(one),
        ),
        TableColumn(
            name="stability",
            value=lambda one, _: one.stability,
            title="Stability",
            unit="τ-b",
            text=lambda one, _: _stability(one),
        ),
        TableColumn(
            name="gamed",
            value=lambda one, _: one.gamed,
            title="Gaming\nresisted",
            text=lambda one, _: _resistance(one),
        ),
    ),
    rows=lambda made: (made.a, made.b),
)
"""The submissions that each profile evaluates, the pairs that differ, and the gaming resisted."""


@dataclass(frozen=True, slots=True)
class StrategyRow:
    """A strategy of gaming under both profiles; None where it was not tried."""

    strategy: str
    a: StrategyResult | None
    b: StrategyResult | None


def _strategy_rows(made: ProfileComparison) -> list[StrategyRow]:
    a, b = ({it.strategy: it for it in one.gaming} for one in (made.a, made.b))
    return [StrategyRow(each, a.get(each), b.get(each)) for each in dict.fromkeys((*a, *b))]


def _kept_below(one: StrategyResult | None) -> str:
    return "not tried" if one is None else f"{one.kept_below:,} of {one.tried:,}"


def _strategy_column(
    profile: Callable[[ProfileComparison], ProfileQuality],
    result: Callable[[StrategyRow], StrategyResult | None],
) -> TableColumn[ProfileComparison, StrategyRow]:
    """The tasks at which a profile resists."""
    return TableColumn(
        title=lambda made: f"Resisted\n{profile(made).profile}",
        text=lambda row, _: _kept_below(result(row)),
    )


GAMING: TableDeclaration[ProfileComparison, StrategyRow] = TableDeclaration(
    "gaming",
    (
        TableColumn(
            title="Strategy",
            text=lambda row, _: _STRATEGIES.get(row.strategy, row.strategy),
            is_right=False,
        ),
        _strategy_column(lambda made: made.a, lambda row: row.a),
        _strategy_column(lambda made: made.b, lambda row: row.b),
    ),
    rows=_strategy_rows,
    caption="Gaming by strategy",
)
"""The tasks at which a strategy stays below its bar, under each profile."""


def _rank_columns(
    side: str,
    profile: Callable[[ProfileComparison], ProfileQuality],
    rank: Callable[[Move], int],
    interval: Callable[[Move], tuple[int, int]],
) -> tuple[TableColumn[ProfileComparison, Move], ...]:
    """The rank under a profile with its interval, which stand in one cell for people."""

    def text(one: Move, _: ProfileComparison) -> str:
        low, high = interval(one)
        return f"{rank(one)} [{low}–{high}]"

    return (
        TableColumn(
            name=f"rank_{side}",
            value=lambda one, _: rank(one),
            title=lambda made: f"Rank\n{profile(made).profile}",
            text=text,
        ),
        TableColumn(
            name=f"interval_{side}",
            keys=(f"low_{side}", f"high_{side}"),
            value=lambda one, _: interval(one),
        ),
    )


MOVES: TableDeclaration[ProfileComparison, Move] = TableDeclaration(
    "moves",
    (
        TableColumn(
            name="system",
            value=lambda one, _: one.system,
            title="System",
            text=lambda one, _: name(one.system),
            is_right=False,
        ),
        *_rank_columns("a", lambda made: made.a, lambda it: it.rank_a, lambda it: it.interval_a),
        *_rank_columns("b", lambda made: made.b, lambda it: it.rank_b, lambda it: it.interval_b),
    ),
    rows=lambda made: made.moves,
    caption="Moves beyond the rank intervals",
)
"""The systems whose rank under one profile lies outside their interval under the other."""
