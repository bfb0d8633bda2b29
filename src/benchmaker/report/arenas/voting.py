"""Ratings of models by blind votes, with judge and checks, as text and CSV."""

from collections.abc import Iterator
from typing import TextIO

from benchmaker.analysis.ratings.odd_voters import RatingsWithoutVoter, Suspicion
from benchmaker.analysis.ratings.vote_ratings import Standings, VoteAgreement, VotedModel
from benchmaker.report.result_tables.ranks import rank_range, rating_interval, rating_text
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.report.tables import numbers
from benchmaker.report.tables.sanitize import sanitise
from benchmaker.report.tables.table import Column, Table, wrap_paragraphs, write_rows
from benchmaker.report.tables.width import WIDTH
from benchmaker.stats.means.proportions import Proportion

CSV_COLUMNS = (
    "model", "rank", "best", "worst", "rating", "low", "high", "votes", "both_bad", "judge_mean",
    "judged", "checks_mean", "checked",
)  # fmt: skip
_RATERS = {"judge": "the judge", "checks": "the checks"}
_INFLUENTIAL = 5


def standings_text(
    made: Standings, *, explain: bool = False, width: int = WIDTH, styled: bool = False
) -> str:
    """Return the leader by votes, agreement and suspicious voters, the table, and the votes.

    With ``explain`` also who moves the ratings most, and the meaning of the columns.
    """
    above = [*voting_verdict(made), *agreements(made), *_suspicious_voters(made.suspicions)]
    explained = [*_influential_voters(made), *_legend(made)]
    below = [vote_counts(made), *(explained if explain else ["Methods and notes: add --explain."])]
    return "\n".join(
        [
            wrap_paragraphs(map(sanitise, above), width),
            standings_table(made).text(width=width, styled=styled),
            wrap_paragraphs(map(sanitise, below), width),
        ]
    )


def write_standings_csv(made: Standings, stream: TextIO) -> None:
    """A row for each model with every figure in full; totals from 0 to 100."""
    write_rows(stream, CSV_COLUMNS, (_model_data(one) for one in made.models))


def voting_verdict(made: Standings) -> list[str]:
    """Return the leader, or the reason why there is none."""
    if made.ranking is None:
        return [f"No rating yet: {made.reason.rstrip('.')}."]
    hinge = made.ranking.hinge.sentence if made.ranking.hinge else ""
    return [sentence for sentence in (made.ranking.sentence, hinge) if sentence]


def vote_counts(made: Standings) -> str:
    """Return the numbers of votes, people and prompts."""
    ends = [
        numbers.count(made.ties, "tie"),
        f"{made.both_bad:,} both bad",
        *([f"{made.undone:,} taken back"] if made.undone else []),
    ]
    return (
        f"{numbers.count(made.n, 'vote')} by {numbers.count(made.voters, 'voter')} on "
        f"{numbers.count(made.prompts, 'prompt')}: {', '.join(ends)}."
    )


def standings_table(made: Standings) -> Table:
    """Ranks and ratings with intervals, votes, and the means of judge and checks."""
    level = f"{100 * made.ranking.level:g}% CI" if made.ranking else "95% CI"
    columns = (
        Column(f"Rank, {level}"),
        Column("Model", is_right=False),
        Column("Rating"),
        Column(level),
        Column("Votes"),
        Column("Judge"),
        Column("Checks"),
        Column("Both bad"),
    )
    return Table(columns, tuple(_row(one, made) for one in made.models))


def both_bad(share: Proportion | None) -> str:
    """Return the share of votes that called both pages bad."""
    return "no votes" if share is None else numbers.share(share.share)


def mean(value: float | None, lacking: str) -> str:
    """Return a mean from 0 to 100; ``lacking`` is the text for a missing one."""
    return lacking if value is None else f"{value:.1f}"


def voting_notes(made: Standings) -> list[str]:
    """Counts, agreement, odd voters, and who moves the ratings most."""
    return [
        vote_counts(made),
        *agreements(made),
        *_suspicious_voters(made.suspicions),
        *_influential_voters(made),
        *_legend(made),
    ]


