"""A million submissions to full boards, beside bare polars on the same columns in the same run.

Both begin with columns in memory and end with, for every submission, its four scores, composite,
rank and percentile within its task, and with a board of systems overall, for every category and
for every tool. Polars computes the same figures by one lazy query each, without intervals, policies
or evidence. The two take turns; the quickest of each is compared. ``--check`` compares figures.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np
import polars as pl

from benchmaker.analysis.boards.board import Rules, Where
from benchmaker.analysis.boards.leaderboard import Boards
from benchmaker.analysis.composite.baseline_columns import classic_baselines, robust_baselines
from benchmaker.analysis.composite.composite_columns import (
    CompositeColumns,
    evaluate_classic_columns,
    evaluate_robust_columns,
    task_weights,
)
from benchmaker.analysis.composite.percentiles import Places, places
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metrics import EVIDENCE_LEVELS, STATUSES
from benchmaker.record.submissions.submission import EvidenceLevel, Status

RATIO, RATIO_AT = 3.0, 1_000_000
ROWS_A_TASK = 2_000
TOOLS, MODELS = 8, 5
SUCCESS = 0.75
A_CENT, ROUNDING = 0.011, 1e-9
CATEGORIES = (
    "backend_development",
    "data_analysis",
    "debugging",
    "frontend_development",
    "refactoring",
)
WEIGHTS = {
    "frontend_development": (0.30, 0.25, 0.15, 0.30),
    "backend_development": (0.35, 0.30, 0.20, 0.15),
    "data_analysis": (0.40, 0.20, 0.25, 0.15),
    "debugging": (0.25, 0.35, 0.15, 0.25),
    "refactoring": (0.45, 0.20, 0.20, 0.15),
}
KINDS = ("overall", "category", "tool")


@dataclass(frozen=True, slots=True)
class Line:
    """What so many submissions took."""

    profile: str
    submissions: int
    ours_s: float
    polars_s: float
    ratio: float
    us_a_row: float
    bar: float | None
    met: bool | None


def main() -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--check", action="store_true", help="compare the figures of both")
    given = parser.parse_args()
    lines = []
    for rows in given.submissions:
        columns = drawn(rows)
        frame = as_frame(columns)
        if given.check:
            check(columns, frame)
        lines += [measured(name, columns, frame, given.repeats) for name in ("classic", "robust")]
    print(json.dumps([asdict(line) for line in lines]) if given.json else table(lines))
    if any(line.met is False for line in lines):
        sys.exit(1)


def drawn(rows: int) -> MetricColumns:
    """Submissions as they may be: skewed figures, a few missing, three in four successful."""
    draw = np.random.Generator(np.random.PCG64(7))
    tasks = max(rows // ROWS_A_TASK, 5)
    task = draw.integers(0, tasks, rows).astype(np.int32)
    tool, model = draw.integers(0, TOOLS, rows), draw.integers(0, MODELS, rows)
    skill = draw.normal(0, 0.3, TOOLS * MODELS)[tool * MODELS + model]

    def skewed(middle: float, *, missing: float = 0.0) -> np.ndarray:
        values = middle * np.exp(draw.normal(0, 0.8, rows) - skill)
        values[draw.random(rows) < missing] = np.nan
        return values

    success = draw.random(rows) < SUCCESS
    total = np.ceil(skewed(50_000))
    none = np.full(rows, -1, np.int32)
    width = len(str(rows))
    return MetricColumns(
        tasks=tuple(f"task{n:06d}" for n in range(tasks)),
        systems=tuple(f"tool{t} · model{m}" for t in range(TOOLS) for m in range(MODELS)),
        categories=CATEGORIES,
        difficulties=("advanced", "beginner", "intermediate"),
        tools=tuple(f"tool{t}" for t in range(TOOLS)),
        models=tuple(f"model{m}" for m in range(MODELS)),
        efforts=(),
        submitters=("local",),
        isolations=("namespace",),
        ids=[f"{n:0{width}d}" for n in range(rows)],
        task=task,
        system=(tool * MODELS + model).astype(np.int32),
        category=(task % len(CATEGORIES)).astype(np.int32),
        difficulty=(task % 3).astype(np.int32),
        tool=tool.astype(np.int32),
        model=model.astype(np.int32),
        effort=none,
        submitter=np.zeros(rows, np.int32),
        isolation=np.zeros(rows, np.int32),
        attempt=np.ones(rows, np.int32),
        attempts=np.ones(rows, np.int32),
        finished_us=draw.integers(0, 10**15, rows),
        total_tokens=total,
        fresh_tokens=np.ceil(total * draw.uniform(0.03, 0.2, rows)),
        cost_weighted=total * 0.15,
        tool_calls=np.ceil(skewed(20)),
        iterations=draw.integers(1, 6, rows).astype(np.float64),
        seconds=skewed(300, missing=0.05),
        cost=skewed(0.2, missing=0.05),
        correctness=np.where(success, 1.0, draw.integers(0, 10, rows) / 10),
        required_passed=success.astype(np.int8),
        success=success.astype(np.int8),
        evidence=np.full(rows, EVIDENCE_LEVELS.index(EvidenceLevel.VERIFIED), np.int8),
        outcome=np.full(rows, STATUSES.index(Status.COMPLETED), np.int8),
        provenance=np.full(rows, -1, np.int8),
        quarantined=np.zeros(rows, np.bool_),
    )


def as_frame(columns: MetricColumns) -> pl.DataFrame:
    """The same columns for polars; NaN become nulls, which it leaves out by itself."""
    names = (
        "task", "system", "category", "tool", "finished_us", "total_tokens", "fresh_tokens",
        "tool_calls", "iterations", "seconds", "cost", "correctness", "success",
    )  # fmt: skip
    frame = pl.DataFrame({name: getattr(columns, name) for name in names})
    figures = pl.col("total_tokens", "fresh_tokens", "tool_calls", "seconds", "cost")
    return frame.with_columns(figures.fill_nan(None)).with_row_index("row")


def ours(columns: MetricColumns, profile: str) -> tuple[CompositeColumns, Places, dict[str, float]]:
    """Baselines, composites, places and boards."""
    weights = task_weights(columns)
    if profile == "classic":
        made = evaluate_classic_columns(columns, classic_baselines(columns), weights)
    else:
        made = evaluate_robust_columns(columns, robust_baselines(columns), weights)
    kind = "published" if profile == "classic" else "mid"
    placed = places(made.overall, columns.task, len(columns.tasks), percentile=kind)  # type: ignore[arg-type]
    boards = Boards.of(columns, made, rules=Rules())
    scores = {"overall": boards.board(Where().rows(columns)).rows[0].score}
    for label in KINDS[1:]:
        scores |= {name: board.rows[0].score for name, board in boards.boards_by_label(label)}
    return made, placed, scores


def bare_polars(frame: pl.DataFrame, profile: str) -> tuple[pl.DataFrame, dict[str, float]]:
    """The same by polars alone."""
    scored = (classic_query if profile == "classic" else robust_query)(frame.lazy())
    n, below = pl.len().over("task"), (pl.col("overall").rank("min").over("task") - 1)
    middle = pl.col("overall").rank("average").over("task") - 0.5
    percentile = (below / n * 100).round(1) if profile == "classic" else middle / n * 100
    done = scored.with_columns(
        rank=pl.col("overall").rank("min", descending=True).over("task"), percentile=percentile
    ).collect()
    boards = {}
    for kind in KINDS:
        keys = [] if kind == "overall" else [kind]
        cells = (
            done.lazy().group_by(*keys, "system", "task").agg(pl.col("overall").mean(), n=pl.len())
        )
        boards[kind] = (
            cells.group_by(*keys, "system")
            .agg(pl.col("overall").mean(), pl.col("overall").std().alias("sd"), pl.col("n").sum())
            .sort("overall", descending=True)
            .collect()
        )
    return done, {kind: board["overall"][0] for kind, board in boards.items()}


def weight_columns() -> list[pl.Expr]:
    """The weights of the row's category."""
    parts = ("efficiency", "speed", "cost", "correctness")
    table = {name: [WEIGHTS[c][at] for c in CATEGORIES] for at, name in enumerate(parts)}
    return [
        pl.col("category")
        .replace_strict(list(range(len(CATEGORIES))), table[name])
        .alias(f"w_{name}")
        for name in parts
    ]


