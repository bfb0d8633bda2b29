"""The outcome of a trial: from the end of its agent, its requests and its verification."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from benchmaker.record.agent_trial import GatewayRequest, TrialOutcome, has_counts
from benchmaker.record.submissions.evaluation import Verification
from benchmaker.record.submissions.submission import Status
from benchmaker.redact import Redactor
from benchmaker.sandbox import CommandResult
from benchmaker.spec.agents.adapter import AgentAdapter

_OK: Final = 200
_GATEWAYS_OWN: Final = frozenset({502, 504})
"""The statuses by which the gateway itself replies; an endpoint may too."""

_NO_BYTES: Final = sha256(b"").hexdigest()
_STDERR_BYTES: Final = 20_000
_MOST_WORDS: Final = 200

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
    """An outcome, and its reason in words.

    ``status`` is how the agent ended, which a solved task does not change.
    """

    outcome: TrialOutcome
    detail: str = ""
    status: Status | None = None


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
    fault: str = "",
    adapter: AgentAdapter | None = None,
    has_declined: bool = False,
) -> Verdict:
    """Return the outcome of a trial whose workspace was verified.

    A failure of the infrastructure comes first, whether or not the workspace passes: otherwise
    trials that solved would count, and equal ones that did not would be tried again. ``fault`` is
    the gateway's, or a cap that the agent did not reach itself. Then a workspace that passes is
    solved, however its agent ended; then come the verifier and the end of the agent.
    ``has_declined`` is true if its log ends with a model's refusal.
    """
    if fault := fault or endpoint_fault(requests):
        passed = "; the workspace passed" if verification.success else ""
        return Verdict(TrialOutcome.GATEWAY_ERROR, fault.rstrip(".") + passed)
    if verification.success:
        return _solved_verdict(ended, cap_refusal(requests))
    if verification.success is None:
        return Verdict(TrialOutcome.VERIFIER_ERROR, _open_criteria(verification))
    if ended is None:
        return Verdict(TrialOutcome.FAILED, _failed_criteria(verification))
    return _agents_doing(verification, ended, requests, adapter, has_declined)


def _solved_verdict(ended: CommandResult | None, refusal: str) -> Verdict:
    status = Status.COMPLETED
    if refusal:
        status = Status.BUDGET
    elif ended is not None and not ended.is_clean:
        status = Status.TIMEOUT if ended.reason == "timeout" else Status.FAILED
    return Verdict(TrialOutcome.SOLVED, refusal or _end_in_words(ended), status)


def endpoint_fault(requests: Sequence[GatewayRequest]) -> str:
    """The fault of the endpoint that made the last request fail; empty if it did not."""
    if not requests or not requests[-1].is_endpoint_failure:
        return ""
    last = requests[-1]
    return f"the last request to {last.endpoint} failed: {_failure_in_words(last)}"


def _failure_in_words(row: GatewayRequest) -> str:
    """The reason why a request failed: no connection, no reply, or one that can't be read."""
    if not row.status:
        return "no reply"
    if row.was_cut and row.status == _OK:
        return "its reply was cut off, or reported an error"
    status = f"status {row.status}"
    if row.status not in _GATEWAYS_OWN:
        return status
    if row.response_sha256 == _NO_BYTES:
        is_unsent = has_counts(row.usage)
        return f"{status}, it can't be reached" if is_unsent else f"{status}, no reply"
    return f"{status}, its reply can't be read" if row.was_cut else status


def cap_refusal(requests: Sequence[GatewayRequest]) -> str:
    """The reason of the last refusal for a cap; empty if there was none."""
    return next((row.refused for row in reversed(requests) if row.refused), "")


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
        outcome = TrialOutcome(adapter.exit_codes[code])
        is_crash = outcome is TrialOutcome.AGENT_CRASHED
        return Verdict(outcome, _end_in_words(ended) if is_crash else f"exit code {code}")
    if not ended.is_clean:
        return Verdict(TrialOutcome.AGENT_CRASHED, _end_in_words(ended))
    return Verdict(TrialOutcome.FAILED, _failed_criteria(verification))


def _end_in_words(ended: CommandResult | None) -> str:
    """The end of an agent in words; empty if it ended as it should."""
    if ended is None or ended.is_clean:
        return ""
    match ended.reason:
        case "exited":
            how = [f"exit code {ended.exit_status}", ended.detail]
        case "killed":
            how = [f"ended by {ended.detail or 'a signal'}"]
        case reason:
            how = [reason, ended.detail]
    return ": ".join(filter(None, (*how, _last_words(ended.stderr))))


def _last_words(stderr: bytes) -> str:
    """The last line that an agent printed to stderr, without keys and controls."""
    text = Redactor().text(stderr[-_STDERR_BYTES:].decode("utf-8", "replace"))
    printable = ("".join(filter(str.isprintable, line)).strip() for line in text.splitlines())
    last = next(filter(None, reversed(list(printable))), "")
    return last if len(last) <= _MOST_WORDS else f"{last[: _MOST_WORDS - 1]}…"


def _failed_criteria(verification: Verification) -> str:
    failed = [it.id for it in verification.deciding_results if it.result == "fail"]
    return f"failed {', '.join(failed)}" if failed else ""


def _open_criteria(verification: Verification) -> str:
    waiting = [it for it in verification.results if it.result in ("error", "skipped")]
    lines = (waiting[0].evidence.splitlines() if waiting else []) or [""]
    names = ", ".join(it.id for it in waiting)
    return f"no verdict of {names}: {lines[0]}".rstrip(": ")
