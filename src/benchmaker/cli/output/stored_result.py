"""Stored results, and the table that shows them."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from benchmaker.cli.context import Context
from benchmaker.cli.database import home_of, open_store
from benchmaker.cli.output.key_redaction import redactor_of
from benchmaker.cli.output.output import say_json
from benchmaker.errors import AnalysisError

if TYPE_CHECKING:
    from benchmaker.analysis import Summary
    from benchmaker.analysis.comparison.results import Comparison
    from benchmaker.analysis.effects.run_effects import RunEffects
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
    causes: Sequence[str] = (),
) -> None:
    """Print the verdict, the warnings, the ``causes`` of failures and the table; or JSON.

    ``summary`` replaces that of the result.
    """
    from benchmaker.report.runs.text import write_text
    from benchmaker.report.runs.verdict import result_sentences

    shown = summary or result.summary
    effects = effects_of(result)
    if context.use_json:
        say_json(shown.to_dict() | (effects.to_dict() if effects else {}))
    elif sys.stdout is not None:
        above = [] if detail == "rows" else result_sentences(shown, _comparison(result), effects)
        write_text(
            shown,
            sys.stdout,
            effects=effects,
            result=above,
            stopped=stop_reasons(context, result),
            causes=causes,
            detail=detail,
            explained_by=context.line(
                "results", result.series_id or result.run_ids[0], "--explain"
            ),
            styled=None if context.use_color else False,
        )


def stop_reasons(context: Context, result: "RunResult") -> dict[str, str]:
    """The models and judges that are no longer queried, with the reasons, without keys."""
    hide = redactor_of(context)
    return {model: hide.text(why) for model, why in result.stopped.items()}


def effects_of(result: "RunResult") -> "RunEffects | None":
    """The effects of prompts, models and efforts; None for a run without these dimensions."""
    if not any(run.has_dimensions for run in result.runs):
        return None
    from benchmaker.analysis.effects.run_effects import run_effects

    return run_effects(result.columns(), result.runs)


def _comparison(result: "RunResult") -> "Comparison | None":
    """The comparison of the models, warned by labels; None where there is nothing to compare."""
    if sum(model.mean is not None for model in result.summary.models) < 2:  # noqa: PLR2004  a pair
        return None
    from benchmaker.analysis.comparison.comparison import compare
    from benchmaker.analysis.comparison.contradictions import compared_with_labels

    columns = result.columns()
    with result.place.open_store() as store:
        labels = store.labels(result.run_ids)
    with suppress(AnalysisError):
        return compared_with_labels(compare(columns, result.runs), columns, labels)
    return None
