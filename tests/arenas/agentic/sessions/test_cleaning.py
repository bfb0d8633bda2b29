import json
from operator import itemgetter

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.arenas.agentic.logs.events import (
    Failure,
    FileChange,
    LlmCall,
    Session,
    SessionEnd,
    ToolCall,
    ToolResult,
    UserTurn,
    WholeSubmission,
)
from benchmaker.arenas.agentic.sessions import cleaning
from benchmaker.arenas.agentic.sessions.cleaning import SecretFinding, cleaner, has_no_secret
from benchmaker.arenas.agentic.sessions.importing import import_logs
from benchmaker.record.submissions.submission import (
    Artifacts,
    CriterionResult,
    SourceFile,
    Submission,
    System,
    TaskRef,
)
from tests.arenas.agentic.canaries import BODY, CANARIES, planted
from tests.draws import draws

KEY = CANARIES["github"]
MARK = "[redacted:github]"
canaries = st.sampled_from(planted())

EVENTS = {
    "text": lambda it: LlmCall(id="m1", text=it),
    "model": lambda it: LlmCall(id="m1", model=it),
    "arguments": lambda it: ToolCall(id="t1", name="Bash", arguments=it),
    "name": lambda it: ToolCall(id="t1", name=it),
    "result": lambda it: ToolResult(call_id="t1", text=it),
    "id": lambda it: ToolCall(id=it, name="Bash"),
    "call": lambda it: ToolResult(call_id=it),
    "prompt": lambda it: UserTurn(text=it),
    "message": lambda it: Failure(message=it),
    "path": lambda it: FileChange(path=it),
    "folder": lambda it: Session(cwd=it),
    "extra": lambda it: Session(extra={"a": [{"b": it}, 1, None, True]}),
    "extra's key": lambda it: Session(extra={it: 1}),
    "patch": lambda it: SessionEnd(patch=it),
    "evidence": lambda it: SessionEnd(
        criteria=(CriterionResult(id="c", result="pass", evidence=it),)
    ),
    "submission": lambda it: WholeSubmission(
        submission=Submission(id="s", system=System(harness=it))
    ),
}


def a_submission(**fields) -> Submission:
    return Submission(**{"id": "s1", "system": System(harness="claude-code"), **fields})


def written(value) -> str:
    return json.dumps(msgspec.to_builtins(value), ensure_ascii=False)


@pytest.mark.parametrize("event", EVENTS.values(), ids=EVENTS)
@given(canary=canaries)
def test_no_canary_survives_in_any_text_of_an_event(event, canary):
    _, text, secret = canary
    own = cleaner()
    clean = own.event(event(text))
    assert secret not in written(clean)
    assert json.dumps(secret)[1:-1] not in written(clean)
    assert own.findings


@pytest.mark.parametrize("event", EVENTS.values(), ids=EVENTS)
def test_an_event_without_secrets_is_the_same_object(event):
    own, one = cleaner(), event("plain text")
    assert own.event(one) is one
    assert own.findings == ()


def test_a_finding_says_kind_and_line_and_never_the_value():
    own = cleaner()
    own.event(ToolResult(call_id="t", text=f"{KEY} and {KEY}", line=12, file=1))
    assert own.findings == (SecretFinding("github", 1, 12), SecretFinding("github", 1, 12))
    assert BODY not in repr(own.findings)


def test_findings_are_counted_in_the_submission():
    own = cleaner()
    own.event(UserTurn(text=f"{KEY} {CANARIES['npm']}", line=3))
    clean = own.submission(a_submission(project=f"/home/{KEY}"))
    assert clean.redactions == {"github": 2, "npm": 1}
    assert clean.project == f"/home/{MARK}"


def test_a_submission_without_secrets_is_the_same_object():
    one = a_submission(extra={"a": [1, "b"]}, tools_by_name={"Bash": 3})
    assert cleaner().submission(one) is one


def test_every_text_of_a_submission_is_cleaned():
    clean = cleaner().submission(
        a_submission(
            task=TaskRef(id=KEY),
            session_id=KEY,
            sources=(SourceFile(path=f"/x/{KEY}.jsonl", sha256="a", bytes=1),),
            artifacts=Artifacts(files_created=(f"{KEY}.txt", "b")),
            extra={"deep": {KEY: [(KEY,)]}},
            flags=(KEY,),
        )
    )
    assert KEY not in written(clean)
    assert clean.artifacts.files_created == (f"{MARK}.txt", "b")
    assert clean.redactions == {"github": 7}