def agreements(made: Standings) -> list[str]:
    """Return the agreement of judge and checks with votes."""
    return [_agreement(one) for one in made.agreements if one.n]


def suspicion(one: Suspicion) -> str:
    """Return the unusual habit of a voter, with its evidence."""
    p = "" if one.p_adjusted is None else f" (adjusted p {numbers.p_value(one.p_adjusted)})"
    return f"{one.actor}: {one.evidence}{p}"


def _agreement(one: VoteAgreement) -> str:
    within = ""
    if one.low is not None and one.high is not None:
        within = f", 95% CI {numbers.interval((one.low, one.high))}"
    is_told = one.kappa is not None and one.kappa_low is not None
    kappa = f"; kappa {numbers.fixed_point(one.kappa or 0.0, 2)}" if is_told else ""
    share = numbers.share(one.share) if one.share is not None else missing_figures.NOT_TESTED
    return (
        f"Votes and {_RATERS[one.rater]} agree on {share} of "
        f"{numbers.count(one.n, 'decided vote')}{within}{kappa}."
    )


def _suspicious_voters(found: tuple[Suspicion, ...]) -> Iterator[str]:
    if found:
        listed = "; ".join(suspicion(one) for one in found)
        yield f"Suspicious voters, still counted: {listed}."


def _influential_voters(made: Standings) -> Iterator[str]:
    movers = [one for one in made.influences if one.largest_move is not None][:_INFLUENTIAL]
    if movers:
        yield f"Without one voter: {'; '.join(influence(one) for one in movers)}."


def influence(one: RatingsWithoutVoter) -> str:
    """Return the effect of one voter's votes."""
    if one.largest_move is None:
        return f"{one.actor}: {one.reason}"
    first = f", and {one.first_without} would be first without them" if one.changes_first else ""
    points_ = f"ratings by up to {one.largest_move:.0f} points ({one.model})"
    return f"{one.actor} ({numbers.count(one.votes, 'vote')}) moves {points_}{first}"


def _legend(made: Standings) -> Iterator[str]:
    yield "Judge: mean total score of judged pages, 0 to 100. Checks: mean share of checks passed."
    yield "Both bad is a separate rate, not a tie."
    yield from rating_warnings(made)
    if made.ranking:
        yield f"Method: {made.ranking.method}."


def rating_warnings(made: Standings) -> list[str]:
    """Return the limits of the ratings, such as the reason for a missing interval."""
    names = [one.model for one in made.models]
    said = made.ranking.warnings if made.ranking else ()
    return [f"{capitalise(text, names)}." for text in said]


def rating_cells(one: VotedModel, made: Standings) -> tuple[str, str, str, str]:
    """Rank, model, rating and its interval."""
    line, ranking = one.ranked, made.ranking
    if line is None or ranking is None:
        return (
            missing_figures.NOT_RANKED,
            sanitise(one.model),
            missing_figures.NOT_RATED,
            missing_figures.NO_INTERVAL,
        )
    return (
        rank_range(line),
        sanitise(one.model),
        rating_text(line, ranking),
        rating_interval(line, ranking),
    )


def _row(one: VotedModel, made: Standings) -> tuple[str, ...]:
    return (
        *rating_cells(one, made),
        f"{one.votes:,}",
        mean(one.judge_mean, "not judged"),
        mean(one.checks_mean, "no checks"),
        both_bad(one.both_bad),
    )


def _model_data(one: VotedModel) -> dict[str, object]:
    line = one.ranked
    return {
        "model": one.model,
        "rank": line.rank if line else None,
        "best": line.best if line else None,
        "worst": line.worst if line else None,
        "rating": line.score if line else None,
        "low": line.low if line else None,
        "high": line.high if line else None,
        "votes": one.votes,
        "both_bad": one.both_bad.share if one.both_bad else None,
        "judge_mean": one.judge_mean,
        "judged": one.judged,
        "checks_mean": one.checks_mean,
        "checked": one.checked,
    }
