"""``benchmaker estimate``: tokens and money of a run, before anything is sent."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchmaker.cli.base_command import FILE
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.options.numbers import WholeNumber
from benchmaker.cli.options.options import (
    LIVE_MODELS,
    SELECTION,
    declared_option,
    max_tokens_option,
    selection_options,
)
from benchmaker.cli.output.output import say, say_json, say_wrapped

if TYPE_CHECKING:
    from benchmaker.engine.runs.estimate import Estimate


@declare(
    "estimate",
    examples=(
        "benchmaker estimate suite.yaml --model openai/gpt-4o-mini --runs 5",
        "benchmaker estimate suite.yaml --model anthropic/claude-haiku-4-5 --max-tokens 300 --json",
        "benchmaker estimate suite.yaml --model mistral/mistral-small-latest --judge openai/gpt-4o",
    ),
)
@click.argument("suite", metavar="SUITE", type=FILE)
@click.option(
    "--model",
    "models",
    metavar="NAME",
    multiple=True,
    help=f"Model to estimate: {LIVE_MODELS}. Default: the suite's models. Repeatable.",
)
@click.option(
    "--prompt",
    "prompts",
    metavar="ID",
    multiple=True,
    help="Only this prompt of the suite, by its id. Default: all. Repeatable.",
)
@click.option(
    "--effort",
    "efforts",
    metavar="LEVEL",
    multiple=True,
    help="Reasoning effort, instead of the suite's: none, minimal, low, medium, high or xhigh. "
    "Repeatable.",
)
@click.option(
    "--runs", metavar="N", type=WholeNumber(1), default=1, help="Number of runs. Default: 1."
)
@declared_option("repeat_where")
@click.option(
    "--judge",
    "judges",
    metavar="MODEL",
    multiple=True,
    help="Judge model; overrides the suite's judges. Repeatable, for a panel.",
)
@click.option(
    "--judge-repeats",
    metavar="N",
    type=WholeNumber(1, 100),
    help="Number of judgments per answer from each judge.",
)
@selection_options
@max_tokens_option
def command(
    context: Context,
    *,
    suite: Path,
    models: tuple[str, ...],
    **options: Any,  # noqa: ANN401  handed on by name
) -> None:
    """Estimate the tokens and cost of a run without sending requests.

    No key is needed. Tokens are estimated from the texts, since each model has its own tokenizer.
    The range extends from the shortest answers to answers that use all of --max-tokens.
    """
    from benchmaker.arenas.standard import estimate
    from benchmaker.cli.options.judge_options import judge_of
    from benchmaker.cli.options.sampling import sampling_parameters
    from benchmaker.engine.requests.run_options import RunOptions

    chosen = {name: options[name] for name in SELECTION if options[name] is not None}
    found = estimate(
        suite,
        models=models,
        parameters=sampling_parameters(options),
        home=context.home,
        store=context.store_url,
        judge=judge_of(options),
        runs=options["runs"],
        prompts=options["prompts"],
        efforts=options["efforts"],
        options=RunOptions(**chosen, repeat_where=options["repeat_where"]),
    )
    if context.use_json:
        say_json(found.to_dict())
    else:
        _say(found, context)


def _say(estimate: "Estimate", context: Context) -> None:
    from benchmaker.cli.output.table import window_width
    from benchmaker.record.counts import count
    from benchmaker.report.result_tables.estimates import ESTIMATES

    least = f"{estimate.runs_at_least} to " if estimate.runs_at_least else ""
    size = f"{count(estimate.cases, 'case')} × {least}{count(estimate.runs, 'run')}"
    limit = f"at most {estimate.max_tokens:,} tokens an answer"
    say_wrapped(f"Estimate for {estimate.suite}: {size}, {limit}.")
    say()
    say(ESTIMATES.table(estimate).text(width=window_width()))
    say_wrapped(_total(estimate, context))
    say_wrapped(estimate.assumed)
    if estimate.judges:
        _say_judges(estimate)
    if estimate.embeddings:
        from benchmaker.engine.runs.embedding_estimate import EMBEDDINGS_ASSUMED

        say_wrapped(EMBEDDINGS_ASSUMED)
    say_wrapped(f"Prices: {estimate.price_version}.")


def _say_judges(estimate: "Estimate") -> None:
    from benchmaker.engine.runs.judge_estimate import JUDGES_ASSUMED

    say_wrapped(JUDGES_ASSUMED)
    for one in estimate.judges:
        if one.basis:
            say_wrapped(f"Judge {one.model}: {one.basis}.")


def _total(estimate: "Estimate", context: Context) -> str:
    from benchmaker.providers.prices.price_file import price_advice
    from benchmaker.report.result_tables.estimates import money_range

    if estimate.cost_usd is None:
        advice = context.complete(price_advice(estimate.unpriced_models[0]))
        return f"Total: no estimate (prices unknown). {advice}"
    total = f"Total: estimated {money_range(estimate.cost_usd)}"
    if estimate.unpriced_models:
        return f"{total}, without {', '.join(estimate.unpriced_models)} (price unknown)."
    return f"{total}."