def classic_query(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Published baselines and scores."""

    def spread(name: str, column: pl.Expr) -> list[pl.Expr]:
        return [
            column.min().alias(f"{name}_low"),
            column.median().alias(f"{name}_mid"),
            column.max().alias(f"{name}_high"),
            column.quantile(0.25).alias(f"{name}_q25"),
            column.quantile(0.75).alias(f"{name}_q75"),
        ]

    positive = {name: pl.col(name).filter(pl.col(name) > 0) for name in ("seconds", "cost")}
    tasks = frame.group_by("task").agg(
        *spread("tokens", pl.col("total_tokens")),
        *spread("calls", pl.col("tool_calls")),
        *spread("seconds", positive["seconds"]),
        *spread("cost", positive["cost"]),
        pl.col("iterations").median().alias("iterations_mid"),
    )

    def falling(column: str, name: str) -> pl.Expr:
        low, high = pl.col(f"{name}_low"), pl.col(f"{name}_high")
        return (
            pl.when(pl.col(column) <= low).then(1.0)
            .when(pl.col(column) >= high).then(0.0)
            .otherwise((high - pl.col(column)) / (high - low))
        )  # fmt: skip

    i, mid = pl.col("iterations"), pl.col("iterations_mid")
    iterations = (
        pl.when(i == 1).then(100.0)
        .when(i <= mid).then(pl.max_horizontal(50.0, 100.0 - (i - 1) * 15.0))
        .otherwise(pl.max_horizontal(0.0, 50.0 - (i - mid) * 10.0))
    )  # fmt: skip
    tokens = falling("total_tokens", "tokens") * 100
    efficiency = tokens * 0.5 + falling("tool_calls", "calls") * 100 * 0.3 + iterations * 0.2
    parts = frame.join(tasks, on="task").with_columns(
        *weight_columns(),
        efficiency=efficiency,
        speed=(falling("seconds", "seconds") ** 0.7 * 100).fill_null(50.0),
        cost_score=(falling("cost", "cost") * 100).fill_null(50.0),
        correct=pl.col("correctness") * 100,
    )
    summed = (
        pl.col("efficiency") * pl.col("w_efficiency")
        + pl.col("speed") * pl.col("w_speed")
        + pl.col("cost_score") * pl.col("w_cost")
        + pl.col("correct") * pl.col("w_correctness")
    )
    rounded = pl.col("efficiency", "speed", "cost_score", "correct").round(2)
    return parts.with_columns(rounded, overall=summed.round(2))


FIGURES = {
    "tokens": "fresh_tokens",
    "calls": "tool_calls",
    "iterations": "iterations",
    "seconds": "seconds",
    "cost": "cost",
}


def robust_query(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Robust ends from the first 20, 40, 80 … successes, and scores by their lower ends.

    Every task here has 20 successes, and every figure counts: what is missing is worth 0.
    """
    eligible = frame.filter(pl.col("success") == 1).sort("task", "finished_us")

    def first(column: str) -> pl.Expr:
        having = pl.col(column).drop_nulls()
        doubled = (having.len() / 20).log(2).floor().cast(pl.Int64)
        return having.head(20 * pl.lit(2).pow(doubled).cast(pl.Int64))

    tasks = eligible.group_by("task").agg(
        *(first(c).quantile(0.1, "linear").log().alias(f"{n}_q10") for n, c in FIGURES.items()),
        *(first(c).quantile(0.9, "linear").log().alias(f"{n}_q90") for n, c in FIGURES.items()),
    )

    def score(name: str) -> pl.Expr:
        low, high = pl.col(f"{name}_q10"), pl.col(f"{name}_q90")
        return ((high - pl.col(FIGURES[name]).log()) / (high - low)).clip(0, 1) * 100

    passed = pl.col("success") == 1
    parts = frame.join(tasks, on="task").with_columns(
        *weight_columns(),
        efficiency=pl.when(passed).then(
            score("tokens") * 0.5 + score("calls") * 0.3 + score("iterations") * 0.2
        ),
        speed=pl.when(passed).then(score("seconds").fill_null(0.0)),
        cost_score=pl.when(passed).then(score("cost").fill_null(0.0)),
        correct=pl.col("correctness") * 100,
    )
    pairs = (
        ("efficiency", "w_efficiency"),
        ("speed", "w_speed"),
        ("cost_score", "w_cost"),
        ("correct", "w_correctness"),
    )
    total = pl.sum_horizontal(*(pl.col(p) * pl.col(w) for p, w in pairs))
    weight = pl.sum_horizontal(
        *(pl.when(pl.col(p).is_not_null()).then(pl.col(w)) for p, w in pairs)
    )
    return parts.with_columns(overall=pl.when(passed).then(total / weight).otherwise(total))


def measured(profile: str, columns: MetricColumns, frame: pl.DataFrame, repeats: int) -> Line:
    """Both in turns, the quickest of each."""
    took: dict[str, list[float]] = {"ours": [], "polars": []}
    for _ in range(repeats):
        took["ours"].append(timed(lambda: ours(columns, profile)))
        took["polars"].append(timed(lambda: bare_polars(frame, profile)))
    mine, theirs = min(took["ours"]), min(took["polars"])
    bar = RATIO if len(columns) == RATIO_AT else None
    return Line(
        profile=profile,
        submissions=len(columns),
        ours_s=mine,
        polars_s=theirs,
        ratio=mine / theirs,
        us_a_row=1e6 * mine / len(columns),
        bar=bar,
        met=None if bar is None else mine / theirs <= bar,
    )


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def check(columns: MetricColumns, frame: pl.DataFrame) -> None:
    """The figures of both agree, but for rounding at halves."""
    for profile in ("classic", "robust"):
        made, placed, scores = ours(columns, profile)
        done, boards = bare_polars(frame, profile)
        done = done.sort("row")  # a join keeps no order
        away = np.abs(made.overall - done["overall"].to_numpy())
        assert np.nanmax(away) < A_CENT, (profile, np.nanmax(away))  # noqa: S101
        share = float((away < ROUNDING).mean())
        ranks = float((placed.rank == done["rank"].to_numpy()).mean())
        board = abs(scores["overall"] - boards["overall"])
        print(
            f"{profile}: {share:.6%} of composites and {ranks:.4%} of ranks agree, "
            f"board off by {board:.1e}",
            file=sys.stderr,
        )


def table(lines: list[Line]) -> str:
    head = "| profile | submissions | Benchmaker | polars | ratio | µs a row | bar | met |"
    rows = [
        f"| {line.profile} | {line.submissions:,} | {line.ours_s:.3f} s | {line.polars_s:.3f} s "
        f"| {line.ratio:.2f} | {line.us_a_row:.2f} | {'≤ 3' if line.bar else ''} "
        f"| {'' if line.met is None else 'yes' if line.met else 'no'} |"
        for line in lines
    ]
    return "\n".join([head, "|---|---|---|---|---|---|---|---|", *rows])


if __name__ == "__main__":
    main()
