"""Runs, trials and jobs; scores from 0 to 1."""

from typing import Any, Literal, NotRequired, TypedDict

from msgspec.structs import fields

from benchmaker.record import Extraction, Run, Score, Transcript, Trial
from benchmaker.record.job import Job
from benchmaker.record.run import BudgetEnd
from benchmaker.record.trial import STORE_FIELDS
from benchmaker.web.api.paging import extend_type, page_type
from benchmaker.web.api.shapes.suites import CaseOut

UNIT = Literal["0-1"]

ListedState = Literal["running", "paused", "finished", "interrupted", "stopped", "failed"]
"""The states of runs in lists."""


class RunRow(TypedDict):
    """A run as `runs --json` lists it; `done` of `planned` trials are done.

    `state` is `stopped` if a failure stopped a model before its last trial, which left `unsent`
    trials, and `failed` if the requests of all trials failed. `budget_end` is the budget that ended
    an interrupted run.
    """

    run_id: str
    series_id: str | None
    number: int
    suite: str
    suite_hash: str
    profile: str
    models: list[str]
    planned: int
    done: int
    failed: int
    unsent: int
    state: ListedState
    started_at: str
    finished_at: str | None
    imported_from: str | None
    budget_end: BudgetEnd | None


RunPage = page_type("RunPage", RunRow)


class RunOut(TypedDict):
    """The runs for a name: a single run, or the runs of a series, with their records."""

    run_ids: list[str]
    series_id: str | None
    state: str
    planned: int
    done: int
    awaiting: int
    rate: float | None
    seconds_left: float | None
    spent_usd: float
    expected_usd: float | None
    outcomes: dict[str, int]
    can_stop: bool
    can_resume: bool
    job: Job | None
    runs: list[Run]


class RunExport(TypedDict):
    """Runs with everything, as `export --format json` writes them and `import` reads them.

    `trials` holds each trial with all versions of its score, `judgments` the requests to judges
    and their replies. `redacted` counts the entries from which secrets were removed. `evaluations`
    has the statements of other tools on imported runs, by the run's id, and imported trials have
    `imported`.
    """

    benchmaker_export: int
    scale: UNIT
    package_version: str
    suite: dict[str, Any]
    series: dict[str, Any] | None
    evaluations: NotRequired[dict[str, dict[str, Any]]]
    runs: list[dict[str, Any]]
    cases: list[dict[str, Any]]
    trials: list[dict[str, Any]]
    judgments: list[dict[str, Any]]
    redacted: int


class SeriesRow(TypedDict):
    """A series, and its runs by number."""

    series_id: str
    suite: str
    suite_hash: str
    runs: int
    created_at: str
    run_ids: list[str]


class TrialRow(TypedDict):
    """A trial as `show --json` lists it, with its place: case and model, both from 0."""

    run_id: str
    position: int
    rank: int
    case_id: str
    model: str
    outcome: str
    output: str | None
    score: float | None
    score_version: int
    notes: str
    error: str | None
    flags: list[str]


TrialPage = page_type("TrialPage", TrialRow, scale=UNIT)


_KNOWN = TrialRow.__annotations__.keys() | STORE_FIELDS
_FURTHER = {it.name: it.type for it in fields(Trial) if it.name not in _KNOWN}
TrialIn = extend_type(
    "TrialIn",
    TrialRow,
    **_FURTHER,
    transcript=Transcript | None,
    scores=list[Score],
    judges=list[str],
)
TrialIn.__doc__ = "A trial in full: its completion, every request, every version of its score."


class CaseTrials(TypedDict):
    """A case with its trials, as `show RUN CASE --json` prints them."""

    scale: UNIT
    case: CaseOut
    trials: list[TrialIn]  # type: ignore[valid-type]  # made of a struct


class Explanation(TypedDict):
    """The derivation of a score, recomputed."""

    scale: UNIT
    run_id: str
    model: str
    case_id: str
    outcome: str
    question: str | None
    expected: str | None
    also_expected: list[str]
    answer: str | None
    extraction: Extraction | None
    scorer: str
    scorer_version: str
    parameters: dict[str, Any]
    profile: str
    judges: list[str]
    steps: list[str]
    score: float | None
    raw_score: float | None
    max_score: float | None
    confidence: float | None
    notes: str
    flags: list[str]
    weight: float
    score_version: int
    recomputed: float | None
    same_digits: bool | None
    error: str | None


class Deleted(TypedDict):
    """The ids of deleted objects."""

    deleted: list[str]


class Begun(TypedDict):
    """A queued job, and its runs."""

    job: Job
    run_ids: list[str]
    series_id: str | None


JobPage = page_type("JobPage", Job)
JobOut = Job


class TrialChange(TypedDict):
    """A new or rescored trial: the number of its run, case and model by position from 0."""

    seq: int
    run: int
    position: int
    rank: int
    outcome: str
    score: float | None
    awaits_judge: bool
    requests: int
    error_type: str | None


class RunChange(TypedDict):
    """The data of an event `change`; its id is `seq`, the number of the last row."""

    scale: UNIT
    seq: int
    state: str
    done: int
    awaiting: int
    planned: int
    rate: float | None
    seconds_left: float | None
    spent_usd: float
    outcomes: dict[str, int]
    trials: list[TrialChange]
