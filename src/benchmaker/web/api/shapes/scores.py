"""Summaries of runs, as ``results --json`` prints them; scores from 0 to 1."""

from typing import Any, Literal, TypedDict

from benchmaker.analysis.judges.run_calibrations import Ground
from benchmaker.analysis.metric import FigureName
from benchmaker.spec import Metric

Ends = tuple[float, float] | None
"""The ends of an interval; null where there is none."""


class Spread(TypedDict):
    """The runs of a series; `scores` are their own means, `sd` is over `common_scores`."""

    run_ids: list[str]
    scores: list[float | None]
    common_scores: list[float | None]
    common_mean: float | None
    sd: float | None
    ci95: Ends
    method: str
    reason: str | None
    n_cases: int
    partial: list[str]


class ModelSummary(TypedDict):
    """What one model did; `ci95` is over cases, `sd` over what `sd_over` says."""

    model: str
    mean: float | None
    strict_accuracy: float | None
    strict_ci95: Ends
    strict_ci95_method: str | None
    sd: float | None
    sd_over: Literal["cases", "runs"]
    ci95: Ends
    ci95_over: Literal["cases"]
    ci95_method: str | None
    ci95_reason: str | None
    provisional: bool
    n_scored: int
    n_strict: int
    n_counted: int
    n_cases: int
    n_trials: int
    n_planned: int | None
    outcomes: dict[str, int]
    cost_usd: float | None
    cost_usd_at_least: float | None
    cost_known_trials: int
    median_latency_s: float | None
    input_tokens: int | None
    output_tokens: int | None
    tokens_known_trials: int
    auto_pass: int
    flags: dict[str, int]
    runs: Spread | None


class Newer(TypedDict):
    """A later calibration of a judge than the one that a run rests on."""

    calibration_id: str
    created_at: str
    rating: str
    supported: str
    has_drifted: bool | None
    bias_change: float | None


class JudgeStanding(TypedDict):
    """A judge of a run, and what it rests on."""

    judge: str
    calibrated: bool
    reason: str | None
    calibration: Ground | None
    replied_as: str | None
    newer: Newer | None
    weight: float | None


class Judging(TypedDict):
    """What judges did in a run."""

    judges: list[str]
    repeats: list[int]
    calibration_id: str | None
    uncalibrated: list[str]
    calibrations: list[JudgeStanding]
    weighting: str | None
    judged: int
    failed: int
    abstained: int
    awaiting: int
    coverage: float | None
    incomplete: bool
    order_disagreements: int
    suspicious_answers: int
    judgments: int
    cached: int
    cost_usd: float | None
    cost_usd_at_least: float | None
    usd_per_1000_judgments: float | None
    alpha: float | None
    alpha_ci95: Ends
    alpha_reason: str | None
    by_judge: list[dict[str, Any]]
    earlier_judges: list[dict[str, Any]]


class LabelGround(TypedDict):
    """The labels that a correction rests on."""

    people: list[str]
    n_labels: int
    left_out: dict[str, int]


class LabelMap(TypedDict):
    """How scores were taken to people's scale."""

    name: str
    n: int
    error_before: float
    error_after: float
    method: str


class _Corrected(TypedDict):
    """A figure set right by labels."""

    raw: float | None
    corrected: float | None
    ci: Ends
    level: float
    labels_only: float | None
    labels_only_ci: Ends
    narrower: float | None
    bias: float | None
    bias_ci: Ends
    trust: float | None
    n_labelled: int
    n_judged: int
    n_eff: float | None
    method: str | None
    reason: str | None
    warnings: list[str]


class CorrectedMean(_Corrected):
    """A model's mean as people would give it."""

    model: str


class CorrectedMeans(TypedDict):
    """The means that people's labels lead to."""

    models: list[CorrectedMean]
    labels: LabelGround
    label_map: LabelMap | None


class CorrectedDifference(_Corrected):
    """The difference of two models as people would give it."""

    model_a: str
    model_b: str


class CorrectedDifferences(TypedDict):
    """The differences that people's labels lead to."""

    pairs: list[CorrectedDifference]
    labels: LabelGround


class Decision(TypedDict):
    """What a gate says of one model; scores from 0 to 1."""

    model: str
    verdict: Literal["pass", "fail", "undecided"]
    figure: FigureName
    threshold: float
    mean: float | None
    low: float | None
    high: float | None
    n_cases: int
    n_effective: float | None
    n_scored: int
    n_trials: int
    more_cases: int | None


class Gate(TypedDict):
    """What the gate says that a run was held to."""

    threshold: float
    gate: Literal["mean", "sure"]
    verdict: Literal["pass", "fail", "undecided"]
    models: list[Decision]


class Summary(TypedDict):
    """A run, or the runs of a series, model by model; scores from 0 to 1."""

    scale: Literal["0-1"]
    run_id: str | None
    series_id: str | None
    run_ids: list[str]
    rescored_from: list[str]
    not_run: list[str]
    suite: str | None
    suite_hash: str | None
    profile: str | None
    profile_version: str | None
    complete: bool
    measure: Literal["score", "checks"]
    mean_of: str
    metric: Metric
    figure: FigureName
    weighted: bool
    level: float
    method: str | None
    models: list[ModelSummary]
    judging: Judging | None
    corrected: CorrectedMeans | None
    gate: Gate | None
    reproducibility: dict[str, Any] | None


class Groups(TypedDict):
    """The same for each group of cases; that of the cases without a label is called ""."""

    scale: Literal["0-1"]
    by: str
    groups: dict[str, list[ModelSummary]]


class Table(TypedDict):
    """Rows of a table of results, as the pages show it; scores from 0 to 1."""

    scale: Literal["0-1"]
    table: str
    columns: list[str]
    items: list[dict[str, Any]]
    next: str | None
