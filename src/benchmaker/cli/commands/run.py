"""``benchmaker run``: a suite over models, and the table of results."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchmaker.cli.actions.gate import gate_of_options, refuse_unknown_metric
from benchmaker.cli.actions.spans import otel_option, span_export
from benchmaker.cli.base_command import FILE
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.garbage_collection import collect_seldom
from benchmaker.cli.options.applicable import refuse_unused_options
from benchmaker.cli.options.options import (
    LIVE_MODELS,
    gate_metric_option,
    recorded_options,
    run_options,
    verdict_options,
)
from benchmaker.engine.requests.option_declaration import Calls
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.cli.progress.live import Begin
    from benchmaker.engine.requests.run_options import RunOptions
    from benchmaker.spec import Suite

_NO_MODEL = (
    "Add a model, such as --model openai/gpt-4o-mini, or recorded answers, such as --recorded "
    "answers.jsonl. List models with: benchmaker models"
)


@declare(
    "run",
    examples=(
        "benchmaker run suite.yaml --model openai/gpt-4o-mini --model ollama/llama3.2",
        "benchmaker run suite.yaml --model anthropic/claude-haiku-4-5 --runs 5 --max-cost 2",
        "benchmaker run suite.yaml --model openai/gpt-4o-mini --runs 5 --repeat-where uncertain",
        "benchmaker run suite.yaml --model http://localhost:8000/v1#my-model --benchmark-mode",
        "benchmaker run suite.yaml --recorded answers.jsonl",
        "benchmaker run suite.yaml --recorded answers.jsonl.gz --model my-model --limit 100",
        (
            "benchmaker run suite.yaml --recorded wide.jsonl --fields id=question_id "
            "--fields models.a=answer_a --fields models.b=answer_b"
        ),
        "benchmaker run --recorded 2026-11-22_task.eval",
        "benchmaker run suite.yaml --recorded answers.jsonl --threshold .8 --json",
        "benchmaker run suite.yaml --recorded answers.jsonl --threshold 80 --gate sure",
        "benchmaker run suite.yaml --recorded answers.jsonl --judge openai/gpt-4o --max-cost 1",
        "benchmaker run suite.yaml --model openai/gpt-4o-mini --watch --max-cost 1",
    ),
)
@click.argument("suite", metavar="[SUITE]", type=FILE, required=False)
@click.option(
    "--model",
    "models",
    metavar="NAME",
    multiple=True,
    help=f"Model to query: {LIVE_MODELS}. With --recorded, only this model. Default: the suite's "
    "models. Repeatable.",
)
@recorded_options
@run_options(Calls.RUN)
@verdict_options
@gate_metric_option
@click.option(
    "--watch",
    is_flag=True,
    help="Run again after each change of the suite, its prompts or its cases. Only changed "
    "requests are sent, as with --cache; --max-cost limits all of them. Ctrl-C ends it.",
)
@otel_option
def command(
    context: Context,
    *,
    suite: Path | None,
    recorded: Path | None,
    threshold: float | None,
    gate: str | None,
    gate_metric: str | None,
    quiet: bool,
    watch: bool,
    otel_endpoint: str | None,
    **options: Any,  # noqa: ANN401  handed on by name
) -> ExitCode:
    """Run a suite against models and print their scores.

    Keys come from the environment or from a .env file in the current folder; benchmaker models
    lists the endpoints and their variables. Every answer and score is stored. Ctrl-C stops the run
    cleanly and prints the command that resumes it.

    Results of another tool, such as Inspect or lm-eval, need no suite if they hold questions and
    right answers: --recorded scores them by the keys of the file.

    Exit codes: 1 if a threshold was missed, 3 if a key is missing, 4 if trials were excluded from
    the mean, 5 if the gate is undecided. A gate is undecided if --gate sure needs more cases, or if
    a model has no scored answer.
    """
    collect_seldom()
    if suite is None:
        return _without_suite(context, recorded, options)
    _refuse_unused(options, suite, recorded)
    from benchmaker.cli.output.output import tell
    from benchmaker.cli.progress.live import perform

    held_to = gate_of_options(threshold, gate, gate_metric)
    refuse_unknown_metric(gate_metric, suite)
    prepare = partial(prepare_run, context, suite, recorded, quiet=quiet)
    execute = partial(perform, context, action="run.start", gate=held_to, quiet=quiet)
    if not watch:
        begin = prepare(options)
        with span_export(otel_endpoint, tell):
            return execute(begin)
    from benchmaker.cli.progress.suite_watch import SuiteWatch

    given = options if recorded else {**options, "cache": True}
    besides = [recorded] if recorded else []
    with span_export(otel_endpoint, tell):
        return SuiteWatch(context, suite, besides, given, prepare, execute, quiet=quiet).run()


def _without_suite(context: Context, recorded: Path | None, options: dict[str, Any]) -> ExitCode:
    """Score the answers in another tool's results, which hold their questions."""
    if recorded is None:
        raise click.MissingParameter(param_hint="'SUITE'", param_type="argument")
    from benchmaker.cli.progress.results_file_runs import score_results_file

    return score_results_file(context, recorded, options)


