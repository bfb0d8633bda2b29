"""``benchmaker show``: stored answers, scores and outcomes, or a submission."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.options.numbers import WholeNumber
from benchmaker.cli.output.output import say, say_beside, say_json, tell
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.record import Score, Trial
    from benchmaker.record.submissions.submission import Submission
    from benchmaker.spec import Case
    from benchmaker.store import Store

_PAGE = 500
"""Trials printed together by ``--all``."""
_WIDE = 100


@declare(
    "show",
    examples=(
        "benchmaker show latest",
        "benchmaker show latest --model illustrative-a --all",
        "benchmaker show latest capital-france",
        "benchmaker show claude_code-3f2a",
    ),
)
@click.argument("run", metavar="RUN|SUBMISSION")
@click.argument("case", metavar="[CASE]", required=False)
@click.option("--model", metavar="NAME", help="Only this model.")
@click.option(
    "--limit",
    metavar="N",
    type=WholeNumber(1),
    default=20,
    help="Maximum number of trials. Default: 20.",
)
@click.option("--all", "every", is_flag=True, help="Show all trials.")
def command(
    context: Context, *, run: str, case: str | None, model: str | None, limit: int, every: bool
) -> None:
    """List the trials of a run, or show one case or submission.

    RUN is a run id, a prefix of one, a series, or latest. With CASE, the command shows the
    question, every answer in full, all requests and all versions of the scores. SUBMISSION is the
    id of an imported coding session, or a prefix of it.
    """
    from benchmaker.cli.actions.run_or_submission import find_submission_id
    from benchmaker.cli.database import open_store
    from benchmaker.cli.options.name_lookup import model_of_run
    from benchmaker.record.run import setup_noun

    with open_store(context) as store:
        submission_id = find_submission_id(store, run)
        if submission_id is not None:
            _show_submission(context, _with_current_evidence(store, submission_id))
            return
        run_ids = store.resolve(run).run_ids
        if model is not None:
            model = model_of_run(store.run(run_ids[0]), model)
        if case is None:
            trials = _trials(store, run_ids, model=model)
            noun = setup_noun([store.run(run_ids[0])])
            _list(context, trials, run_ids, limit=None if every else limit, noun=noun)
        else:
            _show_case(context, store, run_ids, case=case, model=model)


def _with_current_evidence(store: "Store", submission_id: str) -> "Submission":
    """The submission with the level of evidence that counts, as on pages and boards."""
    import msgspec

    from benchmaker.record.submissions.evaluation import current_evidence

    submission = store.submission(submission_id)
    verification = store.agentic.verification(submission_id)
    level = current_evidence(submission, verification)
    return msgspec.structs.replace(submission, evidence_level=level)


def _show_submission(context: Context, submission: "Submission") -> None:
    from benchmaker.cli.actions.run_or_submission import submission_data

    if context.use_json:
        say_json(submission_data(submission))
        return
    from benchmaker.cli.output.table import window_width
    from benchmaker.report.arenas.submission_text import submission_text

    say(submission_text(submission, width=min(window_width(), _WIDE)).rstrip("\n"))


def _trials(
    store: "Store", run_ids: tuple[str, ...], *, model: str | None, case: str | None = None
) -> "Iterator[Trial]":
    for run_id in run_ids:
        yield from store.trials(run_id, model=model, case_id=case)


def _list(
    context: Context,
    trials: "Iterator[Trial]",
    run_ids: tuple[str, ...],
    *,
    limit: int | None,
    noun: str,
) -> None:
    shown = list(islice(trials, limit)) if limit else trials
    if context.use_json:
        say_json({"scale": "0-1", "trials": [_data(trial) for trial in shown]})
        return
    if limit is None:
        _say_in_pages(trials, run_ids, noun)
        return
    _say_rows(list(shown), run_ids, noun)
    if next(trials, None) is not None:
        tell(
            f"Showing the first {limit}. Add --limit N or --all to show more, or CASE to show one "
            "in full."
        )


def _say_in_pages(trials: "Iterator[Trial]", run_ids: tuple[str, ...], noun: str) -> None:
    while page := list(islice(trials, _PAGE)):
        _say_rows(page, run_ids, noun)


def _say_rows(trials: "list[Trial]", run_ids: tuple[str, ...], noun: str) -> None:
    """Print the trials; those of a series with the numbers of their runs."""
    from benchmaker.cli.output.table import window_width
    from benchmaker.report.result_tables.trials import TRIALS, ListedTrial, TrialList

    if not trials:
        say("No trials.")
        return
    places = {run_id: at for at, run_id in enumerate(run_ids, start=1)} if len(run_ids) > 1 else {}
    rows = [ListedTrial(trial, places.get(trial.run_id)) for trial in trials]
    width = window_width()
    say(TRIALS.table(TrialList.of(rows, width, noun)).text(width=width).rstrip("\n"))


def score_text(score: "Score | None") -> str:
    """A score from 0 to 100 with one decimal, or ``unscored``."""
    from benchmaker.report.tables import numbers

    return "unscored" if score is None or score.score is None else numbers.score(score.score)


def _data(trial: "Trial") -> dict[str, Any]:
    return {
        "run_id": trial.run_id,
        "case_id": trial.case_id,
        "model": trial.model,
        "outcome": trial.outcome,
        "output": trial.text if trial.completion else None,
        "score": trial.score.score if trial.score else None,
        "score_version": trial.score_version,
        "notes": trial.score.notes if trial.score else "",
        "error": trial.error,
        "flags": sorted({*trial.flags, *(trial.score.flags if trial.score else ())}),
    }


def _show_case(
    context: Context, store: "Store", run_ids: tuple[str, ...], *, case: str, model: str | None
) -> None:
    trials = list(_trials(store, run_ids, model=model, case=case))
    if not trials:
        raise SpecError(
            f"the run has no case {case!r}.", hint=f"List them with: benchmaker show {run_ids[0]}"
        )
    suite_case = _case_of(store, trials[0])
    if context.use_json:
        data = suite_case.model_dump(mode="json", exclude_defaults=True)
        say_json({"scale": "0-1", "case": data, "trials": [_in_full(store, it) for it in trials]})
        return
    _say_case(suite_case)
    for trial in trials:
        _say_trial(store, trial, suite_case, is_series=len(run_ids) > 1)


def _case_of(store: "Store", trial: "Trial") -> "Case":
    return store.case(store.run(trial.run_id).suite_hash, trial.position)


def _in_full(store: "Store", trial: "Trial") -> dict[str, Any]:
    from msgspec.structs import replace

    from benchmaker.record.trial import STORE_FIELDS
    from benchmaker.structs import further_fields

    row = _data(trial)
    requests = [replace(one, usage=one.reported_usage) for one in trial.attempts]
    return {
        **row,
        **_setup_data(store, trial),
        **further_fields(replace(trial, attempts=tuple(requests)), row.keys() | STORE_FIELDS),
        "transcript": trial.transcript,
        "scores": list(_versions(store, trial)),
        "judges": _judges(store, trial),
    }


def _setup_data(store: "Store", trial: "Trial") -> dict[str, Any]:
    """The setup of a trial and its messages, where it is more than a model."""
    from msgspec import to_builtins

    from benchmaker.engine.trials.setup_cases import case_of_setup

    run = store.run(trial.run_id)
    if not run.setups:
        return {}
    asked = case_of_setup(store, run, trial.model, _case_of(store, trial))
    messages = [turn.model_dump() for turn in asked.conversation(run.system_prompt)]
    return {"setup": to_builtins(run.setup(trial.model)), "messages": messages}


def _judges(store: "Store", trial: "Trial") -> list[str]:
    """Return the calibrations of the answer's judges."""
    from benchmaker.report.sentences.judging import judge_calibration_lines

    singles = trial.score.judgments if trial.score else ()
    if not singles:
        return []
    return judge_calibration_lines(store.run(trial.run_id), {one["judge"] for one in singles})


