"""The decision of a gate against a baseline."""

from dataclasses import dataclass
from typing import Annotated

from benchmaker.analysis.metric import FigureName
from benchmaker.analysis.summary.decisions import GateVerdict
from benchmaker.documents import FIRST, OMITTED, Document, Key, NullIfEmpty, listed
from benchmaker.tabular import Tabular


@dataclass(frozen=True, slots=True)
class Further(Document):
    """The numbers of further cases and runs that would decide; None with the reason.

    Both numbers take the observed difference as the true one and have a power of 80%.
    """

    more_cases: int | None = None
    more_cases_reason: NullIfEmpty = ""
    more_runs: int | None = None
    more_runs_reason: NullIfEmpty = ""


@dataclass(frozen=True, slots=True)
class GatedModel(Document):
    """A model of the run against its baseline, over ``n`` common cases; figures from 0 to 1.

    ``diff`` is run − baseline, with the interval that a comparison of both has. The ``verdict`` is
    the model's own test; ``is_sure_drop`` is true if it also fails after the adjustment for the
    number of models. ``changed_answers`` counts cases with other answers, ``changed_scores`` those
    with another score. ``baseline_model`` is the name of its baseline.

    ``missing`` counts the cases that only the baseline has a score of, with the numbers of reasons
    in ``missing_reason``. ``passes_without_missing`` is true if the model would pass by its scored
    cases, but not with the lowest score in the missing ones: it is then undecided.
    """

    model: str
    verdict: GateVerdict
    diff: float
    low: float | None
    high: float | None
    mean: float
    baseline_mean: float
    n: int
    clusters: int
    changed_answers: int
    changed_scores: int
    baseline_model: str
    runs: int
    baseline_runs: int
    test: str
    method: str
    reason: NullIfEmpty
    is_sure_drop: Annotated[bool, Key("fails_adjusted")]
    more_cases: int | None
    more_cases_reason: NullIfEmpty
    more_runs: int | None
    more_runs_reason: NullIfEmpty
    missing: int = 0
    missing_reason: NullIfEmpty = ""
    passes_without_missing: bool = False

    @property
    def is_unchanged(self) -> bool:
        """True if no answer and no score changed."""
        return self.changed_answers == 0 and self.changed_scores == 0

    @property
    def is_open(self) -> bool:
        """True if it is undecided, or fails only without the adjustment for several models."""
        is_uncertain_drop = self.verdict is GateVerdict.FAILED and not self.is_sure_drop
        return self.verdict is GateVerdict.UNDECIDED or is_uncertain_drop


@dataclass(frozen=True, slots=True)
class UnscoredModel(Document):
    """A model of the baseline without a score in the run, with the reason.

    ``missing`` is the number of its cases with a score in the baseline.
    """

    model: str
    missing: int
    reason: str


@dataclass(frozen=True, slots=True)
class CaseChange(Document):
    """A case whose score changed; scores from 0 to 1, answers None where they are unknown.

    With several runs the scores are means, and the answers are the best one and the worst one.
    """

    case_id: str
    model: str
    before: float
    after: float
    answer_before: str | None
    answer_after: str | None

    @property
    def diff(self) -> float:
        """The score after less that before."""
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class GatedRuns(Document):
    """One side of a gate: its runs, and the suite that they answered."""

    run_ids: tuple[str, ...]
    suite_sha256: str
    package_version: str
    judges: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BaselineGate(Document, Tabular, scale="0-1"):
    """A run against its baseline: pass, fail or undecided.

    A model passes if the whole interval of its difference is above ``-max_drop``, fails if it is
    wholly below, and is undecided otherwise. The gate passes if every model does, and fails if a
    model does after Holm's adjustment for the number of models. It can't pass while models of the
    baseline have no score in the run, the ``unscored_models``. ``changed`` are the cases whose
    score changed, the worst drop first. ``n_common`` cases are compared, of ``n_run`` in the run
    and ``n_baseline`` in the baseline. ``notes`` name what else differs.
    """

    models: tuple[GatedModel, ...]
    changed: tuple[CaseChange, ...]
    more_cases: Annotated[int | None, Key(after="changed")]
    more_cases_reason: NullIfEmpty
    more_runs: int | None
    more_runs_reason: NullIfEmpty
    n_common: int
    n_run: int
    n_baseline: int
    max_drop: float
    metric: str
    figure: FigureName
    level: float
    suite: str
    run: GatedRuns
    baseline: GatedRuns
    notes: tuple[str, ...]
    unscored_models: tuple[UnscoredModel, ...] = ()
    noun: Annotated[str, OMITTED] = "model"

    @property
    @listed(after=FIRST)
    def verdict(self) -> GateVerdict:
        """Failed where a model fails after adjustment, passed where all pass, else undecided."""
        if any(one.is_sure_drop for one in self.models):
            return GateVerdict.FAILED
        is_passed = not self.unscored_models and all(
            one.verdict is GateVerdict.PASSED for one in self.models
        )
        return GateVerdict.PASSED if is_passed else GateVerdict.UNDECIDED
