"""Judges, calibrations and labels; scores, errors and shares from 0 to 1."""

from typing import Any, Literal, TypedDict

from benchmaker.record.label import Label
from benchmaker.web.api.paging import page_type
from benchmaker.web.api.shapes.scores import Ends

UNIT = Literal["0-1"]


class JudgeRow(TypedDict):
    """A judge with the result of its latest calibration."""

    number: int
    judge: str
    calibrations: int
    calibration_id: str
    tier: str
    rating: str
    supported_rating: str
    pass_rate: float
    mean_absolute_error: float | None
    bias: float | None
    correlation: float | None
    timestamp: str


class Uncalibrated(TypedDict):
    """A judge that was used without calibration, and its number of judgments."""

    judge: str
    judgments: int


JudgePage = page_type("JudgePage", JudgeRow, scale=UNIT, uncalibrated=list[Uncalibrated])


class CalibrationSummary(TypedDict):
    """The figures of a calibration."""

    total_samples: int
    passed_samples: int
    pass_rate: float
    mean_absolute_error: float | None
    max_error: float | None
    bias: float | None
    correlation: float | None
    judged: int
    failed: int


class CalibrationEnds(TypedDict):
    """The intervals of these figures."""

    pass_rate: Ends
    mean_absolute_error: Ends
    bias: Ends
    correlation: Ends


class ReliabilityBin(TypedDict):
    """The expected score of samples with similar scores by the judge."""

    low: float
    high: float
    n: int
    given: float
    expected: float
    confidence95: Ends


class CalibrationSampleOut(TypedDict):
    """One sample, and the judge's score."""

    id: str
    kind: str
    expected: float | None
    tolerance: float | None
    score: float | None
    error: float | None
    passed: bool
    failure: str
    repeats: list[float | None]


class CalibrationOut(TypedDict):
    """A calibration as `calibrate --json` prints it."""

    scale: UNIT
    id: str
    judge_model_id: str
    judge_version: str
    timestamp: str
    tier: str
    repeats: int
    judge_scale: list[float] | None
    label_scale: list[float] | None
    prompt_hash: str
    samples_hash: str
    replies: int
    cost_usd: float | None
    halted: str | None
    rating: str
    supported_rating: str
    sentence: str
    reasons: list[str]
    warnings: list[str]
    summary: CalibrationSummary
    confidence95: CalibrationEnds
    repeated: dict[str, Any] | None
    effects: dict[str, Any]
    reliability: list[ReliabilityBin]
    agreement: dict[str, Any] | None
    drift: dict[str, Any] | None
    samples: list[CalibrationSampleOut]


CalibrationPage = page_type("CalibrationPage", CalibrationOut, scale=UNIT)


class LabelItem(TypedDict):
    """An answer that waits for a label, without model and score."""

    id: str
    question: str
    expected: str | None
    answer: str


LabelQueue = page_type(
    "LabelQueue", LabelItem, by=str, scale=tuple[float, float], done=int, waiting=int
)


class Labelled(TypedDict):
    """The stored label; null if an equal one was stored before."""

    by: str
    scale: tuple[float, float]
    label: Label | None
    waiting: int


LabelPage = page_type("LabelPage", Label, scale=UNIT)
