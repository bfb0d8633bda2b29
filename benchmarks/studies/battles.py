"""Ratings: battles that share a prompt, or a voter, move together; few voters and prompts."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from studies.study import Study, Table, share

from benchmaker.analysis.ratings.battles import Rounds
from benchmaker.analysis.ratings.strengths import RatingOptions, strengths
from benchmaker.errors import DisconnectedBattles, NotEnoughData
from benchmaker.stats.ratings import BattleCounts, Battles, Ratings, bradley_terry, rank_intervals
from benchmaker.stats.ratings.bradley_terry import quantile

MODELS = 20
BATTLES = 5_000
TIED = 0.2
SPREAD = 0.6
NAMES = tuple(f"model {i:02d}" for i in range(MODELS))
NODES = 40
DESIGNS = ((3, 3), (6, 6), (6, 20), (10, 10), (20, 20), (30, 30))


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


@dataclass(frozen=True, slots=True)
class Votes:
    """Every voter votes once on each prompt, on two models at random, all equally good."""

    voters: int
    prompts: int
    models: int
    sd: float

    def drawn(self, random: np.random.Generator) -> tuple[Battles, np.ndarray, np.ndarray]:
        """Votes, and the voter and the prompt of each; both favour each model by their sd."""
        voter, prompt = (
            it.ravel() for it in np.meshgrid(np.arange(self.voters), np.arange(self.prompts))
        )
        a = random.integers(0, self.models, len(voter))
        b = (a + random.integers(1, self.models, len(voter))) % self.models
        gap = np.zeros(len(voter))
        for label, number in ((voter, self.voters), (prompt, self.prompts)):
            taste = self.sd * random.standard_normal((number, self.models))
            gap += taste[label, a] - taste[label, b]
        won = random.random(len(voter)) < 1 / (1 + np.exp(-gap))
        outcome = np.where(won, 2, 0).astype(np.int8)
        battles = Battles(NAMES[: self.models], a.astype(np.int32), b.astype(np.int32), outcome)
        return battles, voter, prompt

    def rated(self, random: np.random.Generator) -> Ratings | None:
        """The ratings of one draw, clustered both ways; None if models are not connected."""
        battles, voter, prompt = self.drawn(random)
        try:
            return bradley_terry(battles, clusters=voter, crossed_with=prompt)
        except DisconnectedBattles:
            return None


def few(random: np.random.Generator, draws: int) -> Table:
    """Coverage and false ranks of votes by few voters on few prompts."""
    rows = []
    for voters, prompts in DESIGNS:
        for models in (2, 3, 5):
            cells = [held(Votes(voters, prompts, models, sd), random, draws) for sd in (0, SPREAD)]
            rows.append((f"{voters} × {prompts}, {models} models", *cells))
    header = ("voters × prompts", "independent votes", "voters and prompts with preferences")
    return Table(header, tuple(rows))


def held(votes: Votes, random: np.random.Generator, draws: int) -> str:
    """The share of intervals with the truth, and of draws with a certain rank."""
    made = [ratings for _ in range(draws) if (ratings := votes.rated(random)) is not None]
    covering = sum(covered(ratings, np.zeros(votes.models)) for ratings in made)
    found = [rank_intervals(ratings, top=None, draws=1_000) for ratings in made]
    certain = sum(bool((it.best > 1).any() or (it.worst < votes.models).any()) for it in found)
    return f"{share(covering, len(made) * votes.models)} ({share(certain, len(made))})"


VOTERS = {
    "one voter with 100 votes, 4 with 1": (100, *[1] * 4),
    "one voter with 500 votes, 10 with 1": (500, *[1] * 10),
    "one voter with 100 votes, 20 with 5": (100, *[5] * 20),
    "one voter with 50 votes, 20 with 5": (50, *[5] * 20),
    "20 voters with 100, 50, 33, 25, … 5 votes": tuple(round(100 / k) for k in range(1, 21)),
    "20 voters with 10 votes": (10,) * 20,
}
WEIGHTS = {
    "one case of weight 1,000, 20 of weight 1": (1_000, *[1] * 20),
    "one case of weight 10, 20 of weight 1": (10, *[1] * 20),
    "one case of weight 5, 20 of weight 1": (5, *[1] * 20),
    "one case of weight 3, 20 of weight 1": (3, *[1] * 20),
    "10 cases each of weights 1, 2 and 5": (1, 2, 5) * 10,
    "20 cases of weight 1": (1,) * 20,
}


@dataclass(frozen=True, slots=True)
class Uneven:
    """Votes by voters with these numbers of votes, on two of some equal models at random."""

    votes: tuple[int, ...]
    models: int
    sd: float

    def rounds(self, random: np.random.Generator) -> Rounds:
        voter = np.repeat(np.arange(len(self.votes)), self.votes)
        a = random.integers(0, self.models, len(voter))
        b = (a + random.integers(1, self.models, len(voter))) % self.models
        taste = self.sd * random.standard_normal((len(self.votes), self.models))
        gap = taste[voter, a] - taste[voter, b]
        won = random.random(len(voter)) < 1 / (1 + np.exp(-gap))
        outcome = np.where(won, 2, 0).astype(np.int8)
        names = NAMES[: self.models]
        battles = Battles(names, a.astype(np.int32), b.astype(np.int32), outcome)
        return Rounds(battles, "votes", voter=voter.tolist())


@dataclass(frozen=True, slots=True)
class Weighted:
    """Cases with these weights, on which the scores of equal models are independent."""

    weights: tuple[int, ...]
    models: int

    def rounds(self, random: np.random.Generator) -> Rounds:
        pairs = np.array(list(combinations(range(self.models), 2)), np.int32)
        score = random.random((len(self.weights), self.models))
        case = np.repeat(np.arange(len(self.weights)), len(pairs))
        a, b = np.tile(pairs, (len(self.weights), 1)).T
        outcome = np.where(score[case, a] > score[case, b], 2, 0).astype(np.int8)
        weight = np.array(self.weights, np.float64)[case]
        battles = Battles(NAMES[: self.models], a, b, outcome, weight)
        prompt = case.tolist()
        return Rounds(battles, "suite", prompt=prompt, n_prompts=len(self.weights))


def uneven_votes(random: np.random.Generator, draws: int) -> Table:
    """Voters with unequal numbers of votes."""
    rows = []
    for words, votes in VOTERS.items():
        for models in (2, 3):
            cells = [ranked(Uneven(votes, models, sd), random, draws) for sd in (0.0, SPREAD)]
            rows.append((f"{words}; {models} models", *cells))
    return Table(("votes", "independent votes", "voters with preferences"), tuple(rows))


def uneven_weights(random: np.random.Generator, draws: int) -> Table:
    """Cases with unequal weights."""
    rows = []
    for words, weights in WEIGHTS.items():
        cells = [ranked(Weighted(weights, models), random, draws) for models in (2, 3, 5)]
        rows.append((words, *cells))
    return Table(("cases", "2 models", "3 models", "5 models"), tuple(rows))


@dataclass(frozen=True, slots=True)
class Answers:
    """Cases with 0/1 scores, which may be hard for all models; some models lack some of them.

    ``right`` are the models' log odds on a case of average difficulty, whose sd is ``sd``. Of model
    i all cases but every ``steps[i]``-th are missing. Cases have the ``weights`` in turn.
    """

    right: tuple[float, ...]
    sd: float = 0.0
    steps: tuple[int, ...] = ()
    weights: tuple[int, ...] = (1,)

    def answered(self, cases: int) -> np.ndarray:
        """Which model has a score on which case."""
        steps = np.array((*self.steps, *[1] * (len(self.right) - len(self.steps))))
        return np.arange(cases) % steps[:, None] == 0

    def weight(self, cases: int) -> np.ndarray:
        return np.resize(np.array(self.weights, np.float64), cases)

    def truth(self, cases: int) -> np.ndarray:
        """The fit to the expected counts over the difficulty of a case."""
        nodes, shares = np.polynomial.hermite_e.hermegauss(NODES)
        right = 1 / (1 + np.exp(-np.array(self.right)[:, None] - self.sd * nodes))
        win = np.einsum("ik,jk,k->ij", right, 1 - right, shares / shares.sum())
        there = self.answered(cases).astype(np.float64)
        met = np.einsum("ic,jc,c->ij", there, there, self.weight(cases))
        np.fill_diagonal(met, 0.0)
        tie, win = met * (1 - win - win.T), met * win
        number = met.astype(np.int64)
        names = NAMES[: len(self.right)]
        counts = BattleCounts(names, win, tie, win, tie, number, int(number.sum()) // 2)
        return bradley_terry(counts).theta

    def rounds(self, random: np.random.Generator, cases: int) -> Rounds:
        right = np.array(self.right)[:, None] + self.sd * random.standard_normal(cases)
        score = random.random(right.shape) < 1 / (1 + np.exp(-right))
        there = self.answered(cases)
        met = [
            (case, *pair)
            for case in range(cases)
            for pair in combinations(np.flatnonzero(there[:, case]), 2)
        ]
        case, i, j = np.array(met, np.int32).T
        outcome = (1 + score[i, case].astype(np.int8) - score[j, case]).astype(np.int8)
        battles = Battles(NAMES[: len(right)], i, j, outcome, self.weight(cases)[case])
        return Rounds(battles, "suite", prompt=case.tolist(), n_prompts=cases)


ANSWERS = {
    "3 models, 95, 85 and 15% right; the first lacks every other case; weights 1, 2 and 3": Answers(
        (2.94, 1.73, -1.73), steps=(2,), weights=(1, 2, 3)
    ),
    "3 models, 97, 88 and 10% right": Answers((3.48, 1.99, -2.20)),
    "3 equal models": Answers((0.4,) * 3),
    "4 equal models, cases of very unequal difficulty": Answers((0.8,) * 4, sd=3.0),
    "5 models, 80 to 40% right; two lack some cases; cases of unequal difficulty": Answers(
        (1.4, 0.85, 0.4, 0.0, -0.4), sd=1.5, steps=(1, 2, 1, 2)
    ),
}


def few_cases(random: np.random.Generator, draws: int) -> Table:
    """Ratings and their differences from 0/1 scores of few cases."""
    rows = []
    for words, design in ANSWERS.items():
        rows.append((words, *(answered(design, cases, random, draws) for cases in (12, 20, 30))))
    return Table(("models", "12 cases", "20 cases", "30 cases"), tuple(rows))


def answered(design: Answers, cases: int, random: np.random.Generator, draws: int) -> str:
    """Coverage of known intervals, the lowest of any model, and that of differences."""
    truth, held, apart = design.truth(cases), [], []
    for _ in range(draws):
        ratings = fitted(design.rounds(random, cases))
        if ratings is None or not np.isfinite(ratings.low).all():
            continue
        points = ratings.offset + ratings.scale * truth
        held.append((ratings.low <= points) & (points <= ratings.high))
        apart.append(np.mean(differences_held(ratings, truth)))
    known = np.mean(held, axis=0)
    without = f", {share(draws - len(held), draws)} without" if len(held) < draws else ""
    lowest, between = share(known.min(), 1), share(float(np.mean(apart)), 1)
    return f"{share(known.mean(), 1)} ({lowest}; {between}){without}"


def differences_held(ratings: Ratings, truth: np.ndarray) -> list[bool]:
    """Whether the interval of each known difference holds the true one."""
    errors, effective = ratings.difference_errors(), ratings.effective_clusters
    return [
        abs(ratings.theta[i] - ratings.theta[j] - truth[i] + truth[j])
        <= quantile(0.975, effective[i, j] - 1) * errors[i, j]
        for i, j in combinations(range(len(truth)), 2)
        if np.isfinite(errors[i, j])
    ]


def ranked(design: Uneven | Weighted, random: np.random.Generator, draws: int) -> str:
    """Coverage of the known intervals, and the shares of false ranks and of missing intervals."""
    found = [
        ratings for _ in range(draws) if (ratings := fitted(design.rounds(random))) is not None
    ]
    known = sum(int(np.isfinite(ratings.low).sum()) for ratings in found)
    held = sum(covered(ratings, np.zeros(design.models)) for ratings in found)
    ranks = [rank_intervals(ratings, top=None, draws=1_000) for ratings in found]
    false = sum(bool((it.best > 1).any() or (it.worst < design.models).any()) for it in ranks)
    missing = len(found) * design.models - known
    cover = share(held, known) if known else "none"
    without = f", {share(missing, len(found) * design.models)} without" if missing and known else ""
    return f"{cover} ({share(false, len(found))}){without}"


def fitted(rounds: Rounds) -> Ratings | None:
    """The ratings as ``rank`` computes them; None if models are not connected."""
    options = RatingOptions("bradley_terry", rounds.usual_cluster(), (), 0.0, 0.95)
    try:
        return strengths(rounds, options).ratings
    except (DisconnectedBattles, NotEnoughData):
        return None


STUDIES: tuple[Study, ...] = (
    Study(
        name="clustered battles",
        title="Ratings from battles that share prompts or voters",
        words=(
            "20 models, 5,000 battles, 20% ties; each prompt (and voter) favours each model by "
            "a normal amount of sd 0.6 log odds. The figure is the share of 95% intervals of "
            "Bradley-Terry ratings that contain their limit, all models together. Sandwich "
            "errors with normal quantiles are compared with CR1 and Student's t (clusters - 1), "
            "without the lower limit of the variance and the effective clusters that `rank` adds. "
            "All clusters have about the same size; the unequal ones are below."
        ),
        draws=600,
        run=clustered,
    ),
    Study(
        name="few voters and prompts",
        title="Ratings from few voters and few prompts",
        words=(
            "Equal models; every voter votes once on each prompt, on two models at random. Votes "
            "are independent, or each voter and each prompt favours each model by a normal amount "
            "of sd 0.6 log odds. The figure is the share of 95% intervals that contain the truth, "
            "and in brackets the share of draws with a falsely certain rank. No variance of "
            "ratings clustered by voter and prompt is below that of clustering one way or of "
            "independent votes, and t has the smaller number of clusters less one. The largest of "
            "four rough estimates is too large for independent votes, most of all with few "
            "voters or prompts. Draws whose votes do not connect the models have no ratings and "
            "are left out. Below five voters or prompts the ranks are not shown. `rank` uses the "
            "effective numbers of voters and prompts, which makes its intervals slightly wider "
            "than these."
        ),
        draws=1_000,
        run=few,
    ),
    Study(
        name="uneven voters",
        title="Ratings from voters with unequal numbers of votes",
        words=(
            "Equal models, without ties, and votes clustered by voter as `rank` computes them: at "
            "least the variance of independent votes, t with the effective number of voters less "
            "one, and no interval below two. Votes are independent, or each voter favours each "
            "model by a normal amount of sd 0.6 log odds. The figure is the share of 95% intervals "
            "that contain the truth, and in brackets the share of draws with a falsely certain "
            "rank; `none` means that there were no intervals. If a few voters with strong "
            "preferences cast many votes, the coverage can stay below the level: the effective "
            "number assumes that votes of a voter are independent."
        ),
        draws=1_000,
        run=uneven_votes,
    ),
    Study(
        name="uneven weights",
        title="Ratings from cases with unequal weights",
        words=(
            "Equal models with independent scores from 0 to 1, so that the higher score wins and "
            "no scores tie; each case is a cluster, as in `rank`. The figure is the share of 95% "
            "intervals that contain the truth, and in brackets the share of draws with a falsely "
            "certain rank; `none` means that there were no intervals, because the effective number "
            "of cases is below two. Near two, t has one degree of freedom and the interval is very "
            "wide. The rank intervals that `rank` shows include the paired comparison as well and "
            "are never narrower."
        ),
        draws=1_000,
        run=uneven_weights,
    ),
    Study(
        name="few cases",
        title="Ratings from few cases with ties and missing answers",
        words=(
            "Scores of 0 or 1, compared in pairs and clustered by case as in `rank`: no variance "
            "is below that of independent battles, and t has the effective number of cases less "
            "one. Without that limit, battles of one case can cancel by chance. The figure is the "
            "share of 95% intervals that contain the limit of the rating; in brackets the lowest "
            "of any model, and the same share for differences of two models. Draws in which a "
            "model won or lost everything have no ratings. The sampling error of a single model's "
            "share is about ±0.9."
        ),
        draws=600,
        run=few_cases,
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
