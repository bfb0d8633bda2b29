"""``benchmaker export``: a run, a series or submissions as a file."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchmaker.cli.actions.gate import gate_of_options
from benchmaker.cli.base_command import FILE
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.options.options import gate_options
from benchmaker.cli.options.plugin_choice import PluginChoice
from benchmaker.cli.output.output import say, say_json
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.analysis.summary.gate import Gate
    from benchmaker.arenas.standard import RunResult

OF_SUBMISSIONS = ("atif", "otel", "submission")


@declare(
    "export",
    examples=(
        "benchmaker export latest --format html --output report.html",
        "benchmaker export latest --format junit --threshold 80 --output report.xml",
        "benchmaker export latest --format jsonl | head -n 1",
        "benchmaker export latest --format json --output run.json",
        "benchmaker export codex-1a2b --format atif --output session.trajectory.json",
    ),
)
@click.argument("names", metavar="RUN|SUBMISSION...", nargs=-1, required=True)
@click.option(
    "--format",
    "form",
    type=PluginChoice("format", OF_SUBMISSIONS),
    required=True,
    help="Of runs: json holds everything and can be imported; csv and jsonl have a row a trial; "
    "package.module:Class is a format of your own. "
    "Of submissions: atif, otel, submission; all can be imported.",
)
@click.option(
    "--output", metavar="FILE", type=FILE, help="Where to; without it, or with -, to stdout."
)
@gate_options
def command(
    context: Context,
    *,
    names: tuple[str, ...],
    form: str,
    output: Path | None,
    threshold: float | None,
    gate: str | None,
) -> ExitCode:
    """Write a run, a series or submissions as a file.

    The file is there whole or not at all. RUN is a run's id, the beginning of one, a series, or
    latest; SUBMISSION is the id of a session that was imported, the beginning of one, or latest.
    Under a threshold, that of --threshold or else the one that the run was made with, junit holds
    the decision for each model and fails by that alone, and the exit code is that of a run with
    this threshold. The formats atif (one trajectory), otel (a line of spans each) and submission
    are those of submissions.
    """
    to_stdout = output is None or str(output) == "-"
    if to_stdout and context.use_json:
        raise SpecError("stdout can't hold both.", hint="With --json, name a file: --output FILE")
    path = None if to_stdout else output
    if threshold is not None:
        _require_threshold(form)
    held_to = gate_of_options(threshold, gate)
    if form in OF_SUBMISSIONS:
        _submissions(context, names, form, path)
    elif len(names) > 1:
        raise SpecError(
            f"{form} holds one run or series, and {len(names)} were named.",
            hint="Export them one by one.",
        )
    else:
        return _run(context, names[0], form, path, gate=held_to)
    return ExitCode.OK


def _require_threshold(form: str) -> None:
    from benchmaker.report.formats.report_format import listed_formats, load_format

    if form not in OF_SUBMISSIONS and load_format(form).takes_threshold:
        return
    known = [one.id for one in listed_formats() if load_format(one.id).takes_threshold]
    hint = f"It is for --format {' or '.join(known)}."
    raise SpecError(f"{form} holds no threshold.", hint=hint)


def _run(
    context: Context, name: str, form: str, path: Path | None, *, gate: "Gate | None"
) -> ExitCode:
    from benchmaker.analysis.summary.gate import gate_of
    from benchmaker.cli.actions.exporting import exported_to, write_export
    from benchmaker.cli.output.stored_result import stored_result
    from benchmaker.report.formats.report_format import load_format

    takes_threshold = load_format(form).takes_threshold
    result = stored_result(context, name)
    gate = (gate or gate_of(result.runs[0])) if takes_threshold else None
    if path is None:
        exported_to(context, result, form, sys.stdout, gate=gate)
    else:
        write_export(context, result, form, path, gate=gate)
        _say_written(context, path, form, {"run_ids": list(result.run_ids)})
    return _gate_exit_code(result, gate)


def _gate_exit_code(result: "RunResult", gate: "Gate | None") -> ExitCode:
    """Return the exit code that matches the file: that of the gate, if any."""
    if gate is None:
        return ExitCode.OK
    from benchmaker.cli.actions.gate import report_gate
    from benchmaker.cli.progress.verdict import report_verdict

    code = report_gate(gate.decide(result.summary, result.columns))
    return report_verdict(result.summary, gate=code)


def _submissions(context: Context, names: tuple[str, ...], form: str, path: Path | None) -> None:
    from benchmaker.cli.actions.exporting import submissions_exported

    ids = submissions_exported(context, names, form, path)
    if path is not None:
        _say_written(context, path, form, {"submissions": ids})


def _say_written(context: Context, path: Path, form: str, what: dict[str, list[str]]) -> None:
    if context.use_json:
        say_json({"written": str(path), "format": form, **what})
        return
    from benchmaker.cli.output.sizes import format_bytes

    say(f"Written: {path} ({format_bytes(path.stat().st_size)})")
