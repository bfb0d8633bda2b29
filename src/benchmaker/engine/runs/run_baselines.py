"""Baselines of stored runs."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from benchmaker.engine.trials.case_filters import select_cases
from benchmaker.errors import NotComparable
from benchmaker.record import Outcome, Run, RunState, Setup, Trial
from benchmaker.record.baselines.run_baseline import (
    NOT_RUN,
    SCHEMA,
    BaselineAnswer,
    BaselineCase,
    BaselineScores,
    RunBaseline,
    hash_answer,
)
from benchmaker.record.dollars import dollars
from benchmaker.spec import Case, Suite
from benchmaker.store import Store

_LABELS: Final = frozenset({"id", "weight", "category", "difficulty", "tags", "group", "metadata"})
"""Fields of a case that change neither its question nor its scoring."""

_SCORING: Final = frozenset({"expected", "choices", "vars", "page"})
"""Fields of a case that its scoring reads, apart from scorer and checks."""

_SCORER: Final = frozenset({"scorer", "checks", "threshold", "checks_only"})
_SCORING_OF_SUITE: Final = ("judge_prompt", "judge", "policies")


def baseline_of_runs(
    store: Store, run_ids: Sequence[str], *, clean: Callable[[str], str] | None = None
) -> RunBaseline:
    """Return the scores and answers of a run, or of the runs of a series.

    Args:
        store: the store of the runs.
        run_ids: the runs, of one suite and profile.
        clean: removes secrets from a text; a text that it changes is left out.

    Raises:
        NotComparable: the runs have different suites or scoring profiles.
        StoreError: an unknown run.
    """
    runs = [store.run(run_id) for run_id in run_ids]
    _refuse_mixed(runs)
    suite = store.suite(runs[0].suite_hash)
    return RunBaseline(
        schema_version=SCHEMA,
        package_version=runs[0].package_version,
        suite=runs[0].suite_name,
        suite_sha256=runs[0].suite_hash,
        run_ids=tuple(run.id for run in runs),
        profile=runs[0].profile_id,
        metric=runs[0].metric,
        judges=tuple(dict.fromkeys(run.judge_model for run in runs if run.judge_model)),
        setups=tuple(_setups(runs).values()),
        cases=tuple(_cases(suite, _answers_by_case(store, runs, suite, clean))),
        unfinished=_words_for_unfinished(runs),
    )


def _refuse_mixed(runs: Sequence[Run]) -> None:
    if len({(run.suite_hash, run.profile_id) for run in runs}) > 1:
        raise NotComparable(
            "The runs have different suites or scoring profiles.",
            hint="Give one run, or the runs of one series.",
        )


def _setups(runs: Sequence[Run]) -> dict[str, Setup]:
    return {name: run.setup(name) for run in reversed(runs) for name in run.models}


def _words_for_unfinished(runs: Sequence[Run]) -> str:
    """What became of a run that did not end; empty if all finished."""
    states = {run.state for run in runs}
    if RunState.RUNNING in states:
        return "is still in progress"
    if RunState.PAUSED in states:
        return "is paused"
    if RunState.INTERRUPTED not in states:
        return ""
    ends = [run.budget_end for run in runs if run.budget_end]
    return f"reached its budget of {dollars(ends[0].usd)}" if ends else "was interrupted"


@dataclass(slots=True)
class _SetupAnswers:
    """The answers of a setup to a case, and why one of them has no score."""

    answers: list[BaselineAnswer] = field(default_factory=list)
    trials: int = 0
    unscored: str = ""

    def add(self, trial: Trial, clean: Callable[[str], str] | None) -> None:
        self.trials += 1
        made = _answer(trial, clean)
        if made is not None:
            self.answers.append(made)
        if made is None or made.score is None:
            self.unscored = _reason(trial)

    def scores(self) -> BaselineScores:
        return BaselineScores.of(self.answers, self.trials, unscored=self.unscored)


@dataclass(slots=True)
class _CaseAnswers:
    """A case's weight and group, and its answers by setup."""

    weight: float
    group: str | None
    setups: dict[str, _SetupAnswers] = field(default_factory=dict)

    def of(self, setup: str) -> _SetupAnswers:
        return self.setups.setdefault(setup, _SetupAnswers())


def _answers_by_case(
    store: Store, runs: Sequence[Run], suite: Suite, clean: Callable[[str], str] | None
) -> dict[int, _CaseAnswers]:
    """By position: the answers to every case that a run has, or will have."""
    found: dict[int, _CaseAnswers] = {}
    for run in runs:
        trials = 0
        for trial in store.trials(run.id):
            trials += 1
            own = found.setdefault(trial.position, _CaseAnswers(trial.weight, trial.group))
            own.of(trial.model).add(trial, clean)
        if (trials < run.planned or run.not_run) and not run.is_partial_repeat:
            _add_cases_not_run(found, run, suite)
    return found


def _add_cases_not_run(found: dict[int, _CaseAnswers], run: Run, suite: Suite) -> None:
    """Add the selected cases without a trial; answers of other runs of the series stay."""
    for position, case in select_cases(suite, run.selection, suite.vars):
        own = found.setdefault(position, _CaseAnswers(case.weight, case.group))
        for name in run.models:
            if name not in own.setups and run.selection.includes(name, case.id):
                own.of(name).unscored = NOT_RUN


def _reason(trial: Trial) -> str:
    """Why a trial has no score: its outcome, unless that says nothing."""
    outcome = trial.outcome
    return str(Outcome.UNSCORED if outcome is Outcome.SCORED else outcome)


def _answer(trial: Trial, clean: Callable[[str], str] | None) -> BaselineAnswer | None:
    """The answer of a trial; None without an answer and without a score."""
    score = trial.score
    if trial.completion is None and (score is None or score.score is None):
        return None
    is_kept = clean is None or clean(trial.text) == trial.text
    return BaselineAnswer(
        sha256=hash_answer(trial.text),
        score=score.score if score else None,
        metrics=dict(score.metrics) if score and score.detail else {},
        judged=bool(score and score.judged_parts),
        text=trial.text if is_kept else None,
    )


def _cases(suite: Suite, found: Mapping[int, _CaseAnswers]) -> Iterator[BaselineCase]:
    """The cases of the runs, in the order of the suite."""
    of_suite = [suite.header().get(name) for name in _SCORING_OF_SUITE]
    for position, case in enumerate(suite):
        if position not in found:
            continue
        own = found[position]
        question, scoring = _case_parts(suite, case)
        yield BaselineCase(
            id=case.id,
            sha256=_digest(suite, [question, scoring, of_suite], case),
            scoring_sha256=_digest(suite, [scoring, of_suite], case),
            weight=own.weight,
            group=own.group,
            setups={name: made.scores() for name, made in own.setups.items()},
        )


def _case_parts(suite: Suite, case: Case) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields of a case's question, with the system prompt, and those of its scoring."""
    plain = case.model_dump(exclude=set(_LABELS | _SCORER))
    scorer = suite.scorer_of(case)
    scoring = {name: value for name, value in plain.items() if name in _SCORING}
    scoring["scorer"] = scorer.model_dump() if scorer else None
    question = {name: value for name, value in plain.items() if name not in _SCORING}
    return {**question, "vars": plain.get("vars"), "system_prompt": suite.system_prompt}, scoring


def _digest(suite: Suite, parts: list[Any], case: Case) -> str:
    encoded = suite.encode_part({"parts": parts}, f"case {case.id!r}")
    return hashlib.sha256(encoded).hexdigest()
