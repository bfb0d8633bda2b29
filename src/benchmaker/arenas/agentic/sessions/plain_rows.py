"""Converts a plain table row directly to its submission, without a stream of events.

The stored result is the same as by its events: the same submission, and the same trace.
"""

from typing import Any

from msgspec.structs import replace

from benchmaker.arenas.agentic.logs.durations import EventTimes
from benchmaker.arenas.agentic.logs.events import Session
from benchmaker.arenas.agentic.logs.plain_row import PlainRow
from benchmaker.arenas.agentic.sessions.assembling import (
    UNKNOWN_TOOL,
    completeness_of,
    session_outcome,
    time_of,
)
from benchmaker.arenas.agentic.sessions.behaviour import error_rate
from benchmaker.arenas.agentic.sessions.counts import stated_counts
from benchmaker.arenas.agentic.sessions.facts import Facts
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.arenas.agentic.sessions.provenance import provenance_of
from benchmaker.record.submissions.submission import (
    Behaviour,
    Cost,
    EvidenceLevel,
    Submission,
    System,
)
from benchmaker.record.submissions.zeros import ZERO_TOKENS, measures_nothing, without_zeros
from benchmaker.record.timestamps import optional_timestamp

_LOG = (0, "")
"""The only file of a table, of which the main agent alone speaks."""


def facts_of(row: PlainRow) -> Facts:
    """The facts that a row states about its session."""
    facts = Facts()
    facts.session(row.session)
    return facts


def submission_of_row(
    row: PlainRow,
    pricer: Pricer,
    *,
    gap_limit_s: float,
    is_partial: bool,
    **known: Any,  # noqa: ANN401  fields of a submission
) -> Submission:
    """Return the submission of a row.

    Args:
        row: the row.
        pricer: knows which models are free.
        gap_limit_s: longer gaps in seconds do not count as activity.
        is_partial: whether reading stopped at this row.
        known: the fields that the row itself does not determine.
    """
    session, figures, flags = row.session, row.figures, set[str](known.pop("flags"))
    moments = _event_times(row)
    first, last = moments.start, moments.end
    began = optional_timestamp(first)
    total, llm_calls = figures.get("total_tokens"), figures.get("llm_calls")
    counts = stated_counts(figures)
    if measures_nothing(total, llm_calls=llm_calls):
        flags.add(ZERO_TOKENS)
    time = time_of(figures, moments, gap_limit_s, flags)
    submission = Submission(
        system=_system(session),
        session_id=session.session_id,
        started_at=began,
        finished_at=began if last == first else optional_timestamp(last),
        total_tokens=total or None,
        **counts,
        time=time,
        cost=Cost(reported_usd=figures.get("cost_usd")),
        outcome=session_outcome(row.ended),
        behaviour=Behaviour(
            tool_error_rate=error_rate(counts["tool_errors"], counts["tool_calls"])
        ),
        evidence_level=EvidenceLevel.SELF_REPORTED,
        flags=tuple(sorted(flags)),
        extra=session.extra,
        **known,
    )
    measured = without_zeros(submission, is_free=lambda: pricer.is_free(submission))
    return replace(
        measured,
        provenance=provenance_of(measured, read=session.provenance, stated=figures),
        completeness=completeness_of(measured, is_partial=is_partial),
    )


def _event_times(row: PlainRow) -> EventTimes:
    moments = EventTimes()
    for at in row.moments:
        moments.add(at, _LOG)
    return moments


def _system(session: Session) -> System:
    return System(
        harness=session.harness or UNKNOWN_TOOL,
        harness_version=session.harness_version,
        model=session.model,
        provider=session.provider,
        effort=session.effort,
    )