def test_cleaning_a_clean_submission_again_changes_nothing():
    once = cleaner().submission(a_submission(project=KEY, session_id=KEY, extra={KEY: KEY}))
    assert cleaner().submission(once) is once


def test_redactions_that_a_file_tells_of_are_kept():
    given_one = a_submission(redactions={"jwt": 2, "github": 1}, project=KEY)
    assert cleaner().submission(given_one).redactions == {"github": 2, "jwt": 2}


def test_ids_that_hold_different_secrets_stay_different():
    own = cleaner()
    first = own.event(ToolCall(id=KEY, name="Bash"))
    second = own.event(ToolCall(id=KEY + "x", name="Bash"))
    answer = own.event(ToolResult(call_id=KEY))
    assert first.id != second.id
    assert first.id == answer.call_id


def test_counts_of_names_that_become_one_are_added_up():
    names = {KEY: 2, KEY + "x": 3, "Bash": 1}
    assert cleaner().submission(a_submission(tools_by_name=names)).tools_by_name == {
        MARK: 5,
        "Bash": 1,
    }


def test_what_is_nested_beyond_reason_is_left_out():
    deep: list = []
    for _ in range(800):
        deep = [deep, KEY]
    clean = cleaner().event(Session(extra={"deep": deep}))
    assert KEY not in written(clean)


def test_many_findings_are_counted_and_listed_up_to_a_limit(monkeypatch):
    monkeypatch.setattr(cleaning, "LISTED", 5)
    own = cleaner()
    for line in range(9):
        own.event(UserTurn(text=KEY, line=line))
    assert len(own.findings) == 5
    assert own.submission(a_submission()).redactions == {"github": 9}


def test_nothing_that_is_stored_of_a_log_holds_a_canary(tmp_path):
    log = tmp_path / "log" / "s1.jsonl"
    log.parent.mkdir()
    log.write_text("\n".join(map(json.dumps, claude_rows())), encoding="utf-8")
    done = import_logs(log, home=tmp_path / "home")
    stored = b"".join(it.read_bytes() for it in (tmp_path / "home").rglob("*") if it.is_file())
    assert BODY.encode() not in stored
    assert len(done.submissions) == 1
    assert BODY not in written(done.submissions[0])
    assert sum(done.submissions[0].redactions.values()) >= len(planted())
    assert {it.line for it in done.secrets[done.submissions[0].id]} <= {1, 2, 3}


def claude_rows() -> list[dict]:
    place = {"sessionId": "5e5510", "cwd": f"/w/{KEY}", "version": "2.0.1", "isSidechain": False}
    told = "\n".join(text for _, text, _ in planted())
    call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": told}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": told}
    usage = {"input_tokens": 5, "output_tokens": 7}
    answer = {"id": "msg_1", "role": "assistant", "model": "claude-sonnet-4-5", "usage": usage}
    at = "2025-10-01T10:00:0{}.000Z"
    return [
        {**place, "type": "user", "uuid": "u1", "timestamp": at.format(1),
         "message": {"role": "user", "content": told}},
        {**place, "type": "assistant", "uuid": "u2", "timestamp": at.format(2),
         "message": {**answer, "content": [call]}},
        {**place, "type": "user", "uuid": "u3", "timestamp": at.format(3),
         "message": {"role": "user", "content": [result]}},
    ]  # fmt: skip


@settings(max_examples=draws(100, 400), deadline=None)
@given(
    st.lists(st.text(max_size=30) | canaries.map(itemgetter(1)), max_size=4),
    st.booleans(),
    st.booleans(),
)
def test_scanning_all_texts_at_once_finds_no_less_than_a_walk(texts, is_key, is_again):
    extra = dict.fromkeys(texts, 1) if is_key else {"texts": texts}
    submission = a_submission(extra=extra)
    for _ in range(1 + is_again):
        is_clean = has_no_secret(submission)
        walked = [cleaner().event(UserTurn(text=it)).text == it for it in texts]
        assert is_clean <= all(walked)


def test_texts_that_need_no_closer_look_are_scanned_at_once():
    assert has_no_secret(a_submission(project="shop", extra={"tokens": 1}))
    assert not has_no_secret(a_submission(project=KEY))
    assert not has_no_secret(a_submission(project=f'"{KEY}"'))
