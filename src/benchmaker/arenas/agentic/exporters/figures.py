"""The sums over the steps of a story, in addition to its submission's figures."""

from math import fsum
from operator import attrgetter
from typing import NamedTuple

from benchmaker.arenas.agentic.exporters.steps import Story
from benchmaker.arenas.agentic.sessions.sums import UsageSum
from benchmaker.record.submissions.submission import COUNTED_PATHS, Submission, TokenUsage


class Figures(NamedTuple):
    """The figures that a reader of the export can count; None if undefined."""

    usage: TokenUsage
    llm_calls: int | None
    tool_calls: int | None
    tool_errors: int | None
    iterations: int | None
    cost_usd: float | None


def count_steps(story: Story) -> Figures:
    """Return the sums over the steps."""
    own = [step for step in story.steps if not step.is_copied]
    requests = [step.request for step in own if step.request is not None]
    usage = UsageSum()
    for request in requests:
        if request.usage is not None:
            usage.add(request.usage)
    costs = [request.cost_usd for request in requests if request.cost_usd is not None]
    numbers = [request.requests for request in requests]
    calls = [called for step in own for called in step.calls]
    return Figures(
        usage=usage.value,
        llm_calls=None if None in numbers else sum(n or 0 for n in numbers),
        tool_calls=len(calls),
        tool_errors=sum(called.is_error for called in calls),
        iterations=sum(step.source == "user" for step in own),
        cost_usd=fsum(costs) if costs else None,
    )


def stated_counts(submission: Submission, story: Story) -> dict[str, int]:
    """Return the submission's counts that cannot be derived from its steps, by name."""
    found = count_steps(story)
    return {
        name: n
        for name, path in COUNTED_PATHS.items()
        if (n := attrgetter(path)(submission)) is not None and n != getattr(found, name, None)
    }
