"""The gate that options ask for, and the exit code that comes of it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output import tell
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.analysis.gate import Gate
    from benchmaker.analysis.summary import Summary
    from benchmaker.arenas.standard import RunResult
    from benchmaker.record.columns import ScoreColumns


def gate_of_options(threshold: float | None, how: str | None) -> "Gate | None":
    """The gate; None where no threshold is given.

    Raises:
        SpecError: it says how to decide, and not what.
    """
    if threshold is None:
        if how is not None:
            raise SpecError(
                f"--gate {how} decides on a threshold, and none is given.",
                hint="Write it: --threshold 80",
            )
        return None
    from benchmaker.analysis.gate import Gate  # noqa: PLC0415  --help needs none of it

    return Gate(threshold, is_sure=how == "sure")


def told_gate(gate: "Gate", summary: "Summary", columns: "Callable[[], ScoreColumns]") -> ExitCode:
    """Tell what the gate asks for and what it says of each model; return the exit code."""
    from benchmaker.analysis.gate import GateVerdict  # noqa: PLC0415  --help needs none of it
    from benchmaker.report.gate import decision_words, threshold_words  # noqa: PLC0415

    made = gate.decisions(summary, columns)
    verdicts = {one.verdict for one in made}
    if verdicts == {GateVerdict.PASSED}:
        asked = threshold_words(gate.threshold, summary.figure_name)
        tell(f"Threshold met by all models: {asked} was asked for.")
    for one in made:
        if gate.is_sure or one.verdict is not GateVerdict.PASSED:
            tell(decision_words(one))
    if GateVerdict.FAILED in verdicts:
        return ExitCode.THRESHOLD_MISSED
    return ExitCode.UNDECIDED if GateVerdict.UNDECIDED in verdicts else ExitCode.OK


def remember_gate(result: "RunResult", gate: "Gate") -> None:
    """Write down what the runs were held to, for exports to say the same."""
    from msgspec.structs import replace  # noqa: PLC0415  --help needs none of it

    with result.place.opened() as store:
        for run_id in result.run_ids:
            run = store.run(run_id)
            store.amend_run(replace(run, manner={**run.manner, **gate.to_dict()}))
