"""Criterion: a person says whether it holds."""

from benchmaker.arenas.agentic.verify.criterion_context import Place
from benchmaker.arenas.agentic.verify.finding import Finding, skipped
from benchmaker.spec.tasks.criterion import HumanReview


async def human_review(criterion: HumanReview, place: Place) -> Finding:  # noqa: ARG001  every kind's form
    """Open until somebody has answered; see ``answered``."""
    return skipped(f"nobody has answered yet: {criterion.question}")
