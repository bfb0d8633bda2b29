"""Which reader takes a file: one at most, whatever the file is called."""

from pathlib import Path

import pytest

from benchmaker.arenas.agentic.heads import head_of
from benchmaker.arenas.agentic.importers.base import Head
from benchmaker.arenas.agentic.scan import importers
from tests.docs.page import ROOT

READERS = importers()
DATA = ROOT.parent / "shared" / "data"
FOLDERS = [it for it in (DATA / "agent_logs", DATA / "agent_logs_t2") if it.is_dir()]
SAMPLES = {
    str(path.relative_to(DATA)): path
    for folder in FOLDERS
    for path in sorted(folder.rglob("*"))
    if path.is_file()
}
NAMES = ("captured.out", "log", "rows.csv", "x.jsonl", "ui_messages.json", "a.traj.json")


def claims(head: Head) -> dict[str, float]:
    """Every reader that takes a file for its own, with how sure it is."""
    found = {reader.id: reader.sniff(head) for reader in READERS}
    return {name: sure for name, sure in found.items() if sure > 0}


@pytest.mark.data
@pytest.mark.parametrize("name", SAMPLES)
def test_no_two_readers_claim_a_sample(name):
    found = claims(head_of(SAMPLES[name]))
    assert len(found) <= 1, f"{name} is claimed by {', '.join(found)}"


@pytest.mark.data
@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_recognised_under_any_name(name):
    head = head_of(SAMPLES[name])
    wanted = claims(head).keys()
    for other in NAMES:
        found = claims(Head(Path("/elsewhere", other), head.size, head.start)).keys()
        assert found == wanted, f"{name}, called {other}"


SMALL = {
    "table": [
        b'{"id": "1", "tool": "x", "total_tokens": 5}\n',
        b'[{"id": "1",\n"tool": "x", "total_tokens": 5}]',
        b"id,tool,total_tokens\n1,x,5\n",
        b'{"submissions": [{"id": "a-1", "schema_version": "benchmaker.submission/1"}]}',
    ],
    "terminal_bench": [
        b"submission,run,task_id,trial,resolved,failure_mode,input_tokens\na,b,c,d,True,unset,5\n",
        b'{"id": "r", "results": [{"task_id": "t", "is_resolved": true, "failure_mode": "unset"}]}',
    ],
    "aider": [b"\n# aider chat started at 2026-01-02 03:04:05\n\n> Aider v0.60\n"],
    "aider_benchmark": [
        b"- dirname: a\n  test_cases: 5\n  edit_format: whole\n  pass_rate_1: 2.0\n",
    ],
    "cline": [
        b'{"version": 1, "sessionId": "s", "messages": []}',
        b'[{"ts": 1, "type": "say", "say": "text", "text": "hello"}]',
    ],
    "swe_agent": [
        b'{"trajectory": [{"action": "ls", "observation": "a"}]}',
        b'{"history": [{"role": "system", "message_type": "system_prompt"}]}',
    ],
    "hal": [b'{"config": {"benchmark_name": "b"}, "results": {"total_cost": 1}}'],
    "claude_code": [
        b'{"type": "user", "sessionId": "s", "uuid": "u", "message": {"role": "user"}}\n',
    ],
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("reader", "start"), [(reader, start) for reader, all_ in SMALL.items() for start in all_]
)
def test_one_reader_takes_what_is_its_own(reader, start, name):
    assert list(claims(Head(Path(name), len(start), start))) == [reader]


@pytest.mark.parametrize(
    "start",
    [
        b"",
        b"hello\n",
        b"a,b\n1,2\n",
        b'{"a": {"schema_version": "ATIF-v1.4", "mini_version": "1"}}',
        b"PK\x03\x04 something else that is packed",
        b"# Notes\nA chat of aider: # aider chat started at noon\n",
    ],
)
def test_nobody_takes_what_is_none_of_theirs(start):
    assert claims(Head(Path("a.json"), len(start), start)) == {}
