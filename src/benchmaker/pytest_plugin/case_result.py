"""The answers of a setup to a case, in the words of a test's failure."""

from dataclasses import dataclass

from benchmaker.arenas.standard import RunResult
from benchmaker.cli.context import Context
from benchmaker.cli.output.key_redaction import redactor_of
from benchmaker.engine.trials.setup_cases import case_of_setup
from benchmaker.record import Run, Trial, failure_words, outcome_words
from benchmaker.report.runs.explain import explain
from benchmaker.report.tables import numbers
from benchmaker.store import Store


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The verdict on the answers of a setup to a case.

    ``is_missing`` is true if an answer or its score is missing, ``is_wrong`` if an answer is not
    right. ``headline`` is one line, ``text`` everything about the first such answer.
    """

    is_missing: bool = False
    is_wrong: bool = False
    headline: str = ""
    text: str = ""


def read_case_result(result: RunResult, case_id: str, setup: str, context: Context) -> CaseResult:
    """Return the verdict on a case, over all runs of a series.

    An answer is right if its checks pass, and otherwise if its score is 1.
    """
    with result.place.open_store() as store:
        found = [
            (run, trial)
            for run in result.runs
            for trial in store.trials(run.id, model=setup, case_id=case_id)
        ]
        for run, trial in found:
            if trial.score is None or trial.score.is_right is None:
                headline = _missing_words(trial)
                text = _describe(store, run, trial, headline, context)
                return CaseResult(is_missing=True, headline=headline, text=text)
        if not found:
            headline = _not_run_words(result, setup)
            return CaseResult(is_missing=True, headline=headline, text=headline)
        for run, trial in found:
            if trial.score is not None and not trial.score.is_right:
                headline = _wrong_words(trial)
                text = _describe(store, run, trial, headline, context)
                return CaseResult(is_wrong=True, headline=headline, text=text)
    return CaseResult()


def _missing_words(trial: Trial) -> str:
    """Why an answer has no score."""
    notes = trial.score.notes if trial.score else ""
    reason = failure_words(trial.error_type, trial.error) or notes
    outcome = outcome_words(trial.outcome)
    return f"no score ({outcome}): {reason}" if reason else f"no score ({outcome})"


def _not_run_words(result: RunResult, setup: str) -> str:
    reason = result.halted or result.stopped.get(setup, "")
    return f"no answer: {reason}" if reason else "no answer: the case was not run"


def _wrong_words(trial: Trial) -> str:
    if trial.score is None or trial.score.score is None:
        return "no score"
    notes = f": {trial.score.notes}" if trial.score.notes else ""
    return f"score {numbers.score(trial.score.score)} of 100{notes}"


def _describe(store: Store, run: Run, trial: Trial, headline: str, context: Context) -> str:
    """The headline, then everything that ``benchmaker explain`` says, without keys."""
    case = case_of_setup(store, run, trial.model, store.case(run.suite_hash, trial.position))
    hide = redactor_of(context)
    body = explain(trial, case=case, run=run).text(redactor=hide)
    command = context.line("explain", run.id, trial.case_id, "--model", trial.model)
    return f"{hide.text(headline)}\n\n{body.rstrip()}\n\nRecompute the score: {command}"
