"""The contract of importers holds for ours, each with a log as its tool writes it."""

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from benchmaker import plugins
from benchmaker.testing import ImporterContract
from tests.arenas.agentic.importers import (
    claude_rows,
    codex_rows,
    test_aider,
    test_amp,
    test_atif,
    test_cline,
    test_codex,
    test_codex_exec,
    test_copilot,
    test_gemini,
    test_goose,
    test_grok,
    test_kimi,
    test_mini_swe_agent,
    test_opencode,
    test_openhands,
    test_otel,
    test_pi,
    test_qwen_code,
    test_table,
)
from tests.arenas.agentic.importers.benchmarks import (
    test_aider_benchmark,
    test_hal,
    test_harbor,
    test_inspect_log,
    test_swe_bench,
    test_tau2,
    test_terminal_bench,
)
from tests.arenas.agentic.importers.logs import line_of

CHECKS = [name for name in dir(ImporterContract) if name.startswith("test_")]


def lines(*rows: Any) -> bytes:
    return b"".join(line_of(row) + b"\n" for row in rows)


def file(make: Callable[[Path], Path]) -> dict[str, Any]:
    """What a function writes into a folder: the file's content and name."""
    with TemporaryDirectory() as folder:
        path = make(Path(folder))
        return {"sample": path.read_bytes(), "file_name": path.name}


def claude(n: int) -> bytes:
    answers = [claude_rows.answer(f"msg_{number}", number % 3_600) for number in range(n)]
    return lines(claude_rows.prompt("List all files."), *answers)


def codex(n: int) -> bytes:
    given = [codex_rows.tokens(100)] * n
    return lines(*(test_codex.parents_rows()[:2]), *test_codex.counts(*given))


CLINE = {
    "version": 1,
    "sessionId": "1783376868634_abcdef",
    "agent": "lead",
    "messages": [test_cline.answer(1)],
}
SWE_AGENT = {
    "trajectory": [
        {"action": "ls", "observation": "a.py", "response": "so", "execution_time": 0.5}
    ],
    "history": [{"role": "system", "message_type": "system_prompt"}],
    "info": {"exit_status": "submitted", "model_stats": {"api_calls": 1, "tokens_sent": 50}},
}
INSPECT = test_inspect_log.log(**test_inspect_log.used(input_tokens=10, output_tokens=5))
INSPECT["eval"] |= {"run_id": "a-run-id-of-some-length", "task_id": "a-task-id-of-some-length"}
OPENCLAW = {"type": "custom", "customType": "model-snapshot", "data": {"modelId": "gpt-5"}}
DROID = {
    "model": "gpt-5",
    "providerLockTimestamp": "2026-01-01T10:00:00Z",
    "tokenUsage": {"inputTokens": 10, "outputTokens": 5, "cacheReadTokens": 100},
}

