"""Comparing systems: how often equal ones are called different, how often intervals hold."""

import math
from collections.abc import Iterable
from itertools import combinations

import numpy as np
from studies.laws import BINARY, GRADED, LAWS, Law
from studies.study import Study, Table, covers, share

from benchmaker.analysis.comparison.run_means import compare_models
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.stats.pairs.mcnemar import mcnemar
from benchmaker.stats.pairs.pair import head_to_head
from benchmaker.stats.pairs.paired import paired_t
from benchmaker.stats.pairs.pairs import all_pairs
from benchmaker.stats.pairs.permutation import sign_flip
from benchmaker.stats.pairs.welch import welch
from benchmaker.stats.quantiles import z_quantile

RUNS = (2, 3, 5, 10)
CASES = (6, 10, 20, 49, 50, 100, 200)
DIFFERING = (0.05, 0.1, 0.2, 0.4, 0.8)
WORSE = LAWS[1]
SAME = 0.5
ERROR_RATE = 0.05
FEWER = 5


def of_runs(random: np.random.Generator, draws: int) -> Table:
    rows = []
    for name, spreads, sizes in (
        ("equal spread, as many runs each", (0.02, 0.02), lambda n: (n, n)),
        ("spread of one three times that of the other", (0.02, 0.06), lambda n: (n, n)),
        ("the same, and twice as many runs of the steady one", (0.02, 0.06), lambda n: (2 * n, n)),
    ):
        fewer = draws if spreads[0] == spreads[1] else draws // FEWER
        cells = [run_cell(random, fewer, spreads, sizes(n)) for n in RUNS]
        rows.append((name, *cells))
    return Table(("runs", *map(str, RUNS)), tuple(rows))


def run_cell(
    random: np.random.Generator, draws: int, spreads: tuple[float, float], runs: tuple[int, int]
) -> str:
    """Share of p < .05 with Student's t, and with the normal distribution in brackets."""
    student = normal = 0
    for _ in range(draws):
        made = compare_models(two_models(random, spreads, runs), "a", "b")
        student += made.is_significant
        normal += abs(made.t_statistic) > z_quantile(0.95)
    return f"{share(student, draws)} ({share(normal, draws)})"


def two_models(
    random: np.random.Generator, spreads: tuple[float, float], runs: tuple[int, int]
) -> ScoreColumns:
    """One case and so many runs of models a and b, whose scores differ by chance alone."""
    scores = [random.normal(0.7, sd, n) for sd, n in zip(spreads, runs, strict=True)]
    size = sum(runs)
    missing, zeros = np.full(size, np.nan), np.zeros(size, dtype=np.int32)
    return ScoreColumns(
        run_ids=tuple(f"r{at}" for at in range(max(runs))),
        models=("a", "b"),
        case_ids={0: "c"},
        run=np.concatenate([np.arange(n, dtype=np.int32) for n in runs]),
        model=np.repeat(np.array([0, 1], dtype=np.int32), runs),
        position=zeros,
        outcome=zeros.astype(np.int8),
        score=np.concatenate(scores),
        weight=np.ones(size),
        cost_usd=missing,
        known_cost_usd=missing,
        latency_s=missing,
        input_tokens=missing,
        output_tokens=missing,
        reasoning_tokens=missing,
        group=zeros - 1,
        flag_set=zeros,
        flag_sets=(frozenset(),),
    )


def binomials(n: int, share_: float) -> np.ndarray:
    """P(k of n), k = 0 … n."""
    logs = [
        math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        + k * math.log(share_) + (n - k) * math.log1p(-share_)
        for k in range(n + 1)
    ]  # fmt: skip
    return np.exp(logs)


def mcnemar_size(random: np.random.Generator, draws: int) -> Table:
    del random, draws
    sizes = (10, 20, 50, 100, 500)
    rejected = {kind: [rejections(m, mid_p=kind) for m in range(501)] for kind in (False, True)}
    rows = []
    for differing in DIFFERING:
        cells = []
        for n in sizes:
            chances = binomials(n, differing)
            exact, mid = (float(chances @ rejected[kind][: n + 1]) for kind in (False, True))
            cells.append(f"{share(mid, 1)} ({share(exact, 1)})")
        rows.append((f"{share(differing, 1)} % of cases differ", *cells))
    return Table(("cases", *map(str, sizes)), tuple(rows))


