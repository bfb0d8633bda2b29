"""Gates against a baseline: how often they are wrong, and how often they decide."""

from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np
from studies.study import Study, Table, share

from benchmaker.analysis.gates.baseline_gate import decide_gate
from benchmaker.analysis.summary.decisions import GateVerdict
from benchmaker.arenas.standard.deciding import MOST_LOOKS, MOST_RUNS
from benchmaker.record import Setup
from benchmaker.record.baselines.run_baseline import (
    SCHEMA,
    BaselineAnswer,
    BaselineCase,
    BaselineScores,
    RunBaseline,
    hash_answer,
)
from benchmaker.stats.power.power import power

CASES = (6, 10, 20, 50, 100, 200)
LIMIT = 0.05
DROPS = (0.0, LIMIT, 0.1, 0.15, 0.2)
DECIDED = (20, 50, 100)
CHANGED = 0.3
NOISE = 0.1
SPREAD = 0.15

Sides = tuple[RunBaseline, RunBaseline]
World = Callable[[np.random.Generator, int, float], Sides]


def side(scores: np.ndarray, texts: list[str], *, judged: bool) -> RunBaseline:
    """A run of one model, with a score and an answer for each case."""
    return _baseline(
        [_answer(float(score), text, judged)] for score, text in zip(scores, texts, strict=True)
    )


def runs(scores: np.ndarray) -> RunBaseline:
    """Runs of one model, right or wrong; scores have the shape (cases, runs)."""
    return _baseline([_answer(float(score), str(score), False) for score in row] for row in scores)


def _baseline(answers: Iterable[list[BaselineAnswer]]) -> RunBaseline:
    cases = tuple(
        BaselineCase(
            id=f"c{at}",
            sha256="q",
            scoring_sha256="s",
            weight=1.0,
            group=None,
            setups={"m": BaselineScores.of(given, len(given))},
        )
        for at, given in enumerate(answers)
    )
    return RunBaseline(
        schema_version=SCHEMA,
        package_version="",
        suite="s",
        suite_sha256="s",
        run_ids=("r",),
        profile="robust/2",
        metric="mean",
        judges=(),
        setups=(Setup(name="m", model="m"),),
        cases=cases,
    )


def _answer(score: float, text: str, judged: bool) -> BaselineAnswer:  # noqa: FBT001  a field
    return BaselineAnswer(sha256=hash_answer(text), score=score, judged=judged)


def at_temperature_0(random: np.random.Generator, cases: int, drop: float) -> Sides:
    """Right and wrong answers: 15% are gained, 15% and the drop are lost, the rest is the same."""
    gained, lost = CHANGED / 2, CHANGED / 2 + drop
    kind = random.choice(3, cases, p=[lost, gained, 1 - lost - gained])
    same = (random.random(cases) < 0.8).astype(float)  # noqa: PLR2004  their accuracy
    before = np.where(kind == 0, 1.0, np.where(kind == 1, 0.0, same))
    after = np.where(kind == 0, 0.0, np.where(kind == 1, 1.0, same))
    return tuple(side(it, [str(score) for score in it], judged=False) for it in (after, before))


def by_a_judge(random: np.random.Generator, cases: int, drop: float) -> Sides:
    """Grades with a judge's noise of 10 points; half of the answers change, by 2 · drop ± 15."""
    quality = random.uniform(0.45, 0.75, cases)
    is_changed = random.random(cases) < 0.5  # noqa: PLR2004  half of them
    moved = quality + is_changed * random.normal(-2 * drop, SPREAD, cases)
    return tuple(
        side(
            np.clip(true + random.normal(0, NOISE, cases), 0, 1),
            [name if change else f"text {at}" for at, change in enumerate(is_changed)],
            judged=True,
        )
        for name, true in (("new", moved), ("old", quality))
    )


def sd_of(world: World, drop: float) -> float:
    """The standard deviation over cases of the difference."""
    if world is at_temperature_0:
        return float(np.sqrt(CHANGED + drop - drop**2))
    return float(np.sqrt(0.5 * (SPREAD**2 + 2 * NOISE**2 + 4 * drop**2) - drop**2))


