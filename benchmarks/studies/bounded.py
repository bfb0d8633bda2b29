"""The default interval for scores between 0 and 1, and what it was chosen from."""

import numpy as np
from studies.candidates import CANDIDATES
from studies.laws import BINARY, GRADED, LAWS, Law
from studies.study import Study, Table, covers, share

from benchmaker.stats.means.bounded import bounded_mean, ends_within
from benchmaker.stats.quantiles import t_quantile

SIZES = (5, 10, 20, 50, 100)
SMALL = (5, 10, 20)
CLUSTERED = ((5, 4), (10, 4), (20, 4), (50, 4), (100, 4), (10, 20))
WEIGHTS = (1.0, 2.0, 5.0)


def held(random: np.random.Generator, draws: int) -> Table:
    rows = []
    for law in (*BINARY, *LAWS):
        samples = [law.draw(random, (draws, n)) for n in SIZES]
        rows.append((law.name, *(cell(law, map(bounded_mean, x), draws) for x in samples)))
    rows.append((f"weights 1, 2 or 5: {GRADED.name}", *(weighted(random, draws, n) for n in SIZES)))
    return Table(("n", *map(str, SIZES)), tuple(rows))


def cell(law: Law, means: object, draws: int) -> str:
    """Coverage, and the median width in brackets."""
    ends = np.array([mean.require_interval() for mean in means])
    hits = ((ends[:, 0] <= law.mean) & (law.mean <= ends[:, 1])).sum()
    return f"{share(hits, draws)} ({np.median(ends[:, 1] - ends[:, 0]):.2f})"


def weighted(random: np.random.Generator, draws: int, n: int) -> str:
    values, weights = GRADED.draw(random, (draws, n)), random.choice(WEIGHTS, (draws, n))
    return cell(GRADED, map(bounded_mean, values, weights), draws)


def compared(random: np.random.Generator, draws: int) -> Table:
    rows = []
    for law in (BINARY[2], *LAWS):
        for n in SMALL:
            x = law.draw(random, (draws, n))
            rows.append(
                (f"{law.name}; n = {n}", *(of_candidate(f(x), law) for f in CANDIDATES.values()))
            )
    return Table(("", *CANDIDATES), tuple(rows))


def of_candidate(ends: tuple[np.ndarray, np.ndarray], law: Law) -> str:
    low, high = ends
    hits = ((low <= law.mean + 1e-12) & (law.mean - 1e-12 <= high)).mean()
    return f"{share(hits, 1)} ({np.median(high - low):.2f})"


def clustered(random: np.random.Generator, draws: int) -> Table:
    rows = []
    for mean in (0.5, 0.9):
        for alike in (0.0, 0.1, 0.4):
            cells = (
                of_clusters(random, draws, mean=mean, alike=alike, size=size) for size in CLUSTERED
            )
            rows.append((f"p = {mean}, correlation {alike:g}", *cells))
    return Table(("", *(f"{groups} of {each}" for groups, each in CLUSTERED)), tuple(rows))


def of_clusters(
    random: np.random.Generator, draws: int, *, mean: float, alike: float, size: tuple[int, int]
) -> str:
    groups, each = size
    labels, hits = np.repeat(np.arange(groups), each), 0
    for _ in range(draws):
        chance = np.full(groups, mean)
        if alike:
            worth = 1 / alike - 1
            chance = random.beta(mean * worth, (1 - mean) * worth, groups)
        x = (random.random(len(labels)) < chance[labels]).astype(float)
        hits += covers(bounded_mean(x, clusters=labels).interval, mean)
    return share(hits, draws)


VARYING = (
    ("beta(8, 2)", 8, 2),
    ("beta(2, 2)", 2, 2),
    ("beta(19, 1)", 19, 1),
    ("beta(400, 30)", 400, 30),
)
RUNS = (2, 3, 5, 10, 20)


def varying(random: np.random.Generator, draws: int) -> Table:
    """Means of few runs, tasks or errors: our interval, and Student's t beside it."""
    rows = []
    for name, a, b in VARYING:
        cells = []
        for n in RUNS:
            x, truth = random.beta(a, b, (draws, n)), a / (a + b)
            means, errors = x.mean(axis=1), x.std(axis=1, ddof=1) / np.sqrt(n)
            t = t_quantile(n - 1, 0.95)
            ends = (ends_within(m, se, n, t) for m, se in zip(means, errors, strict=True))
            hits = sum(low <= truth <= high for low, high in ends)
            plain = int((np.abs(means - truth) <= t * errors).sum())
            cells.append(f"{share(hits, draws)} ({share(plain, draws)})")
        rows.append((name, *cells))
    return Table(("n", *map(str, RUNS)), tuple(rows))


STUDIES = (
    Study(
        name="bounded means",
        title="The default for scores between 0 and 1",
        words=(
            "Share of 95% intervals of `bounded_mean` that contain the true mean, and in "
            "brackets their median width. 0/1 scores get Wilson's interval, whose coverage "
            "jumps with p and n. Graded ones get the variance-matched Wilson, and from 50 on "
            "Student's t if they are not too skewed for it. If scores hardly differ, the "
            "interval is wide below 50 because an unobserved 0 cannot be excluded."
        ),
        draws=10_000,
        run=held,
    ),
    Study(
        name="within scale",
        title="Means of runs, tasks and errors",
        words=(
            "Share of 95% intervals of `within_scale` that contain the true mean, and in "
            "brackets that of Student's t, whose ends leave the scale. It is Wilson's interval, "
            "matched to the variance, with the quantile of Student's t."
        ),
        draws=10_000,
        run=varying,
    ),
    Study(
        name="bounded candidates",
        title="Alternatives to the default",
        words=(
            "Coverage and, in brackets, median width of intervals for a mean of scores in [0, "
            "1]. Student's t and the bootstrap fail if scores are concentrated at an end. "
            "Wilson's with the sum of the scores as its count is valid wherever Wilson's is, "
            "and up to twice too wide if scores are not 0 or 1. Betting and empirical Bernstein "
            "bounds are valid for every distribution, at the price of their width; the latter "
            "leaves 0 to 1. Gaffke's generalises Clopper–Pearson and is as conservative. The "
            "beta of moments generalises Jeffreys and performs about as well as the default. "
            "The default was chosen for two reasons. It is Wilson's if all scores are 0 or 1, "
            "so that one score of .99 among them changes next to nothing, and its arithmetic "
            "can be followed by hand."
        ),
        draws=1_500,
        run=compared,
    ),
    Study(
        name="bounded clusters",
        title="Clustered 0/1 scores",
        words=(
            "Share of 95% intervals of `bounded_mean` with `clusters` that contain the true "
            "mean, if the probability of a cluster is drawn from a beta distribution of mean p. "
            "A few similar clusters with a high p stay below the level with every method, since "
            "a cluster of failures may be missing from the sample."
        ),
        draws=2_000,
        run=clustered,
    ),
)
