"""Results of a ranking of models: frozen values, and their sentences."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from benchmaker.analysis.ratings.battles import Cluster
from benchmaker.documents import FIRST, OMITTED, Document, Key, listed
from benchmaker.tabular import Tabular

Method: TypeAlias = Literal[
    "bradley_terry", "davidson", "rao_kupper", "newman", "win_rate", "elo", "glicko2"
]
METHODS: tuple[Method, ...] = (
    "bradley_terry",
    "davidson",
    "rao_kupper",
    "newman",
    "win_rate",
    "elo",
    "glicko2",
)


@dataclass(frozen=True, slots=True)
class RankedModel(Document):
    """A ranked model; ``effective`` is its number of independent battles, at most ``n_battles``.

    ``score``, ``low`` and ``high`` are points, or shares from 0 to 1 for win rates. ``rank`` is 1 +
    the models with a higher score, None if the data do not support a rank; ``best`` to ``worst`` is
    its interval, and ``p_top`` the chance to be among the first ``top``. ``group`` numbers the
    models that share a scale. ``wins``, ``losses`` and ``ties`` count battles, as ``n_battles``
    does; ``weighted_…`` are the sums of their weights, by which models are rated. ``effective`` is
    the number of independent battles of equal weight with the same standard error, at most
    ``n_battles``: Kish's for unequal weights, times the variance of independent battles over that
    after clustering. Missing figures are None, with a ``reason``.
    """

    model: str
    rank: int | None
    best: int | None
    worst: int | None
    p_top: float | None
    score: float | None
    low: float | None
    high: float | None
    n_battles: int
    wins: int
    losses: int
    ties: int
    weighted_wins: float
    weighted_losses: float
    weighted_ties: float
    effective: float | None
    group: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class LeadFragility(Document):
    """The smallest number of battles (or cases) that decide the first place.

    Without ``removed`` of ``total`` units, ``follower`` comes first instead of ``leader``; None
    with a ``reason`` if no such set was found.
    """

    leader: str
    follower: str | None
    removed: int | None
    total: int
    unit: str
    reason: str = ""

    @property
    @listed()
    def sentence(self) -> str:
        """The few units whose removal would change the leader, in words."""
        if self.follower is None or self.removed is None:
            return ""
        return (
            f"Without {self.removed:,} of {self.total:,} {self.unit} "
            f"({100 * self.removed / self.total:.2g}%), {self.follower} would come first "
            f"instead of {self.leader}."
        )


@dataclass(frozen=True, slots=True)
class StyleEffect:
    """The effect of one standard deviation of a feature's difference, in log odds.

    The difference is (a - b)/(a + b), from -1 to 1; ``spread`` is its standard deviation around 0.
    ``se``, ``low`` and ``high`` are None if the battles, or their clusters, agree exactly, or a few
    clusters have nearly all of the weight.
    """

    feature: str
    spread: float
    coefficient: float
    se: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Ranking(Document, Tabular):
    """Models by strength, strongest first, with the ranks that the data support.

    ``provisional`` holds the reasons why there are no ranks, empty if there are. ``rank_method``
    names the method of the rank intervals, empty without them. Order dependent ratings change with
    the order of the battles. ``by_labels`` are the ``warnings`` that human labels contradict the
    leader. ``noun`` is the word for a row of ``models``: model, or setup.
    """

    models: Annotated[tuple[RankedModel, ...], Key(after="sentence")]
    method: str
    kind: Method
    unit: Annotated[Literal["points", "share"], OMITTED]
    source: Literal["suite", "votes"]
    run_ids: tuple[str, ...]
    n: Annotated[int, Key("n_battles")]
    n_eff: float | None
    n_prompts: int | None
    clusters: int | None
    cluster: Cluster
    level: float
    top: int
    rank_method: str
    is_simultaneous: Annotated[bool, Key("simultaneous")]
    is_order_dependent: Annotated[bool, Key("order_dependent")]
    hinge: LeadFragility | None
    style: tuple[StyleEffect, ...]
    provisional: Annotated[tuple[str, ...], Key(after="order_dependent")]
    warnings: tuple[str, ...]
    by_labels: Annotated[tuple[str, ...], OMITTED] = ()
    noun: Annotated[str, OMITTED] = "model"

    @property
    @listed(after=FIRST)
    def scale(self) -> Literal["0-1", "points"]:
        """The scale of the figures."""
        return "0-1" if self.unit == "share" else "points"

    @property
    def is_weighted(self) -> bool:
        """True if battles have weights, so that their sums differ from their numbers."""
        return any(
            (one.wins, one.losses, one.ties)
            != (one.weighted_wins, one.weighted_losses, one.weighted_ties)
            for one in self.models
        )

    @property
    @listed(after="warnings")
    def sentence(self) -> str:
        """The leader, and the certainty of the lead."""
        if self.provisional:
            return f"Provisional, without ranks: {'; '.join(self.provisional)}."
        first = self.models[0]
        if first.worst is None:
            return f"{self._highest_rated}, with unknown certainty."
        if first.worst == 1:
            return f"{first.model} comes first ({100 * self.level:g}% confidence)."
        tied = [one for one in self.models if one.best == 1]
        if len(tied) < 2:  # noqa: PLR2004  nothing to choose between
            return f"First place is undecided; {self._highest_rated}."
        return f"First place is undecided between {_join_names([*map(_mark_best, tied)], 'and')}."

    @property
    def _highest_rated(self) -> str:
        """The model with the highest rating; equal ratings are shared."""
        names = [one.model for one in self.models if one.rank == 1]
        if len(names) > 1:
            return f"{_join_names(names, 'and')} share the highest rating"
        return f"{self.models[0].model} has the highest rating"


def _mark_best(one: RankedModel) -> str:
    """The name of a model, with a note at the highest rating."""
    return f"{one.model} (highest rating)" if one.rank == 1 else one.model


def _join_names(names: Sequence[str], conjunction: str, most: int = 4) -> str:
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return f" {conjunction} ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
