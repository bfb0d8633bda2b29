"""Ratings of models by blind votes, and their agreement with judge and checks."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

from benchmaker.analysis.ratings.battles import rounds_of_battles
from benchmaker.analysis.ratings.head_to_head import HeadToHead, head_to_head, one_sided_reason
from benchmaker.analysis.ratings.odd_voters import (
    RatingsWithoutVoter,
    Suspicion,
    influences,
    suspicions,
)
from benchmaker.analysis.ratings.ranking import RankedModel, Ranking
from benchmaker.analysis.ratings.rate import rank
from benchmaker.documents import Document
from benchmaker.errors import AnalysisError, DisconnectedBattles, NotEnoughData
from benchmaker.record.vote import Vote, VoteCategory, VoteOutcome
from benchmaker.stats.agreement import cohen_kappa
from benchmaker.stats.means.bounded import bounded_mean
from benchmaker.stats.means.proportions import Proportion, proportion

Rater: TypeAlias = Literal["judge", "checks", "probe"]
Side: TypeAlias = Literal["left", "right", "tie"]

_FEWEST = 2


class PageKey(NamedTuple):
    """A generated page: whose, to which prompt, in which run."""

    run_id: str
    case_id: str
    model: str


class PageTotals(NamedTuple):
    """Automatic scores of a page: from 0 to 100, None if missing.

    ``probe`` is the mean of the criteria that the probe measures alone, by their weights.
    ``has_page`` is false if the model delivered no page; ``judge`` and ``checks`` are then 0 where
    pages of the case can have them. ``failed`` is what failed, so that the page has no score: the
    judge, which may not have replied yet, or the render; empty if nothing did.
    """

    judge: float | None
    checks: float | None
    probe: float | None = None
    has_page: bool = True
    failed: Literal["", "judge", "render"] = ""


class PageStyle(NamedTuple):
    """Features of a page that may sway voters: characters of code, and libraries used."""

    length: int
    libraries: int


Styles: TypeAlias = Mapping[PageKey, PageStyle]
Features: TypeAlias = Mapping[str, tuple[Sequence[float], Sequence[float]]]
STYLE_FEATURES = PageStyle._fields


Prompts: TypeAlias = Mapping[tuple[str, str], str]
"""By run and case, a text that is the same for the same prompt."""


class _Sides(NamedTuple):
    """On which side people saw the better page, and on which side a rater's totals put it."""

    people: Side
    rater: Side

    @property
    def mark(self) -> float:
        """1 where they agree, .5 where the totals are equal, else 0; of a vote with a winner."""
        return 0.5 if self.rater == "tie" else float(self.rater == self.people)


Totals: TypeAlias = Mapping[PageKey, PageTotals]


@dataclass(frozen=True, slots=True)
class VotedModel(Document):
    """One model in the standings.

    ``votes`` counts the votes on its pages; ``both_bad`` is the share of them that called both
    pages bad, which is not a tie; votes on one prompt are a cluster. ``judge_mean``,
    ``checks_mean`` and ``probe_mean`` are of its pages, from 0 to 100; None if no page has one.
    ``without_page`` counts its answers without a page, which are 0 in the first two where pages of
    the case can have them, and not in the third. ``unjudged`` counts its pages without a usable
    judgment, because the judge failed or has not replied yet; in a run with such pages and no
    judged one, answers without a page are not in ``judge_mean`` either. ``ranked`` is its line of
    the rating, None without a rating.
    """

    model: str
    votes: int
    both_bad: Proportion | None
    judge_mean: float | None
    checks_mean: float | None
    judged: int
    checked: int
    ranked: RankedModel | None
    probe_mean: float | None = None
    probed: int = 0
    without_page: int = 0
    unjudged: int = 0


