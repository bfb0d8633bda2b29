"""Makes the store file of the present revision, and what was stored in it.

    python -m tests.data.store.make

writes ``<revision>.db.gz`` and ``<revision>.json`` beside this script. Run it once after each
change of the schema, and keep the files of every revision: each must open for ever.
"""

import gzip
import tempfile
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import insert

from benchmaker.engine.judges.vectors import pack
from benchmaker.record import (
    Attempt,
    Completion,
    Extraction,
    FinishReason,
    ImportedHeader,
    ImportedRecord,
    Judgment,
    Outcome,
    Run,
    RunState,
    Score,
    Selection,
    Series,
    TokenLogprob,
    ToolCall,
    Transcript,
    TranscriptMessage,
    Trial,
    UnfinishedConversation,
    Usage,
)
from benchmaker.record.calibration import Calibration, CalibrationItem
from benchmaker.record.job import Job
from benchmaker.record.label import Label, TrialNote
from benchmaker.record.submissions.submission import (
    Cost,
    Provenance,
    Submission,
    System,
    TaskRef,
    TokenUsage,
)
from benchmaker.spec import Case, Message, Parameters, ScorerSpec, Suite
from benchmaker.store import Message as News
from benchmaker.store import Store, Writer
from benchmaker.store.database.schema import REVISIONS
from benchmaker.store.database.tables import older_tables
from benchmaker.store.imports.new_trials import NewTrial
from tests.data.store import accounts, agentic, code
from tests.databases import direct_transaction

FOLDER = Path(__file__).parent
MODELS = ("openai/gpt-x", "local/llama é")
NOW = 1_735_689_600.0
STARTED, FINISHED = "2025-01-01T00:00:00.000Z", "2025-01-01T00:01:00.000Z"

SUITE = Suite(
    name="arithmetic",
    description="A few sums.",
    system_prompt="Be brief.",
    profile="robust",
    scorer=ScorerSpec(id="numeric", tolerance=0.01),
    parameters=Parameters(temperature=0.0),
    source="suite.yaml",
    cases=(
        Case(id="sum", prompt="What is 40 + 2?", expected="42", category="sums", tags=("easy",)),
        Case(id="talk", messages=(Message(role="user", content="Hi"),), weight=0.5, group="chat"),
        Case(id="odd \x00", prompt="Odd?", scorer=ScorerSpec(id="boolean"), metadata={"n": 1}),
    ),
)


def run(number: int) -> Run:
    return Run(
        id=f"20250101-run{number}",
        suite_hash=SUITE.content_hash,
        suite_name=SUITE.name,
        models=MODELS,
        profile="robust",
        profile_version="1",
        number=number,
        series_id="s-20250101-fixture",
        selection=Selection(limit=3, tags=("easy",)),
        parameters={"temperature": 0.0},
        provider={"kind": "recorded", "path": "answers.jsonl"},
        seed=7,
        planned=6,
        started_at=STARTED,
        notes=("made for a test",),
    )


TRANSCRIPT = Transcript(
    messages=(
        TranscriptMessage(role="user", content="6 × 7?"),
        TranscriptMessage(
            role="assistant",
            content="",
            tool_calls=(ToolCall(name="times", arguments={"a": 6, "b": [7.5, None]}),),
        ),
        TranscriptMessage(role="tool", content="Error: é", name="times", is_error=True),
    ),
    steps=2,
    stopped_by="max_steps",
)


def trials(run_id: str) -> list[Trial]:
    usage = Usage(input_tokens=12, cache_read_tokens=3, output_tokens=5, flags=("total_differs",))
    answered = Trial(
        run_id=run_id,
        case_id="sum",
        model=MODELS[0],
        position=0,
        outcome=Outcome.SCORED,
        completion=Completion(
            text="The answer is 42.",
            usage=usage,
            latency_s=1.25,
            first_byte_s=0.25,
            cost_usd=0.0003,
            model="gpt-x-1",
            logprobs=(TokenLogprob("The", -0.25, (("The", -0.25), (" é", -2.5))),),
            transcript=TRANSCRIPT,
        ),
        attempts=(
            Attempt(number=1, status="429", started_at=STARTED, error_type="RateLimited"),
            Attempt(number=2, status="ok", started_at=STARTED, last_byte_s=1.25, usage=usage),
        ),
        score=Score(
            score=1.0,
            confidence=1.0,
            scorer="numeric",
            scorer_version="1",
            profile="robust/1",
            parameters={"tolerance": 0.01},
            extraction=Extraction(rule="answer_is", text="42"),
            expected="42",
            detail={"found": 42.0, "error": 0.0},
        ),
        category="sums",
        tags=("easy",),
        messages_hash="a" * 64,
        finished_at=FINISHED,
    )
    odd = Trial(
        run_id=run_id,
        case_id="odd \x00",
        model=MODELS[0],
        position=2,
        outcome=Outcome.TRUNCATED,
        completion=Completion(text="NUL \x00, half \ud800, 😀", finish=FinishReason.LENGTH),
        score=Score(score=None, notes="no verdict", detail={"error": float("inf")}),
        flags=("odd",),
    )
    late = Trial(
        run_id=run_id,
        case_id="talk",
        model=MODELS[1],
        position=1,
        outcome=Outcome.TIMEOUT,
        weight=0.5,
        group="chat",
        error_type="Timeout",
        error="no answer in 120 s",
        conversation=UnfinishedConversation(
            key="c" * 16,
            messages=(TranscriptMessage(role="user", content="half \ud800"),),
            last=Completion(text="NUL \x00", usage=Usage(input_tokens=9, output_tokens=2)),
        ),
    )
    return [answered, late, odd]


