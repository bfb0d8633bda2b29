"""The outcome of a trial, and the order of its reasons."""

from hashlib import sha256

import pytest
from msgspec.structs import replace

from benchmaker.arenas.agentic.running.outcomes import STATUSES, endpoint_fault, verdict_of
from benchmaker.record.agent_trial import AGENT_LEFT, GatewayRequest, TrialKey, TrialOutcome, Wire
from benchmaker.record.submissions.evaluation import Verification
from benchmaker.record.submissions.submission import CriterionResult, Status
from benchmaker.record.usage import Usage
from benchmaker.sandbox import CommandResult, Isolation
from benchmaker.spec.agents.adapter import AgentAdapter

KEY = TrialKey("s", "t", "a", 1)


def verified(result):
    results = (CriterionResult(id="tests", result=result, required=True, evidence="why\nmore"),)
    made = {"id": "v", "submission_id": "", "task_id": "t", "task_digest": "d"}
    return Verification(**made, isolation="namespace", results=results)


def ended(status=0, reason="exited", *, stderr=b"", detail=""):
    times = {"wall_s": 1.0, "cpu_s": 1.0, "peak_mb": 1.0}
    return CommandResult(
        exit_status=status,
        signal=None,
        reason=reason,
        stdout=b"",
        stderr=stderr,
        **times,
        isolation=Isolation.NAMESPACE,
        detail=detail,
    )


def request(status=200, refused="", *, was_cut=False):
    fixed = {"wire": Wire.CHAT, "model": "m", "endpoint": "up", "started_at": "", "number": 1}
    return GatewayRequest(key=KEY, status=status, refused=refused, was_cut=was_cut, **fixed)


@pytest.mark.parametrize(
    ("result", "end", "requests", "outcome"),
    [
        ("pass", ended(), (), "solved"),
        ("pass", ended(reason="timeout"), (), "solved"),
        ("pass", ended(), (request(503),), "gateway_error"),
        ("pass", ended(), (request(500), request()), "solved"),
        ("pass", ended(1), (request(403, "the cap"),), "solved"),
        ("pass", ended(), (request(was_cut=True),), "gateway_error"),
        ("fail", ended(), (request(was_cut=True),), "gateway_error"),
        ("pass", ended(), (request(AGENT_LEFT, was_cut=True),), "solved"),
        ("fail", ended(1), (request(AGENT_LEFT, was_cut=True),), "agent_crashed"),
        ("fail", ended(), (request(AGENT_LEFT, was_cut=True),), "failed"),
        ("fail", ended(), (), "failed"),
        ("fail", ended(), (request(500), request()), "failed"),
        ("fail", ended(), (request(), request(500)), "gateway_error"),
        ("fail", ended(reason="timeout"), (request(429),), "gateway_error"),
        ("fail", ended(1), (request(401),), "gateway_error"),
        ("fail", ended(1), (request(400),), "agent_crashed"),
        ("fail", ended(1), (request(), request(403, "the cap")), "budget"),
        ("fail", ended(reason="killed"), (request(403, "the cap"),), "budget"),
        ("fail", ended(reason="timeout"), (), "timeout"),
        ("fail", ended(None, "memory"), (), "agent_crashed"),
        ("error", ended(), (), "verifier_error"),
        ("skipped", ended(1), (), "verifier_error"),
        ("error", ended(), (request(503),), "gateway_error"),
    ],
)
def test_the_outcome(result, end, requests, outcome):
    assert verdict_of(verified(result), end, requests).outcome == outcome


@pytest.mark.parametrize("result", ["pass", "fail", "error"])
def test_a_fault_of_others_is_never_scored(result):
    requests = (request(403, "the cap of the series"),)
    found = verdict_of(verified(result), ended(1), requests, fault="the cap of the series.")
    assert found.outcome == "gateway_error"
    passed = "; the workspace passed" if result == "pass" else ""
    assert found.detail == f"the cap of the series{passed}"


