"""Student's t for means: of single values, weighted, of clusters."""

import numpy as np
from studies.laws import GRADED
from studies.study import Study, Table, covers, share

from benchmaker.stats.means.means import weighted_mean

SIZES = (5, 10, 20, 50, 100, 200, 500)
WEIGHTS = (1.0, 2.0, 5.0)
CLUSTERS = (5, 10, 25, 100)
EACH = 5


def students_t(random: np.random.Generator, draws: int) -> Table:
    return Table(
        ("n", *map(str, SIZES)),
        (
            ("normal scores", *(normal(random, draws, n) for n in SIZES)),
            ("normal scores, weights 1, 2 or 5", *(weighted(random, draws, n) for n in SIZES)),
            ("graded scores", *(graded(random, draws, n) for n in SIZES)),
        ),
    )


def normal(random: np.random.Generator, draws: int, n: int) -> str:
    samples = random.normal(0.6, 0.2, (draws, n))
    return share(sum(covers(weighted_mean(x).interval, 0.6) for x in samples), draws)


def weighted(random: np.random.Generator, draws: int, n: int) -> str:
    samples, weights = random.normal(0.6, 0.2, (draws, n)), random.choice(WEIGHTS, (draws, n))
    pairs = zip(samples, weights, strict=True)
    return share(sum(covers(weighted_mean(x, w).interval, 0.6) for x, w in pairs), draws)


def graded(random: np.random.Generator, draws: int, n: int) -> str:
    samples = GRADED.draw(random, (draws, n))
    return share(sum(covers(weighted_mean(x).interval, GRADED.mean) for x in samples), draws)


def clustered(random: np.random.Generator, draws: int) -> Table:
    rows = []
    for alike in (0.0, 0.2, 0.6):
        for groups in CLUSTERS:
            labels = np.repeat(np.arange(groups), EACH)
            by_cluster = plain = 0
            for _ in range(draws):
                shared = np.sqrt(alike) * random.normal(size=groups)[labels]
                x = shared + np.sqrt(1 - alike) * random.normal(size=len(labels))
                by_cluster += covers(weighted_mean(x, clusters=labels).interval, 0.0)
                plain += covers(weighted_mean(x).interval, 0.0)
            cells = share(by_cluster, draws), share(plain, draws)
            rows.append((f"{groups} clusters of {EACH}, correlation {alike:g}", *cells))
    return Table(("", "clustered", "as if independent"), tuple(rows))


STUDIES = (
    Study(
        name="students t",
        title="Student's t",
        words=(
            "Share of 95% intervals of `weighted_mean` that contain the true mean, in "
            "percent. Graded scores are 0, .5, .9, 1 with probabilities .15, .1, .15, .6; a sample "
            "of equal scores has no interval and counts as a miss. With unequal weights fewer "
            "values dominate the sum, and t with n - 1 is slightly too narrow below 50. For "
            "graded scores t is used from 50 on; below, `bounded_mean` is."
        ),
        draws=10_000,
        run=students_t,
    ),
    Study(
        name="clustered means",
        title="Clustered means",
        words=(
            "Normal scores with a common part within their cluster. Share of 95% intervals "
            "that contain the true mean: with `clusters` (CR1, t with one degree of freedom "
            "less than clusters) and without."
        ),
        draws=4_000,
        run=clustered,
    ),
)
