"""Data folders with agentic submissions: well-behaved ones, and ones that mean harm."""

import json
from pathlib import Path

import benchmaker
from benchmaker.record.submissions.evaluation import Flag
from benchmaker.record.submissions.submission import (
    Artifacts,
    CriterionResult,
    ModelUsage,
    OutcomeOf,
    Status,
    Submission,
    System,
    TaskRef,
    TokenUsage,
)
from benchmaker.store import Store
from tests.arenas.agentic.handed import many, the_id, write_submissions

HARM = (
    '<script>window.harmed=1</script>"><img src=x onerror="window.harmed=1">',
    "javascript:window.harmed=1",
    "'-window.harmed=1-' {{7*7}} [x](javascript:window.harmed=1) <svg onload=window.harmed=1>",
)
SESSION = "0a1b2c3d-0000-4000-8000-00000000beef"


def ordinary(home: Path) -> Path:
    """80 submissions to three tasks under both profiles, some of them flagged."""
    path = write_submissions(home.with_suffix(".jsonl"), many(80))
    benchmaker.evaluate(path, home=home)
    benchmaker.evaluate(home=home, profile="classic")
    _flag(home, "the figures are those of another")
    return home


def _flag(home: Path, evidence: str) -> None:
    """Hold something against two submissions."""
    with Store.open(home / "benchmaker.db") as store:
        store.agentic.add_flags(
            Flag(submission_id=the_id(number), kind="made", source="test/1", evidence=evidence)
            for number in (3, 7)
        )


def hostile(home: Path) -> Path:
    """Submissions whose every text is an attack, and a session that shows its own."""
    made = [_hostile(number, harm) for number, harm in enumerate(HARM * 4)]
    path = write_submissions(home.with_suffix(".jsonl"), made)
    benchmaker.evaluate(path, home=home)
    log = write_log(home.with_name("harm.jsonl"), HARM[0])
    benchmaker.evaluate(log, home=home, task="look-around")
    benchmaker.evaluate(home=home, profile="classic")
    _flag(home, HARM[0])
    return home


def _hostile(number: int, harm: str):
    usage = TokenUsage(input_uncached=1_000, output=200)
    evidence = f"{harm}\n" * 30
    return Submission(
        id=the_id(number),
        system=System(harness=harm, harness_version=harm, model=harm, effort=harm),
        task=TaskRef(id=f"{harm}", category=harm, difficulty=harm),
        project=harm,
        session_id=harm,
        submitter=harm,
        started_at="2026-02-10T12:00:00.000Z",
        finished_at=f"2026-02-10T12:{number:02d}:30.000Z",
        usage=usage,
        usage_by_model=(ModelUsage(model=harm, usage=usage, llm_calls=1),),
        total_tokens=1_200,
        tool_calls=3,
        iterations=1,
        tools_by_name={harm: 3},
        outcome=OutcomeOf(
            status=Status.COMPLETED,
            success=True,
            criteria=(CriterionResult(id=harm, result="pass", type=harm, evidence=evidence),),
        ),
        artifacts=Artifacts(files_created=(harm,), files_modified=(f"a/{harm}",)),
    )


def write_log(path: Path, text: str, *, steps: int = 3) -> Path:
    """A session of Claude Code in which prompt, answer, tool, input and output are that text."""
    head = {"sessionId": SESSION, "version": "2.1.38", "cwd": f"/home/ada/{text}"}
    rows = [_row("user", 0, {"role": "user", "content": text})]
    for step in range(1, steps + 1):
        call = {
            "type": "tool_use", "id": f"toolu_{step:015d}", "name": text,
            "input": {"command": text, "n": step},
        }  # fmt: skip
        done = {"type": "tool_result", "tool_use_id": call["id"], "content": f"{text}\n" * 20}
        said = {
            "id": f"msg_{step:020d}", "role": "assistant", "model": text,
            "usage": {"input_tokens": 10, "output_tokens": 4},
            "content": [{"type": "text", "text": text}, call],
        }  # fmt: skip
        rows += [
            _row("assistant", 3 * step, said),
            _row("user", 3 * step + 1, {"role": "user", "content": [done]}),
        ]
    path.write_text("".join(json.dumps(head | row) + "\n" for row in rows))
    return path


def _row(kind: str, second: int, message: dict) -> dict:
    at = f"2026-02-10T12:{second // 60:02d}:{second % 60:02d}Z"
    return {"type": kind, "uuid": f"{kind}{second}", "timestamp": at, "message": message}
