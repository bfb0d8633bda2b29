"""Voters with unusual votes, and their influence; votes are never discarded."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Literal, TypeAlias

from benchmaker.analysis.ratings.rate import rank
from benchmaker.errors import AnalysisError
from benchmaker.record.vote import Vote, VoteOutcome
from benchmaker.stats.pairs.mcnemar import mcnemar
from benchmaker.stats.pairs.multiple_comparisons import holm

Oddity: TypeAlias = Literal["one_side", "contrary", "too_quick", "never_decides", "burst"]

LEAST_VOTES = 8
"""Minimum number of votes for statements on a person's habits."""
ALPHA = 0.01
"""The chance to suspect anybody of all voters wrongly, for each kind of habit; Holm-adjusted."""
QUICK_MS = 2_000
"""Median time per vote below which a voter is suspiciously fast."""
BURST = 20
"""More votes than these within a minute are a burst."""
LARGEST_GROUP = 50
"""Maximum number of voters, those with the most votes, whose influence is computed."""

_MINUTE_S = 60.0


@dataclass(frozen=True, slots=True)
class Suspicion:
    """One unusual habit of one voter, with its evidence.

    ``p_adjusted`` is None for habits that are only counted, not tested.
    """

    actor: str
    oddity: Oddity
    evidence: str
    votes: int
    p_adjusted: float | None = None


@dataclass(frozen=True, slots=True)
class RatingsWithoutVoter:
    """The ratings without one voter.

    ``largest_move`` is the largest change of a rating, in points, and ``model`` its model;
    ``first_without`` is the leader without them. All None, with a ``reason``, if the rest cannot be
    rated.
    """

    actor: str
    votes: int
    largest_move: float | None
    model: str | None
    first_without: str | None
    changes_first: bool | None
    reason: str = ""


def suspicions(votes: Sequence[Vote]) -> tuple[Suspicion, ...]:
    """Odd habits, by voter: each with its evidence, for a person to look at.

    ``one_side``: left or right is picked more often than a fair coin would, where sides are drawn;
    ``contrary``: against the majority of the others on the same pages more often than a coin;
    ``too_quick``: half the votes within :data:`QUICK_MS`; ``never_decides``: only ties and both
    bad; ``burst``: over :data:`BURST` votes within a minute. Coins are tested exactly, two-sided
    for sides and towards disagreement for the majority, adjusted over all voters after Holm.
    """
    by_voter = _by_voter(votes)
    found = [
        *_test_counts("one_side", {it: _left_right(given) for it, given in by_voter.items()}),
        *_test_counts("contrary", _count_against_majority(by_voter, votes)),
        *(odd for it, given in by_voter.items() for odd in _untested_suspicions(it, given)),
    ]
    return tuple(sorted(found, key=lambda it: (it.actor, it.oddity)))


def influences(votes: Sequence[Vote]) -> tuple[RatingsWithoutVoter, ...]:
    """Return each voter's influence: the ratings with all votes compared with those without theirs.

    Sorted by influence; voters without whom nothing can be rated come last.
    """
    whole = _scores(votes)
    counts = Counter(vote.actor for vote in votes)
    if isinstance(whole, str) or len(counts) < 2:  # noqa: PLR2004  without one, others are left
        return ()
    made = [
        _influence(actor, number, whole, _scores([it for it in votes if it.actor != actor]))
        for actor, number in counts.most_common(LARGEST_GROUP)
    ]
    return tuple(sorted(made, key=lambda it: (-(it.largest_move or -1.0), it.actor)))


def _by_voter(votes: Sequence[Vote]) -> Mapping[str, list[Vote]]:
    found: dict[str, list[Vote]] = defaultdict(list)
    for vote in votes:
        found[vote.actor].append(vote)
    return found


def _left_right(votes: Sequence[Vote]) -> tuple[int, int]:
    picks = [vote.picked_left for vote in votes if vote.picked_left is not None]
    return sum(picks), len(picks) - sum(picks)


def _count_against_majority(
    by_voter: Mapping[str, list[Vote]], votes: Sequence[Vote]
) -> dict[str, tuple[int, int]]:
    """For each voter: on how many pairs against, and with, the majority of the others."""
    tallies: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for vote in votes:
        if vote.winner is not None:
            tallies[_pages(vote)][vote.winner] += 1
    return {actor: _against_of(given, tallies) for actor, given in by_voter.items()}


