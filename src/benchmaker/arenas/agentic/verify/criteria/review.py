"""Criterion: a person decides."""

from benchmaker.arenas.agentic.verify.criterion_context import GradingContext
from benchmaker.arenas.agentic.verify.finding import Finding, skip_with
from benchmaker.spec.tasks.criterion import HumanReview


async def human_review(criterion: HumanReview, place: GradingContext) -> Finding:  # noqa: ARG001  every kind's form
    """Return an open result until somebody answers; see ``answered``."""
    return skip_with(f"no answer yet: {criterion.question}")
