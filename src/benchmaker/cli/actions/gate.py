"""The gate set by options, and its exit code."""

from pathlib import Path
from typing import TYPE_CHECKING

from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output.output import tell
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.analysis.summary.decisions import GateResult
    from benchmaker.analysis.summary.gate import Gate
    from benchmaker.arenas.standard import RunResult
    from benchmaker.spec import Suite


def gate_of_options(
    threshold: float | None, how: str | None, metric: str | None = None
) -> "Gate | None":
    """Return the gate; None without a threshold.

    Raises:
        SpecError: a mode of decision or a metric without a threshold.
    """
    if threshold is None:
        if how is not None:
            raise SpecError(
                f"--gate {how} needs a threshold.",
                hint="Add one, such as: --threshold 80",
            )
        if metric is not None:
            raise SpecError(
                "--gate-metric needs a threshold.", hint="Add one, such as: --threshold 80"
            )
        return None
    from benchmaker.analysis.summary.gate import Gate
    from benchmaker.spec.suites.check_spec import EVERY_TABLES_METRICS

    if metric in EVERY_TABLES_METRICS:
        raise SpecError(
            f"--gate-metric {metric} is no metric of checks.", hint=f"Use --metric {metric}."
        )
    return Gate(threshold, is_sure=how == "sure", metric=metric or "")


def refuse_unknown_metric(metric: str | None, suite: "Suite | Path") -> None:
    """Check before a run that a check of the suite has the metric of the gate.

    Raises:
        SpecError: none has it, or the suite is invalid.
    """
    if metric is None:
        return
    from benchmaker.scoring.check import load_checked
    from benchmaker.spec.documents.suggestions import did_you_mean
    from benchmaker.spec.suites.check_spec import PASS_RATE, metrics_in

    read = load_checked(suite) if isinstance(suite, Path) else suite
    known = dict.fromkeys(metrics_in(read.checks))
    known |= dict.fromkeys(name for case in read for name in metrics_in(case.checks))
    if any(one is not None for one in (read.threshold, *(case.threshold for case in read))):
        known[PASS_RATE] = None
    if metric not in known:
        names = f"Metrics of its checks: {', '.join(known) or 'none'}."
        raise SpecError(
            f"unknown metric {metric!r}.", hint=f"{did_you_mean(metric, known)} {names}".strip()
        )


def report_gate(decided: "GateResult", *, quiet: bool = False) -> ExitCode:
    """Print the threshold and the verdict on each model; return the exit code.

    If ``quiet``, only the models that miss the threshold or are undecided are printed.
    """
    from benchmaker.analysis.summary.decisions import GateVerdict
    from benchmaker.report.runs.gate import gate_sentences

    is_passed = decided.verdict is GateVerdict.PASSED
    for sentence in () if quiet and is_passed else gate_sentences(decided):
        tell(sentence)
    codes = {
        GateVerdict.FAILED: ExitCode.THRESHOLD_MISSED,
        GateVerdict.UNDECIDED: ExitCode.UNDECIDED,
    }
    return codes.get(decided.verdict, ExitCode.OK)


def held_to(result: "RunResult", gate: "Gate") -> "RunResult":
    """Return the result with the gate's decisions; the runs record it for exports."""
    from dataclasses import replace

    from msgspec.structs import replace as replace_record

    with result.place.open_store() as store:
        for run_id in result.run_ids:
            run = store.run(run_id)
            before = {name: it for name, it in run.options.items() if name != "gate_metric"}
            store.amend_run(replace_record(run, options={**before, **gate.to_dict()}))
    decided = gate.decide(result.summary, result.columns)
    return replace(result, summary=replace(result.summary, gate=decided))
