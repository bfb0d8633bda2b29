"""A ranking of models as text and CSV."""

from collections.abc import Sequence
from typing import TextIO

from benchmaker.analysis.comparison.probability_words import chance_words
from benchmaker.analysis.ratings.ranking import RankedModel, Ranking, StyleEffect
from benchmaker.record import Run
from benchmaker.report.runs.comparison import run_facts
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.notes import name
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.report.tables import numbers
from benchmaker.report.tables.sanitize import sanitise
from benchmaker.report.tables.table import (
    WIDTH,
    Column,
    Table,
    bullets,
    wrap_paragraphs,
    write_rows,
)

CSV_COLUMNS = (
    "model", "rank", "best", "worst", "p_top", "score", "low", "high", "n_battles", "wins",
    "losses", "ties", "weighted_wins", "weighted_losses", "weighted_ties", "effective", "group",
    "reason",
)  # fmt: skip


_WEIGHTED = tuple(Column(f"{head}\nby weight", gives_way=True) for head in ("Won", "Tied", "Lost"))
"""What stands beside the battles where they have weights: the sums by which models are rated."""


def ranking_text(
    ranking: Ranking, runs: Sequence[Run] = (), *, width: int = WIDTH, styled: bool = False
) -> str:
    """Return the leader, the table, and the notes."""
    return "\n".join(
        [
            wrap_paragraphs([sanitise(sentence) for sentence in ranking_verdict(ranking)], width),
            ranking_table(ranking).text(width=width, styled=styled),
            wrap_paragraphs([*ranking_notes(ranking), *ranking_legend(ranking, runs)], width),
        ]
    )


def ranking_markdown(ranking: Ranking, runs: Sequence[Run] = ()) -> str:
    """The same for pull requests."""
    return "\n".join(
        [
            bullets(sanitise(sentence) for sentence in ranking_verdict(ranking)),
            ranking_table(ranking).markdown(),
            bullets([*ranking_notes(ranking), *ranking_legend(ranking, runs)]),
        ]
    )


def write_ranking_csv(ranking: Ranking, stream: TextIO) -> None:
    """A row for each model with every figure in full."""
    write_rows(stream, CSV_COLUMNS, (one.to_dict() for one in ranking.models))


def ranking_verdict(ranking: Ranking) -> list[str]:
    """Return the leader, and the units that decide the lead."""
    hinge = ranking.hinge.sentence if ranking.hinge else ""
    against = [_sentence(ranking, said) for said in ranking.by_labels[:1]]
    return [sentence for sentence in (ranking.sentence, *against, hinge) if sentence]


def ranking_table(ranking: Ranking) -> Table:
    """Ranks with intervals, scores with intervals, the chance to be on top, and the battles."""
    level = f"{100 * ranking.level:g}% CI"
    columns = (
        Column(_rank_head(ranking)),
        Column("Model", is_right=False),
        Column("Win rate" if ranking.unit == "share" else "Rating"),
        Column(level),
        Column("P(first)" if ranking.top == 1 else f"P(top {ranking.top})"),
        Column("Battles"),
        Column("Won", gives_way=True),
        Column("Tied", gives_way=True),
        Column("Lost", gives_way=True),
        *(_WEIGHTED if ranking.is_weighted else ()),
    )
    rows = (_row(one, ranking)[: len(columns)] for one in ranking.models)
    return Table(columns, tuple(rows))


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
    """The score: whole points, or a share in per cent."""
    return missing_figures.NOT_RATED if one.score is None else _format_score(one.score, ranking)


def rating_interval(one: RankedModel, ranking: Ranking) -> str:
    """The interval of the score."""
    if one.low is None or one.high is None:
        return missing_figures.NO_INTERVAL
    return f"[{_format_score(one.low, ranking)}, {_format_score(one.high, ranking)}]"


def chance(one: RankedModel) -> str:
    """The chance to be on top."""
    return missing_figures.NOT_KNOWN if one.p_top is None else chance_words(one.p_top)


def ranking_notes(ranking: Ranking) -> list[str]:
    """Return warnings, and the effect of style if it was adjusted for."""
    above = ranking.by_labels[:1]
    said = [sanitise(_sentence(ranking, text)) for text in ranking.warnings if text not in above]
    return [*said, *(_style_line(one, ranking.level) for one in ranking.style)]


def _sentence(ranking: Ranking, said: str) -> str:
    return f"{capitalise(said, [one.model for one in ranking.models])}."


def _style_line(one: StyleEffect, level: float) -> str:
    worth = numbers.fixed_point(one.coefficient, 3, signed=True)
    ends = f"[{numbers.limit(one.low, 3)}, {numbers.limit(one.high, 3)}]"
    return (
        f"{sanitise(one.feature)}: one standard deviation more is worth {worth} log odds, "
        f"{100 * level:g}% CI {ends}."
    )


def ranking_legend(ranking: Ranking, runs: Sequence[Run]) -> list[str]:
    """Return the meaning of the columns, and the source of the figures."""
    interval = _ranks_mean(ranking)
    return [
        interval,
        _SCALES[_scale(ranking)],
        f"Method: {ranking.method}.",
        *_source(ranking, runs),
    ]


_SCALES = {
    "share": "Win rate: mean over opponents, ties as half wins.",
    "glicko2": "Rating: 1500 is where a model starts.",
    "elo": "Rating: 1000 is where a model starts, 400 points are odds of ten to one.",
    "points": "Rating: 1000 is average, 400 points are odds of ten to one.",
}


def _scale(ranking: Ranking) -> str:
    if ranking.unit == "share":
        return "share"
    return ranking.kind if ranking.kind in _SCALES else "points"


def _ranks_mean(ranking: Ranking) -> str:
    if not ranking.rank_method:
        return ""
    how = "all together" if ranking.is_simultaneous else "each by itself"
    apart = ", apart only where compare separates models" if ranking.source == "suite" else ""
    return f"Rank: place, and {100 * ranking.level:g}% CI of it ({how}{apart})."


def _source(ranking: Ranking, runs: Sequence[Run]) -> list[str]:
    fought = numbers.count(ranking.n, "battle")
    if ranking.source == "votes":
        of = f" on {numbers.count(ranking.n_prompts, 'prompt')}" if ranking.n_prompts else ""
        return [f"Out of {fought}{of}."]
    cases = numbers.count(ranking.n_prompts or 0, "case")
    battles = (
        f"Each case is a round for each two models, the higher score wins: {fought} in {cases}."
    )
    weights = "Ratings and win rates count each case by its weight."
    return [battles, *([weights] if ranking.is_weighted else []), *run_facts(ranking.run_ids, runs)]


def _rank_head(ranking: Ranking) -> str:
    return f"Rank\n{100 * ranking.level:g}% CI" if ranking.rank_method else "Rank"


def _row(one: RankedModel, ranking: Ranking) -> tuple[str, ...]:
    return (
        "provisional" if ranking.provisional else rank_range(one),
        name(one.model),
        rating_text(one, ranking),
        rating_interval(one, ranking),
        chance(one),
        f"{one.n_battles:,}",
        *(f"{count:,}" for count in (one.wins, one.ties, one.losses)),
        *(
            f"{weight:,.6g}"
            for weight in (one.weighted_wins, one.weighted_ties, one.weighted_losses)
        ),
    )


def _format_score(value: float, ranking: Ranking) -> str:
    if ranking.unit == "share":
        return numbers.share(value)
    return numbers.fixed_point(value, 0)
