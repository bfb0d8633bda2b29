"""Stored results, and the table that shows them."""

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from benchmaker.cli.context import Context
from benchmaker.cli.database import home_of, open_store
from benchmaker.cli.output.key_redaction import redactor_of
from benchmaker.cli.output.output import say_json

if TYPE_CHECKING:
    from benchmaker.analysis import Summary
    from benchmaker.arenas.standard import RunResult
    from benchmaker.report.runs.text import Detail


def stored_result(context: Context, run: str) -> "RunResult":
    """Return the results of a stored run or series.

    Raises:
        SpecError: unknown name.
    """
    from benchmaker.arenas.standard.result import run_result

    with open_store(context) as store:
        return run_result(store, store.resolve(run).run_ids, home_of(context))


def say_result(
    context: Context,
    result: "RunResult",
    *,
    summary: "Summary | None" = None,
    detail: "Detail" = "brief",
) -> None:
    """Print the verdict, the warnings and the table; or JSON.

    ``summary`` replaces that of the result.
    """
    from benchmaker.report.runs.text import write_text
    from benchmaker.report.runs.verdict import compare_models, effects_of, result_sentences

    shown = without_keys(context, summary or result.summary)
    effects = effects_of(result)
    if context.use_json:
        plain = _with_tool(context, result, shown.to_dict())
        say_json(plain | (effects.to_dict() if effects else {}))
    elif sys.stdout is not None:
        sentences = result_sentences(shown, compare_models(result), effects)
        above = [] if detail == "rows" else [context.complete(it) for it in sentences]
        write_text(
            shown,
            sys.stdout,
            effects=effects,
            result=above,
            stopped=stop_reasons(context, result),
            detail=detail,
            explained_by=context.line("results", _displayed_id(result), "--explain"),
            complete=context.complete,
            styled=None if context.use_color else False,
        )


def _with_tool(context: Context, result: "RunResult", plain: dict[str, Any]) -> dict[str, Any]:
    """The summary of imported runs with the tool, and the means of its own scorers."""
    imported = [run for run in result.runs if run.tool is not None]
    if not imported:
        return plain
    from benchmaker.arenas.standard.importers.headline import scorer_means

    with open_store(context) as store:
        means = scorer_means(store, [run.id for run in imported])
    models = [{**one, "scorers": means.get(one["model"], {})} for one in plain["models"]]
    names = ("tool", "version", "evaluation", "task", "files")
    return {
        **plain,
        "models": models,
        "imported": {name: imported[0].provider.get(name) for name in names},
    }


def _displayed_id(result: "RunResult") -> str:
    """The id of the run, or of the series if several of its runs are there."""
    return (result.series_id if len(result.run_ids) > 1 else None) or result.run_ids[0]


def stop_reasons(context: Context, result: "RunResult") -> dict[str, str]:
    """The models and judges that are no longer queried, with the reasons, without keys."""
    hide = redactor_of(context)
    return {model: hide.text(why) for model, why in result.stopped.items()}


def without_keys(context: Context, summary: "Summary") -> "Summary":
    """Return the summary with the reasons of its failures without keys."""
    from msgspec.structs import replace as replace_record

    hide = redactor_of(context).text
    failed, unscored = (
        tuple(replace_record(cause, message=hide(cause.message)) for cause in causes)
        for causes in (summary.failed, summary.unscored)
    )
    stopped = {model: hide(why) for model, why in summary.stopped.items()}
    tools = tuple(replace_record(it, reason=hide(it.reason)) for it in summary.failed_tools)
    return replace(summary, stopped=stopped, failed=failed, unscored=unscored, failed_tools=tools)
