"""Means and differences that labels correct: does their interval hold, and what does it gain."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from studies.laws import GRADED, Law, grades
from studies.study import Study, Table, covers, share

from benchmaker.stats.means.corrected import PpiEstimate
from benchmaker.stats.means.ppi import PpiSample, ppi_difference, ppi_mean

LABELLED = (12, 30, 60, 200)
OTHERS = 400
BINARY = tuple(grades(f"0/1, p = {p}", {0: 1 - p, 1: p}) for p in (0.02, 0.5, 0.9, 0.98))
LOW = grades("graded: 0, .1, .3, 1 with .8, .1, .05, .05", {0: 0.8, 0.1: 0.1, 0.3: 0.05, 1: 0.05})
UNIFORM = Law("uniform", 0.5, lambda r, size: r.random(size))

Says = Callable[[np.random.Generator, np.ndarray], np.ndarray]


@dataclass(frozen=True, slots=True)
class Judge:
    """What a judge says of answers that are worth so much."""

    name: str
    says: Says


class World(NamedTuple):
    """What answers are worth to people, and who judges them."""

    law: Law
    judge: Judge


def mistaken(name: str, wrong: float, right: float) -> Judge:
    """One that passes a share of the wrong answers and fails a share of the right ones."""
    return Judge(
        name, lambda r, y: np.where(r.random(y.shape) < np.where(y > 0, right, wrong), 1 - y, y)
    )


def noisy(name: str, sd: float, bias: float = 0.0) -> Judge:
    """One whose scores lie off by chance, and by a bias."""
    return Judge(name, lambda r, y: (y + bias + sd * r.standard_normal(y.shape)).clip(0, 1))


GUESSES = mistaken("guesses", 0.5, 0.5)
RIGHT = mistaken("95% right", 0.05, 0.05)
FAIR = mistaken("85% right", 0.15, 0.15)
LENIENT = mistaken("passes 30% of the wrong", 0.3, 0.0)
NOISE = Judge("guesses", lambda r, y: r.random(y.shape))
ROUGH = noisy("off by ±.2, too kind by .1", 0.2, 0.1)
CLOSE = noisy("off by ±.05", 0.05)

WORLDS = (
    *(World(law, judge) for law in BINARY for judge in (GUESSES, RIGHT, LENIENT)),
    *(World(law, judge) for law in (GRADED, LOW, UNIFORM) for judge in (NOISE, ROUGH, CLOSE)),
)

PAIRS = (
    (World(BINARY[2], FAIR), World(BINARY[1], FAIR)),
    (World(BINARY[2], RIGHT), World(BINARY[2], LENIENT)),
    (World(BINARY[3], FAIR), World(BINARY[0], FAIR)),
    (World(GRADED, ROUGH), World(UNIFORM, ROUGH)),
    (World(GRADED, CLOSE), World(GRADED, CLOSE)),
    (World(UNIFORM, NOISE), World(LOW, NOISE)),
)


def judged(random: np.random.Generator, world: World, labelled: int) -> PpiSample:
    y = world.law.draw(random, (labelled + OTHERS,)).astype(float)
    f = world.judge.says(random, y)
    return PpiSample(y[:labelled], f[:labelled], f[labelled:])


def cell(pairs: list[tuple[PpiEstimate, PpiEstimate]], truth: float) -> str:
    """Coverage, and by how much the interval is narrower than that of the labels, in the median."""
    hits = sum(covers(found.interval, truth) for found, _ in pairs)
    gains = [1 - width(found) / width(alone) for found, alone in pairs]
    return f"{share(hits, len(pairs))} ({100 * np.median(gains):.0f} %)"


def width(found: PpiEstimate) -> float:
    low, high = found.interval
    return high - low


def means(random: np.random.Generator, draws: int) -> Table:
    rows = []
    for world in WORLDS:
        cells = [cell([of_one(random, world, n) for _ in range(draws)], world.law.mean)
                 for n in LABELLED]  # fmt: skip
        rows.append((f"{world.law.name}; the judge {world.judge.name}", *cells))
    return Table(("labels", *map(str, LABELLED)), tuple(rows))


def of_one(random: np.random.Generator, world: World, n: int) -> tuple[PpiEstimate, PpiEstimate]:
    drawn = judged(random, world, n)
    return (
        ppi_mean(*drawn, interval="wilson"),
        ppi_mean(*drawn, interval="wilson", lambda_=0.0),
    )


def differences(random: np.random.Generator, draws: int) -> Table:
    rows = []
    for one, two in PAIRS:
        truth = one.law.mean - two.law.mean
        cells = [cell([of_two(random, one, two, n) for _ in range(draws)], truth) for n in LABELLED]
        rows.append((f"{told(one)} − {told(two)}", *cells))
    return Table(("labels", *map(str, LABELLED)), tuple(rows))


def of_two(
    random: np.random.Generator, one: World, two: World, n: int
) -> tuple[PpiEstimate, PpiEstimate]:
    a, b = judged(random, one, n), judged(random, two, n)
    return (
        ppi_difference(a, b, interval="wilson"),
        ppi_difference(a, b, interval="wilson", lambda_=0.0),
    )


def told(world: World) -> str:
    return f"{world.law.name} ({world.judge.name})"


STUDIES = (
    Study(
        name="corrected means",
        title="Means corrected by labels",
        words=(
            "Share of 95% intervals of `ppi_mean` that contain the mean people would give, "
            'with the interval of the reports (`interval="wilson"`) and λ chosen. In brackets '
            "is the median reduction in width compared with the labels alone. The columns are "
            f"numbers of labelled answers, with {OTHERS} more that only the judge scored. A "
            "judge of 0/1 scores makes few or no errors in few labels. Unobserved answers are "
            "then added, and the interval is wide, especially for a nearly perfect judge. Two "
            "cases are below the level: 12 labels that show no error of a lenient judge, which "
            "hide its leniency, and rare high grades that are missing from the labels. With 500 "
            "draws, the sampling error of a count is about ±1."
        ),
        draws=500,
        run=means,
    ),
    Study(
        name="corrected differences",
        title="Differences corrected by labels",
        words=(
            "The same for `ppi_difference`, two systems on the same cases, on the scale from −1 "
            "to 1."
        ),
        draws=500,
        run=differences,
    ),
)
