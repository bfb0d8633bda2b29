"""Ratings of models by blind votes, with judge and checks, as text and CSV."""

from collections.abc import Iterator
from typing import TextIO

from benchmaker.analysis.ratings.odd_voters import RatingsWithoutVoter, Suspicion
from benchmaker.analysis.ratings.vote_ratings import Standings, VoteAgreement
from benchmaker.record.counts import count
from benchmaker.report.result_tables.votes import HEAD_TO_HEAD, VOTES
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import Surface
from benchmaker.report.tables.sanitize import sanitise
from benchmaker.report.tables.table import wrap_paragraphs
from benchmaker.report.tables.width import WIDTH

_RATERS = {"judge": "the judge", "checks": "the checks", "probe": "the probe"}
_INFLUENTIAL = 5


def standings_text(
    made: Standings,
    *,
    explain: bool = False,
    width: int = WIDTH,
    styled: bool = False,
    judges_words: str = "",
) -> str:
    """Return the leader by votes, agreement and suspicious voters, the table, and the votes.

    With ``explain`` also the votes of each pair, who moves the ratings most, and the meaning of the
    columns. Without a rating, the votes of each pair are always there. ``judges_words`` says that
    the judge mean is by different judges.
    """
    above = [*voting_verdict(made), *agreements(made), *_suspicious_voters(made.suspicions)]
    explained = [*_influential_voters(made), *_legend(made)]
    below = [
        vote_counts(made),
        *answers_without_page(made),
        *unjudged_pages(made),
        *([judges_words] if judges_words else []),
        *(explained if explain else ["Methods and notes: add --explain."]),
    ]
    return "\n".join(
        [
            wrap_paragraphs(map(sanitise, above), width),
            VOTES.table(made).text(width=width, styled=styled),
            *(_pairs_text(made, width, styled=styled) if explain or not made.ranking else []),
            wrap_paragraphs(map(sanitise, below), width),
        ]
    )


def _pairs_text(made: Standings, width: int, *, styled: bool) -> Iterator[str]:
    if made.pairs:
        yield HEAD_TO_HEAD.table(made).text(width=width, styled=styled)


def write_standings_csv(made: Standings, stream: TextIO) -> None:
    """A row for each model with every figure in full; totals from 0 to 100."""
    VOTES.write_csv(made, stream)


def voting_verdict(made: Standings) -> list[str]:
    """Return the leader, or the reason why there is none; also why some models have no rating."""
    if made.ranking is None:
        return [f"No rating yet: {made.reason.rstrip('.')}."]
    hinge = made.ranking.hinge.sentence if made.ranking.hinge else ""
    reason = f"{capitalise(made.reason, [it.model for it in made.models])}." if made.reason else ""
    return [sentence for sentence in (made.ranking.sentence, hinge, reason) if sentence]


def vote_counts(made: Standings) -> str:
    """Return the numbers of votes, people and prompts."""
    ends = [
        count(made.ties, "tie"),
        f"{made.both_bad:,} both bad",
        *([f"{made.undone:,} taken back"] if made.undone else []),
    ]
    category = f" on {made.category}" if made.category else ""
    return (
        f"{count(made.n, 'vote')}{category} by {count(made.voters, 'voter')} on "
        f"{count(made.prompts, 'prompt')}: {', '.join(ends)}."
    )


def answers_without_page(made: Standings) -> list[str]:
    """Return the number of answers of each model without a page, and the means that hold them."""
    each = [f"{one.model} {one.without_page:,}" for one in made.models if one.without_page]
    if not each:
        return []
    means = [
        name
        for name, attribute in (("the judge mean", "judge_mean"), ("checks passed", "checks_mean"))
        if any(getattr(one, attribute) is not None for one in made.models)
    ]
    zero = f"are 0 in {' and '.join(means)} where pages have these, and " if means else ""
    return [f"Answers without a page: {', '.join(each)}. They {zero}are not in the probe mean."]


def unjudged_pages(made: Standings) -> list[str]:
    """Return the number of pages of each model that are missing in the judge mean."""
    each = [f"{one.model} {one.unjudged:,}" for one in made.models if one.unjudged]
    if not each:
        return []
    missing = "These pages are not in the judge mean"
    zeros = "nor are answers without a page in runs with no judged page of the model"
    begin = "Not judged, because the judge failed or has not replied yet"
    return [f"{begin}: {', '.join(each)}. {missing}, {zeros}."]


def agreements(made: Standings) -> list[str]:
    """Return the agreement of judge and checks with votes."""
    return [_agreement(one) for one in made.agreements if one.n]


def suspicion(one: Suspicion) -> str:
    """Return the unusual habit of a voter, with its evidence."""
    p = "" if one.p_adjusted is None else f" (adjusted p {numbers.p_value(one.p_adjusted)})"
    return f"{one.actor}: {one.evidence}{p}"


def _agreement(one: VoteAgreement) -> str:
    within = f", no interval ({one.interval_reason})" if one.interval_reason else ""
    if one.low is not None and one.high is not None:
        within = f", 95% CI {numbers.interval((one.low, one.high))}"
    is_told = one.kappa is not None and one.kappa_low is not None
    kappa = f"; {_kappa(one)}" if is_told else ""
    share = numbers.share(one.share) if one.share is not None else missing_figures.NOT_TESTED
    return (
        f"Votes and {_RATERS[one.rater]} agree on {share} of "
        f"{count(one.n, 'decided vote')}{within}{kappa}."
    )


def _kappa(one: VoteAgreement) -> str:
    """Kappa with its own number of votes, which includes ties."""
    votes = count(one.kappa_n, "vote")
    ties = ", ties included" if one.kappa_n > one.n else ""
    return f"kappa {numbers.fixed_point(one.kappa or 0.0, 2)} over {votes}{ties}"


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
    return f"{one.actor} ({count(one.votes, 'vote')}) moves {points_}{first}"


def _legend(made: Standings) -> Iterator[str]:
    yield from VOTES.legend(made, Surface.TERMINAL)
    yield from rating_warnings(made)
    if made.ranking:
        yield f"Method: {made.ranking.method}."


def rating_warnings(made: Standings) -> list[str]:
    """Return the limits of the ratings, such as the reason for a missing interval."""
    names = [one.model for one in made.models]
    said = made.ranking.warnings if made.ranking else ()
    return [f"{capitalise(text, names)}." for text in said]
