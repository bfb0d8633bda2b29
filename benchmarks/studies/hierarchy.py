"""Cases and runs: what repeat noise and generalisation intervals hold."""

from dataclasses import dataclass

import numpy as np
from studies.study import Study, Table, covers, share

from benchmaker.stats.means.hierarchy import TwoLevel, two_level
from benchmaker.stats.means.means import weighted_mean


@dataclass(frozen=True, slots=True)
class World:
    """Cases with a true score each, and runs of them."""

    words: str
    cases: int
    runs: tuple[int, ...]
    item: float
    run: float
    binary: bool = False

    def true(self, random: np.random.Generator) -> np.ndarray:
        """The true score of every case."""
        if self.binary:
            return random.beta(0.5, 0.5, self.cases)
        return 0.5 + self.item * random.normal(size=self.cases)

    def rows(self, random: np.random.Generator, true: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The case of every row, and its value."""
        items = np.repeat(np.arange(self.cases), np.resize(self.runs, self.cases))
        if self.binary:
            return items, (random.random(len(items)) < true[items]).astype(float)
        return items, true[items] + self.run * random.normal(size=len(items))


WORLDS = (
    World("10 cases, 3 runs", 10, (3,), 0.2, 0.2),
    World("30 cases, 2 runs", 30, (2,), 0.2, 0.2),
    World("30 cases, 5 runs", 30, (5,), 0.2, 0.2),
    World("100 cases, 5 runs", 100, (5,), 0.2, 0.2),
    World("30 cases, 1 to 5 runs", 30, (1, 2, 3, 4, 5), 0.2, 0.2),
    World("30 cases, 5 runs, noisy runs", 30, (5,), 0.05, 0.3),
    World("30 cases, 5 runs, cases alike", 30, (5,), 0.0, 0.3),
    World("80 cases, 5 runs of 0 or 1", 80, (5,), 0.0, 0.0, binary=True),
)


def both(random: np.random.Generator, draws: int) -> Table:
    return Table(
        ("", "repeat noise", "generalisation", "ICC", "rows as if independent"),
        tuple((world.words, *counted(world, random, draws)) for world in WORLDS),
    )


def counted(world: World, random: np.random.Generator, draws: int) -> tuple[str, ...]:
    repeat = general = icc = plain = 0
    for _ in range(draws):
        true = world.true(random)
        items, values = world.rows(random, true)
        found = two_level(items, values)
        repeat += covers(found.repeat.interval, float(true.mean()))
        general += covers(found.general.interval, 0.5)
        icc += holds_icc(world, found)
        plain += covers(weighted_mean(values).interval, 0.5)
    normal = share(icc, draws) if not world.binary else "–"
    return share(repeat, draws), share(general, draws), normal, share(plain, draws)


def holds_icc(world: World, found: TwoLevel) -> bool:
    if world.binary or found.icc_low is None or found.icc_high is None:
        return False
    return found.icc_low <= world.item**2 / (world.item**2 + world.run**2) <= found.icc_high


STUDIES = (
    Study(
        name="two levels",
        title="Cases and runs",
        words=(
            "Scores with a true part of the case (sd .2) and noise of the run (sd .2) unless "
            "stated otherwise. Share of 95% intervals of `two_level` that contain their "
            "target: repeat noise the mean of the true scores of these cases, generalisation "
            "the mean of all cases, the ICC the true one (normal scores alone). The last column "
            "is the coverage of the mean of all cases by the plain interval over all rows, "
            "which treats repeated runs as new cases."
        ),
        draws=4_000,
        run=both,
    ),
)
