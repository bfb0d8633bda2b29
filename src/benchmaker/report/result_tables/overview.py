"""The table at the head of a run's page: each setup with its figures, its lead and its cost."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from benchmaker.analysis import ModelSummary, RankedModel, Ranking, Summary
from benchmaker.record.counts import count
from benchmaker.report.result_tables.comparisons import PAIRS, PairsView, ShownPair, interval_head
from benchmaker.report.result_tables.means import MEANS
from benchmaker.report.result_tables.ranks import rank_range
from benchmaker.report.sentences import missing_figures
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import Surface, TableColumn, TableDeclaration

REFERENCE = "reference"
"""The cell of the setup that the others are compared with."""

OPTIONAL: Final = frozenset({"sd", "p_adjusted", "d_av", "n_pairs", "more_cases"})
"""Columns that a page shows only if they are chosen."""


@dataclass(frozen=True)
class Overview:
    """A result with its comparison and ranking, as far as there are any."""

    summary: Summary
    pairs: PairsView | None = None
    ranking: Ranking | None = None

    @cached_property
    def rows(self) -> Sequence["OverviewRow"]:
        """A row for each model, in the order of the summary."""
        pairs = {row.other: row for row in self.pairs.rows} if self.pairs else {}
        ranks = {one.model: one for one in self.ranking.models} if self.ranking else {}
        return [
            OverviewRow(one, pairs.get(one.model), ranks.get(one.model))
            for one in self.summary.models
        ]

    @property
    def difference_cases(self) -> str:
        """The number of cases behind the differences if the runs have more; else empty."""
        numbers_of_cases = [row.pair.pair.n for row in self.rows if row.pair]
        most = self.pairs.comparison.n_cases if self.pairs else 0
        if not numbers_of_cases or min(numbers_of_cases) >= most:
            return ""
        low, high = min(numbers_of_cases), max(numbers_of_cases)
        span = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        return f"over {span} of {count(most, 'case')}"


@dataclass(frozen=True, slots=True)
class OverviewRow:
    """A model, its pair with the reference, and its rank."""

    model: ModelSummary
    pair: ShownPair | None
    rank: RankedModel | None

    def to_dict(self) -> dict[str, Any]:
        """The figures of the model."""
        return self.model.to_dict()


_AFTER = {"cost_usd": "rank", "sd": "p_adjusted"}
"""The columns of means that follow others here."""


def _of_means(column: TableColumn[Summary, ModelSummary]) -> TableColumn[Overview, OverviewRow]:
    found: TableColumn[Overview, OverviewRow] = column.within(
        lambda made: made.summary, lambda row: row.model
    )
    return replace(found, shown_after=_AFTER.get(column.name, column.shown_after))


def _pair_text(column: str, row: OverviewRow, made: Overview) -> str:
    """A cell of the pair with the reference."""
    if made.pairs is None:
        return missing_figures.NOT_TESTED
    if row.pair is None:
        is_own = row.model.model == made.pairs.reference
        return REFERENCE if is_own else missing_figures.NOT_TESTED
    return PAIRS.column(column).cell(row.pair, made.pairs)


def _of_pairs(
    key: str, title: str, unit: str = "", *, column: str = "", is_right: bool = True
) -> TableColumn[Overview, OverviewRow]:
    """A column of the pairs with the reference, under the name of the field of the pair."""
    source = column or key
    return TableColumn(
        name=key,
        value=lambda row, _: getattr(row.pair.pair, source) if row.pair else None,
        title=title,
        unit=unit,
        text=lambda row, made: _pair_text(source, row, made),
        is_right=is_right,
        is_shown=_is_compared,
    )


def _is_compared(made: Overview, surface: Surface) -> bool:  # noqa: ARG001  as TableColumn calls it
    return made.pairs is not None


def _interval_title(made: Overview) -> str:
    if made.pairs is None:
        return "95% CI"
    pair = made.pairs.comparison.headline
    _, _, family = pair.adjustment.partition(" over ")
    return f"{interval_head(pair.ci_name)}{f', {family}' if family else ''}"


def _difference_text(row: OverviewRow, made: Overview) -> str:
    return _pair_text("diff", row, made)


def _difference_interval(row: OverviewRow, _: Overview) -> str:
    return missing_figures.optional_interval(row.pair.interval) if row.pair else ""


def _rank_text(row: OverviewRow, made: Overview) -> str:
    if row.rank is None or made.ranking is None:
        return missing_figures.NOT_RANKED
    return "provisional" if made.ranking.provisional else rank_range(row.rank)


def _tokens_text(row: OverviewRow, _: Overview) -> str:
    sent, got = row.model.input_tokens, row.model.output_tokens
    if sent is None or got is None:
        return missing_figures.NOT_KNOWN
    return f"{numbers.tokens(sent)} / {numbers.tokens(got)}"


def _all_tokens(model: ModelSummary) -> int | None:
    sent, got = model.input_tokens, model.output_tokens
    return None if sent is None or got is None else sent + got


def _has_tokens(made: Overview, surface: Surface) -> bool:  # noqa: ARG001  as TableColumn calls it
    return any(one.tokens_known_trials for one in made.summary.models)


def _more_text(row: OverviewRow, made: Overview) -> str:
    if made.pairs is None or row.pair is None:
        return REFERENCE
    return made.pairs.more_cases.get(row.model.model) or "none needed"


OVERVIEW: TableDeclaration[Overview, OverviewRow] = TableDeclaration(
    "overview",
    (
        *map(_of_means, MEANS.columns),
        TableColumn(
            name="reference", value=lambda _, made: made.pairs.reference if made.pairs else None
        ),
        TableColumn(
            name="diff",
            value=lambda row, _: row.pair.difference[0] if row.pair else None,
            title="Difference",
            text=_difference_text,
            is_wide=False,
            is_shown=_is_compared,
        ),
        TableColumn(
            name="diff_interval",
            keys=("diff_low", "diff_high"),
            value=lambda row, _: row.pair.interval if row.pair else None,
            title=_interval_title,
            text=_difference_interval,
            beside="diff",
            is_shown=_is_compared,
        ),
        replace(
            _of_pairs("verdict", "Verdict", is_right=False),
            value=lambda row, _: row.pair.verdict if row.pair else None,
            is_wide=False,
        ),
        _of_pairs("p_adjusted", "p", "adjusted"),
        _of_pairs("d_av", "Effect", "Cohen's d"),
        _of_pairs("n_pairs", "Cases", column="n"),
        TableColumn(
            name="rank",
            keys=("rank", "rank_best", "rank_worst"),
            value=lambda row, _: (
                (row.rank.rank, row.rank.best, row.rank.worst) if row.rank else None
            ),
            title="Rank",
            unit="95% CI",
            text=_rank_text,
            is_shown=lambda made, _: made.ranking is not None,
        ),
        TableColumn(
            name="tokens",
            value=lambda row, _: _all_tokens(row.model),
            title="Tokens",
            unit="in / out",
            text=_tokens_text,
            is_shown=_has_tokens,
            shown_after="median_latency_s",
        ),
        TableColumn(
            name="more_cases",
            value=lambda row, made: (
                made.pairs.more_cases.get(row.model.model) if made.pairs else None
            ),
            title="To reach significance",
            text=_more_text,
            is_right=False,
            is_shown=_is_compared,
        ),
    ),
    rows=lambda made: made.rows,
)
"""Figures with intervals, the difference from a chosen setup, ranks, cost, latency and tokens."""