SAMPLES: dict[str, dict[str, Any]] = {
    "aider": file(lambda it: test_aider.history(it, "> Tokens: 3.3k sent, 151 received.")),
    "aider_benchmark": file(test_aider_benchmark.table),
    "amp": file(test_amp.thread),
    "atif": file(lambda it: test_atif.trajectory(it / "t.json", test_atif.step(1))),
    "claude_code": {
        "sample": claude(3),
        "text": "List all files.",
        "repeated": staticmethod(claude),
    },
    "cline": {"sample": json.dumps(CLINE), "file_name": "a.messages.json"},
    "codex": {"sample": lines(*test_codex.parents_rows())},
    "codex_exec": {
        "sample": lines(
            test_codex_exec.THREAD,
            test_codex_exec.STARTED,
            test_codex_exec.item(1, "agent_message", text="All done."),
            test_codex_exec.ended(),
        ),
        "text": "All done.",
    },
    "copilot": file(
        lambda it: test_copilot.log(it, test_copilot.answered(1), test_copilot.answered(2))
    ),
    "droid": {"sample": json.dumps(DROID), "file_name": f"{test_pi.SESSION}.settings.json"},
    "gemini": {
        "sample": lines(
            test_gemini.HEADER, test_gemini.asked(content="List all files."), test_gemini.said()
        ),
        "text": "List all files.",
    },
    "goose": file(lambda it: test_goose.stored(it / "sessions.db")),
    "grok": file(lambda it: test_grok.written_file(it, "completed")),
    "harbor": file(test_harbor.trial),
    "hal": file(lambda it: test_hal.written(it, total_usage={"gpt-4o": {"prompt_tokens": 70}})),
    "inspect_log": {"sample": json.dumps(INSPECT), "file_name": "log.json"},
    "kilo": file(lambda it: test_opencode.stored(it / "a.db", test_opencode.TALK, kilo=True)),
    "kimi": {"sample": lines(*test_kimi.ROWS), "file_name": "wire.jsonl", "text": "What is here?"},
    "mini_swe_agent": file(
        lambda it: test_mini_swe_agent.written(it, api_calls=1, instance_cost=0.5)
    ),
    "openclaw": {"sample": lines(test_pi.HEAD, OPENCLAW, *test_pi.ROWS[1:])},
    "opencode": file(lambda it: test_opencode.stored(it / "a.db", test_opencode.TALK)),
    "openhands": {"sample": lines(test_openhands.line("a"), test_openhands.line("b"))},
    "otel": file(lambda it: test_otel.log(it, test_otel.chat(1), test_otel.chat(2))),
    "pi": {"sample": lines(*test_pi.ROWS), "text": "One file, a.py."},
    "qwen_code": {"sample": lines(*test_qwen_code.ROWS), "text": "What is here?"},
    "swe_agent": {"sample": json.dumps(SWE_AGENT), "file_name": "task-1.traj"},
    "swe_bench": file(test_swe_bench.run_of),
    "table": {"sample": lines(test_table.ROW)},
    "tau2": file(lambda it: test_tau2.results(it, test_tau2.simulation(id=test_pi.SESSION))),
    "terminal_bench": file(
        lambda it: test_terminal_bench.results(
            it, {"total_input_tokens": 100, "total_output_tokens": 5}
        )
    ),
}

TOTALS = {
    "aider": 3451, "aider_benchmark": 1200, "amp": 12546, "atif": 110, "claude_code": 384,
    "cline": 105, "codex": 330, "codex_exec": 110, "copilot": 14, "droid": 115, "gemini": 110,
    "goose": 130, "harbor": 1050, "hal": 70, "inspect_log": 15, "kilo": 248, "kimi": 230,
    "mini_swe_agent": 109, "openclaw": 244, "opencode": 248, "openhands": 210, "otel": 210,
    "pi": 244, "qwen_code": 238, "swe_agent": 50, "table": 1200, "tau2": 105, "terminal_bench": 105,
}  # fmt: skip
SESSIONS = {"openhands": 2, "swe_bench": 4}
SEVERAL_FILES = {"openhands_sdk"}
"""A log is a folder, which one sample can't hold."""


def contract_of(name: str) -> ImporterContract:
    facts = {"total_tokens": TOTALS.get(name), "sessions": SESSIONS.get(name, 1)}
    body = {"importer": plugins.load("importer", name), **facts, **SAMPLES[name]}
    return type("Contract", (ImporterContract,), body)()


def faults(contract: ImporterContract) -> dict[str, str]:
    """The checks that fail, each with what it says."""
    found = {}
    for check in CHECKS:
        try:
            getattr(contract, check)()
        except AssertionError as exc:
            found[check] = str(exc)
    return found


@pytest.mark.parametrize("name", SAMPLES)
def test_ours_keep_the_contract(name):
    assert faults(contract_of(name)) == {}


def test_every_importer_of_ours_has_a_sample():
    ours = {it.id for it in plugins.list_plugins("importer") if it.distribution == "benchmaker"}
    assert {it for it in ours - set(SAMPLES) if not has_own_contract(it)} == SEVERAL_FILES


def has_own_contract(name: str) -> bool:
    """Whether the importer's own test inherits the contract."""
    files = Path(__file__).parent.rglob(f"test_{name}.py")
    return any("(ImporterContract)" in it.read_text(encoding="utf-8") for it in files)
