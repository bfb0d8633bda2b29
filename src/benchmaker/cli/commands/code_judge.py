"""``benchmaker code judge``: pages of files, or of a run, scored by the probe and by judges."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.commands.code_run import refuse_unclear
from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.options.numbers import SECONDS
from benchmaker.cli.options.options import declared_option, judge_options
from benchmaker.cli.output.rendering import NO_JUDGE, render_options
from benchmaker.cli.server.audit_log import written_down
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.cli.progress.live import Begin
    from benchmaker.engine.requests.run_options import RunOptions
    from benchmaker.spec import ScorerSpec, Suite

_PROMPT = "Make a web page."
_CASE = "page"
_MOST_BYTES = 20_000_000


@declare(
    "judge",
    examples=(
        "benchmaker code judge latest --judge openai/gpt-4o",
        "benchmaker code judge latest --no-judge",
        "benchmaker code judge a.html b.html --no-judge",
        'benchmaker code judge a.html --prompt "A page with a stopwatch" --judge openai/gpt-4o',
    ),
)
@click.argument("what", metavar="RUN | FILE...", nargs=-1, required=True)
@click.option("--prompt", metavar="TEXT", help="Prompt that the files answer.")
@click.option(
    "--quick", is_flag=True, help="Show judges only the first 5,000 characters of the code."
)
@click.option("--vision", is_flag=True, help="Send screenshots too. The judge must accept images.")
@judge_options
@NO_JUDGE
@render_options
@click.option(
    "--timeout",
    metavar="S",
    type=SECONDS,
    help="Timeout in seconds for each judge request. Default: 120.",
)
@declared_option(
    "max_cost_usd", "Spending limit in dollars. No judge request is sent that could exceed it."
)
@click.option("--quiet", "-q", is_flag=True, help="Hide progress and hints.")
def command(
    context: Context,
    *,
    what: tuple[str, ...],
    prompt: str | None,
    quiet: bool,
    **options: Any,  # noqa: ANN401  handed on by name
) -> ExitCode:
    """Judge the pages of a stored run, or pages in files.

    A file is a model's answer or a page; each becomes a model in a run of its own, named after the
    file. Pages that a run has already rendered are not rendered again. Without --judge, the run's
    earlier judges are used, or the suite's.
    """
    refuse_unclear(options)
    files = [Path(one) for one in what if Path(one).is_file()]
    if files and len(files) < len(what):
        lost = ", ".join(one for one in what if not Path(one).is_file())
        raise SpecError(f"there is no file {lost}.", hint="Give files or one run.")
    from benchmaker.cli.progress.live import perform

    if files:
        return perform(
            context,
            _of_files(context, files, prompt, options),
            action="run.start",
            quiet=quiet,
        )
    if len(what) > 1 or prompt is not None:
        raise SpecError("only one run can be judged at a time.", hint="Give one run.")
    return _of_run(context, what[0], options, quiet=quiet)


def _of_files(
    context: Context, files: Sequence[Path], prompt: str | None, options: dict[str, Any]
) -> "Begin":
    from benchmaker.arenas.standard import run
    from benchmaker.cli.options.run_options import options_of
    from benchmaker.providers.scripted import Scripted

    texts = {path.name: _text(path) for path in files}
    if len(texts) < len(files):
        raise SpecError("two files have the same name.", hint="Judge them one after the other.")
    if not (options["no_judge"] or options["judges"] or options["recorded_judge"]):
        raise SpecError("no judge given.", hint="Choose a judge with --judge, or use --no-judge.")
    return partial(
        run,
        _suite(prompt or _PROMPT, options),
        provider=Scripted(
            {(name, _CASE): text for name, text in texts.items()},
            source=", ".join(map(str, files)),
        ),
        environ=context.environ,
        options=options_of(context, options),
    )


def _suite(prompt: str, options: dict[str, Any]) -> "Suite":
    from benchmaker.spec import Case, Suite

    return Suite("code judge", [Case(id=_CASE, prompt=prompt)], scorer=_scorer(options))


def _scorer(options: dict[str, Any]) -> "ScorerSpec":
    from benchmaker.spec import ScorerSpec

    chosen = {name: True for name in ("quick", "vision") if options[name]}
    return ScorerSpec.model_validate({"id": "code_judge", **chosen})


def _text(path: Path) -> str:
    if path.stat().st_size > _MOST_BYTES:
        raise SpecError(f"{path} is larger than 20 MB.", hint="Give only the page.")
    return path.read_text(encoding="utf-8", errors="replace")


def _of_run(context: Context, run: str, options: dict[str, Any], *, quiet: bool) -> ExitCode:
    from benchmaker.arenas.standard import rescore
    from benchmaker.cli.database import refuse_without_store
    from benchmaker.cli.options.run_options import options_of
    from benchmaker.cli.output.output import tell
    from benchmaker.cli.output.stored_result import say_result
    from benchmaker.cli.progress.verdict import report_verdict, verdict_code

    refuse_without_store(context)
    with written_down(context, "run.rescore", run) as ids:
        result = rescore(
            run,
            scorer=_scorer_of(context, run, options),
            home=context.home,
            environ=context.environ,
            options=_with_judges(context, run, options_of(context, options)),
        )
        ids.append(result.series_id or result.run_ids[0])
    say_result(context, result, detail="rows" if quiet else "brief")
    on_stderr = context.use_json and not quiet
    code = (report_verdict if on_stderr else verdict_code)(result.summary)
    for note in result.rescoring_notes:
        tell(note)
    if result.interrupted:
        return ExitCode.INTERRUPTED
    return ExitCode.PARTIAL if result.halted or result.undecided else code


def _with_judges(context: Context, run: str, options: "RunOptions") -> "RunOptions":
    """The options with the judges before the last pass without one, or the suite's, if none given.

    Repeats alone name no judge.
    """
    from benchmaker.cli.database import open_store
    from benchmaker.spec import JudgeSpec

    given = dict(options.judge) if isinstance(options.judge, Mapping) else {}
    if "models" in given or options.recorded_judge:
        return options
    with open_store(context) as store:
        known = store.run(store.resolve(run).run_ids[0]).judge
    if known.get("asked"):
        return options
    earlier = known.get("earlier", {})
    named = {name: it for name, it in earlier.items() if name in JudgeSpec.model_fields}
    path = earlier.get("provider", {}).get("path")
    return replace(options, judge={**named, **given}, recorded_judge=path)


def _scorer_of(context: Context, run: str, options: dict[str, Any]) -> "ScorerSpec | None":
    """Return the run's own page scorer with the options given now; None if cases name theirs.

    Raises:
        SpecError: not a run of the Code Arena, or options that the cases' own scorers ignore.
    """
    from benchmaker.cli.database import open_store
    from benchmaker.engine.judges.judge_makers import load_scorers
    from benchmaker.engine.runs.code_runs import refuse_outside_code_arena, scores_pages

    with open_store(context) as store:
        run_ids = store.resolve(run).run_ids
        refuse_outside_code_arena(store, run_ids)
        suite = store.suite(store.run(run_ids[0]).suite_hash)
        own, chosen = suite.scorer, _scorer(options)
        if own is not None and own.id == chosen.id:
            return type(chosen).model_validate({**own.model_dump(), **chosen.parameters})
        if not scores_pages(load_scorers(suite)):
            return chosen
    if chosen.parameters:
        raise SpecError(
            "--quick and --vision have no effect: the cases with pages name their own scorer.",
            hint="Set quick or vision in these cases: benchmaker rescore RUN --suite edited.yaml",
        )
    return None
