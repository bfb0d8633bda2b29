"""Usage, texts of sessions and reasoning, as pages without script show them."""

import time
from urllib.request import urlopen

import pytest

from benchmaker.arenas.agentic.api import import_logs
from tests.arenas.agentic.spans import answer_row, at, write_rows
from tests.web.serving import serving

ONE = "0b1c2d3e-0000-4000-8000-000000000001"


@pytest.fixture(scope="module")
def arena(tmp_path_factory):
    """One session with answers in March and just now, the last one with its reasoning."""
    folder = tmp_path_factory.mktemp("usage")
    times = [at("2026-03-01T10:00"), at("2026-03-09T10:00"), time.time() - 120, time.time()]
    rows = [answer_row(ONE, n, when, cwd="/home/ada/shop") for n, when in enumerate(times)]
    thought = {"type": "thinking", "thinking": "Perhaps <b>the discount</b> is applied twice."}
    rows[-1]["message"]["content"].insert(0, thought)
    import_logs(write_rows(folder / f"{ONE}.jsonl", rows), home=folder / "home")
    with serving(folder / "home") as address:
        yield address


def page(arena, path):
    with urlopen(f"{arena}/agentic/{path}") as answer:  # noqa: S310  our own
        return answer.read().decode()


def test_usage_is_shown_by_week_and_by_month(arena):
    text = page(arena, "usage?by=week")
    assert "2026-02-23" in text
    assert "2026-03-09" in text
    assert "<bdi>2026-03</bdi>" in page(arena, "usage?by=month")


def test_usage_is_chosen_by_project_tool_and_kind(arena):
    assert "2026-03-01" in page(arena, "usage?project=shop&tool=claude-code")
    for words in ("project=api", "tool=codex", "of=benchmarks"):
        assert "No session is like that." in page(arena, f"usage?{words}")


def test_usage_by_day_shows_the_blocks_of_the_last_days(arena):
    text = page(arena, "usage")
    assert "Blocks of five hours" in text
    assert text.count("2026-03-01") == 1  # in the table of days alone
    assert "Blocks of five hours" not in page(arena, "usage?by=model")


def test_texts_of_sessions_are_found_and_lead_to_the_trace(arena):
    text = page(arena, "search?q=applied+twice&in=texts")
    assert "Perhaps &lt;b&gt;the discount" in text
    assert "/agentic/submissions/1/trace?q=applied" in text
    assert "None." in page(arena, "search?q=nowhere&in=texts")
    assert "None." in page(arena, "search?q=...&in=texts")


def test_reasoning_is_folded_in_the_trace(arena):
    text = page(arena, "submissions/1/trace")
    assert "<summary>Reasoning, 45 characters</summary>" in text
    assert "Perhaps &lt;b&gt;the discount" in text
