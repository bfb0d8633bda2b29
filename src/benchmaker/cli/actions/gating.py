"""A gate against a baseline: reading both sides, writing the decision."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmaker.cli.context import Context
from benchmaker.cli.database import open_store
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output.key_redaction import redactor_of
from benchmaker.cli.output.output import tell
from benchmaker.cli.server.audit_log import write_down

if TYPE_CHECKING:
    from benchmaker.analysis.gates.gate_results import BaselineGate
    from benchmaker.record.baselines.run_baseline import RunBaseline
    from benchmaker.spec.documents.source_map import SourceLocation


def decide(
    context: Context,
    run: str,
    baseline: str,
    *,
    max_drop: float,
    metric: str | None,
    models: Sequence[str],
    spend_usd: float | None = None,
) -> "BaselineGate":
    """Return the decision on a stored run against a run or a file; ``max_drop`` in points.

    With ``spend_usd``, further runs of live models decide where it is undecided.
    """
    from functools import partial

    from benchmaker.analysis.gates.baseline_gate import decide_gate
    from benchmaker.arenas.standard.gating import find_baseline, is_file, refuse_itself
    from benchmaker.engine.runs.run_baselines import baseline_of_runs

    clean = redactor_of(context).text
    with open_store(context) as store:
        before = find_baseline(store, baseline, clean=clean)
        side = baseline_of_runs(store, store.resolve(run).run_ids, clean=clean)
    if not is_file(baseline):
        refuse_itself(side, before)
    of_side = partial(
        decide_gate, baseline=before, max_drop=max_drop / 100, metric=metric, models=models
    )
    if spend_usd is None:
        return of_side(side)
    from benchmaker.arenas.standard.deciding import GateBudget, decide_by_runs

    made = decide_by_runs(
        run,
        lambda made, level: of_side(made, level=level),
        GateBudget(spend_usd, context.environ, tell, clean),
        home=context.home,
        store=context.store_url,
    )
    if new := [run_id for run_id in made.run.run_ids if run_id not in side.run_ids]:
        write_down(context, "run.start", ", ".join(new))
    return made


def exit_code_of(made: "BaselineGate") -> ExitCode:
    """Return 0 for pass, 1 for fail, 5 for undecided."""
    from benchmaker.analysis.summary.decisions import GateVerdict

    codes = {
        GateVerdict.PASSED: ExitCode.OK,
        GateVerdict.FAILED: ExitCode.THRESHOLD_MISSED,
        GateVerdict.UNDECIDED: ExitCode.UNDECIDED,
    }
    return codes[made.verdict]


def format_gate(context: Context, made: "BaselineGate", form: str, run: str) -> str:
    """Return the decision in a format: json, markdown, junit or github."""
    from benchmaker.cli.output.output import json_text
    from benchmaker.report.gates.gate_formats import gate_annotations, gate_junit, gate_markdown

    match form:
        case "json":
            return f"{json_text(made.to_dict())}\n"
        case "markdown":
            return gate_markdown(made)
        case "junit":
            return gate_junit(made)
        case _:
            places, file = _places_of(context, run)
            return gate_annotations(made, places, file=file)


def _places_of(context: Context, run: str) -> "tuple[dict[str, SourceLocation], str]":
    """The lines of the cases in the suite's file, and its path; nothing if it can't be read."""
    from benchmaker.errors import BenchmakerError
    from benchmaker.spec.suites.load import read_suite
    from benchmaker.spec.suites.located_cases import case_places

    with open_store(context) as store:
        source = store.suite(store.run(store.resolve(run).run_ids[0]).suite_hash).source
    if source is None or not Path(source).is_file():
        return {}, ""
    try:
        places = case_places(read_suite(source).suite)
    except BenchmakerError:  # the file changed since the run
        return {}, _relative(source)
    return {
        case_id: place._replace(file=_relative(place.file)) for case_id, place in places.items()
    }, _relative(source)


def _relative(path: str) -> str:
    """A path inside the current folder, relative to it; any other one as it is."""
    absolute = Path(path).resolve()
    here = Path.cwd().resolve()
    return absolute.relative_to(here).as_posix() if absolute.is_relative_to(here) else path


def write_baseline(
    context: Context, run: str, path: Path | None, *, answers: bool
) -> "RunBaseline":
    """Write the baseline of a run to a file, whole or not at all, or to stdout; return it."""
    import sys

    from benchmaker.engine.runs.run_baselines import baseline_of_runs
    from benchmaker.record.baselines.baseline_file import encode_baseline
    from benchmaker.record.baselines.run_baseline import without_texts
    from benchmaker.report.formats.atomic import open_atomic

    with open_store(context) as store:
        made = baseline_of_runs(store, store.resolve(run).run_ids, clean=redactor_of(context).text)
    made = made if answers else without_texts(made)
    if path is not None:
        with open_atomic(path) as stream:
            stream.writelines(encode_baseline(made))
    elif sys.stdout is not None:
        sys.stdout.flush()
        sys.stdout.buffer.writelines(encode_baseline(made))
    return made
