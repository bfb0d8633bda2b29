"""``benchmaker code improve``: a page of a run improved in a second turn, as a run of its own."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchmaker.cli.actions.gate import gate_of_options
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.commands.code_run import refuse_unclear
from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.garbage_collection import collect_seldom
from benchmaker.cli.options.applicable import refuse_unused_options
from benchmaker.cli.options.options import (
    SELECTION,
    recorded_options,
    run_options,
    verdict_options,
)
from benchmaker.cli.output.rendering import NO_JUDGE, render_options
from benchmaker.engine.requests.option_declaration import Calls
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.spec import Suite

_OF_SUITES = (*SELECTION, "prompts", "repeat_where")
"""The options of a run that have no effect on a suite of one case."""


@declare(
    "improve",
    examples=(
        "benchmaker code improve latest page 'Add a dark theme' --model openai/gpt-4o --no-judge",
        "benchmaker code improve 20261120-7f3k2m counter 'Larger digits' --judge openai/gpt-4o",
    ),
)
@click.argument("run", metavar="RUN")
@click.argument("case", metavar="CASE")
@click.argument("request_text", metavar="CHANGES")
@click.option(
    "--model",
    metavar="NAME",
    help="The model whose page is improved, and which improves it. Optional if there is only one.",
)
@recorded_options
@run_options(Calls.RUN, without=_OF_SUITES)
@NO_JUDGE
@render_options
@verdict_options
def command(
    context: Context,
    *,
    run: str,
    case: str,
    request_text: str,
    model: str | None,
    recorded: Path | None,
    threshold: float | None,
    gate: str | None,
    quiet: bool,
    **options: Any,  # noqa: ANN401  handed on by name
) -> ExitCode:
    """Improve a page of a stored run in a second turn.

    The model gets the prompt, its first answer and your CHANGES, in a new run of one case with the
    id page. It keeps the checks of the first page. Without --judge, the judges of its run are used,
    if these can be queried. The case of a run that benchmaker code run
    --page made is page, too.

    In the web interface, Before and after compares both pages.
    """
    collect_seldom()
    refuse_unclear(options)
    options = _with_judges(context, run, options)
    refuse_unused_options(options, recorded=recorded is not None, judged=bool(options["judges"]))
    from benchmaker.cli.commands.run import prepare_run
    from benchmaker.cli.progress.live import perform

    held_to = gate_of_options(threshold, gate)
    suite, models = _second_turn(context, run, case, request_text, model)
    begin = prepare_run(context, suite, recorded, {**options, "models": models}, quiet=quiet)
    return perform(context, begin, action="run.start", gate=held_to, quiet=quiet)


def _with_judges(context: Context, run: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options with the live judges of the run, if none are given."""
    from benchmaker.cli.database import open_store

    if options["judges"] or options["no_judge"] or options["recorded_judge"]:
        return options
    with open_store(context) as store:
        known = store.run(store.resolve(run).run_ids[0]).judge
    if known.get("provider", {}).get("kind") != "live":
        return options
    repeats = options["judge_repeats"] or known.get("repeats")
    return {**options, "judges": tuple(known["asked"]), "judge_repeats": repeats}


def _second_turn(
    context: Context, run: str, case: str, changes: str, model: str | None
) -> "tuple[Suite, tuple[str, ...]]":
    """Return the suite with the request, and the model that it goes to.

    Raises:
        SpecError: no such run, case or model; or several models and none was named.
    """
    from benchmaker.arenas.code.prompt_suite import suite_of_stored_page
    from benchmaker.cli.actions.explaining import trial_of_case
    from benchmaker.cli.database import open_store
    from benchmaker.cli.options.name_lookup import model_of_run, only_model

    with open_store(context) as store:
        run_ids = store.resolve(run).run_ids
        if len(run_ids) != 1:
            raise SpecError(f"{run} is a series of {len(run_ids)} runs.", hint="Give one of them.")
        found = store.run(run_ids[0])
        chosen = model_of_run(found, model) if model else only_model(found)
        trial = trial_of_case(store, found, case, chosen)
        suite = suite_of_stored_page(store, trial.key, changes)
        return suite, (found.setup(chosen).model,)
