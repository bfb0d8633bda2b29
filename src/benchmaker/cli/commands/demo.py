"""``benchmaker demo``: the main job on bundled answers, without key or network."""

import sys
from contextlib import ExitStack
from importlib.resources import as_file
from pathlib import Path
from typing import TYPE_CHECKING

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context, program
from benchmaker.cli.output.output import say, say_hint, say_json
from benchmaker.cli.server.audit_log import write_down

if TYPE_CHECKING:
    from benchmaker.arenas.standard import RunResult

_CASE = "tax-total"
_MODEL = "illustrative-c"
_REPORT = "report.html"


@declare(
    "demo",
    examples=("benchmaker demo", "benchmaker demo --home demo"),
    home="a fresh temporary folder, not BENCHMAKER_HOME",
)
def command(context: Context) -> None:
    """Run a bundled suite on bundled illustrative answers.

    The demo makes three runs, prints a table with intervals, explains one score and writes an HTML
    report. The answers are hand-written, for models that do not exist. Results go to a fresh folder
    unless --home names one.
    """
    at = context.with_home(context.home if context.home_was_given else _fresh_folder())
    if not context.use_json:
        say("Illustrative answers, written by hand for fictional models.")
        say()
    result = _run(at)
    report = _write_report(at, result)
    if context.use_json:
        say_json({**result.summary.to_dict(), "report": str(report), "home": str(at.home)})
    else:
        _say(at, result, report)


def _fresh_folder() -> Path:
    from tempfile import mkdtemp

    return Path(mkdtemp(prefix="benchmaker-demo-"))


def _run(context: Context) -> "RunResult":
    from benchmaker.arenas.standard import run
    from benchmaker.spec.documents.bundled_files import resource_path

    with ExitStack() as stack:
        suite, answers = (
            stack.enter_context(as_file(resource_path("demo", name)))
            for name in ("suite.yaml", "answers.jsonl")
        )
        result = run(suite, recorded=answers, home=context.home)
    write_down(context, "run.start", result.series_id or result.run_ids[0])
    return result


def _write_report(context: Context, result: "RunResult") -> Path:
    from benchmaker.cli.actions.exporting import write_export

    path = context.home / _REPORT
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_export(context, result, "html", path)
    return path


def _say(context: Context, result: "RunResult", report: Path) -> None:
    from benchmaker.cli.actions.explaining import explanations
    from benchmaker.cli.output.stored_result import say_result
    from benchmaker.report.tables.width import window_of

    say_result(context, result)
    say()
    run_id = result.run_ids[0]
    say_hint(f"One score explained: {context.line('explain', 'latest', _CASE, '--model', _MODEL)}")
    say()
    width = None if sys.stdout is None else window_of(sys.stdout)
    for one in explanations(context, run_id, _CASE, model=_MODEL):
        say(one.text(width=width))
    say(f"HTML report:     {report}")
    say_hint(f"In a browser, page /series/{result.series_id}: {context.line('serve')}")
    say_hint(f"All trials:      {context.line('show', 'latest')}")
    say_hint(f"Your own suite:  {' '.join((*program(), 'init'))}")