@pytest.mark.parametrize(
    ("end", "requests", "status"),
    [
        (ended(), (), Status.COMPLETED),
        (ended(1), (request(403, "the cap"),), Status.BUDGET),
        (ended(reason="timeout"), (), Status.TIMEOUT),
        (ended(3), (), Status.FAILED),
    ],
)
def test_a_solved_trial_keeps_how_its_agent_ended(end, requests, status):
    found = verdict_of(verified("pass"), end, requests)
    assert (found.outcome, found.status) == ("solved", status)


def test_a_refusal_by_the_model_is_not_a_failure_of_the_agent():
    assert verdict_of(verified("fail"), ended(), has_declined=True).outcome == "refused"


def test_the_reason_is_in_words():
    assert verdict_of(verified("fail"), ended()).detail == "failed tests"
    assert verdict_of(verified("error"), ended()).detail == "no verdict of tests: why"
    last = ended(1, stderr=b"first\nlast words\n")
    assert verdict_of(verified("fail"), last).detail == "exit code 1: last words"
    capped = (request(403, "the cap is reached"),)
    assert verdict_of(verified("pass"), ended(1), capped).detail == "the cap is reached"


@pytest.mark.parametrize(
    ("end", "detail"),
    [
        (ended(3), "exit code 3"),
        (ended(None, "killed", detail="SIGSEGV"), "ended by SIGSEGV"),
        (ended(None, "killed"), "ended by a signal"),
        (ended(None, "memory", detail="over 6,000 MB"), "memory: over 6,000 MB"),
        (
            ended(None, "killed", detail="SIGABRT", stderr=b"free(): invalid pointer\n\n"),
            "ended by SIGABRT: free(): invalid pointer",
        ),
        (ended(1, stderr=b"no key sk-proj-0123456789abcdefghij"), "exit code 1: no key [redacted]"),
        (ended(1, stderr=b"\x1b[31mred\x1b[0m\n \x07 \n"), "exit code 1: [31mred[0m"),
        (ended(1, stderr=b"x" * 900), f"exit code 1: {'x' * 199}…"),
    ],
)
def test_a_crash_says_how_the_agent_ended_and_its_last_words(end, detail):
    found = verdict_of(verified("fail"), end)
    assert (found.outcome, found.detail) == ("agent_crashed", detail)


def test_an_exit_code_that_stands_for_a_crash_has_the_last_words():
    adapter = AgentAdapter(name="a", argv=("a",), exit_codes={"7": "agent_crashed"})
    found = verdict_of(verified("fail"), ended(7, stderr=b"last words"), adapter=adapter)
    assert (found.outcome, found.detail) == ("agent_crashed", "exit code 7: last words")


def test_an_unanswered_request_is_the_endpoints():
    assert endpoint_fault([request(0)]) == "the last request to up failed: no reply"
    assert endpoint_fault([]) == endpoint_fault([request()]) == ""


def test_an_endpoint_out_of_reach_differs_from_one_whose_reply_can_not_be_read():
    none, some = sha256(b"").hexdigest(), sha256(b"<html>").hexdigest()
    zero = Usage(input_tokens=0, output_tokens=0)
    unsent = replace(request(502), response_sha256=none, usage=zero)
    unread = replace(request(502), response_sha256=some, was_cut=True)
    refused = replace(request(502), response_sha256=some, usage=zero)
    late = replace(request(504), response_sha256=none, was_cut=True)
    rows = (unsent, unread, refused, late)
    assert [endpoint_fault([it]).partition("failed: ")[2] for it in rows] == [
        "status 502, it can't be reached", "status 502, its reply can't be read",
        "status 502", "status 504, no reply",
    ]  # fmt: skip


def test_every_scored_outcome_has_a_status():
    assert {it for it in TrialOutcome if not it.is_infrastructure} == set(STATUSES)
