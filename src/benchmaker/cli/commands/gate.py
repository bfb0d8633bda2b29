"""``benchmaker gate``: did the scores of a run drop below those of a baseline?"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchmaker.cli.base_command import FILE, run_argument
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.options.numbers import Number
from benchmaker.cli.options.options import metric_option
from benchmaker.cli.output.output import say, say_wrapped
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.analysis.gates.gate_results import BaselineGate

FORMATS = ("text", "json", "markdown", "junit", "github")


@declare(
    "gate",
    examples=(
        "benchmaker gate latest --baseline main.baseline.json",
        "benchmaker gate latest --baseline RUN --max-drop 5 --metric strict",
        "benchmaker gate latest --baseline main.baseline.json --format markdown --output gate.md",
        "benchmaker gate latest --baseline main.baseline.json --decide --max-cost 2",
    ),
)
@run_argument
@click.option(
    "--baseline",
    metavar="RUN|FILE",
    required=True,
    help="Baseline: a run, a series, or a file that export --baseline wrote.",
)
@click.option(
    "--max-drop",
    metavar="POINTS",
    type=Number(0, 100),
    default=2.0,
    help="Largest allowed drop in points (0-100). Default: 2.",
)
@metric_option
@click.option(
    "--model",
    "models",
    metavar="NAME",
    multiple=True,
    help="Only these models or setups of the run. Repeatable.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="markdown suits a comment on a pull request, github prints annotations. Default: text.",
)
@click.option("--output", metavar="FILE", type=FILE, help="Output file, or - for stdout.")
@click.option(
    "--decide",
    "runs_again",
    is_flag=True,
    help="Run the suite again with the same live models while the gate is undecided and the budget "
    "lasts. Runs can't replace further cases: if the spread between cases dominates, none is "
    "added.",
)
@click.option(
    "--max-cost",
    metavar="USD",
    type=Number(0),
    help="With --decide: the most that further runs may cost, in dollars.",
)
def command(
    context: Context,
    *,
    run: str,
    baseline: str,
    max_drop: float,
    metric: str | None,
    models: tuple[str, ...],
    form: str | None,
    output: Path | None,
    runs_again: bool,
    max_cost: float | None,
) -> ExitCode:
    """Fail if scores dropped below a baseline.

    Every model is compared with its baseline case by case, as compare does. It passes if the whole
    95% interval of the difference is above -POINTS, fails if it is wholly below, and is undecided
    otherwise. Models are paired by name; the only models of both sides are compared as they are.

    Exit codes: 0 if all models pass, 1 if one fails, 5 if the gate is undecided. The output then
    says how many further cases or runs would decide.

    For a fixed threshold without a baseline, use run --threshold with --gate.
    """
    from benchmaker.cli.actions.gating import decide, exit_code_of, format_gate

    chosen = _format(context, form)
    if runs_again != (max_cost is not None):
        given, missing = ("--decide", "--max-cost") if runs_again else ("--max-cost", "--decide")
        raise SpecError(f"{given} needs {missing}.", hint="Give both, or none.")
    made = decide(
        context,
        run,
        baseline,
        max_drop=max_drop,
        metric=metric,
        models=models,
        spend_usd=max_cost,
    )
    if chosen == "text":
        _write_text(made, output)
    else:
        _write(format_gate(context, made, chosen, run), made, output, chosen)
    return exit_code_of(made)


def _format(context: Context, form: str | None) -> str:
    """The format: --json is short for --format json.

    Raises:
        SpecError: --json with another format.
    """
    if context.use_json and form not in {None, "json"}:
        raise SpecError(f"--json contradicts --format {form}.", hint="Give one of them.")
    return "json" if context.use_json else form or "text"


def _write_text(made: "BaselineGate", output: Path | None) -> None:
    from benchmaker.report.gates.gate_formats import gate_text
    from benchmaker.report.tables.width import WIDTH, width_of

    is_file = output is not None and str(output) != "-"
    width = WIDTH if is_file or sys.stdout is None else width_of(sys.stdout)
    text = gate_text(made, width=width, where="; --json lists all")
    _write(text, made, output, "text")


def _write(text: str, made: "BaselineGate", output: Path | None, form: str) -> None:
    """To a file, whole or not at all, with the verdict on stdout; or to stdout."""
    from benchmaker.report.formats.atomic import open_atomic
    from benchmaker.report.gates.gate_sentences import gate_headline

    if output is None or str(output) == "-":
        say(text.rstrip("\n"))
        return
    with open_atomic(output) as stream:
        stream.write(text.encode())
    if form != "json":
        say_wrapped(gate_headline(made))
