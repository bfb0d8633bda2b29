"""A plan of a comparison as text."""

from collections.abc import Iterable
from itertools import chain

from benchmaker.analysis.comparison.planning import PowerPlan
from benchmaker.report.tables.sanitize import sanitise
from benchmaker.report.tables.table import wrap_paragraphs
from benchmaker.report.tables.width import WIDTH, wrap_whole


def plan_text(plan: PowerPlan, *, width: int = WIDTH) -> str:
    """Return the answer, its assumptions, and doubts."""
    parts = [
        wrap_paragraphs([plan.sentence], width),
        _bullet_list("This assumes", plan.assumes, width),
    ]
    if plan.runs_needed is not None:
        parts.append(_bullet_list("Judged", [plan.runs_needed.sentence], width))
    if plan.warnings:
        parts.append(_bullet_list("Note", plan.warnings, width))
    return "\n".join(parts)


def _bullet_list(head: str, items: Iterable[str], width: int) -> str:
    lines = (wrap_whole(f"- {sanitise(item)}", width, subsequent_indent="  ") for item in items)
    return "\n".join([head, *chain.from_iterable(lines), ""])
