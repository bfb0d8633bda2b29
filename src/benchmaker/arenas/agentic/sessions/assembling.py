"""Assembles a submission from a session's counts and its log's facts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from benchmaker.arenas.agentic.logs.durations import EventTimes
from benchmaker.arenas.agentic.logs.events import SessionEnd, Totals
from benchmaker.arenas.agentic.logs.usage_checks import drop_excess_reasoning, total_of
from benchmaker.arenas.agentic.sessions.behaviour import behaviour
from benchmaker.arenas.agentic.sessions.counts import counts_of, fields_of_all, fields_of_main
from benchmaker.arenas.agentic.sessions.memory_tables import Change, Request, Some
from benchmaker.arenas.agentic.sessions.pricing import METHOD, Priced, Pricer
from benchmaker.arenas.agentic.sessions.provenance import provenance_of
from benchmaker.arenas.agentic.sessions.sums import Share
from benchmaker.arenas.agentic.sessions.tally import Tally
from benchmaker.record.submissions.submission import (
    Artifacts,
    Cost,
    Counts,
    EvidenceLevel,
    ModelUsage,
    OutcomeOf,
    Patch,
    Provenance,
    Submission,
    System,
    TimeSpent,
    TokenUsage,
)
from benchmaker.record.submissions.zeros import ZERO_TOKENS, measures_nothing, without_zeros
from benchmaker.record.timestamps import optional_timestamp

MOST = 10_000
"""Maximum number of paths kept."""


def artifacts(
    changes: Some[Change], ended: SessionEnd | None, *, recorded: bool, flags: set[str]
) -> Artifacts:
    """Return created and modified files by path, sorted; failed changes left no file.

    A file created and then modified counts as created; a deleted one stays in the list. A log with
    changes gives a lower bound, since a shell can also create files.
    """
    done = changes.filter(lambda change: not change.failed)
    created = {change.path for change in done if change.kind == "created"}
    modified = {change.path for change in done if change.kind == "modified"} - created
    if len(created) > MOST or len(modified) > MOST:
        flags.add("files_cut")
    patch = _patch(ended.patch) if ended and ended.patch else None
    return Artifacts(
        files_created=tuple(sorted(created)[:MOST]),
        files_modified=tuple(sorted(modified)[:MOST]),
        patch=patch,
        completeness=_completeness(patch, seen=recorded or bool(done)),
    )


def _completeness(patch: Patch | None, *, seen: bool) -> str:
    if patch is not None:
        return "complete"
    return "lower_bound" if seen else "unknown"


def _patch(text: str) -> Patch:
    r"""The patch by its digest and size, with the lines that it adds and removes.

    >>> _patch("+++ b/x\n--- a/x\n+new\n-old\n-old\n").removed
    2
    """
    from hashlib import sha256  # noqa: PLC0415  few logs have a patch

    raw = text.encode("utf-8", "replace")
    lines = text.splitlines()
    files = sum(line.startswith("+++ ") for line in lines)
    removals = sum(line.startswith("-") for line in lines)
    return Patch(
        sha256=sha256(raw).hexdigest(),
        bytes=len(raw),
        files=files,
        added=sum(line.startswith("+") for line in lines) - files,
        removed=removals - sum(line.startswith("--- ") for line in lines),
    )


FROM_TOTAL = "from the session's total"
UNKNOWN_TOOL = "unknown"
_LONGEST_S = 31 * 86_400


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a session, those that its log states in place of the sums."""

    usage: TokenUsage
    total_tokens: int | None
    counts: dict[str, int | None]
    reported_usd: float | None


