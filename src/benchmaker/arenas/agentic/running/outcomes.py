"""The outcome of a trial: from the end of its agent, its requests and its verification."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from benchmaker.arenas.agentic.gateway.caps import is_series_cap
from benchmaker.record.agent_trial import GatewayRequest, TrialOutcome
from benchmaker.record.submissions.evaluation import Verification
from benchmaker.record.submissions.submission import Status
from benchmaker.sandbox import CommandResult
from benchmaker.spec.agents.adapter import AgentAdapter

_AUTH: Final = frozenset({401, 402, 403})
_SERVER: Final = 500
_BUSY: Final = frozenset({0, 408, 429})

STATUSES: Final = {
    TrialOutcome.SOLVED: Status.COMPLETED,
    TrialOutcome.FAILED: Status.COMPLETED,
    TrialOutcome.BUDGET: Status.BUDGET,
    TrialOutcome.TIMEOUT: Status.TIMEOUT,
    TrialOutcome.REFUSED: Status.REFUSED,
    TrialOutcome.AGENT_CRASHED: Status.FAILED,
}
"""The status of a submission for each scored outcome."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """An outcome, and its reason in words."""

    outcome: TrialOutcome
    detail: str = ""


def early_verdict(ended: CommandResult) -> Verdict | None:
    """Return the outcome of an agent that never started; None if it did."""
    if ended.reason != "not_started":
        return None
    return Verdict(TrialOutcome.SETUP_FAILED, ended.detail or "the agent did not start")


def verdict_of(
    verification: Verification,
    ended: CommandResult | None,
    requests: Sequence[GatewayRequest] = (),
    *,
    adapter: AgentAdapter | None = None,
    has_declined: bool = False,
) -> Verdict:
    """Return the outcome of a trial whose workspace was verified.

    A workspace that passes is solved, however its agent ended. Otherwise a failing endpoint or a
    cap of the whole series comes first, then the verifier, then the end of the agent.
    ``has_declined`` is true if its log ends with a model's refusal.
    """
    if verification.success:
        return Verdict(TrialOutcome.SOLVED, cap_refusal(requests) or _end_in_words(ended))
    if fault := endpoint_fault(requests) or series_refusal(requests):
        return Verdict(TrialOutcome.GATEWAY_ERROR, fault)
    if verification.success is None:
        return Verdict(TrialOutcome.VERIFIER_ERROR, _open_criteria(verification))
    if ended is None:
        return Verdict(TrialOutcome.FAILED, _failed_criteria(verification))
    return _agents_doing(verification, ended, requests, adapter, has_declined)


def endpoint_fault(requests: Sequence[GatewayRequest]) -> str:
    """The fault of the endpoint that made the last request fail; empty if it did not."""
    if not requests or requests[-1].refused:
        return ""
    last = requests[-1]
    if last.status in _AUTH | _BUSY or last.status >= _SERVER:
        status = f"status {last.status}" if last.status else "no reply"
        return f"the last request to {last.endpoint} failed: {status}"
    return ""


def cap_refusal(requests: Sequence[GatewayRequest]) -> str:
    """The reason of the last refusal for a cap; empty if there was none."""
    return next((row.refused for row in reversed(requests) if row.refused), "")


def series_refusal(requests: Sequence[GatewayRequest]) -> str:
    """The reason of the last refusal, if it was for a cap of the whole series; else empty."""
    refusal = cap_refusal(requests)
    return refusal if is_series_cap(refusal) else ""


def _agents_doing(
    verification: Verification,
    ended: CommandResult,
    requests: Sequence[GatewayRequest],
    adapter: AgentAdapter | None,
    has_declined: bool,  # noqa: FBT001  as above
) -> Verdict:
    if refusal := cap_refusal(requests):
        return Verdict(TrialOutcome.BUDGET, refusal)
    if ended.reason == "timeout":
        return Verdict(TrialOutcome.TIMEOUT, ended.detail)
    if has_declined:
        return Verdict(TrialOutcome.REFUSED, "the model declined")
    code = str(ended.exit_status)
    if adapter and code in adapter.exit_codes:
        return Verdict(TrialOutcome(adapter.exit_codes[code]), f"exit code {code}")
    if not ended.is_clean:
        return Verdict(TrialOutcome.AGENT_CRASHED, _end_in_words(ended))
    return Verdict(TrialOutcome.FAILED, _failed_criteria(verification))


def _end_in_words(ended: CommandResult | None) -> str:
    """The end of an agent in words; empty if it ended as it should."""
    if ended is None or ended.is_clean:
        return ""
    how = f"exit code {ended.exit_status}" if ended.reason == "exited" else ended.reason
    last = ended.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
    said = ended.detail or "".join(last)[:200]
    return f"{how}: {said}" if said else how


def _failed_criteria(verification: Verification) -> str:
    failed = [it.id for it in verification.deciding_results if it.result == "fail"]
    return f"failed {', '.join(failed)}" if failed else ""


def _open_criteria(verification: Verification) -> str:
    waiting = [it for it in verification.results if it.result in ("error", "skipped")]
    lines = (waiting[0].evidence.splitlines() if waiting else []) or [""]
    names = ", ".join(it.id for it in waiting)
    return f"no verdict of {names}: {lines[0]}".rstrip(": ")