def _versions(store: "Store", trial: "Trial") -> "list[Score]":
    return list(store.scores.versions(trial.run_id, trial.model, trial.case_id))


def _say_case(case: "Case") -> None:
    say(f"Case {case.id}")
    if case.prompt is not None or case.messages:
        _say_messages(case)
    if case.expectation is not None:
        _say_block("expected", case.expectation)


def _say_messages(case: "Case") -> None:
    for turn in case.conversation():
        _say_block(turn.role, turn.content)


def _say_setup(store: "Store", trial: "Trial", case: "Case") -> None:
    """The messages and the parameters of a trial whose setup is more than a model."""
    from benchmaker.engine.trials.setup_cases import case_of_setup
    from benchmaker.report.runs.explain import explain

    run = store.run(trial.run_id)
    if run.setup(trial.model).prompt_id is not None:
        _say_messages(case_of_setup(store, run, trial.model, case))
    for label, text in explain(trial, run=run).setup_facts() if run.setups else ():
        if text:
            _say_block(label.lower(), text)


def _say_trial(store: "Store", trial: "Trial", case: "Case", *, is_series: bool) -> None:
    from benchmaker.record import failure_words
    from benchmaker.report.sentences.outcomes import outcome_text

    say()
    place = f", run {trial.run_id}" if is_series else ""
    say(f"{trial.model}{place}: {outcome_text(trial)}")
    _say_setup(store, trial, case)
    if trial.completion:
        _say_block("answer", trial.text)
    if error := failure_words(trial.error_type, trial.error):
        _say_block("error", error)
    _say_attempts(trial)
    versions = _versions(store, trial)
    for number, score in enumerate(versions, start=1):
        name = "score" if len(versions) == 1 else f"score {number}"
        notes = f", {score.notes}" if score.notes else ""
        _say_block(name, f"{score_text(score)} ({score.scorer}, {score.profile}{notes})")
    for line in _judges(store, trial):
        _say_block("judge", line)


def _say_attempts(trial: "Trial") -> None:
    """Every request made for the trial; a recorded answer has none."""
    from benchmaker.cli.output.attempts import attempt_table, errors

    for line in attempt_table(trial.attempts):
        say(line)
    for number, error in errors(trial):
        _say_block(f"error {number}", error)


def _say_block(name: str, text: str) -> None:
    say_beside(f"  {name:<9} ", "\n".join(text.splitlines()))
