"""The scores of a run and of its baseline, paired case by case."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from msgspec.structs import replace as replace_fields

from benchmaker.analysis.comparison.pairing import CaseTable
from benchmaker.record.baselines.run_baseline import (
    BaselineAnswer,
    BaselineCase,
    BaselineScores,
    RunBaseline,
    mean_of_answers,
)
from benchmaker.record.outcome import Outcome, outcome_count

RUN, BASELINE = "run", "baseline"
"""The names of both sides in their table."""

NO_SCORE = str(Outcome.UNSCORED)
"""The reason where nothing else is known."""


@dataclass(frozen=True, slots=True)
class CaseVersions:
    """Cases of both sides by what became of them; each a tuple of ids in the order of the run.

    Cases of ``same`` and ``other_question`` are compared; those of ``other_scoring`` are not, nor
    ``dropped`` ones, which have the weight 0 in the run alone. ``other_weight`` are the compared
    cases with another weight or group.
    """

    same: tuple[str, ...]
    other_question: tuple[str, ...]
    other_scoring: tuple[str, ...]
    new: tuple[str, ...]
    removed: tuple[str, ...]
    other_weight: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()

    @property
    def compared_cases(self) -> tuple[str, ...]:
        """The cases that are compared."""
        return (*self.same, *self.other_question)


def case_versions(run: RunBaseline, baseline: RunBaseline) -> CaseVersions:
    """Return the cases of both sides, sorted by what became of them.

    Cases of weight 0 in the run are not compared, and not listed unless they counted before.
    """
    before = {case.id: case for case in baseline.cases}
    found: dict[str, list[str]] = {"same": [], "question": [], "scoring": [], "new": []}
    after = [case for case in run.cases if case.weight > 0]
    for case in after:
        found[_kind(case, before.get(case.id))].append(case.id)
    known = {case.id for case in run.cases}
    counted = {case.id: case for case in baseline.cases if case.weight > 0}
    compared = {*found["same"], *found["question"]}
    return CaseVersions(
        tuple(found["same"]),
        tuple(found["question"]),
        tuple(found["scoring"]),
        tuple(found["new"]),
        tuple(name for name in counted if name not in known),
        tuple(
            case.id
            for case in after
            if case.id in compared and _role(case) != _role(before[case.id])
        ),
        tuple(case.id for case in run.cases if case.weight == 0 and case.id in counted),
    )


def _role(case: BaselineCase) -> tuple[float, str | None]:
    return case.weight, case.group


def _kind(case: BaselineCase, before: BaselineCase | None) -> str:
    if before is None:
        return "new"
    if before.scoring_sha256 != case.scoring_sha256:
        return "scoring"
    return "same" if before.sha256 == case.sha256 else "question"


@dataclass(frozen=True)
class PairedSetup:
    """A setup of the run and its baseline over the cases that both have scores of.

    ``missing`` are the cases that only the baseline has a score of, with that score and the reason
    why the run has none.
    """

    name: str
    baseline_name: str
    cases: tuple[BaselineCase, ...]
    after: tuple[BaselineScores, ...]
    before: tuple[BaselineScores, ...]
    metric: str
    missing: tuple[tuple[BaselineCase, BaselineScores, str], ...] = ()

    def __len__(self) -> int:
        return len(self.cases)

    @property
    def missing_reason(self) -> str:
        """The numbers of missing scores by their reasons, in words."""
        counted = Counter(reason for _, _, reason in self.missing)
        return ", ".join(outcome_count(reason, number) for reason, number in counted.items())

    def at_worst(self) -> "PairedSetup":
        """Return the setup with the lowest score in each case that the run has no score of."""
        worst = BaselineScores.of([_lowest(self.metric)], 1)
        return replace(
            self,
            cases=(*self.cases, *(case for case, _, _ in self.missing)),
            after=(*self.after, *(worst for _ in self.missing)),
            before=(*self.before, *(before for _, before, _ in self.missing)),
            missing=(),
        )

    @cached_property
    def table(self) -> CaseTable:
        """Both sides' means over runs, as a comparison takes them."""
        sides = [
            [mean_of_answers(one.answers, self.metric) for one in side]
            for side in (self.after, self.before)
        ]
        return CaseTable(
            (RUN, BASELINE),
            np.array(sides, dtype=np.float64).reshape(2, len(self)).T,
            np.array([case.weight for case in self.cases]),
            _clusters([case.group for case in self.cases]),
        )

    @cached_property
    def changed_answers(self) -> int:
        """The number of cases with other answers than in the baseline."""
        pairs = zip(self.after, self.before, strict=True)
        return sum(_hashes(after) != _hashes(before) for after, before in pairs)

    @property
    def runs(self) -> int:
        """The most runs of a case."""
        return max(one.runs for one in self.after)

    @property
    def baseline_runs(self) -> int:
        """The most runs of a case of the baseline."""
        return max(one.runs for one in self.before)


