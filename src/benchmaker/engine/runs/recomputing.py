"""Recomputation of a score from stored data."""

import asyncio

from benchmaker.engine.judges.stored_replies import StoredReplies
from benchmaker.engine.trials.scoring import CaseScoring, score_trial, with_judge_prompt
from benchmaker.errors import BenchmakerError
from benchmaker.record import Run, Score, Trial
from benchmaker.scoring.build import build
from benchmaker.spec import Case, ScorerSpec, profile
from benchmaker.spec.suites.check_spec import locate_scorer
from benchmaker.store import Store


def recompute_score(store: Store, run: Run, trial: Trial, case: Case) -> Score | None:
    """The score as it comes out now; None where it can't be computed without asking a model."""
    stored = trial.score
    if stored is None or not stored.scorer:
        return None
    try:
        spec = ScorerSpec.model_validate({**stored.parameters, "id": stored.scorer})
        family = profile(stored.profile)
        suite = store.suite(run.suite_hash)
        located = locate_scorer(with_judge_prompt(spec, suite), suite.folder)
        judgement = CaseScoring(build(located, family), spec, family)
        judges = StoredReplies(store, run, trial.model)
        marked = asyncio.run(
            score_trial(trial, case, judgement, policies=suite.policies, ask=judges)
        )
    except BenchmakerError:
        return None
    return None if judges.is_missing else marked.score