def _against_of(
    votes: Sequence[Vote], tallies: Mapping[tuple[str, ...], Counter[str]]
) -> tuple[int, int]:
    """The voter's own votes are taken out of the tallies first."""
    own: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for vote in votes:
        if vote.winner is not None:
            own[_pages(vote)][vote.winner] += 1
    against = along = 0
    for pages, picks in own.items():
        others = tallies[pages] - picks
        for pick, times in picks.items():
            along_others, rest = others[pick], others.total() - others[pick]
            against += times * (rest > along_others)
            along += times * (along_others > rest)
    return against, along


def _pages(vote: Vote) -> tuple[str, ...]:
    return vote.run_id, vote.case_id, vote.model_a, vote.model_b


def _test_counts(oddity: Oddity, counts: Mapping[str, tuple[int, int]]) -> list[Suspicion]:
    """The voters whose two counts no fair coin explains."""
    enough = {actor: pair for actor, pair in counts.items() if sum(pair) >= LEAST_VOTES}
    p_values = [_coin(*pair, towards_first=oddity == "contrary") for pair in enough.values()]
    adjusted = holm(p_values) if p_values else ()
    return [
        Suspicion(actor, oddity, _describe(oddity, *pair), sum(pair), p)
        for (actor, pair), p in zip(enough.items(), adjusted, strict=True)
        if p < ALPHA
    ]


def _coin(first: int, second: int, *, towards_first: bool) -> float:
    """The exact binomial test of one half: two-sided, or that the first count is the larger."""
    exact = mcnemar(first, second).p_exact
    if exact is None:
        return 1.0
    if not towards_first:
        return exact
    return exact / 2 if first > second else 1.0


def _describe(oddity: Oddity, first: int, second: int) -> str:
    if oddity == "one_side":
        side, number = ("left", first) if first >= second else ("right", second)
        return f"picked the {side} page in {number} of {first + second} decided votes"
    return f"against the majority of the others in {first} of {first + second} pairs"


def _untested_suspicions(actor: str, votes: Sequence[Vote]) -> list[Suspicion]:
    """Habits that need no test."""
    if len(votes) < LEAST_VOTES:
        return []
    times = [vote.ms_on_page for vote in votes if vote.ms_on_page is not None]
    found: list[tuple[Oddity, str]] = []
    if len(times) >= LEAST_VOTES and median(times) < QUICK_MS:
        found.append(("too_quick", f"median time of {len(times)} votes is {median(times):.0f} ms"))
    if all(vote.outcome in (VoteOutcome.TIE, VoteOutcome.BOTH_BAD) for vote in votes):
        found.append(("never_decides", f"none of {len(votes)} votes chooses a page"))
    if (most := _most_in_a_minute(votes)) > BURST:
        found.append(("burst", f"{most} votes within one minute"))
    return [Suspicion(actor, oddity, said, len(votes)) for oddity, said in found]


def _most_in_a_minute(votes: Sequence[Vote]) -> int:
    times = sorted(datetime.fromisoformat(vote.at).timestamp() for vote in votes if vote.at)
    most = first = 0
    for last, time in enumerate(times):
        while time - times[first] > _MINUTE_S:
            first += 1
        most = max(most, last - first + 1)
    return most


def _scores(votes: Sequence[Vote]) -> dict[str, float] | str:
    """Rating by model, the highest first; or why there is none."""
    battles = [battle for vote in votes if (battle := vote.battle())]
    try:
        made = rank(battles, cluster="none", simultaneous=False)
    except AnalysisError as exc:
        return exc.message
    return {line.model: line.score for line in made.models if line.score is not None}


def _influence(
    actor: str, votes: int, whole: Mapping[str, float], without: Mapping[str, float] | str
) -> RatingsWithoutVoter:
    if isinstance(without, str):
        return RatingsWithoutVoter(actor, votes, None, None, None, None, without)
    moves = {model: abs(score - whole[model]) for model, score in without.items() if model in whole}
    if not moves:
        return RatingsWithoutVoter(
            actor, votes, None, None, None, None, "without this voter, no model has a rating"
        )
    model = max(moves, key=moves.__getitem__)
    first, before = next(iter(without)), next(iter(whole))
    return RatingsWithoutVoter(actor, votes, moves[model], model, first, first != before)
