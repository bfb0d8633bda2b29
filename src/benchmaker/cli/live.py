"""Work that takes a while: progress beside it, the table after it, and what to do next."""

from typing import TYPE_CHECKING, Protocol

from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output import reader_may_leave, tell
from benchmaker.cli.progress import showing
from benchmaker.cli.shown import say_summary
from benchmaker.cli.verdict import told_verdict

if TYPE_CHECKING:
    from benchmaker.arenas.standard import RunResult


class Begin(Protocol):
    """Starts the work; the keywords are those of :func:`benchmaker.run`."""

    def __call__(self, *, home: object, store: object, on_progress: object) -> "RunResult":
        """The result, when all is done."""
        ...


def performed(context: Context, begin: Begin, *, threshold: float | None, quiet: bool) -> ExitCode:
    """Do the work, print its table, tell what is missing and what can be done next."""
    with showing(context, quiet=quiet) as show:
        result = begin(home=context.home, store=context.store_url, on_progress=show)
    with reader_may_leave():
        say_summary(context, result.summary)
    for model, reason in result.stopped.items():
        tell(f"{model} was not asked to the end: {reason}")
    if result.interrupted:
        tell(f"Interrupted; what is done is kept. Go on with: {_resume(context, result)}")
        return ExitCode.INTERRUPTED
    code = told_verdict(result.summary, threshold=threshold)
    if not quiet:
        _tell_next(context, result)
    return code


def _resume(context: Context, result: "RunResult") -> str:
    return context.line("resume", _name(result))


def _name(result: "RunResult") -> str:
    return result.series_id or result.run_ids[0]


def _tell_next(context: Context, result: "RunResult") -> None:
    first = next(result.trials(), None)
    if first is None:
        return
    model = result.summary.models[-1].model
    tell()
    tell(
        f"Explain a score: {context.line('explain', first.run_id, first.case_id, '--model', model)}"
    )
    page = context.line("export", _name(result), "--format", "html", "--output", "report.html")
    tell(f"HTML report:     {page}")
