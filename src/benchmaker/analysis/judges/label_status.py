"""Progress of labelling, agreement of people, and of the judge with them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from benchmaker.analysis.judges.labelled_scores import LabelledScores
from benchmaker.documents import Document, Key, NullIfEmpty, listed
from benchmaker.errors import NotEnoughData
from benchmaker.record.label import Label
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.stats.agreement.coefficient import Coefficient
from benchmaker.stats.agreement.correlation import Correlation, pearson
from benchmaker.stats.agreement.krippendorff import krippendorff_alpha
from benchmaker.stats.means.bounded import within_scale
from benchmaker.stats.means.means import Mean, weighted_mean

TRAP_TOLERANCE = 0.25
"""Maximum distance of a score from a trap's known worth; beyond it the trap is failed."""


@dataclass(frozen=True, slots=True)
class Person(Document):
    """The number of answers of each kind labelled by one person, and the failed traps."""

    name: str
    random: int
    targeted: int
    traps: int
    traps_failed: int


@dataclass(frozen=True, slots=True)
class Figure(Document):
    """A figure as documents have it: with its interval, the answers behind it and its method."""

    value: float | None
    ci95: tuple[float, float] | None
    n: int
    method: str


def _figure(found: Coefficient | Correlation | Mean) -> Figure:
    value = found.mean if isinstance(found, Mean) else found.value
    return Figure(value, found.interval, found.n, found.method)


@dataclass(frozen=True, slots=True)
class JudgeAgreement(Document):
    """The judge compared with people's mean, on the answers of the random part, from 0 to 1.

    ``bias`` is judge minus people, ``error`` the mean absolute one. Unsupported figures are None.
    The correlation's interval treats answers as independent; the others cluster them by case.
    """

    n: int
    alpha: Annotated[Coefficient | None, Key(form=_figure)]
    correlation: Annotated[Correlation | None, Key(form=_figure)]
    bias: Annotated[Mean, Key(form=_figure)]
    error: Annotated[Mean, Key("mean_absolute_error", form=_figure)]


@dataclass(frozen=True, slots=True)
class LabelStatus(Document, scale="0-1"):
    """The labels of each person and their agreement; scores from 0 to 1.

    ``answers`` counts the answers with a label, without traps. ``people_alpha`` is Krippendorff's,
    on intervals, over the answers of the random part labelled by two people: the upper limit for a
    judge. None with a ``people_reason``. ``judge`` is None without a label in the random part.
    """

    people: tuple[Person, ...]
    answers: int
    people_alpha: Annotated[Coefficient | None, Key(form=_figure)]
    people_reason: NullIfEmpty
    judge: JudgeAgreement | None

    @property
    @listed()
    def trap_tolerance(self) -> float:
        """The largest accepted distance of a label from the known score of a trap."""
        return TRAP_TOLERANCE


def label_status(columns: ScoreColumns, labels: Sequence[Label]) -> LabelStatus:
    """Return the labelling status of some runs.

    Args:
        columns: the scores of the runs.
        labels: the latest labels.
    """
    words = [it for it in labels if not it.is_withdrawn]
    names = sorted({it.actor for it in words})
    alpha, reason = _among_people([it for it in words if it.source == "random"], names)
    return LabelStatus(
        people=tuple(_person(name, words) for name in names),
        answers=len({(it.run_id, it.blind_id) for it in words if it.source != "trap"}),
        people_alpha=alpha,
        people_reason=reason,
        judge=_compare_judge(columns, words),
    )


def _person(name: str, words: Sequence[Label]) -> Person:
    own = [it for it in words if it.actor == name]
    missed = [it.missed_by for it in own if it.source == "trap" and it.missed_by is not None]
    return Person(
        name,
        random=sum(it.source == "random" for it in own),
        targeted=sum(it.source == "targeted" for it in own),
        traps=len(missed),
        traps_failed=sum(miss > TRAP_TOLERANCE for miss in missed),
    )


def _among_people(words: Sequence[Label], names: Sequence[str]) -> tuple[Coefficient | None, str]:
    answers: dict[tuple[str, str], dict[str, float | None]] = {}
    cases: dict[tuple[str, str], str] = {}
    for it in words:
        answers.setdefault((it.run_id, it.blind_id), {})[it.actor] = it.score
        cases[it.run_id, it.blind_id] = it.case_id
    rows = [[own.get(name) for name in names] for own in answers.values()]
    return _alpha(rows, list(cases.values()))


def _alpha(
    rows: Sequence[Sequence[float | None]], cases: Sequence[Any]
) -> tuple[Coefficient | None, str]:
    pairs = [
        (row, case)
        for row, case in zip(rows, cases, strict=True)
        if sum(it is not None for it in row) > 1
    ]
    if not pairs:
        return None, "no randomly drawn answer has labels by two people"
    kept, clusters = zip(*pairs, strict=True)
    try:
        found = krippendorff_alpha(kept, scale="interval", clusters=clusters)
    except NotEnoughData as exc:
        return None, exc.message
    return (found, found.reason) if found.value is not None else (None, found.reason)


def _compare_judge(columns: ScoreColumns, words: Sequence[Label]) -> JudgeAgreement | None:
    rows = LabelledScores(columns, words).all_rows()
    has = rows.is_labelled
    judge, people = rows.judge[has], rows.label[has]
    cases = rows.cluster[has].tolist()
    if not len(judge):
        return None
    alpha, _ = _alpha(list(zip(people.tolist(), judge.tolist(), strict=True)), cases)
    return JudgeAgreement(
        n=len(judge),
        alpha=alpha,
        correlation=_correlation(people.tolist(), judge.tolist()),
        bias=within_scale(weighted_mean(judge - people, clusters=cases), -1.0),
        error=within_scale(weighted_mean(abs(judge - people), clusters=cases)),
    )


def _correlation(people: Sequence[float], judge: Sequence[float]) -> Correlation | None:
    try:
        found = pearson(people, judge)
    except NotEnoughData:
        return None
    return found if found.value is not None else None