def rejections(m: int, *, mid_p: bool) -> float:
    """P(p < .05) when m cases differ, either way with chance ½."""
    if m == 0:
        return 0.0
    chances = binomials(m, 0.5)
    return float(sum(chances[k] for k in range(m + 1) if small(k, m, mid_p=mid_p)))


def small(k: int, m: int, *, mid_p: bool) -> bool:
    return refuses(mcnemar(k, m - k, mid_p=mid_p).p_value)


def refuses(p: float | None) -> bool:
    """Whether a difference is claimed; without a p none is."""
    return p is not None and p < ERROR_RATE


def tango_coverage(random: np.random.Generator, draws: int) -> Table:
    del random, draws
    sizes = (10, 20, 50)
    intervals = {
        n: [(i, j, mcnemar(i, j, n=n)) for i in range(n + 1) for j in range(n + 1 - i)]
        for n in sizes
    }
    rows = []
    for one, other in ((0.05, 0.05), (0.1, 0.02), (0.2, 0.1), (0.3, 0.3), (0.5, 0.1), (0.6, 0.0)):
        cells = [share(held(intervals[n], n, one, other), 1) for n in sizes]
        rows.append((f"only a passes {100 * one:g} %, only b {100 * other:g} %", *cells))
    return Table(("cases", *map(str, sizes)), tuple(rows))


def held(intervals: Iterable[tuple], n: int, one: float, other: float) -> float:
    """The chance of all outcomes whose interval holds one - other."""
    shares = np.log(np.maximum([one, other, 1 - one - other], 1e-300))
    total = 0.0
    for i, j, made in intervals:
        counts = np.array([i, j, n - i - j])
        log = math.lgamma(n + 1) - sum(math.lgamma(k + 1) for k in counts) + counts @ shares
        total += math.exp(log) * covers((made.low - 1e-12, made.high + 1e-12), one - other)
    return total


