"""The table of a ranking: a row for each model, from suites or votes."""

from benchmaker.analysis.comparison.probability_words import chance_words
from benchmaker.analysis.ratings.ranking import RankedModel, Ranking
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import Surface, TableColumn, TableDeclaration

_TEXTS = frozenset({Surface.TERMINAL, Surface.MARKDOWN})

_WEIGHTS, _OUTCOMES, _BATTLES, _CHANCE = 1, 2, 3, 4
"""What gives way first on a narrow terminal."""


def rank_range(one: RankedModel) -> str:
    """A rank is a range: ``2 [1–3]``; unranked: ``not ranked``.

    With neither, the ranking is provisional, or the method has no rank intervals.
    """
    if one.rank is None:
        return missing_figures.NOT_RANKED
    if one.best is None or one.worst is None:
        return f"{one.rank}"
    return f"{one.rank} [{one.best}–{one.worst}]"


def rating_text(one: RankedModel, ranking: Ranking) -> str:
    """The score: whole points, or a share in percent."""
    return missing_figures.NOT_RATED if one.score is None else _format_score(one.score, ranking)


def rating_interval(one: RankedModel, ranking: Ranking) -> str:
    """The interval of the score."""
    if one.low is None or one.high is None:
        return missing_figures.NO_INTERVAL
    return f"[{_format_score(one.low, ranking)}, {_format_score(one.high, ranking)}]"


def _format_score(value: float, ranking: Ranking) -> str:
    if ranking.unit == "share":
        return numbers.share(value)
    return numbers.fixed_point(value, 0)


def _chance(one: RankedModel) -> str:
    """The chance to be on top."""
    return missing_figures.NOT_KNOWN if one.p_top is None else chance_words(one.p_top)


def _level(ranking: Ranking) -> str:
    return f"{100 * ranking.level:g}% CI"


def _battles(
    attribute: str, title: str, *, shown_after: str = ""
) -> TableColumn[Ranking, RankedModel]:
    """How many battles ended so."""
    return TableColumn(
        name=attribute,
        title=title,
        text=lambda one, _: f"{getattr(one, attribute):,}",
        shown_after=shown_after,
        is_shown=lambda _, surface: surface in _TEXTS,
        gives_way=_OUTCOMES,
    )


def _weights(
    attribute: str, title: str, *, shown_after: str = ""
) -> TableColumn[Ranking, RankedModel]:
    """The sum of the weights by which models are rated, where battles have weights."""
    return TableColumn(
        name=attribute,
        title=title,
        unit="by weight",
        text=lambda one, _: f"{getattr(one, attribute):,.6g}",
        shown_after=shown_after,
        is_shown=lambda made, surface: surface in _TEXTS and made.is_weighted,
        gives_way=_WEIGHTS,
    )


RANKS: TableDeclaration[Ranking, RankedModel] = TableDeclaration(
    "ranks",
    (
        TableColumn(
            name="model",
            title=lambda made: made.noun.capitalize(),
            text=lambda one, _: name(one.model),
            is_right=False,
            shown_after="rank",
        ),
        TableColumn(
            name="rank",
            title="Rank",
            unit=lambda made: _level(made) if made.rank_method else "",
            text=lambda one, made: "provisional" if made.provisional else rank_range(one),
            is_wide=False,
        ),
        TableColumn(name="best"),
        TableColumn(name="worst"),
        TableColumn(
            name="p_top",
            title=lambda made: "P(first)" if made.top == 1 else f"P(top {made.top})",
            text=lambda one, _: _chance(one),
            shown_after="interval",
            is_shown=lambda _, surface: surface is not Surface.PAGE,
            gives_way=_CHANCE,
        ),
        TableColumn(
            name="score",
            title=lambda made: "Win rate" if made.unit == "share" else "Rating",
            text=rating_text,
            is_wide=False,
        ),
        TableColumn(
            name="interval",
            keys=("low", "high"),
            value=lambda one, _: (one.low, one.high),
            title=_level,
            text=rating_interval,
            beside="score",
        ),
        TableColumn(
            name="n_battles",
            title="Battles",
            text=lambda one, _: f"{one.n_battles:,}",
            gives_way=_BATTLES,
            is_shown=lambda _, surface: surface is not Surface.PAGE,
        ),
        _battles("wins", "Won"),
        _battles("losses", "Lost", shown_after="ties"),
        _battles("ties", "Tied"),
        _weights("weighted_wins", "Won"),
        _weights("weighted_losses", "Lost", shown_after="weighted_ties"),
        _weights("weighted_ties", "Tied"),
        TableColumn(name="effective"),
        TableColumn(name="group"),
        TableColumn(name="reason"),
    ),
    rows=lambda made: made.models,
)
"""Ranks with intervals, scores with intervals, the chance to be on top, and the battles."""
