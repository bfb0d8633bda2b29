"""An agent's session, step by step: lanes on one clock, and the steps as a list."""

from itertools import islice
from typing import Any, ClassVar

from fastapi import APIRouter, Request, Response

from benchmaker.arenas.agentic.traces.steps import TraceStep
from benchmaker.arenas.agentic.traces.trace import Trace
from benchmaker.errors import SpecError
from benchmaker.plugins import web_page
from benchmaker.report.sentences import trace_words as words
from benchmaker.web.accounts.actors import Who
from benchmaker.web.agentic.lookup import Name, crumbs_to, lookup_submission_for, submission_title
from benchmaker.web.agentic.shown_steps import step_content
from benchmaker.web.agentic.timeline import timeline
from benchmaker.web.agentic.traces import trace_of
from benchmaker.web.faults import Missing
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench

router = APIRouter(include_in_schema=False)


@web_page(id="trace")
class TracePage:
    """The steps of an agent's session."""

    routes: ClassVar = router
    is_public: ClassVar = True


STEPS = 50
_MARKED = 40


@router.get("/agentic/submissions/{name}/trace")
def trace_page(request: Request, bench: Bench, who: Who, name: Name) -> Response:
    """Show the page of steps that contains ``at``."""
    row = lookup_submission_for(who, bench, name)
    view = read_view(request, filters={"at": None, "agent": None})
    trace = trace_of(bench, row)
    hide = bench.redactor.text
    chosen = list(trace.select(agent=view.filters["agent"] or None, text=view.q or None))
    first = _first_step(view, chosen)
    shown = chosen[first : first + STEPS]
    return page(
        request,
        "agentic/trace",
        title="Trace",
        here="Agentic",
        crumbs=crumbs_to(bench, row, "Trace"),
        view=view,
        base=f"/agentic/submissions/{row.number}",
        subtitle=submission_title(bench, row),
        hide=hide,
        lines=[
            words.session_counts(trace),
            words.session_tokens(trace),
            words.clock(trace),
            words.session_cost(trace),
        ],
        warnings=words.warnings(trace),
        lanes=timeline(trace.walk(), gap_limit_s=row.submission.time.gap_limit_s),
        marked=_marked_steps(trace),
        agents=_agents(trace),
        steps=[step_content(step, hide) for step in shown],
        at=view.filters["at"],
        first=first,
        count=len(chosen),
        before=chosen[max(0, first - STEPS)].number if first else None,
        after=chosen[first + STEPS].number if first + STEPS < len(chosen) else None,
    )


@router.get("/agentic/submissions/{name}/trace/{number}")
def step_page(request: Request, bench: Bench, who: Who, name: Name, number: int) -> Response:
    """One step with all of its texts."""
    row = lookup_submission_for(who, bench, name)
    trace = trace_of(bench, row)
    step = next((one for one in trace.walk() if one.number == number), None)
    if step is None:
        raise Missing(f"there is no step {number}.", hint="Choose one in the trace.")
    count = sum(1 for _ in trace.walk())
    base = f"/agentic/submissions/{row.number}"
    above = crumbs_to(bench, row, "Trace")
    return page(
        request,
        "agentic/step",
        title=f"Step {number}: {words.title(step)}",
        here="Agentic",
        crumbs=(*above[:-1], Crumb("Trace", f"{base}/trace?at={number}"), Crumb(f"Step {number}")),
        base=base,
        step=step_content(step, bench.redactor.text, whole=True),
        before=number - 1 if number > 1 else None,
        after=number + 1 if number < count else None,
        count=count,
    )


def _first_step(view: View, chosen: list[TraceStep]) -> int:
    """Return the first position of the page that contains the requested step."""
    at = view.filters["at"]
    if not at:
        return 0
    if not (at.isascii() and at.isdecimal() and len(at) < 10):  # noqa: PLR2004  digits of an int
        raise SpecError(f"invalid value for at: {at!r}.", hint="Enter the number of a step.")
    index = next((i for i, step in enumerate(chosen) if step.number >= int(at)), len(chosen) - 1)
    return max(index, 0) // STEPS * STEPS


def _marked_steps(trace: Trace) -> dict[str, list[int]]:
    """Return the numbers of notable steps, by kind."""
    found: dict[str, list[int]] = {}
    for step, mark in words.marked_steps(trace):
        found.setdefault(mark.value, []).append(step.number)
    return {mark: list(islice(dict.fromkeys(steps), _MARKED)) for mark, steps in found.items()}


def _agents(trace: Trace) -> list[Any]:
    """The agents, where there is more than the main one."""
    names = list(dict.fromkeys(step.name for step in trace.walk()))
    return names[:50] if len(names) > 1 else []