@dataclass(frozen=True, slots=True)
class VoteAgreement:
    """The agreement of a rater with votes: ``share`` over ``n``, ``kappa`` over ``kappa_n`` votes.

    ``n`` votes named a winner whose page and the other's have totals of this rater; in ``ties`` of
    them the totals are equal, which counts as half agreed. ``share`` has the interval of
    :func:`~benchmaker.stats.means.bounded.bounded_mean` over ``n_eff`` effective votes after
    clustering by prompt, None with an ``interval_reason`` if all votes are on one. With marks of
    .5, the number of votes behind the interval also matches their variance, and is not ``n_eff``.
    ``kappa`` is Cohen's, over left, right and tie, so over ``kappa_n`` votes, ties included; None
    with a ``reason`` if undefined. It depends on the sides, which are random, and on the shares
    of ties.
    """

    rater: Rater
    n: int
    ties: int
    share: float | None
    low: float | None
    high: float | None
    n_eff: float | None
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None
    kappa_n: int
    reason: str = ""
    interval_reason: str = ""


@dataclass(frozen=True, slots=True)
class Standings(Document, scale="0-100"):
    """Models by blind votes, with the scores by judge and checks.

    ``ranking`` is None if the votes do not support a rating. ``reason`` is the reason for that, or
    why some models have no rating; empty if all have one. ``undone`` counts withdrawn votes, which
    are ignored. ``category`` is the part of the pages voted on, None for the whole. ``style`` names
    the features that ratings are adjusted for; ``unstyled`` counts the votes left out because such
    a feature of a page is unknown. ``pairs`` counts the votes of each pair of models, as given, by
    outcome.
    """

    models: tuple[VotedModel, ...]
    ranking: Ranking | None
    reason: str
    n: int
    undone: int
    voters: int
    prompts: int
    both_bad: int
    ties: int
    agreements: tuple[VoteAgreement, ...]
    suspicions: tuple[Suspicion, ...]
    influences: tuple[RatingsWithoutVoter, ...]
    category: VoteCategory | None = None
    style: tuple[str, ...] = ()
    unstyled: int = 0
    pairs: tuple[HeadToHead, ...] = ()