def two_systems(
    random: np.random.Generator, law: Law, other: Law, groups: int, each: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores of a and b and the cases' groups; half of b's cases score as a's do.

    Groups of several cases share, with chance ½, one score of each system.
    """
    labels = np.repeat(np.arange(groups), each)
    a, b = (one.draw(random, (groups * each,)) for one in (law, other))
    b = np.where(random.random(len(b)) < SAME, a, b)
    alike = (random.random(groups) < SAME)[labels] & (each > 1)
    first = labels * each
    return np.where(alike, a[first], a), np.where(alike, b[first], b), labels


PLANS = (
    (BINARY[2], BINARY[1], 1),
    (GRADED, WORSE, 1),
    (LAWS[6], GRADED, 1),
    (GRADED, WORSE, 4),
)


def plan_name(law: Law, each: int) -> str:
    return law.name if each == 1 else f"{law.name}; cases in groups of {each}"


def false_claims(random: np.random.Generator, draws: int) -> Table:
    rows = [
        (plan_name(law, each), *(claim_cell(random, draws, law, n, each) for n in CASES))
        for law, _, each in PLANS
    ]
    return Table(("cases, or groups of cases", *map(str, CASES)), tuple(rows))


def claim_cell(random: np.random.Generator, draws: int, law: Law, groups: int, each: int) -> str:
    """Share of p < .05 by the rule, and by Student's t alone in brackets."""
    rule = student = 0
    for _ in range(draws):
        a, b, labels = two_systems(random, law, law, groups, each)
        made = head_to_head(a, b, clusters=labels)
        rule += refuses(made.p_value)
        student += refuses(made.paired.p_value)
    return f"{share(rule, draws)} ({share(student, draws)})"


def difference_intervals(random: np.random.Generator, draws: int) -> Table:
    rows = [
        (plan_name(law, each), *(held_cell(random, draws, (law, other), n, each) for n in CASES))
        for law, other, each in PLANS
    ]
    return Table(("cases, or groups of cases", *map(str, CASES)), tuple(rows))


def held_cell(
    random: np.random.Generator, draws: int, laws: tuple[Law, Law], groups: int, each: int
) -> str:
    """Coverage by the rule, and by Student's t alone in brackets, of the draws that have one."""
    truth = (1 - SAME) * (laws[0].mean - laws[1].mean)
    hits, made = np.zeros(2), np.zeros(2)
    for _ in range(draws):
        a, b, labels = two_systems(random, *laws, groups, each)
        pair = head_to_head(a, b, clusters=labels)
        for at, one in enumerate((pair, pair.paired)):
            if one.low is not None and one.high is not None:
                made[at] += 1
                hits[at] += covers((one.low, one.high), truth)
    rule, student = (share(hit, of) if of else "none" for hit, of in zip(hits, made, strict=True))
    missing = f", {share(draws - made[0], draws)} without" if made[0] < draws else ""
    return f"{rule} ({student}){missing}"


GROUPS = ((20, 2), (20, 4), (35, 2), (60, 2))
RARE = ((0.03, 0.0), (0.08, 0.0), (0.1, 0.02), (0.05, 0.05), (0.3, 0.1))


def grouped_shares(random: np.random.Generator, draws: int) -> Table:
    rows = []
    for groups, each in GROUPS:
        for alike in (0.0, 0.5, 1.0):
            name = f"{groups} groups of {each}, {100 * alike:g} % alike"
            cells = (share_cell(random, draws, (groups, each, alike), it) for it in RARE)
            rows.append((name, *cells))
    heads = [f"a {100 * one:g} %, b {100 * other:g} %" for one, other in RARE]
    return Table(("only one passes", *heads), tuple(rows))


def share_cell(
    random: np.random.Generator,
    draws: int,
    plan: tuple[int, int, float],
    chances: tuple[float, float],
) -> str:
    """Coverage by the rule, by its test alone in brackets, and the share of p < .05 after them."""
    groups, each, alike = plan
    labels = np.repeat(np.arange(groups), each)
    truth = chances[0] - chances[1]
    hits, made, claims = np.zeros(2), 0, 0
    for _ in range(draws):
        rolls = random.random(groups * each)
        same = np.repeat(random.random(groups) < alike, each)
        rolls = np.where(same, rolls[labels * each], rolls)
        a = np.where((rolls >= chances[0]) & (rolls < sum(chances)), 0.0, 1.0)
        b = np.where(rolls < chances[0], 0.0, 1.0)
        pair = head_to_head(a, b, clusters=labels, draws=999)
        claims += refuses(pair.p_value)
        if pair.low is None or pair.high is None:
            continue
        alone = head_to_head(a, b, clusters=labels, draws=999, test=pair.test)
        made += 1
        for at, one in enumerate((pair, alone)):
            hits[at] += covers((one.low - 1e-12, one.high + 1e-12), truth)
    if not made:
        return "none"
    rule, test = (share(hit, made) for hit in hits)
    return f"{rule} ({test}), {share(claims, draws)}"


def uneven_groups(random: np.random.Generator, draws: int) -> Table:
    rows = []
    for groups in (6, 10, 20, 49):
        sizes = 1 + random.poisson(np.linspace(0.2, 8, groups))
        labels = np.repeat(np.arange(groups), sizes)
        flips = student = plain = 0
        for _ in range(draws):
            d = random.normal(size=groups)[labels] + random.normal(size=len(labels))
            flips += refuses(sign_flip(d, clusters=labels, draws=999).p_value)
            student += refuses(paired_t(d, np.zeros_like(d), clusters=labels).p_value)
            plain += refuses(paired_t(d, np.zeros_like(d)).p_value)
        rows.append((f"{groups} groups", *(share(hits, draws) for hits in (flips, student, plain))))
    return Table(("", "sign flips", "Student's t, clustered", "as if independent"), tuple(rows))


def many_systems(random: np.random.Generator, draws: int) -> Table:
    corrections = (None, "bh", "holm", "max_t")
    rows = []
    for systems, cases in ((3, 12), (5, 12), (5, 60), (10, 60)):
        hits = dict.fromkeys(corrections, 0)
        for _ in range(draws):
            hard = random.random((cases, 1))
            scores = (0.5 * hard + 0.5 * random.random((cases, systems))).round(2)
            for correction in corrections:
                made = all_pairs(scores, correction=correction, draws=499)
                hits[correction] += any(one.is_apart for one in made.pairs)
        pairs = len(list(combinations(range(systems), 2)))
        cells = (share(hits[correction], draws) for correction in corrections)
        rows.append((f"{systems} systems ({pairs} pairs), {cases} cases", *cells))
    return Table(("", "none", "BH", "Holm", "max-T"), tuple(rows))


def different_cases(random: np.random.Generator, draws: int) -> Table:
    rows = []
    for name, law in (("normal scores, sd .1 and .3", None), (GRADED.name, GRADED)):
        cells = []
        for n_a, n_b in ((5, 5), (10, 30), (30, 10), (50, 50), (200, 50)):
            refused = 0
            for _ in range(draws):
                if law is None:
                    a, b = random.normal(0.5, 0.1, n_a), random.normal(0.5, 0.3, n_b)
                else:
                    a, b = law.draw(random, (n_a,)), law.draw(random, (n_b,))
                refused += refuses(welch(a, b).p_value)
            cells.append(share(refused, draws))
        rows.append((name, *cells))
    return Table(("cases", "5, 5", "10, 30", "30, 10", "50, 50", "200, 50"), tuple(rows))


STUDIES = (
    Study(
        name="compare models",
        title="`compare_models`: equal models called different",
        words="Normal run means of two equal models; the share of p < .05 in percent, by Student's"
        " t with n_a + n_b - 2 degrees of freedom, and in brackets by the normal distribution. The"
        " test assumes equal spread, which the last two rows violate (a fifth of the draws).",
        draws=10_000,
        run=of_runs,
    ),
    Study(
        name="mcnemar",
        title="McNemar's test: equal systems called different",
        words="The share of p < .05 in percent with mid-p, and with the exact p in brackets;"
        " summed over all outcomes, nothing is drawn. If few cases differ, neither can reach .05"
        " often.",
        draws=0,
        run=mcnemar_size,
    ),
    Study(
        name="tango",
        title="Tango's interval of the risk difference",
        words="Coverage in percent, summed over all outcomes.",
        draws=0,
        run=tango_coverage,
    ),
    Study(
        name="false claims",
        title="`compare`: equal systems called different",
        words="Half of the cases score the same on both sides, the others are drawn independently."
        " The share of p < .05 in percent by the rule of `compare` (McNemar's mid-p for 0/1, sign"
        " flips below 50, then Student's t), and in brackets by Student's t alone.",
        draws=2_000,
        run=false_claims,
    ),
    Study(
        name="difference intervals",
        title="`compare`: the interval of a true difference",
        words="As above, but the second system's own cases come from another distribution."
        " Coverage in percent by the rule, and in brackets by Student's t, of the draws that"
        " have an interval.",
        draws=2_000,
        run=difference_intervals,
    ),
    Study(
        name="grouped 0/1 scores",
        title="`compare`: few differing cases in groups, scores of 0 and 1",
        words="Only a, or only b, passes the given share of cases; the rest both pass. All cases of"
        " a group are alike with the given chance. Coverage in percent by the rule, in brackets by"
        " sign flips (from 50 groups on: by Student's t) alone, of the draws that have an interval;"
        " then the share of p < .05, which is the error rate where both shares are 5 %.",
        draws=400,
        run=grouped_shares,
    ),
    Study(
        name="uneven groups",
        title="Groups of uneven size: equal systems called different",
        words="Normal differences, half their variance shared within the group; groups from 1 to"
        " about 9 cases. The share of p < .05 in percent.",
        draws=4_000,
        run=uneven_groups,
    ),
    Study(
        name="many systems",
        title="Many equal systems: at least one pair called different",
        words="The share of tables in percent with a false claim among all pairs, by correction.",
        draws=1_000,
        run=many_systems,
    ),
    Study(
        name="different cases",
        title="Welch's test: equal systems called different",
        words="Two equal means on different cases; the share of p < .05 in percent.",
        draws=5_000,
        run=different_cases,
    ),
)
