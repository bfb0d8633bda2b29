"""A plan of a comparison as text."""

from collections.abc import Iterable
from textwrap import fill

from benchmaker.analysis.comparison.planning import Plan
from benchmaker.report.tables.sanitize import inert
from benchmaker.report.tables.table import WIDTH, wrapped


def plan_text(plan: Plan, *, width: int = WIDTH) -> str:
    """The answer, what it assumes, and what is doubtful about it."""
    parts = [wrapped([plan.sentence], width), _listed("This assumes", plan.assumes, width)]
    if plan.runs_needed is not None:
        parts.append(_listed("Judged", [plan.runs_needed.sentence], width))
    if plan.warnings:
        parts.append(_listed("Note", plan.warnings, width))
    return "\n".join(parts)


def _listed(head: str, items: Iterable[str], width: int) -> str:
    lines = [fill(f"- {inert(item)}", width, subsequent_indent="  ") for item in items]
    return "\n".join([head, *lines, ""])