def _refuse_unused(options: Mapping[str, Any], suite: Path, recorded: Path | None) -> None:
    """Refuse options without effect; the suite is read only if its embeddings make the difference.

    Raises:
        SpecError: an option without effect, or an invalid suite.
    """
    is_recorded, judged = recorded is not None, bool(options["judges"])
    try:
        refuse_unused_options(options, recorded=is_recorded, judged=judged)
    except SpecError:
        from benchmaker.engine.judges.judge_makers import embedding_models
        from benchmaker.scoring.check import load_checked

        if judged or not is_recorded or not embedding_models(load_checked(suite)):
            raise
        refuse_unused_options(options, recorded=True, judged=True)


def prepare_run(
    context: Context,
    suite: "Suite | Path",
    recorded: Path | None,
    options: dict[str, Any],
    *,
    quiet: bool,
) -> "Begin":
    """Return the run requested by the options, ready to execute.

    Raises:
        SpecError: no model, or an invalid one.
        PrerequisiteError: a model's key is missing.
    """
    if recorded is not None:
        return _prepare_recorded(context, suite, recorded, options, quiet=quiet)
    return _prepare_live(context, suite, options, quiet=quiet)


def _prepare_recorded(
    context: Context, suite: "Suite | Path", answers: Path, options: dict[str, Any], *, quiet: bool
) -> "Begin":
    from benchmaker.arenas.standard import run
    from benchmaker.arenas.standard.request import runnable_suite
    from benchmaker.cli.options.judge_options import is_judged
    from benchmaker.cli.options.mapping import answer_fields
    from benchmaker.cli.options.run_options import options_of
    from benchmaker.engine.judges.judge_makers import embedding_models

    chosen = options_of(context, options)
    read = runnable_suite(suite, profile=chosen.profile, judged=is_judged(options))
    is_judging = options["judges"] and not chosen.recorded_judge
    if not quiet and (is_judging or embedding_models(read)):
        _tell_judges(context, read, chosen, judged=is_judged(options))
    return partial(
        run,
        read,
        recorded=answers,
        fields=answer_fields(options["fields"], options["fields_file"]),
        models=options["models"],
        environ=context.environ,
        options=chosen,
    )


def _tell_judges(context: Context, suite: "Suite", options: "RunOptions", *, judged: bool) -> None:
    """Print the estimated cost of scoring one model's answers; their number is still unknown."""
    from benchmaker.cli.options.run_request import run_request_of
    from benchmaker.cli.output.header import judges_header
    from benchmaker.cli.output.output import tell

    request = run_request_of(context, suite, options, judged=judged)
    for line in judges_header(request, budget_usd=options.max_cost_usd):
        tell(line)


def _prepare_live(
    context: Context, suite: "Suite | Path", options: dict[str, Any], *, quiet: bool
) -> "Begin":
    """The run, with everything looked at that can be wrong before the first request."""
    from benchmaker.arenas.standard import run
    from benchmaker.arenas.standard.request import requested_setups
    from benchmaker.cli.options.judge_options import is_judged
    from benchmaker.cli.options.run_options import options_of
    from benchmaker.cli.options.run_request import opened_models, run_request_of
    from benchmaker.cli.output.header import run_header
    from benchmaker.cli.output.output import tell

    chosen = options_of(context, options)
    request = run_request_of(context, suite, chosen, judged=is_judged(options))
    models = options["models"] or [one.name for one in request.suite.models]
    if not models:
        raise SpecError("no model and no recorded answers given.", hint=_NO_MODEL)
    request = replace(request, setups=requested_setups(request.suite, models, chosen))
    live = opened_models(context, request.wanted_models(models), chosen)
    for line in () if quiet else run_header(request, live, budget_usd=chosen.max_cost_usd):
        tell(line)
    return partial(
        run,
        request.suite,
        provider=live,
        models=models if request.setups else live.models,
        environ=context.environ,
        options=chosen,
    )