def counts(
    random: np.random.Generator, draws: int, world: World, cases: int, drop: float
) -> Counter:
    """The number of each verdict."""
    return Counter(
        str(decide_gate(*world(random, cases, drop), max_drop=LIMIT).verdict) for _ in range(draws)
    )


def verdicts(world: World) -> Callable[[np.random.Generator, int], Table]:
    """The table of pass / fail / undecided by drop and number of cases."""

    def run(random: np.random.Generator, draws: int) -> Table:
        rows = []
        for drop in DROPS:
            cells = []
            for cases in CASES:
                found = counts(random, draws, world, cases, drop)
                parts = (share(found[name], draws) for name in ("pass", "fail"))
                expected = ""
                if drop > LIMIT:
                    planned = power(
                        n=cases, delta=drop - LIMIT, sd_d=sd_of(world, drop), method="t"
                    )
                    expected = f" ({share(planned.power, 1)})"
                cells.append(" / ".join(parts) + expected)
            rows.append((f"drop {100 * drop:g} points", *cells))
        return Table(("cases", *map(str, CASES)), tuple(rows))

    return run


def decided(random: np.random.Generator, cases: int, drop: float) -> str:
    """The verdict of a gate with ``--decide``: further runs until it is decided, without a budget.

    A case is right with a chance of its own, .05 to .95, changed by the drop; four runs before,
    two after. The loop is that of ``arenas.standard.deciding``, written down a second time.
    """
    chance = random.uniform(0.05 + drop, 0.95, cases)
    before = runs(random.random((cases, 4)) < chance[:, None])
    after = random.random((cases, 2)) < (chance - drop)[:, None]
    made = decide_gate(runs(after), before, max_drop=LIMIT)
    for look in range(1, MOST_LOOKS + 1):
        if made.verdict is not GateVerdict.UNDECIDED:
            break
        level = 1 - 0.05 / 2**look
        needed = decide_gate(runs(after), before, max_drop=LIMIT, level=level).more_runs or 0
        if not 0 < needed <= MOST_RUNS * (MOST_LOOKS + 1 - look):
            break
        new = random.random((cases, min(needed, MOST_RUNS))) < (chance - drop)[:, None]
        after = np.hstack([after, new])
        made = decide_gate(runs(after), before, max_drop=LIMIT, level=level)
    return str(made.verdict)


def verdicts_with_further_runs(random: np.random.Generator, draws: int) -> Table:
    """The table of pass / fail by drop and number of cases, with ``--decide``."""
    rows = []
    for drop in DROPS:
        found = [Counter(decided(random, cases, drop) for _ in range(draws)) for cases in DECIDED]
        cells = [f"{share(it['pass'], draws)} / {share(it['fail'], draws)}" for it in found]
        rows.append((f"drop {100 * drop:g} points", *cells))
    return Table(("cases", *map(str, DECIDED)), tuple(rows))


_WORDS = (
    "Share of gates that pass / fail, in percent; the rest is undecided. The largest allowed drop "
    "is 5 points: up to 5 points a failure is a false alarm, and from 5 points on a pass is "
    "one. In brackets: the chance to find the drop by `power`."
)

STUDIES = (
    Study(
        "gate-binary",
        "Gate against a baseline: answers right or wrong, at temperature 0",
        _WORDS,
        400,
        verdicts(at_temperature_0),
    ),
    Study(
        "gate-judged",
        "Gate against a baseline: grades by a judge, half of the answers unchanged",
        _WORDS,
        400,
        verdicts(by_a_judge),
    ),
    Study(
        "gate-decide",
        "Gate with `--decide`: further runs until it is decided",
        "Share of gates that pass / fail, in percent; the rest is undecided. The largest allowed "
        "drop is 5 points. Answers are right or wrong by chance, the baseline has four runs, the "
        "run two and those that `--decide` adds, without a budget.",
        1_000,
        verdicts_with_further_runs,
    ),
)