def judgments(run_id: str) -> list[Judgment]:
    usage = Usage(input_tokens=300, output_tokens=40)
    asked = Attempt(number=1, status="ok", started_at=STARTED, cost_usd=0.002, usage=usage)
    reply = Completion(text='{"score": 8}', usage=usage, latency_s=0.75, cost_usd=0.002)
    replied = Judgment(
        key="1" * 64,
        judge="openai/gpt-x",
        run_id=run_id,
        case_id="sum",
        model=MODELS[1],
        repeat=2,
        nonce="5f0c",
        is_structured=True,
        completion=reply,
        attempts=(asked,),
        created_at=FINISHED,
    )
    failed = Judgment(
        key="2" * 64,
        judge="openai/gpt-x",
        purpose="calibration",
        attempts=(Attempt(number=1, status="401", started_at=STARTED, cost_usd=0.0),),
        error_type="AuthError",
        error="the key is wrong",
    )
    return [replied, failed]


EMBEDDINGS = {"e" * 64: pack([0.5, -2.0]), "f" * 64: pack([1.0, 0.0])}


def embedded(run_id: str) -> Judgment:
    """A request for embeddings."""
    usage = Usage(input_tokens=7, output_tokens=0)
    return Judgment(
        key="3" * 64,
        judge="openai/embed é",
        purpose="embedding",
        run_id=run_id,
        completion=Completion(text="", usage=usage, latency_s=0.25, cost_usd=0.001),
        created_at=FINISHED,
    )


SUBMISSION = Submission(
    id="claude_code-0123456789abcdef0123",
    system=System(harness="Claude Code", model="claude-opus-4-6", effort="high"),
    task=TaskRef(id="tidy é"),
    session_id="6f1c1a52-9f35-4a0e-8d3c-0a1b2c3d4e5f",
    started_at=STARTED,
    finished_at=FINISHED,
    usage=TokenUsage(input_uncached=10, cache_read=90, output=5, reasoning=2),
    total_tokens=105,
    llm_calls=1,
    tools_by_name={"Bash": 2},
    cost=Cost(computed_usd=0.5, unpriced=()),
    provenance={"total_tokens": Provenance.COMPUTED},
    importer="claude_code",
    importer_version="1",
    source_sha256="b" * 64,
    flags=("odd \x00",),
)

ROW = Submission(
    id="table-0123456789abcdef0123",
    row_id="run 7 \x00",
    source="nightly",
    system=System(harness="codex"),
    total_tokens=7,
    importer="table",
    importer_version="2",
    source_sha256="c" * 64,
)


CALIBRATION = Calibration(
    id="c-20250101-abc234",
    judge="openai/gpt-x \x00",
    tier="quick",
    samples_hash="c" * 64,
    prompt_hash="d" * 64,
    repeats=2,
    items=(
        CalibrationItem(id="right", expected=1.0, tolerance=0.1, units=(0.9, None)),
        CalibrationItem(id="order é", role="null", units=(None,), failures=("refused",)),
    ),
    created_at=FINISHED,
    replies=2,
    cost_usd=0.004,
)


LABEL = Label(
    run_id="20250101-run1",
    case_id="odd \x00",
    model=MODELS[0],
    blind_id="62e4765b58e3",
    source="random",
    score=0.75,
    raw_score=4.0,
    scale=(1.0, 5.0),
    actor="ann é",
    created_at=STARTED,
    note="half \ud800",
)
TRAP = Label(
    run_id="20250101-run2",
    case_id="sum",
    blind_id="000000000000",
    source="trap",
    score=None,
    known=0.0,
    created_at=FINISHED,
)

NOTES = (
    TrialNote(run_id="20250101-run1", case_id="sum", model=MODELS[0], text="Only the sum counts."),
    TrialNote(
        run_id="20250101-run2",
        case_id="odd \x00",
        model=MODELS[0],
        text="half \ud800, NUL \x00",
        author="ann é",
        created_at=FINISHED,
    ),
)

JOB = Job(
    id="j-20250101-fixture",
    kind="run",
    target="s-20250101-fixture",
    body={"concurrency": 3, "note": "half \ud800"},
    created_at=STARTED,
    actor="ann é",
)