def assemble_submission(
    tally: Tally, share: Share, pricer: Pricer, *, gap_limit_s: float
) -> Submission:
    """The submission, without its id, its task and its sources."""
    given = tally.given
    if given is not None:
        return without_zeros(given, is_free=lambda: pricer.is_free(given))
    facts, flags = tally.facts, set(tally.flags)
    figures = _figures(share, tally, flags)
    stated = {"llm_s": share.latency_s} | facts.totals
    time = time_of(stated, tally.moments, gap_limit_s, flags)
    made = artifacts(
        share.changes, facts.ended, recorded="file_changes" in facts.records, flags=flags
    )
    cost, reasons = _cost(share, figures, tally, pricer)
    by_model = share.by_model(pricer.usd_of(facts.get("provider"))) if share.usage.total else ()
    submission = Submission(
        id="",
        system=_system(tally, by_model),
        session_id=facts.get("session_id") or "",
        project=facts.get("cwd"),
        started_at=optional_timestamp(tally.moments.start),
        finished_at=optional_timestamp(tally.moments.end),
        usage=figures.usage,
        usage_by_model=by_model,
        total_tokens=figures.total_tokens,
        **fields_of_all(figures.counts),
        tools_by_name=share.tools_by_name,
        main=_main(share, tally, pricer) if tally.agents else None,
        time=time,
        cost=cost,
        outcome=session_outcome(facts.ended),
        artifacts=made,
        behaviour=behaviour(
            share,
            facts,
            usage=figures.usage,
            counts=figures.counts,
            started=tally.moments.start,
        ),
        evidence_level=_evidence(facts.provenance),
        flags=tuple(sorted(flags | reasons)),
        extra=facts.extra,
    )
    measured = without_zeros(submission, is_free=lambda: pricer.is_free(submission))
    return msgspec.structs.replace(
        measured, provenance=provenance_of(measured, read=facts.provenance, stated=facts.totals)
    )


def _figures(share: Share, tally: Tally, flags: set[str]) -> Figures:
    stated = tally.facts.totals
    summed = share.usage
    counts = counts_of(share, tally, stated)
    llm_calls = counts["llm_calls"]
    usage = _plausible_usage(_usage(tally, summed), llm_calls, flags)
    is_partial = stated.get("is_usage_partial")
    total = None if is_partial else total_of(usage, stated.get("total_tokens"), flags)
    if total is None and measures_nothing(stated.get("total_tokens"), llm_calls=llm_calls):
        flags.add(ZERO_TOKENS)
    cost = stated.get("cost_usd", share.reported_usd)
    is_stated = stated.get("cost_usd") is not None
    if _has_other_runs(tally, usage) if is_stated else share.is_cost_partial:
        flags.add("reported_cost_partial")
        cost = None  # a part is not what the session cost
    return Figures(
        usage=usage,
        total_tokens=total,
        counts=counts,
        reported_usd=cost,
    )


def _usage(tally: Tally, summed: TokenUsage) -> TokenUsage:
    """The usage that the log states, unless it covers only some of the session's runs."""
    stated: TokenUsage | None = tally.facts.totals.get("usage")
    if stated is None:
        return summed
    return summed if _has_other_runs(tally, summed) else stated


def _has_other_runs(tally: Tally, usage: TokenUsage) -> bool:
    """True if the session used more tokens than the runs that state their figures."""
    stated: TokenUsage | None = tally.facts.totals.get("usage")
    is_known = bool(tally.facts.runs) and stated is not None
    return is_known and (usage.total or 0) > ((stated and stated.total) or 0)


def _plausible_usage(usage: TokenUsage, llm_calls: int | None, flags: set[str]) -> TokenUsage:
    """The usage without impossible figures; empty where it is 0 beside calls of a model."""
    if measures_nothing(usage.total, llm_calls=llm_calls):
        flags.add(ZERO_TOKENS)
        return TokenUsage()
    return drop_excess_reasoning(usage, flags)


def _main(share: Share, tally: Tally, pricer: Pricer) -> Counts:
    main = share.of_main()
    price = pricer.usd_of(tally.facts.get("provider"))
    counts = counts_of(main, tally, {})
    usage = _plausible_usage(main.usage, counts["llm_calls"], set())
    return Counts(
        usage=usage,
        total_tokens=usage.total,
        **fields_of_main(counts),
        tools_by_name=main.tools_by_name,
        usage_by_model=main.by_model(price) if usage.total else (),
        cost_reported_usd=main.reported_usd,
        cost_computed_usd=price(main.requests),
    )


