"""Which reader takes a file: one at most, whatever the file is called."""

import shutil
from pathlib import Path

import pytest

from benchmaker.arenas.agentic.importers.base import FileHead
from benchmaker.arenas.agentic.importers.sniffing import head_of
from benchmaker.arenas.agentic.sessions.scan import importers
from tests.conftest import SHARED

READERS = importers()
FOLDERS = ("agent_logs", "agent_logs_t2", "incoming-t2")
NO_LOGS = {
    *("SOURCES.md", "values.json", "expected.json", "usage_shapes.json"),
    *("LICENSE", "LICENSE.scout"),
}
OTHERS = {"promptfoo", "lm_eval", "helm", "deepeval", "openai_evals"}
"""What other tools' evaluations leave behind is no log of an agent."""

FILES = [
    path
    for folder in FOLDERS
    for path in sorted((SHARED / "data" / folder).rglob("*"))
    if path.is_file()
]
NAMES = ("claude.out", "log", "rows.csv", "x.jsonl", "ui_messages.json", "a.traj.json")


def claims(head: FileHead) -> set[str]:
    """Every reader that takes a file for its own."""
    return {reader.id for reader in READERS if reader.sniff(head) > 0}


@pytest.mark.data
@pytest.mark.parametrize("path", FILES, ids=lambda path: "/".join(path.parts[-3:]))
def test_each_file_is_one_readers_whatever_it_is_called(tmp_path, path):
    found = claims(head_of(path))
    is_log = path.name not in NO_LOGS and not OTHERS & set(path.parts)
    assert len(found) == is_log
    copy = Path(shutil.copyfile(path, tmp_path / "copy"))
    for name in NAMES:
        copy = copy.rename(tmp_path / name)
        assert claims(head_of(copy)) == found, name


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
    "aider": [
        b"\n# aider chat started at 2026-01-02 03:04:05\n\n> Aider v0.60\n",
        b"My notes\n\n# aider chat started at 2026-01-02 03:04:05\n",
        b"the end of an answer\n> Tokens: 3.3k sent, 151 received.\n\n#### Go on\n",
    ],
    "aider_benchmark": [
        b"- dirname: a\n  test_cases: 5\n  edit_format: whole\n  pass_rate_1: 2.0\n",
    ],
    "cline": [
        b'{"version": 1, "sessionId": "s", "agent": "lead", "messages": [{"role": "user"}]}',
        b'[{"ts": 1, "type": "say", "say": "text", "text": "hello"}]',
    ],
    "swe_agent": [
        b'{"trajectory": [{"action": "ls", "observation": "a"}]}',
        b'{"history": [{"role": "system", "message_type": "system_prompt"}]}',
    ],
    "hal": [b'{"config": {"benchmark_name": "b"}, "results": {"total_cost": 1}}'],
    "mini_swe_agent": [
        *(
            b'[{"role": "system", "content": "%s"}, {"role": "user", "content": "Do it."}]' % own
            for own in (
                b"Answer with one bash code block, and a THOUGHT before it.",
                b"```mswea_bash_command\\nls\\n```",
                b"<returncode>0</returncode>\\n<output>\\na.py\\n</output>",
                b"To finish: echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT",
            )
        ),
        b'{"info": {"model_stats": {"api_calls": 1}}, "messages": [{"role": "user"}]}',
    ],
    "claude_code": [
        b'{"type": "user", "sessionId": "s", "message": {"role": "user", "content": "hi"}}\n',
    ],
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("reader", "start"), [(reader, start) for reader, all_ in SMALL.items() for start in all_]
)
def test_one_reader_takes_what_is_its_own(reader, start, name):
    assert claims(FileHead(Path(name), len(start), start)) == {reader}


@pytest.mark.parametrize(
    "start",
    [
        b"",
        b"hello\n",
        b"a,b\n1,2\n",
        b'{"a": {"schema_version": "ATIF-v1.4", "mini_version": "1"}}',
        b'{"notes": "\\"trajectory_format\\": \\"mini-swe-agent-1\\", ATIF-v1.5"}',
        b"PK\x03\x04 something else that is packed",
        b'[{"role": "user", "content": "What is a bash code block?"}]',
        b"# Notes\nA chat of aider: # aider chat started at noon\n",
    ],
)
def test_nobody_takes_what_is_none_of_theirs(start):
    assert claims(FileHead(Path("a.json"), len(start), start)) == set()
