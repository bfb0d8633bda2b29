"""A ranking of models as text and CSV."""

from collections.abc import Sequence
from typing import TextIO

from benchmaker.analysis.ratings.ranking import Ranking, StyleEffect
from benchmaker.record import Run
from benchmaker.record.counts import count
from benchmaker.report.result_tables.ranks import RANKS
from benchmaker.report.runs.comparison import joined_runs_note, run_facts, unfinished_runs
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.report.tables import numbers
from benchmaker.report.tables.sanitize import sanitise
from benchmaker.report.tables.table import Table, bullets, wrap_paragraphs
from benchmaker.report.tables.width import WIDTH


def ranking_text(
    ranking: Ranking,
    runs: Sequence[Run] = (),
    *,
    explain: bool = False,
    width: int = WIDTH,
    styled: bool = False,
) -> str:
    """The first place with its warnings, and the table; with ``explain`` also the methods."""
    table = ranking_table(ranking)
    verdict = [sanitise(sentence) for sentence in ranking_verdict(ranking)]
    warnings = [*ranking_notes(ranking), *unfinished_runs(runs), _runs_note(ranking, runs)]
    above = wrap_paragraphs([*verdict, *warnings], width)
    below = ranking_legend(ranking, runs) if explain else ["Methods and notes: add --explain."]
    rows = table.text(width=width, styled=styled)
    return f"{above}\n{rows}\n{wrap_paragraphs(below, width)}"


def ranking_markdown(ranking: Ranking, runs: Sequence[Run] = ()) -> str:
    """The same for pull requests."""
    return "\n".join(
        [
            bullets(sanitise(sentence) for sentence in ranking_verdict(ranking)),
            ranking_table(ranking).markdown(),
            bullets(
                [
                    *ranking_notes(ranking),
                    *unfinished_runs(runs),
                    _runs_note(ranking, runs),
                    *ranking_legend(ranking, runs),
                ]
            ),
        ]
    )


def write_ranking_csv(ranking: Ranking, stream: TextIO) -> None:
    """A row for each model with every figure in full."""
    RANKS.write_csv(ranking, stream)


def ranking_verdict(ranking: Ranking) -> list[str]:
    """Return the leader, and the units that decide the lead."""
    hinge = ranking.hinge.sentence if ranking.hinge else ""
    against = [_sentence(ranking, said) for said in ranking.by_labels[:1]]
    return [sentence for sentence in (ranking.sentence, *against, hinge) if sentence]


def ranking_table(ranking: Ranking) -> Table:
    """Ranks with intervals, scores with intervals, the chance to be on top, and the battles."""
    return RANKS.table(ranking)


def ranking_notes(ranking: Ranking) -> list[str]:
    """Return warnings, and the effect of style if it was adjusted for."""
    above = ranking.by_labels[:1]
    said = [sanitise(_sentence(ranking, text)) for text in ranking.warnings if text not in above]
    return [*said, *(_style_line(one, ranking.level) for one in ranking.style)]


def _runs_note(ranking: Ranking, runs: Sequence[Run]) -> str:
    return joined_runs_note([one.model for one in ranking.models], runs)


def _sentence(ranking: Ranking, said: str) -> str:
    return f"{capitalise(said, [one.model for one in ranking.models])}."


def _style_line(one: StyleEffect, level: float) -> str:
    worth = numbers.fixed_point(one.coefficient, 3, signed=True)
    unit = f"one more standard deviation ({numbers.fixed_point(one.spread, 3)})"
    name = f"{sanitise(one.feature)}, as (a - b)/(a + b): {unit} adds {worth} log odds"
    if one.low is None or one.high is None:
        return f"{name}, {missing_figures.NO_INTERVAL}."
    ends = f"[{numbers.limit(one.low, 3)}, {numbers.limit(one.high, 3)}]"
    return f"{name}, {100 * level:g}% CI {ends}."


def ranking_legend(ranking: Ranking, runs: Sequence[Run]) -> list[str]:
    """Return the meaning of the columns, and the source of the figures."""
    interval = _ranks_mean(ranking)
    return [
        interval,
        _SCALES[_scale(ranking)].format(noun=ranking.noun),
        f"Method: {ranking.method}.",
        _BATTLES.format(noun=ranking.noun),
        *_source(ranking, runs),
    ]


_BATTLES = (
    "Battle: two {noun}s compared on one case or in one vote. Cluster: battles that depend on each "
    "other, such as those of one case, group of cases or voter."
)

_SCALES = {
    "share": "Win rate: mean over opponents; a tie counts as half a win.",
    "glicko2": "Rating: {noun}s start at 1500.",
    "elo": "Rating: {noun}s start at 1000; 400 points are odds of ten to one.",
    "points": "Rating: 1000 is average; 400 points are odds of ten to one.",
}


def _scale(ranking: Ranking) -> str:
    if ranking.unit == "share":
        return "share"
    return ranking.kind if ranking.kind in _SCALES else "points"


def _ranks_mean(ranking: Ranking) -> str:
    if not ranking.rank_method:
        return ""
    how = "simultaneous" if ranking.is_simultaneous else "individual"
    apart = "; ranks differ only if compare finds a difference" if ranking.source == "suite" else ""
    return f"Rank: place and its {100 * ranking.level:g}% CI ({how}{apart})."


def _source(ranking: Ranking, runs: Sequence[Run]) -> list[str]:
    fought = count(ranking.n, "battle")
    if ranking.source == "votes":
        of = f" on {count(ranking.n_prompts, 'prompt')}" if ranking.n_prompts else ""
        return [f"Data: {fought}{of}."]
    cases = count(ranking.n_prompts or 0, "case")
    battles = (
        f"Each case is a battle for each pair of {ranking.noun}s, won by the higher score: "
        f"{fought} in {cases}."
    )
    weights = "Ratings and win rates use the weights of the cases."
    return [battles, *([weights] if ranking.is_weighted else []), *run_facts(ranking.run_ids, runs)]