def fill(store: Store) -> None:
    """Put something into every table."""
    store.put_suite(SUITE)
    series = Series(
        id="s-20250101-fixture", suite_hash=SUITE.content_hash, runs=2, created_at=STARTED
    )
    store.add_series(series)
    for number in (1, 2):
        store.add_run(run(number))
        with Writer(store) as writer:
            for trial in trials(run(number).id):
                writer.put(trial)
    news = News(topic="run.finished", dedupe_key="20250101-run1", body={"state": "finished"})
    store.set_run_state("20250101-run1", RunState.FINISHED, finished_at=FINISHED, announce=news)
    with Writer(store) as writer:
        key = trials("20250101-run1")[0].key
        writer.put_score(key, Score(score=0.5, scorer="exact", flags=("strict",)), actor="ann")
        writer.put_cached("0" * 64, Completion(text="42", latency_s=0.5))
        for judgment in judgments("20250101-run1"):
            writer.put_judgment(judgment)
        writer.put_judgment(embedded("20250101-run1"), vectors=EMBEDDINGS)
    events = [b"first chunk", b"second chunk \x00"]
    store.put_submission(SUBMISSION, {"events": events, "keys": [b"\x01" * 8]})
    revised = msgspec.structs.replace(SUBMISSION, importer_version="2", llm_calls=2)
    store.put_submission(revised)
    store.put_submission(ROW)
    with direct_transaction(store) as connection:
        values = {"importer": "table", "source_sha256": "d" * 64}
        connection.execute(insert(older_tables).values(**values))
    store.add_calibration(CALIBRATION)
    store.add_labels([LABEL, msgspec.structs.replace(LABEL, score=0.5, raw_score=3.0), TRAP])
    for note in NOTES:
        store.trial_notes.add(note)
    store.imported_rows.write(store.imported_rows.number_of("20250101-run2"), [IMPORTED])
    store.imported_rows.put_header("20250101-run2", HEADER)
    agentic.fill(store)
    code.fill(store)
    accounts.fill(store)
    store.jobs.add(JOB)
    store.acquire_lease("run 20250101-run2", holder="engine", ttl_s=60, pid=1, host="elsewhere")


def held(store: Store) -> dict[str, Any]:
    """What a reader finds, as plain data."""
    runs = store.runs()
    found = [trial for run in runs for trial in store.trials(run.id)]
    return {
        "suite": [case.model_dump(mode="json") for case in store.suite(SUITE.content_hash)],
        "series": store.series("s-20250101-fixture"),
        "runs": runs,
        "trials": list(map(written, found)),
        "scores": [list(map(written, store.scores.versions(*trial.key))) for trial in found],
        "judgments": [
            written(it) for it in (*store.judgments(runs[-1].id), *store.judgments(None))
        ],
        "embeddings": {
            key: body.hex() for key, body in store.find_embeddings(list(EMBEDDINGS)).items()
        },
        "submissions": list(map(written, store.submissions())),
        "traces": [
            [chunk.hex() for chunk in store.trace(it.id, "events")] for it in store.submissions()
        ],
        "calibrations": list(map(written, store.calibrations())),
        "labels": [
            written(it) for it in store.labels([run.id for run in runs], every_version=True)
        ],
        "notes": list(map(written, store.trial_notes.of_runs([run.id for run in runs]))),
        "imported": [
            written(it) for it in store.imported_rows.each_record([run.id for run in runs])
        ],
        "imported_headers": [written(store.imported_rows.header(run.id)) for run in runs],
        "agentic": agentic.held(store),
        "code": code.held(store),
        "accounts": accounts.held(store),
        "jobs": list(map(written, store.jobs.list_open())),
        "pending": [waiting.message.dedupe_key for waiting in store.pending_messages()],
    }


def written(value: msgspec.Struct) -> str:
    """The value in a form that keeps what JSON lacks."""
    return ascii(msgspec.to_builtins(value))


IMPORTED = NewTrial(
    rank=1,
    position=0,
    case_id="sum",
    outcome="scored",
    record=ImportedRecord(
        key=2**62 + 1,
        scores={"tool/pass": 1.0, "tool/ratio \ud800": None},
        rest={"odd": ["\x00", "\ud800"]},
    ),
    finished_at=FINISHED,
    completion=Completion(text="42"),
    score=Score(score=1.0, scorer="tool/pass", profile="imported"),
)

HEADER = ImportedHeader(
    figures=({"scorer": "tool/pass", "metric": "mean", "value": 1.0},), rest={"task": "sums"}
)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "benchmaker.db"
        with Store.open(path, clock=lambda: NOW) as store:
            fill(store)
            store.vacuum()
            content = msgspec.json.format(msgspec.json.encode(held(store)), indent=1)
        packed = gzip.compress(path.read_bytes(), mtime=0)
    (FOLDER / f"{REVISIONS[-1]}.db.gz").write_bytes(packed)
    (FOLDER / f"{REVISIONS[-1]}.json").write_bytes(content + b"\n")


if __name__ == "__main__":
    main()
