"""``benchmaker calibrate``: the reliability of a judge."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from benchmaker.cli.base_command import FILE
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context, stderr_is_terminal
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.options.numbers import DOLLARS, Number, WholeNumber
from benchmaker.cli.options.options import moved_judge_option
from benchmaker.cli.output.output import say_json, tell
from benchmaker.cli.server.audit_log import written_down

if TYPE_CHECKING:
    from benchmaker.judging.session import OnJudged

_PAIR = 2


@declare(
    "calibrate",
    examples=(
        "benchmaker calibrate --judge openai/gpt-4o",
        "benchmaker calibrate --judge openai/gpt-4o --tier quick",
        "benchmaker calibrate --judge openai/gpt-4o --suite suite.yaml --max-cost 1",
        "benchmaker calibrate --judge openai/gpt-4o --scorer faithfulness",
        "benchmaker calibrate --judge openai/gpt-4o --tier human --labels rated.csv --json",
    ),
)
@click.option("--judge", metavar="MODEL", help="Judge model to calibrate.")
@click.option(
    "--tier",
    type=click.Choice(["quick", "standard", "human"]),
    help="Answers to judge: 8 bundled ones, for screening only; 48 bundled ones; or your own. "
    "Default: standard, or human with --labels.",
)
@click.option(
    "--labels",
    metavar="FILE",
    type=FILE,
    help="Answers rated by people: a .jsonl or .csv file with id, answer and score, and "
    "optionally question, reference and author. For several raters, use fields named "
    "human_NAME.",
)
@click.option(
    "--label-scale",
    metavar="LOW HIGH",
    type=float,
    nargs=_PAIR,
    default=(0.0, 1.0),
    help="Lowest and highest score that people could give. Default: 0 1.",
)
@click.option(
    "--judge-scale",
    metavar="LOW HIGH",
    type=float,
    nargs=_PAIR,
    help="Lowest and highest score of the judge. Default: the scale of --suite, else 0 10.",
)
@click.option(
    "--tolerance",
    metavar="SHARE",
    type=Number(0, 1, min_open=True),
    default=0.1,
    help="Accepted distance from people's scores, as a share of their scale. Default: 0.1.",
)
@click.option(
    "--repeats",
    metavar="K",
    type=WholeNumber(1, 100),
    default=3,
    help="Number of judgments per answer; the first is rated. Default: 3.",
)
@moved_judge_option
@click.option(
    "--concurrency",
    metavar="N",
    type=WholeNumber(1),
    default=5,
    help="Maximum number of parallel requests. Default: 5.",
)
@click.option(
    "--suite",
    metavar="FILE",
    type=FILE,
    help="Judge with the instructions, scale and criteria of this suite.",
)
@click.option(
    "--scorer",
    metavar="ID",
    help="Calibrate for this scorer, on its own bundled answers: rubric, g_eval, factuality, "
    "answer_relevance, faithfulness or pairwise.",
)
@click.option(
    "--max-cost",
    "max_cost_usd",
    metavar="USD",
    type=DOLLARS,
    help="Spending limit in dollars. No request is sent that could exceed it.",
)
@click.option("--quiet", is_flag=True, help="Hide progress.")
def command(
    context: Context,
    *,
    judge: str | None,
    tier: Literal["quick", "standard", "human"] | None,
    labels: Path | None,
    quiet: bool,
    **options: Any,  # noqa: ANN401  handed on by name
) -> ExitCode:
    """Calibrate a judge on answers with known scores.

    The rating follows the published table; beside it is the rating that the 95% intervals support.
    Every reply is stored. A second calibration queries the judge again and shows its drift. The
    exit code is 4 if the judge gave no judgment at all or was stopped early.
    """
    from benchmaker.judging.calibrate import calibrate_judge
    from benchmaker.report.judges.calibration import calibration_data, calibration_text
    from benchmaker.report.tables.width import width_of

    with written_down(context, "judge.calibrate", judge or "recorded"):
        result = calibrate_judge(
            judge,
            tier=tier or ("human" if labels else "standard"),
            labels=labels,
            environ=context.environ,
            dotenv=context.dotenv,
            home=context.home,
            store=context.store_url,
            on_judged=None if quiet else _progress(),
            **options,
        )
    if context.use_json:
        say_json(calibration_data(result))
    elif not (result.halted and result.summary.judged):
        sys.stdout.write(calibration_text(result, width=width_of(sys.stdout)))
    if result.halted:
        tell(f"Calibration stopped early: {result.halted}.")
        tell("The calibration is incomplete; its replies are kept. Repeat the command to continue.")
        return ExitCode.PARTIAL
    if not result.summary.judged:
        tell("The judge gave no judgments, so no calibration was stored.")
        return ExitCode.PARTIAL
    return ExitCode.OK


def _progress() -> "OnJudged | None":
    """One line a quarter, where somebody looks."""
    if not stderr_is_terminal():
        return None

    def report(done: int, total: int) -> None:
        if done * 4 // total != (done - 1) * 4 // total:
            tell(f"{done:,} of {total:,} answers judged")

    return report