def standings(
    votes: Iterable[Vote],
    totals: Totals | None = None,
    *,
    category: VoteCategory | None = None,
    style: Sequence[str] = (),
    styles: Styles | None = None,
    prompts: Prompts | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Standings:
    """Rate models by votes, and compare with judge and checks on the same pages.

    Ratings are Bradley-Terry's with ties as half wins, clustered by voter and prompt as far as
    these repeat (:func:`benchmaker.analysis.ratings.rate.rank`). "Both bad" is excluded from the
    rating and shown as a rate of each model.

    Args:
        votes: all votes, withdrawn ones included.
        totals: totals of the pages, by run, prompt and model.
        category: count the verdicts on this part of the pages alone; votes without one are ignored.
        style: features to adjust the ratings for: ``length``, ``libraries``
            (:func:`benchmaker.stats.ratings.style_control`).
        styles: the features of the pages.
        prompts: the prompts of the voted cases, for the number of prompts and the clusters. A case
            that is missing there is a prompt of its own in each run.
        level: level of every interval.
        seed: seed of the draws for the rank intervals.
    """
    every = [vote.in_category(category) if category else vote for vote in votes]
    given = tuple(vote for vote in every if vote)
    counted = tuple(vote for vote in given if vote.counts)
    known = tuple(vote for vote in counted if not style or _styles_of(vote, styles or {}))
    asked = prompts or {}
    features = _features(known, style, styles or {})
    ranking, reason = _rate_models(known, asked, features, level=level, seed=seed)
    pages = totals or {}
    return Standings(
        models=_models(counted, pages, ranking, _both_bad(counted, asked, level)),
        ranking=ranking,
        reason=reason,
        n=len(counted),
        undone=len(given) - len(counted),
        voters=len({vote.actor for vote in counted}),
        prompts=len({_prompt(vote, asked) for vote in counted}),
        both_bad=sum(vote.outcome is VoteOutcome.BOTH_BAD for vote in counted),
        ties=sum(vote.outcome is VoteOutcome.TIE for vote in counted),
        agreements=tuple(
            agreement(counted, pages, rater, prompts=asked, level=level) for rater in _RATERS
        ),
        suspicions=suspicions(counted),
        influences=influences(counted),
        category=category,
        style=tuple(style),
        unstyled=len(counted) - len(known),
        pairs=head_to_head(counted),
    )


_RATERS: tuple[Rater, ...] = ("judge", "checks", "probe")


def agreement(
    votes: Sequence[Vote],
    totals: Totals,
    rater: Rater,
    *,
    prompts: Prompts | None = None,
    level: float = 0.95,
) -> VoteAgreement:
    """Return the agreement of one rater's totals with votes; see :class:`VoteAgreement`.

    ``prompts`` is as in :func:`standings`. Votes on one prompt may agree more than others: they
    are a cluster, and the interval is that of means of grouped scores.
    """
    pairs = [(vote, found) for vote in votes if (found := _sides(vote, totals, rater))]
    decided = [(vote, sides) for vote, sides in pairs if sides.people != "tie"]
    marks = [sides.mark for _, sides in decided]
    if not marks:
        return _no_agreement(rater)
    asked = prompts or {}
    on = [_prompt(vote, asked) for vote, _ in decided]
    share = bounded_mean(marks, clusters=on, level=level)
    kappa = cohen_kappa(
        [sides.people for _, sides in pairs],
        [sides.rater for _, sides in pairs],
        labels=["left", "right", "tie"],
        clusters=[_prompt(vote, asked) for vote, _ in pairs],
        level=level,
    )
    return VoteAgreement(
        rater, len(marks), marks.count(0.5), share.mean, share.low, share.high,
        None if share.reason else share.n_eff,
        kappa.value, kappa.low, kappa.high, len(pairs), kappa.reason,
        "all votes are on one prompt" if share.reason else "",
    )  # fmt: skip


def _no_agreement(rater: Rater) -> VoteAgreement:
    reason = "no decided vote on two pages with total scores"
    return VoteAgreement(rater, 0, 0, None, None, None, None, None, None, None, 0, reason)


def _rate_models(
    votes: Sequence[Vote], prompts: Prompts, features: Features, *, level: float, seed: int
) -> tuple[Ranking | None, str]:
    asked = [prompts.get((vote.run_id, vote.case_id)) for vote in votes]
    battles = [vote.battle(prompt) for vote, prompt in zip(votes, asked, strict=True)]
    rated = [battle for battle in battles if battle is not None]
    if len(rated) < _FEWEST:
        return None, f"a rating needs {_FEWEST} votes other than both bad, {len(rated)} so far"
    rounds = replace(rounds_of_battles(rated), features=features)
    split = one_sided_reason(rounds.battles, head_to_head(votes))
    try:
        return rank(rounds, style=tuple(features), level=level, seed=seed), split
    except (DisconnectedBattles, NotEnoughData) as exc:
        return None, split or exc.message
    except AnalysisError as exc:
        return None, exc.message


def _features(votes: Sequence[Vote], style: Sequence[str], styles: Styles) -> Features:
    """The features of both pages of each vote other than both bad."""
    rated = [vote for vote in votes if vote.outcome is not VoteOutcome.BOTH_BAD]
    return {name: _feature(rated, styles, name) for name in style}


def _styles_of(vote: Vote, styles: Styles) -> tuple[PageStyle, PageStyle] | None:
    """Return the features of both pages; None if those of one are unknown."""
    sides = [
        styles.get(PageKey(vote.run_id, vote.case_id, it)) for it in (vote.model_a, vote.model_b)
    ]
    first, second = sides
    return None if first is None or second is None else (first, second)


def _feature(votes: Sequence[Vote], styles: Styles, name: str) -> tuple[list[float], list[float]]:
    found = [pair for vote in votes if (pair := _styles_of(vote, styles))]
    return tuple([float(getattr(pair[side], name)) for pair in found] for side in (0, 1))  # type: ignore[return-value]  # of two


def _models(
    votes: Sequence[Vote],
    totals: Totals,
    ranking: Ranking | None,
    both_bad: Mapping[str, Proportion],
) -> tuple[VotedModel, ...]:
    """The rated ones in their order, then the others by name; first those that won every vote."""
    lines = {line.model: line for line in ranking.models} if ranking else {}
    counts = Counter(model for vote in votes for model in (vote.model_a, vote.model_b))
    others = sorted({*counts, *(key.model for key in totals)} - {*lines})
    rated = {name for name, line in lines.items() if line.score is not None}
    first = [name for name in (*lines, *others) if name not in rated and _won_all(name, votes)]
    named = [*first, *(name for name in (*lines, *others) if name not in first)]
    return tuple(
        _model(it, counts[it], both_bad.get(it), totals=totals, line=lines.get(it)) for it in named
    )


def _both_bad(votes: Sequence[Vote], prompts: Prompts, level: float) -> dict[str, Proportion]:
    """The share of "both bad" in the votes on each model, clustered by prompt."""
    bad: dict[str, list[bool]] = {}
    on: dict[str, list[str | tuple[str, str]]] = {}
    for vote in votes:
        for model in (vote.model_a, vote.model_b):
            bad.setdefault(model, []).append(vote.outcome is VoteOutcome.BOTH_BAD)
            on.setdefault(model, []).append(_prompt(vote, prompts))
    return {model: _clustered_share(bad[model], on[model], level) for model in bad}


def _clustered_share(
    hits: Sequence[bool], clusters: Sequence[str | tuple[str, str]], level: float
) -> Proportion:
    over = bounded_mean(hits, clusters=clusters, level=level)
    share = proportion(sum(hits), len(hits), level=level)
    return replace(
        share,
        n_eff=over.n_eff,
        low=over.low,
        high=over.high,
        method=over.method,
        reason=over.reason,
        warnings=over.warnings,
    )


def _won_all(model: str, votes: Sequence[Vote]) -> bool:
    """True if a model won each of its votes other than both bad, and had one."""
    winners = {
        vote.winner
        for vote in votes
        if model in (vote.model_a, vote.model_b) and vote.outcome is not VoteOutcome.BOTH_BAD
    }
    return winners == {model}


def _model(
    model: str,
    votes: int,
    both_bad: Proportion | None,
    *,
    totals: Totals,
    line: RankedModel | None,
) -> VotedModel:
    own = {key: given for key, given in totals.items() if key.model == model}
    pages = list(own.values())
    judged = _judge_totals(own)
    checked = [given.checks for given in pages if given.checks is not None]
    probed = [given.probe for given in pages if given.probe is not None]
    return VotedModel(
        model, votes, both_bad, _mean(judged), _mean(checked), len(judged), len(checked), line,
        _mean(probed), len(probed), sum(not given.has_page for given in pages),
        sum(given.failed == "judge" for given in pages),
    )  # fmt: skip


def _judge_totals(pages: Totals) -> list[float]:
    """The judge's totals of a model, without the zeros of runs whose judge decided on no page."""
    failed = {key.run_id for key, given in pages.items() if given.failed}
    decided = {
        key.run_id for key, given in pages.items() if given.has_page and given.judge is not None
    }
    return [
        given.judge
        for key, given in pages.items()
        if given.judge is not None and key.run_id not in failed - decided
    ]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _prompt(vote: Vote, prompts: Prompts) -> str | tuple[str, str]:
    """The prompt of a vote; run and case where it is unknown."""
    case = vote.run_id, vote.case_id
    return prompts.get(case, case)


def _sides(vote: Vote, totals: Totals, rater: Rater) -> _Sides | None:
    """Return the better side by the vote and by the rater; None if either has none."""
    first = totals.get(PageKey(vote.run_id, vote.case_id, vote.model_a))
    second = totals.get(PageKey(vote.run_id, vote.case_id, vote.model_b))
    if vote.outcome is VoteOutcome.BOTH_BAD or first is None or second is None:
        return None
    a, b = (getattr(page, rater) for page in (first, second))
    if a is None or b is None:
        return None
    better = None if a == b else (vote.model_a if a > b else vote.model_b)
    return _Sides(_side(vote, vote.winner), _side(vote, better))


def _side(vote: Vote, winner: str | None) -> Side:
    if winner is None:
        return "tie"
    return "left" if winner == vote.left else "right"
