"""Tokens of a log beside those of the gateway."""

import pytest

from benchmaker.arenas.agentic.running.measured import TrialFacts, measured_submission
from benchmaker.arenas.agentic.running.outcomes import Verdict
from benchmaker.arenas.agentic.running.trial_log import TrialLog
from benchmaker.record import Usage
from benchmaker.record.agent_trial import (
    GatewayRequest,
    TrialKey,
    TrialMeter,
    TrialOutcome,
    Wire,
    total_tokens,
)
from benchmaker.record.submissions.submission import Submission, System, TaskRef, TokenUsage

KEY = TrialKey("s", "t", "a", 1)
TITLE, FIRST, LAST = (70, 9), (900, 120), (1100, 40)


def request(number, counts):
    usage = Usage(input_tokens=counts[0], output_tokens=counts[1], cache_read_tokens=0)
    fixed = {"wire": Wire.CHAT, "model": "m", "endpoint": "up", "started_at": "", "status": 200}
    return GatewayRequest(key=KEY, number=number, usage=usage, cost_usd=0.0, **fixed)


def flags_of(logged, *, unlogged):
    rows = [request(at, counts) for at, counts in enumerate((TITLE, FIRST, LAST), 1)]
    usage = TokenUsage(
        input_uncached=sum(it[0] for it in logged), output=sum(it[1] for it in logged)
    )
    system = System(harness="agent", model="m")
    read = Submission(
        id="x", system=system, importer="i", importer_version="1", usage=usage,
        total_tokens=usage.total,
    )  # fmt: skip
    facts = TrialFacts(
        key=KEY, attempts=1, task=TaskRef(id="t", digest="d", version="1"), system=system,
        verdict=Verdict(TrialOutcome.SOLVED), started_at="2026-01-01T00:00:00Z",
        finished_at="2026-01-01T00:00:09Z", meter=TrialMeter.of(rows), requests=rows,
        unlogged=unlogged,
    )  # fmt: skip
    made = measured_submission(TrialLog(read), facts)
    assert made.total_tokens == sum(total_tokens(it.usage) for it in rows)
    assert made.behaviour.cache_hit_share == 0.0
    return made.flags


@pytest.mark.parametrize(
    ("logged", "unlogged", "is_flagged"),
    [
        ((TITLE, FIRST, LAST), 0, False),
        ((TITLE, FIRST, LAST), 1, False),
        ((FIRST, LAST), 1, False),
        ((FIRST, LAST), 0, True),
        ((TITLE, LAST), 1, False),
        ((LAST,), 1, True),
        ((LAST,), 2, False),
        ((FIRST, (1100, 41)), 1, True),
        ((TITLE, FIRST, LAST, (5, 5)), 1, True),
    ],
)
def test_a_log_may_leave_out_as_many_requests_as_its_adapter_says(logged, unlogged, is_flagged):
    assert ("metered_otherwise" in flags_of(logged, unlogged=unlogged)) == is_flagged
