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
from benchmaker.cli.options.options import gate_metric_option, gate_options
from benchmaker.cli.options.plugin_choice import PluginChoice
from benchmaker.cli.output.output import say, say_json, tell
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmaker.analysis.summary.gate import Gate
    from benchmaker.arenas.standard import RunResult
    from benchmaker.record.baselines.run_baseline import RunBaseline

OF_SUBMISSIONS = ("atif", "otel", "submission")


@declare(
    "export",
    examples=(
        "benchmaker export latest --format html --output report.html",
        "benchmaker export latest --format junit --threshold 80 --output report.xml",
        "benchmaker export latest --format jsonl | head -n 1",
        "benchmaker export latest --format json --output run.json",
        "benchmaker export latest --baseline --output main.baseline.json",
        "benchmaker export codex-1a2b --format atif --output session.trajectory.json",
    ),
)
@click.argument("names", metavar="RUN|SUBMISSION...", nargs=-1, required=True)
@click.option(
    "--format",
    "form",
    type=PluginChoice("format", OF_SUBMISSIONS),
    help="Default: by the name of the output file. For runs: json is complete and can be imported; "
    "csv and jsonl have one row per trial; package.module:Class is a custom "
    "format. For submissions: atif, otel or submission; all can be imported.",
)
@click.option(
    "--output", metavar="FILE", type=FILE, help="Output file, or - for stdout (the default)."
)
@click.option(
    "--baseline",
    "is_baseline",
    is_flag=True,
    help="Write the baseline of a run for gate --baseline: scores, and hashes of cases and "
    "answers.",
)
@click.option("--answers", is_flag=True, help="With --baseline: also the texts of the answers.")
@gate_options
@gate_metric_option
def command(
    context: Context,
    *,
    names: tuple[str, ...],
    form: str | None,
    output: Path | None,
    is_baseline: bool,
    answers: bool,
    threshold: float | None,
    gate: str | None,
    gate_metric: str | None,
) -> ExitCode:
    """Export a run, a series or submissions to a file.

    The file is written completely or not at all. RUN is a run id, a prefix of one, a series, or
    latest. SUBMISSION is the id of an imported session, a prefix of it, or latest.

    A threshold comes from --threshold, else from the run. With a threshold, a junit file contains
    the decision for each model and fails on nothing else, and the exit code is the same as for a
    run. The formats atif (one trajectory), otel (one line of spans per submission) and submission
    apply to submissions.
    """
    to_stdout = output is None or str(output) == "-"
    if to_stdout and context.use_json:
        raise SpecError(
            "--json and the export both write to stdout.",
            hint="Add --output FILE, or remove --json.",
        )
    path = None if to_stdout else output
    if answers and not is_baseline:
        raise SpecError("--answers needs --baseline.", hint="Other formats contain the answers.")
    if is_baseline:
        _refuse_with_baseline(names, form, threshold)
        return _baseline(context, names[0], path, answers=answers)
    form = form or _format_of(path)
    if threshold is not None:
        _require_threshold(form)
    held_to = gate_of_options(threshold, gate, gate_metric)
    if form in OF_SUBMISSIONS:
        _submissions(context, names, form, path)
    elif len(names) > 1:
        raise SpecError(
            f"{form} exports one run or series, not {len(names)}.",
            hint="Export them one by one.",
        )
    else:
        return _run(context, names[0], form, path, gate=held_to)
    return ExitCode.OK


def _refuse_with_baseline(
    names: tuple[str, ...], form: str | None, threshold: float | None
) -> None:
    given = {"--format": form, "--threshold": threshold}
    unused = [name for name, value in given.items() if value is not None]
    if unused:
        raise SpecError(f"{unused[0]} has no effect on a baseline.", hint="Remove it.")
    if len(names) > 1:
        raise SpecError(
            f"a baseline is of one run or series, not {len(names)}.", hint="Export them one by one."
        )


def _baseline(context: Context, name: str, path: Path | None, *, answers: bool) -> ExitCode:
    from benchmaker.cli.actions.gating import write_baseline

    made = write_baseline(context, name, path, answers=answers)
    if path is not None:
        _say_written(context, path, "baseline", {"run_ids": list(made.run_ids)})
    for sentence in _faults_of(made):
        tell(sentence)
    return ExitCode.OK


def _faults_of(made: "RunBaseline") -> "Iterator[str]":
    """What a baseline of an incomplete run lacks."""
    from benchmaker.record.counts import count

    if made.unfinished:
        yield f"Warning: the run {made.unfinished}, so that its baseline is incomplete."
    if made.n_missing:
        verb = "has" if made.n_missing == 1 else "have"
        yield (
            f"Warning: {count(made.n_missing, 'trial')} {verb} no score, so that the gate can't "
            "compare those cases. Score them first with: benchmaker resume RUN --retry-failed"
        )


def _format_of(path: Path | None) -> str:
    """The format that the name of the output file stands for.

    Raises:
        SpecError: none, or no file.
    """
    from benchmaker.report.formats.report_format import listed_formats, load_format

    suffix = path.suffix.lower() if path else ""
    names = [one.id for one in listed_formats()]
    found = next((one for one in names if suffix in load_format(one).suffixes), None)
    if found is None:
        message = f"no format for the name {path}." if path else "no format given."
        known = ", ".join((*names, *OF_SUBMISSIONS))
        raise SpecError(message, hint=f"Add --format with one of {known}.")
    return found


def _require_threshold(form: str) -> None:
    from benchmaker.report.formats.report_format import listed_formats, load_format

    if form not in OF_SUBMISSIONS and load_format(form).takes_threshold:
        return
    known = [one.id for one in listed_formats() if load_format(one.id).takes_threshold]
    hint = f"Use it with --format {' or '.join(known)}."
    raise SpecError(f"{form} does not support --threshold.", hint=hint)


def _run(
    context: Context, name: str, form: str, path: Path | None, *, gate: "Gate | None"
) -> ExitCode:
    from benchmaker.analysis.summary.gate import gate_of
    from benchmaker.cli.actions.exporting import exported_to, write_export
    from benchmaker.cli.output.stored_result import stored_result
    from benchmaker.report.formats.report_format import load_format, refuse_other_suffix

    takes_threshold = load_format(form).takes_threshold
    result = stored_result(context, name)
    if path is not None:
        refuse_other_suffix(load_format(form), result, path)
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
    from benchmaker.spec.documents.sizes import readable_size

    say(f"Written: {path} ({readable_size(path.stat().st_size)})")
