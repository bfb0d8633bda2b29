"""Baselines of stored runs."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from benchmaker.errors import NotComparable
from benchmaker.record import Run, Setup, Trial
from benchmaker.record.baselines.run_baseline import (
    SCHEMA,
    BaselineAnswer,
    BaselineCase,
    BaselineScores,
    RunBaseline,
    hash_answer,
)
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
        cases=tuple(_cases(suite, _answers_by_case(store, runs, clean))),
    )


def _refuse_mixed(runs: Sequence[Run]) -> None:
    if len({(run.suite_hash, run.profile_id) for run in runs}) > 1:
        raise NotComparable(
            "The runs have different suites or scoring profiles.",
            hint="Give one run, or the runs of one series.",
        )


def _setups(runs: Sequence[Run]) -> dict[str, Setup]:
    return {name: run.setup(name) for run in reversed(runs) for name in run.models}


def _answers_by_case(
    store: Store, runs: Sequence[Run], clean: Callable[[str], str] | None
) -> dict[int, tuple[Trial, dict[str, tuple[list[BaselineAnswer], int]]]]:
    """By position: a trial of the case, and by setup the answers with the number of trials."""
    found: dict[int, tuple[Trial, dict[str, tuple[list[BaselineAnswer], int]]]] = {}
    for run in runs:
        for trial in store.trials(run.id):
            _, of_setups = found.setdefault(trial.position, (trial, {}))
            answers, trials = of_setups.get(trial.model, ([], 0))
            made = _answer(trial, clean)
            of_setups[trial.model] = ([*answers, made] if made else answers, trials + 1)
    return found


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


def _cases(
    suite: Suite,
    found: Mapping[int, tuple[Trial, dict[str, tuple[list[BaselineAnswer], int]]]],
) -> Iterator[BaselineCase]:
    """The cases that have a trial, in the order of the suite."""
    of_suite = [suite.header().get(name) for name in _SCORING_OF_SUITE]
    for position, case in enumerate(suite):
        if position not in found:
            continue
        trial, answers = found[position]
        question, scoring = _case_parts(suite, case)
        yield BaselineCase(
            id=case.id,
            sha256=_digest(suite, [question, scoring, of_suite], case),
            scoring_sha256=_digest(suite, [scoring, of_suite], case),
            weight=trial.weight,
            group=trial.group,
            setups={
                name: BaselineScores.of(made, trials) for name, (made, trials) in answers.items()
            },
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
