"""Ratings: battles that share a prompt, or a voter, move together."""

from dataclasses import dataclass

import numpy as np
from studies.study import Study, Table, share

from benchmaker.stats.ratings import BattleCounts, Battles, Ratings, bradley_terry, rank_intervals

MODELS = 20
BATTLES = 5_000
TIED = 0.2
SPREAD = 0.6
NAMES = tuple(f"model {i:02d}" for i in range(MODELS))
NODES = 40


@dataclass(frozen=True, slots=True)
class World:
    """How many prompts and voters there are, how much each favours some models, and who is good."""

    prompts: int
    prompt_sd: float = SPREAD
    voters: int = 0
    voter_sd: float = 0.0
    reach: float = 1.0

    def strengths(self) -> np.ndarray:
        """From the weakest model to the strongest, in log odds."""
        return np.linspace(-self.reach, self.reach, MODELS)

    def truth(self) -> np.ndarray:
        """What the estimate tends to: the fit to the expected counts over prompts and voters."""
        spread = np.sqrt(2 * (self.prompt_sd**2 + self.voter_sd**2))
        nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
        gap = self.strengths()[:, None] - self.strengths()[None, :]
        win = sum(w / (1 + np.exp(-gap - spread * x)) for x, w in zip(nodes, weights, strict=True))
        win = (1 - TIED) * win / weights.sum()
        np.fill_diagonal(win, 0.0)
        tie = np.full_like(win, TIED)
        np.fill_diagonal(tie, 0.0)
        met = (1 - np.eye(MODELS)).astype(np.int64)
        return bradley_terry(
            BattleCounts(NAMES, win, tie, win, tie, met, int(met.sum()) // 2)
        ).theta

    def drawn(self, random: np.random.Generator) -> tuple[Battles, np.ndarray, np.ndarray]:
        """Battles, and the prompt and the voter of each."""
        a = random.integers(0, MODELS, BATTLES)
        b = (a + random.integers(1, MODELS, BATTLES)) % MODELS
        prompt = random.integers(0, self.prompts, BATTLES)
        voter = random.integers(0, max(1, self.voters), BATTLES)
        gap = self.strengths()[a] - self.strengths()[b]
        for sd, label, number in (
            (self.prompt_sd, prompt, self.prompts),
            (self.voter_sd, voter, max(1, self.voters)),
        ):
            taste = sd * random.standard_normal((number, MODELS))
            gap = gap + taste[label, a] - taste[label, b]
        won = random.random(BATTLES) < 1 / (1 + np.exp(-gap))
        tied = random.random(BATTLES) < TIED
        outcome = np.where(tied, 1, np.where(won, 2, 0)).astype(np.int8)
        return Battles(NAMES, a.astype(np.int32), b.astype(np.int32), outcome), prompt, voter


def covered(ratings: Ratings, truth: np.ndarray) -> int:
    """How many of the models' intervals hold the truth."""
    points = ratings.offset + ratings.scale * truth
    return int(((ratings.low <= points) & (points <= ratings.high)).sum())


def rated(world: World, random: np.random.Generator) -> tuple[Ratings, Ratings]:
    """The ratings of one draw, as if battles were independent and with clusters."""
    battles, prompt, voter = world.drawn(random)
    crossed = voter if world.voters else None
    return bradley_terry(battles), bradley_terry(battles, clusters=prompt, crossed_with=crossed)


def clustered(random: np.random.Generator, draws: int) -> Table:
    """Coverage of the 95 % interval, all models together."""
    rows = []
    for words, world in (
        ("25 prompts", World(25)),
        ("100 prompts", World(100)),
        ("500 prompts", World(500)),
        ("100 prompts that favour nobody", World(100, prompt_sd=0.0)),
        ("100 prompts × 100 voters, two-way", World(100, voters=100, voter_sd=SPREAD)),
    ):
        truth, plain, by_cluster = world.truth(), 0, 0
        for _ in range(draws):
            independent, grouped = rated(world, random)
            plain += covered(independent, truth)
            by_cluster += covered(grouped, truth)
        of = draws * MODELS
        rows.append((words, share(plain, of), share(by_cluster, of)))
    return Table(("battles share", "taken as independent", "clustered"), tuple(rows))


def ranks(random: np.random.Generator, draws: int) -> Table:
    """How often all rank intervals hold the true ranks at once, and each for itself."""
    rows = []
    for words, world in (("evenly spaced", World(100)), ("all equal", World(100, reach=0.0))):
        first, last = true_ranks(world)
        for kind, simultaneous in (("simultaneous", True), ("marginal", False)):
            together, single = 0, 0
            for _ in range(draws):
                _, grouped = rated(world, random)
                found = rank_intervals(grouped, simultaneous=simultaneous, draws=2_000)
                held = (found.best <= first) & (last <= found.worst)
                together += int(held.all())
                single += int(held.sum())
            rows.append((words, kind, share(together, draws), share(single, draws * MODELS)))
    return Table(("models", "rank intervals", "all 20 at once", "each model"), tuple(rows))


def true_ranks(world: World) -> tuple[np.ndarray, np.ndarray]:
    """First and last place of each model; equals share all places."""
    above = (world.strengths()[None, :] > world.strengths()[:, None]).sum(axis=1)
    below = (world.strengths()[None, :] < world.strengths()[:, None]).sum(axis=1)
    return 1 + above, MODELS - below


STUDIES: tuple[Study, ...] = (
    Study(
        name="clustered battles",
        title="Ratings from battles that share prompts or voters",
        words=(
            "20 models, 5,000 battles, 20% ties; each prompt (and voter) favours each model by "
            "a normal amount of sd 0.6 log odds. The figure is the share of 95% intervals of "
            "Bradley-Terry ratings that contain their limit, all models together. Sandwich "
            "errors with normal quantiles are compared with CR1 and Student's t (clusters - 1)."
        ),
        draws=600,
        run=clustered,
    ),
    Study(
        name="rank intervals",
        title="Rank intervals",
        words=(
            "The same battles, 100 prompts, ratings clustered by prompt; and with models that "
            "are all equal, so that they share ranks 1 to 20. The figure is the share of rank "
            "intervals that contain the true ranks, for all 20 models at once and for each "
            "model."
        ),
        draws=300,
        run=ranks,
    ),
)