def _system(tally: Tally, by_model: tuple[ModelUsage, ...]) -> System:
    facts = tally.facts
    return System(
        harness=facts.get("harness") or UNKNOWN_TOOL,
        harness_version=facts.get("harness_version"),
        model=facts.get("model") or _most_used(by_model),
        provider=facts.get("provider"),
        effort=facts.get("effort"),
        mode=facts.get("mode"),
    )


def _most_used(by_model: tuple[ModelUsage, ...]) -> str | None:
    """The model with the most tokens; of equal ones the first by name."""
    models = [it for it in by_model if it.model]
    return max(models, key=lambda it: it.usage.total or 0).model if models else None


def time_of(
    stated: Mapping[str, Any], moments: EventTimes, gap_limit_s: float, flags: set[str]
) -> TimeSpent:
    """The seconds that a log states, else those between its moments."""
    wall = stated.get("wall_s", moments.wall_s())
    active = stated.get("active_s", moments.active_s(gap_limit_s))
    if wall is not None and wall > _LONGEST_S:
        flags.add("longer_than_31_days")
    if wall is not None and active is not None and active > wall:
        flags.add("active_exceeds_wall")
    if moments.went_backwards:
        flags.add("clock_went_backwards")
    return TimeSpent(
        wall_s=wall,
        active_s=active,
        gap_limit_s=None if active is None or "active_s" in stated else gap_limit_s,
        llm_s=stated.get("llm_s"),
        tool_s=stated.get("tool_s"),
        setup_s=stated.get("setup_s"),
        verify_s=stated.get("verify_s"),
    )


def _cost(
    share: Share, figures: Figures, tally: Tally, pricer: Pricer
) -> tuple[Cost, frozenset[str]]:
    provider = tally.facts.get("provider")
    requests, method = to_price(share, figures.usage, figures.counts["llm_calls"], tally)
    priced = pricer.price(requests, provider) if requests else Priced(None)
    has_tried = bool(requests) and bool(figures.usage.total)
    return Cost(
        reported_usd=figures.reported_usd,
        computed_usd=priced.usd,
        method=method if has_tried else None,
        rate_card=pricer.version if has_tried else None,
        as_of=str(pricer.as_of) if pricer.as_of and has_tried else None,
        unpriced=priced.unpriced,
    ), frozenset(priced.reasons)


def to_price(
    share: Share, usage: TokenUsage, llm_calls: int | None, tally: Tally
) -> tuple[Sequence[Request], str]:
    """The requests that make up the session's usage, else the total as one; and which it was.

    There are none if the usage that the log states is not all of it.
    """
    if "usage" not in tally.facts.totals or share.usage.total == usage.total:
        return (share.requests if usage.total else []), METHOD
    if not usage.total or tally.facts.totals.get("is_usage_partial"):
        return [], FROM_TOTAL
    if tally.facts.runs:
        return [_of_run(run, share, tally) for run in tally.facts.runs.values()], FROM_TOTAL
    whole = Request(
        tally.number,
        True,
        tally.moments.start,
        tally.facts.get("model") or next((it.model for it in share.requests if it.model), None),
        usage,
        None,
        None,
        llm_calls,
    )
    return [whole], FROM_TOTAL


def _of_run(run: Totals, share: Share, tally: Tally) -> Request:
    model = tally.facts.get("model") or next((it.model for it in share.requests if it.model), None)
    return Request(
        tally.number, True, run.began, model, run.usage, run.cost_usd, None, run.llm_calls
    )


def session_outcome(ended: SessionEnd | None) -> OutcomeOf:
    """Return the session's outcome by its log."""
    if ended is None:
        return OutcomeOf()
    return OutcomeOf(
        status=ended.status,
        exit_status=ended.exit_status,
        failure_cause=ended.failure_cause,
        success=ended.success,
        reward=ended.reward,
        criteria=ended.criteria,
    )


def _evidence(provenance: Provenance) -> EvidenceLevel:
    if provenance is Provenance.SELF_REPORTED:
        return EvidenceLevel.SELF_REPORTED
    return EvidenceLevel.IMPORTED


def completeness_of(submission: Submission, *, is_partial: bool) -> str:
    """Return the completeness of the session's log, by its own figures."""
    if is_partial:
        return "partial"
    return "unknown" if submission.total_tokens is None else "complete"