def _lowest(metric: str) -> BaselineAnswer:
    return BaselineAnswer(sha256="", score=0.0, metrics={metric: 0.0})


def pair_setup(
    run: RunBaseline,
    baseline: RunBaseline,
    names: tuple[str, str],
    *,
    cases: Iterable[str],
    metric: str,
) -> PairedSetup:
    """Return a setup's scores of both sides over the named cases, those with scores on both.

    An answer that a judge scored, and that the baseline also has, takes the baseline's judgment.
    """
    before_by_id = {case.id: case for case in baseline.cases}
    wanted = set(cases)
    rows: list[tuple[BaselineCase, BaselineScores, BaselineScores]] = []
    missing: list[tuple[BaselineCase, BaselineScores, str]] = []
    for case in run.cases:
        before = before_by_id[case.id].setups.get(names[1]) if case.id in wanted else None
        if before is None or mean_of_answers(before.answers, metric) is None:
            continue
        after = case.setups.get(names[0])
        shared = with_shared_judgments(after, before) if after else None
        if shared is None or mean_of_answers(shared.answers, metric) is None:
            missing.append((case, before, (after.unscored if after else "") or NO_SCORE))
        else:
            rows.append((case, shared, before))
    return PairedSetup(
        *names,
        cases=tuple(case for case, _, _ in rows),
        after=tuple(after for _, after, _ in rows),
        before=tuple(before for _, _, before in rows),
        metric=metric,
        missing=tuple(missing),
    )


def with_shared_judgments(after: BaselineScores, before: BaselineScores) -> BaselineScores:
    """Return the scores in which judged answers of the baseline have the baseline's judgment.

    A judge that scores the same text twice may give two scores: without this, its noise would look
    like a change of the model.
    """
    known: dict[str, list[BaselineAnswer]] = {}
    for one in before.answers:
        if one.judged and one.score is not None:
            known.setdefault(one.sha256, []).append(one)
    answers = [
        _judged_as(one, known[one.sha256]) if one.judged and one.sha256 in known else one
        for one in after.answers
    ]
    return BaselineScores.of(answers, after.runs, unscored=after.unscored)


def _judged_as(answer: BaselineAnswer, judged: Sequence[BaselineAnswer]) -> BaselineAnswer:
    names = dict.fromkeys(name for one in judged for name in one.metrics)
    return replace_fields(
        answer,
        score=mean_of_answers(judged, "mean"),
        metrics={name: mean_of_answers(judged, name) for name in names},
    )


def _hashes(scores: BaselineScores) -> tuple[str, ...]:
    """The answers' hashes; a single one if all runs gave the same answer."""
    found = sorted(one.sha256 for one in scores.answers)
    return tuple(found[:1]) if len(set(found)) == 1 else tuple(found)


def _clusters(groups: Sequence[str | None]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """A code for each group in order of appearance, then one for each case without a group."""
    codes: dict[str, int] = {}
    for group in groups:
        if group is not None:
            codes.setdefault(group, len(codes))
    alone = iter(range(len(codes), len(codes) + len(groups)))
    return np.array(
        [next(alone) if group is None else codes[group] for group in groups], dtype=np.int64
    )
