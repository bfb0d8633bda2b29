"""``benchmaker rescore``: stored answers under another profile or scorer."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchmaker.cli.base_command import FILE, run_argument
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.database import refuse_without_store
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.options.options import run_options
from benchmaker.cli.server.audit_log import written_down
from benchmaker.engine.requests.option_declaration import Calls
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.engine.runs.estimate import ModelEstimate
    from benchmaker.engine.runs.suite_correction import Correction

_JUDGING = ("judges", "judge_repeats", "recorded_judge", "judge_concurrency")
_NO_JUDGE = "Remove it, or use it with --suite and without a judge."
_HINT = "Use numeric:tolerance=0.01, or a JSON object with id and parameters."


@declare(
    "rescore",
    examples=(
        "benchmaker rescore latest --profile classic",
        "benchmaker rescore latest --scorer numeric:tolerance=0.01",
        "benchmaker rescore latest --suite edited.yaml",
        "benchmaker rescore latest --scorer llm_judge --judge openai/gpt-4o --max-cost 1",
        "benchmaker rescore latest --profile robust --executor head:6379",
    ),
)
@run_argument
@click.option(
    "--suite",
    metavar="FILE",
    type=FILE,
    help="Score with this corrected suite, as a separate run. Cases with the same id and prompt "
    "keep their answers; others are listed as not run.",
)
@click.option(
    "--no-judge",
    is_flag=True,
    help="With --suite: call no judge. Answers judged under another rubric, or without a readable "
    "reply, stay unscored.",
)
@click.option(
    "--scorer",
    metavar="ID[:NAME=VALUE,...]",
    help="Scorer for cases that name none of their own.",
)
@click.option("--quiet", is_flag=True, help="Hide progress and hints.")
@run_options(
    Calls.RESCORE,
    profile="Score under this profile.",
    max_cost_usd="Spending limit in dollars. No request is sent that could exceed it.",
)
def command(
    context: Context,
    *,
    run: str,
    suite: Path | None,
    no_judge: bool,
    scorer: str | None,
    quiet: bool,
    **options: Any,  # noqa: ANN401  handed on by name
) -> ExitCode:
    """Rescore stored answers. Models under test are not called.

    A judge is called for answers it has not judged and for those whose reply is unreadable. --judge
    needs a suite that uses a judge, or --scorer llm_judge. Each
    trial gets a new version of its score; the old version is kept. With --suite, a corrected suite
    scores the answers as a separate run, and benchmaker resume requests answers for its new cases.
    RUN is a run id, a prefix of one, a series, or latest.
    """
    from benchmaker.arenas.standard import rescore
    from benchmaker.cli.options.run_options import options_of
    from benchmaker.cli.output.output import tell
    from benchmaker.cli.output.stored_result import say_result
    from benchmaker.cli.progress.verdict import report_verdict, verdict_code

    chosen = options_of(context, options)
    judged = any(options[it] for it in _JUDGING)
    if suite is None and chosen.profile is None and scorer is None and not judged:
        from benchmaker.engine.runs.rescore import nothing_to_rescore

        raise nothing_to_rescore(run, "Add --profile, --scorer, --suite or --judge.")
    if no_judge and (suite is None or judged):
        raise SpecError("--no-judge needs --suite and excludes --judge.", hint=_NO_JUDGE)
    refuse_without_store(context)
    spec = _scorer(scorer) if scorer else None
    corrections: list[Correction] = []

    def on_correction(correction: "Correction", judges: "tuple[ModelEstimate, ...]") -> None:
        corrections.append(correction)
        if not quiet:
            _say_correction(correction, judges)

    with written_down(context, "run.rescore", run) as ids:
        result = rescore(
            run,
            suite=suite,
            scorer=spec,
            home=context.home,
            environ=context.environ,
            ask_judges=not no_judge,
            on_correction=on_correction,
            options=chosen,
        )
        ids.append(result.series_id or result.run_ids[0])
    say_result(context, result, detail="rows" if quiet else "brief")
    code = (report_verdict if context.use_json else verdict_code)(result.summary)
    for note in result.rescoring_notes:
        tell(note)
    if result.interrupted:
        return ExitCode.INTERRUPTED
    lacks_answers = any(one.is_partial for one in corrections)
    is_cut = bool(result.halted or result.undecided)
    is_partial = is_cut or (lacks_answers and code is ExitCode.OK)
    return ExitCode.PARTIAL if is_partial else code


def _say_correction(correction: "Correction", judges: "tuple[ModelEstimate, ...]") -> None:
    """Print the effect of the corrected suite, and the estimated cost of judging."""
    from benchmaker.cli.output.header import cost_of
    from benchmaker.cli.output.output import tell
    from benchmaker.record.counts import count
    from benchmaker.report.sentences.sentence import capitalise

    tell(correction.answered_sentence)
    for sentence in correction.sentences():
        tell(f"{capitalise(sentence)}.")
    for one in judges:
        role = "Embeddings" if one.embeds else "Judge"
        tell(f"{role} {one.model}: {cost_of(one)}, up to {count(one.requests, 'request')}.")


def _scorer(text: str) -> dict[str, Any]:
    """``id:name=value,name=value``, or a JSON object where a value holds a comma."""
    if text.startswith("{"):
        return _json_object(text)
    before, equals, after = text.partition("=")
    if not equals:
        return {"id": text}
    name, _, key = before.rpartition(":")  # an id may be a path with a colon of its own
    pairs = dict(_pair(pair) for pair in f"{key}={after}".split(","))
    return {"id": name, **pairs}


def _pair(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not (key.strip() and equals):
        raise SpecError(f"{text!r} is not a parameter.", where="--scorer", hint=_HINT)
    return key.strip(), _value(value)


def _json_object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError as exc:
        raise SpecError(f"invalid JSON: {exc}.", where="--scorer", hint=_HINT) from exc
    if not isinstance(found, dict) or "id" not in found:
        raise SpecError("no scorer given.", where="--scorer", hint=_HINT)
    return found


def _value(text: str) -> Any:  # noqa: ANN401  a number, true, false, or the text itself
    try:
        return json.loads(text)
    except ValueError:
        return text
