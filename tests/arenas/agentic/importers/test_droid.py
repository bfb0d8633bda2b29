"""The settings of a session of Droid."""

import json

from benchmaker.arenas.agentic.importers.droid import Droid
from tests.arenas.agentic.importers.logs import head_of, read_one

DROID = Droid()


def test_the_settings_hold_the_sums_of_the_session(tmp_path):
    used = {"inputTokens": 10, "outputTokens": 5, "cacheCreationTokens": 7,
            "cacheReadTokens": 100, "thinkingTokens": 3}  # fmt: skip
    path = tmp_path / "a.settings.json"
    moment = "2026-01-01T10:00:00Z"
    path.write_text(
        json.dumps({"model": "gpt-5", "providerLockTimestamp": moment, "tokenUsage": used})
    )
    found = read_one(DROID, path)
    assert (found.total_tokens, found.usage.output, found.usage.reasoning) == (125, 8, 3)
    assert (found.llm_calls, found.tool_calls) == (None, None)
    assert found.started_at == "2026-01-01T10:00:00.000Z"
    assert DROID.sniff(head_of(path)) > 0.5


def test_settings_without_a_time_have_none(tmp_path):
    path = tmp_path / "a.settings.json"
    path.write_text(json.dumps({"model": "gpt-5", "tokenUsage": {"inputTokens": 10}}))
    found = read_one(DROID, path)
    assert (found.started_at, found.finished_at) == (None, None)
    assert (found.time.wall_s, found.total_tokens) == (None, 10)
