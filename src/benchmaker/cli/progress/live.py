"""Long-running work: progress during it, the table afterwards, and the next steps."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from benchmaker.cli.actions.gate import held_to, report_gate
from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.garbage_collection import resume_collecting
from benchmaker.cli.output.key_redaction import redactor_of
from benchmaker.cli.output.logs import warnings_on_stderr
from benchmaker.cli.output.next_step import next_step, result_name
from benchmaker.cli.output.output import reader_may_leave, tell
from benchmaker.cli.output.stored_result import say_result, stop_reasons, without_keys
from benchmaker.cli.progress.progress import progress_display
from benchmaker.cli.progress.verdict import exclusion_sentences, verdict_code
from benchmaker.cli.server.audit_log import written_down
from benchmaker.errors import BenchmakerError

if TYPE_CHECKING:
    from benchmaker.analysis.summary.gate import Gate
    from benchmaker.arenas.standard import RunResult
    from benchmaker.cli.progress.progress import Show
    from benchmaker.engine.requests.progress import Progress


class Stop(asyncio.Event):
    """The wish to stop; ``on_set`` is called when it is uttered for the first time."""

    def __init__(self, on_set: Callable[[], None]) -> None:
        super().__init__()
        self._on_set = on_set

    def set(self) -> None:
        """Wish it."""
        is_first = not self.is_set()
        super().set()
        if is_first:
            self._on_set()


class Begin(Protocol):
    """Starts the work; the keywords are those of :func:`benchmaker.run`."""

    def __call__(self, *, home: object, on_progress: "ProgressRelay", stop: object) -> "RunResult":
        """The result, when all is done."""
        ...


def perform(
    context: Context,
    begin: Begin,
    *,
    action: str,
    quiet: bool,
    gate: "Gate | None" = None,
    spent_usd: float = 0.0,
) -> ExitCode:
    """Execute the work, print its table, missing parts and next steps.

    ``action`` is its name in the audit log. The ``gate`` decides the exit code. ``spent_usd`` is
    the known cost of earlier executions.
    """
    watch = ProgressRelay()
    try:
        with written_down(context, action, lambda: _series_or_run(context, watch)):
            result = _execute(context, begin, watch, quiet=quiet, spent_usd=spent_usd)
    except KeyboardInterrupt:
        tell(_stop_message(context, action, _series_or_run(context, watch)))
        return ExitCode.INTERRUPTED
    if gate is not None and not result.interrupted:
        result = held_to(result, gate)
    with reader_may_leave():
        say_result(context, result, detail="rows" if quiet else "brief")
    if context.use_json and not quiet:
        _tell_failures(context, result)
    return _report_end(context, result, is_gated=gate is not None, quiet=quiet)


def _execute(
    context: Context, begin: Begin, watch: "ProgressRelay", *, quiet: bool, spent_usd: float
) -> "RunResult":
    display = progress_display(context, quiet=quiet, spent_usd=spent_usd)
    with warnings_on_stderr(redactor_of(context)), display as show:
        watch.show = show
        stop = Stop(watch.tell_stop if not quiet else lambda: None)
        resume_collecting()
        return begin(home=context.home, on_progress=watch, stop=stop)


def _tell_failures(context: Context, result: "RunResult") -> None:
    """Print to stderr the warnings on failures that stand above the table otherwise."""
    from benchmaker.report.sentences.failures import (
        failed_tool_sentences,
        failure_sentences,
        unscored_causes,
    )

    shown = without_keys(context, result.summary)
    told = failure_sentences(shown, stop_reasons(context, result))
    causes = (*unscored_causes(shown), *failed_tool_sentences(shown))
    for sentence in (*told, *exclusion_sentences(shown), *causes):
        tell(sentence)


class ProgressRelay:
    """Forwards run starts and snapshots to the progress display."""

    def __init__(self) -> None:
        self.show: Show | None = None
        self.last: Progress | None = None
        self.run_id = ""

    def on_begin(self, run_id: str) -> None:
        """A run begins, whose id is written down whatever becomes of it."""
        self.run_id = run_id

    def __call__(self, progress: "Progress") -> None:
        """Show the snapshot, if there is a display."""
        self.last = progress
        if self.show is not None:
            self.show(progress)

    def tell_stop(self) -> None:
        """Explain the consequences of the first Ctrl-C."""
        from benchmaker.engine.requests.limits import RunLimits

        flying = self.last.flying if self.last else 0
        wait = f"{flying:,}, up to {RunLimits().drain_s:g} s"
        after = f" after the requests in flight ({wait})" if flying else ""
        tell(f"Stopping{after}. Press Ctrl-C again to stop immediately.")


def _stop_message(context: Context, action: str, name: str) -> str:
    """The consequences of an immediate stop; ``name`` is empty before the start of a run."""
    if name:
        resume = context.line("resume", name)
        return f"Stopped immediately; stored answers are kept. Resume with: {resume}"
    if action == "run.start":
        return "Stopped before the first request; nothing was stored."
    return "Stopped before the first request; stored answers are kept."


def _series_or_run(context: Context, watch: ProgressRelay) -> str:
    """The series, or the run, that was begun; empty where none was."""
    name = watch.run_id
    if not name:
        return ""
    with suppress(BenchmakerError):
        from benchmaker.cli.database import open_store

        with open_store(context) as store:
            name = store.run(name).series_id or name
    return name


def _report_end(context: Context, result: "RunResult", *, is_gated: bool, quiet: bool) -> ExitCode:
    if not quiet:
        _tell_renumbered(result)
    if result.interrupted:
        tell(f"Interrupted; finished trials are kept. Resume with: {_resume(context, result)}")
        return ExitCode.INTERRUPTED
    decided = result.summary.gate if is_gated else None
    code = report_gate(decided, quiet=quiet) if decided else ExitCode.OK
    code = verdict_code(result.summary, gate=code)
    if quiet:
        return code
    _tell_more(context, result)
    if result.halted:
        tell(f"Stopped: {result.halted}.")
    if step := next_step(context, result):
        tell(step)
    return code


def _tell_renumbered(result: "RunResult") -> None:
    """Print the runs' numbers in the recording, if they differ."""
    from benchmaker.providers.run_labels import renumbering_note
    from benchmaker.report.sentences.sentence import capitalise

    if note := renumbering_note(result.runs[0].provider.get("run_labels", ())):
        tell(f"{capitalise(note)}.")


def _resume(context: Context, result: "RunResult", *options: str) -> str:
    return context.line("resume", result_name(result), *options)


def _tell_more(context: Context, result: "RunResult") -> None:
    """Print the commands that explain a score and write a report, if there are scores."""
    scored = [row.model for row in result.summary.models if row.mean is not None]
    if not scored:
        return
    tell()
    words = ("explain", *_lowest_case(result, scored[-1]), "--model", scored[-1])
    tell(f"Explain a score: {context.line(*words)}")
    page = context.line(
        "export", result_name(result), "--format", "html", "--output", "report.html"
    )
    tell(f"HTML report:     {page}")


def _lowest_case(result: "RunResult", model: str) -> tuple[str, str]:
    """Run and case of the model's lowest score, the first of several."""
    import numpy as np

    columns = result.columns()
    own = columns.model == columns.models.index(model)
    at = int(np.nanargmin(np.where(own, columns.score, np.nan)))
    return columns.run_ids[columns.run[at]], columns.case_ids[int(columns.position[at])]
