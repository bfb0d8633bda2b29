"""What the kept store files hold of the Agentic Arena."""

import msgspec

from benchmaker.record import Usage
from benchmaker.record.agent_trial import (
    AgentSeries,
    AgentTrial,
    GatewayRequest,
    TrialKey,
    TrialMeter,
    TrialOutcome,
    Wire,
)
from benchmaker.record.submissions.evaluation import (
    BaselineSnapshot,
    Evaluation,
    Flag,
    Review,
    ReviewState,
    Verification,
)
from benchmaker.record.submissions.metrics import Metrics
from benchmaker.record.submissions.submission import CriterionResult
from benchmaker.store import Store
from benchmaker.store.agentic.boards import StoredBoard
from benchmaker.store.agentic.profiles import StoredProfile
from benchmaker.store.agentic.tasks import StoredTask

SUBMISSION_ID = "claude_code-0123456789abcdef0123"
AT = "2025-01-01T00:01:00.000Z"

TASK = StoredTask(
    id="tidy é",
    digest="e" * 64,
    body={"id": "tidy é", "prompt": "Tidy \x00 up."},
    category="refactoring",
    created_at=AT,
)
VERIFICATION = Verification(
    id="v-20250101-abc234",
    submission_id=SUBMISSION_ID,
    task_id=TASK.id,
    task_digest=TASK.digest,
    isolation="namespace",
    results=(
        CriterionResult(id="tests", result="pass", required=True, evidence="3 passed \ud800"),
        CriterionResult(id="lint", result="error", hidden=True, wall_s=0.5),
    ),
    finished_at=AT,
)
METRICS = Metrics(
    submission_id=SUBMISSION_ID, task_id=TASK.id, system="claude-code", fresh_tokens=15.0
)
SNAPSHOT = BaselineSnapshot(
    profile="robust/1",
    task_id=TASK.id,
    hash="f" * 64,
    number=1,
    n=0,
    created_at=AT,
    body={"figures": {}},
)
EVALUATION = Evaluation(
    submission_id=SUBMISSION_ID,
    task_id=TASK.id,
    system="claude-code",
    profile="robust/1",
    snapshot=SNAPSHOT.hash,
    input_hash="9" * 64,
    overall_score=61.25,
    reason="",
    evaluated_at=AT,
)
FLAG = Flag(
    submission_id=SUBMISSION_ID,
    kind="clock_backwards",
    source="rules/1",
    evidence="line 4 \x00",
    created_at=AT,
)
REVIEW = Review(
    submission_id=SUBMISSION_ID,
    state=ReviewState.CLEARED,
    note="a laptop woke up",
    actor="ann é",
    created_at=AT,
)
BOARD = StoredBoard("robust/1", "overall", {"rows": [{"system": "claude-code", "rank": None}]})
PROFILE = StoredProfile("mine é", "shadow", {"name": "mine é", "note": "half \ud800"})
SERIES = AgentSeries(id="a-20250101-fixture", plan={"tasks": ["tidy é"]}, created_at=AT)
TRIAL = AgentTrial(
    key=TrialKey(SERIES.id, TASK.id, "claude-code × claude-x \x00", 1, 2),
    task_hash=TASK.digest,
    agent="claude-code",
    model="anthropic/claude-x",
    outcome=TrialOutcome.SOLVED,
    reward=1.0,
    submission_id=SUBMISSION_ID,
    earlier_meters=(TrialMeter(requests=1, unknown_costs=1),),
    detail="half \ud800",
)
REQUEST = GatewayRequest(
    key=TRIAL.key,
    number=1,
    wire=Wire.MESSAGES,
    model="claude-x",
    requested_model="haiku é",
    endpoint="anthropic",
    started_at=AT,
    status=200,
    stream=True,
    usage=Usage(input_tokens=10, cache_read_tokens=90, output_tokens=5),
    cost_usd=0.5,
    most_usd=2.5,
    most_tokens=9000,
    request_sha256="1" * 64,
    response_sha256="2" * 64,
)


def fill(store: Store) -> None:
    """Put something into every table of the arena."""
    store.agent_trials.add_series(SERIES)
    store.agent_trials.put_trial(TRIAL)
    store.agent_trials.put_requests([REQUEST])
    rooms = store.agentic
    rooms.put_task(TASK)
    rooms.add_verification(VERIFICATION)
    rooms.put_metrics([(METRICS, "9" * 64)])
    rooms.settle(SNAPSHOT, [EVALUATION])
    rooms.add_flags([FLAG])
    rooms.decide(REVIEW)
    rooms.put_boards([BOARD])
    rooms.put_profile(PROFILE)


def held(store: Store) -> list[str]:
    """What a reader finds, each value in a form that keeps what JSON lacks."""
    rooms = store.agentic
    found = (
        *rooms.tasks(),
        *rooms.verifications(SUBMISSION_ID),
        *rooms.metrics(),
        *rooms.snapshots("robust/1", TASK.id),
        *rooms.evaluations("robust/1"),
        *rooms.flags(),
        *rooms.reviews(),
        rooms.board("robust/1", "overall"),
        *rooms.own_profiles(),
        *store.agent_trials.every_series(),
        *store.agent_trials.trials(SERIES.id),
        *store.agent_trials.requests(TRIAL.key),
    )
    return [ascii(msgspec.to_builtins(it)) for it in found if it is not None]
