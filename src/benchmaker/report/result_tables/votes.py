"""The table of models by blind votes, with the means of judge and checks."""

from collections.abc import Callable

from benchmaker.analysis.ratings.head_to_head import HeadToHead
from benchmaker.analysis.ratings.ranking import RankedModel, Ranking
from benchmaker.analysis.ratings.vote_ratings import Standings, VotedModel
from benchmaker.report.result_tables.ranks import rank_range, rating_interval, rating_text
from benchmaker.report.sentences import missing_figures
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import Surface, TableColumn, TableDeclaration
from benchmaker.report.tables.sanitize import sanitise
from benchmaker.stats.means.proportions import Proportion


def _level(made: Standings) -> str:
    return f"{100 * made.ranking.level:g}% CI" if made.ranking else "95% CI"


def _rating_cell(
    text: Callable[[RankedModel, Ranking], str], missing: str
) -> Callable[[VotedModel, Standings], str]:
    """The cell of a rated model, and the text of one without a rating."""

    def cell(one: VotedModel, made: Standings) -> str:
        return (
            missing
            if one.ranked is None or made.ranking is None
            else text(one.ranked, made.ranking)
        )

    return cell


def _mean(value: float | None, missing: str) -> str:
    """A mean from 0 to 100."""
    return missing if value is None else numbers.score(value / 100)


def _both_bad(share: Proportion | None) -> str:
    return "no votes" if share is None else numbers.share(share.share)


VOTES: TableDeclaration[Standings, VotedModel] = TableDeclaration(
    "standings",
    (
        TableColumn(
            name="model",
            title="Model",
            text=lambda one, _: sanitise(one.model),
            is_right=False,
            shown_after="rank",
        ),
        TableColumn(
            name="rank",
            value=lambda one, _: one.ranked.rank if one.ranked else None,
            title=lambda made: f"Rank, {_level(made)}",
            text=_rating_cell(lambda line, _: rank_range(line), missing_figures.NOT_RANKED),
            is_wide=False,
        ),
        TableColumn(name="best", value=lambda one, _: one.ranked.best if one.ranked else None),
        TableColumn(name="worst", value=lambda one, _: one.ranked.worst if one.ranked else None),
        TableColumn(
            name="rating",
            value=lambda one, _: one.ranked.score if one.ranked else None,
            title="Rating",
            text=_rating_cell(rating_text, missing_figures.NOT_RATED),
            is_wide=False,
        ),
        TableColumn(
            name="interval",
            keys=("low", "high"),
            value=lambda one, _: (one.ranked.low, one.ranked.high) if one.ranked else None,
            title=_level,
            text=_rating_cell(rating_interval, missing_figures.NO_INTERVAL),
            beside="rating",
        ),
        TableColumn(name="votes", title="Votes", text=lambda one, _: f"{one.votes:,}"),
        TableColumn(
            name="both_bad",
            value=lambda one, _: one.both_bad.share if one.both_bad else None,
            title="Both bad",
            text=lambda one, _: _both_bad(one.both_bad),
            help="Both bad is a separate rate, not a tie.",
            shown_after="checks_mean",
            gives_way=1,
        ),
        TableColumn(
            name="judge_mean",
            title="Judge\nmean",
            text=lambda one, _: _mean(one.judge_mean, "not judged"),
            help="Judge mean: total score of judged pages, 0 to 100.",
        ),
        TableColumn(name="judged"),
        TableColumn(
            name="checks_mean",
            title="Checks\npassed",
            text=lambda one, _: _mean(one.checks_mean, "no checks"),
            help="Checks passed: mean share of the checks of a page, 0 to 100.",
        ),
        TableColumn(name="checked"),
        TableColumn(
            name="probe_mean",
            title="Probe\nmean",
            text=lambda one, _: _mean(one.probe_mean, "not probed"),
            help="Probe mean: functionality and responsiveness of rendered pages, 0 to 100.",
            is_shown=lambda _, surface: surface is not Surface.TERMINAL,
        ),
        TableColumn(name="probed"),
        TableColumn(name="without_page"),
        TableColumn(name="unjudged"),
    ),
    rows=lambda made: made.models,
)
"""Ranks and ratings with intervals, votes, and the means of judge and checks."""

HEAD_TO_HEAD: TableDeclaration[Standings, HeadToHead] = TableDeclaration(
    "head_to_head",
    (
        TableColumn(
            name="model_a", title="Model", text=lambda one, _: sanitise(one.model_a), is_right=False
        ),
        TableColumn(
            name="model_b",
            title="Against",
            text=lambda one, _: sanitise(one.model_b),
            is_right=False,
        ),
        TableColumn(name="n", title="Votes", text=lambda one, _: f"{one.n:,}"),
        TableColumn(name="wins_a", title="Won", text=lambda one, _: f"{one.wins_a:,}"),
        TableColumn(name="wins_b", title="Lost", text=lambda one, _: f"{one.wins_b:,}"),
        TableColumn(name="ties", title="Ties", text=lambda one, _: f"{one.ties:,}"),
        TableColumn(name="both_bad", title="Both bad", text=lambda one, _: f"{one.both_bad:,}"),
    ),
    rows=lambda made: made.pairs,
)
"""The votes of each pair of models, by outcome."""
