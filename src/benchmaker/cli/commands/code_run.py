"""``benchmaker code run``: prompts for pages over models, the pages rendered and judged."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchmaker.cli.actions.gate import gate_of_options
from benchmaker.cli.base_command import FILE
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.garbage_collection import collect_seldom
from benchmaker.cli.options.applicable import refuse_unused_options
from benchmaker.cli.options.options import (
    LIVE_MODELS,
    recorded_options,
    run_options,
    verdict_options,
)
from benchmaker.cli.output.rendering import NO_JUDGE, render_options, starter
from benchmaker.engine.requests.option_declaration import Calls
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.spec import Suite


@declare(
    "run",
    examples=(
        "benchmaker code run starter --recorded starter --no-judge",
        "benchmaker code run pages.yaml --model openai/gpt-4o-mini --judge openai/gpt-4o",
        "benchmaker code run pages.yaml --model ollama/llama3.2 --no-judge",
        "benchmaker code run --page 'A stopwatch with laps' --model ollama/llama3.2 --no-judge",
        "benchmaker code run pages.yaml --recorded answers.jsonl --no-judge",
        "benchmaker code run pages.yaml --recorded answers.jsonl --judge openai/gpt-4o --runs 3",
    ),
)
@click.argument("suite", metavar="[SUITE]", type=FILE, required=False)
@click.option("--page", metavar="TEXT", help="Prompt for one page, instead of SUITE.")
@click.option(
    "--model",
    "models",
    metavar="NAME",
    multiple=True,
    help=f"Model to query: {LIVE_MODELS}. With --recorded, only this model. Repeatable.",
)
@recorded_options
@run_options(Calls.RUN)
@NO_JUDGE
@render_options
@verdict_options
def command(
    context: Context,
    *,
    suite: Path | None,
    page: str | None,
    recorded: Path | None,
    threshold: float | None,
    gate: str | None,
    quiet: bool,
    **options: Any,  # noqa: ANN401  handed on by name
) -> ExitCode:
    """Run a suite of page prompts; render, exercise, measure and judge the pages.

    SUITE or some of its cases must use the scorer code_judge. With --page it is a suite of that one
    prompt, named after its first words. The bundled suite starter has
    illustrative answers, which --recorded starter selects. Answers and renders are stored as soon
    as they exist: benchmaker resume repeats only work in flight, and benchmaker rescore renders
    nothing.

    Functionality and responsiveness are measured; a judge scores appearance and code. The commands
    results, explain, compare, rank and export show these scores like any others.
    """
    collect_seldom()
    refuse_unclear(options)
    refuse_unused_options(options, recorded=recorded is not None, judged=bool(options["judges"]))
    from benchmaker.cli.commands.run import prepare_run
    from benchmaker.cli.progress.live import perform

    held_to = gate_of_options(threshold, gate)
    with starter(suite, "starter.yaml") as file, starter(recorded, "answers.jsonl") as answers:
        pages = _requested_suite(page, file or suite, options)
        begin = prepare_run(context, pages, answers, options, quiet=quiet)
        return perform(context, begin, action="run.start", gate=held_to, quiet=quiet)


def _requested_suite(page: str | None, path: Path | None, options: dict[str, Any]) -> "Suite":
    """Return the suite of a typed prompt, or the one in a file.

    Raises:
        SpecError: both or neither are given, or an unfit one.
    """
    if page is not None and path is None:
        from benchmaker.arenas.code.prompt_suite import suite_of_prompt

        return suite_of_prompt(page)
    if path is not None and page is None:
        return _suite_of_pages(path, options)
    found = "no suite is given." if page is None else "SUITE and --page exclude each other."
    raise SpecError(found, hint="Give a suite file, or a prompt with --page.")


def _suite_of_pages(path: Path, options: dict[str, Any]) -> "Suite":
    """Return the suite, read and checked.

    Raises:
        SpecError: an invalid suite, or one without pages.
    """
    from benchmaker.arenas.standard.request import runnable_suite
    from benchmaker.cli.options.judge_options import is_judged
    from benchmaker.engine.runs.code_runs import scores_pages

    suite = runnable_suite(path, profile=options["profile"], judged=is_judged(options))
    if not scores_pages(suite):
        raise SpecError(
            "no case has the scorer code_judge.",
            where=str(path),
            hint="Add scorer: code_judge to the suite, or run it with benchmaker run.",
        )
    return suite


def refuse_unclear(options: dict[str, Any]) -> None:
    """Require either a judge or none.

    Raises:
        SpecError: a judge together with --no-judge.
    """
    if options["no_judge"] and (options["judges"] or options["recorded_judge"]):
        raise SpecError("--judge and --no-judge exclude each other.", hint="Remove one of them.")
