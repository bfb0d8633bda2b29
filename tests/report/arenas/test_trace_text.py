"""Traces in the terminal. ``trace_golden.txt`` is what ``benchmaker trace`` prints of a small log.

Made by: python -m benchmaker trace LOG > tests/report/trace_golden.txt, LOG being what
``tests.arenas.agentic.log_data.write_claude_log`` writes.
"""

import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from benchmaker.arenas.agentic.logs.events import (
    Failure,
    LlmCall,
    SubagentStart,
    ToolCall,
    ToolResult,
    UserTurn,
)
from benchmaker.arenas.agentic.traces.trace import trace
from benchmaker.record.submissions.submission import TokenUsage
from benchmaker.report.arenas.trace_text import trace_text, truncate_line
from benchmaker.report.sentences.trace_words import arguments
from tests.arenas.agentic.log_data import SESSION, write_claude_log
from tests.arenas.agentic.traces.test_trace import a_trace, an_id, answer, call

GOLDEN = Path(__file__).parents[1].joinpath("trace_golden.txt")
HOSTILE = "\x1b[2J\x1b]8;;https://evil.example\x07x\u202etxt.exe\r\n[bold]b[/bold] \x9b31m\ud800"


@pytest.fixture
def small(tmp_path):
    return trace(write_claude_log(tmp_path / f"{SESSION}.jsonl"), home=tmp_path)


def test_a_small_log_in_the_terminal(small):
    assert priceless(trace_text(small)) == priceless(GOLDEN.read_text(encoding="utf-8"))


def priceless(text):
    """Prices and their version change with the installed list."""
    return re.sub(r"genai-prices [\d.]+", "genai-prices", text)


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_the_screen(small, width):
    lines = trace_text(small, width=width).splitlines()
    assert max(map(cell_len, lines)) <= width


def test_hostile_texts_are_shown_and_steer_nothing():
    made = a_trace(
        UserTurn(text=HOSTILE),
        LlmCall(id=an_id(1), model=HOSTILE, text=HOSTILE, usage=TokenUsage(output=5)),
        ToolCall(id="a", name=HOSTILE, arguments=HOSTILE),
        ToolResult(call_id="a", text=HOSTILE),
        SubagentStart(id="s", name=HOSTILE),
        answer(2, agent="s"),
        Failure(message=HOSTILE),
    )
    for styled in (False, True):
        shown = trace_text(made, styled=styled, width=100)
        plain = re.sub(r"\x1b\[[\d;]*m", "", shown)
        assert styled == ("\x1b" in shown)
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", plain)
        assert "[bold]b[/bold]" in plain
        assert "␛[2J" in plain


def test_more_steps_than_the_limit_are_counted(small):
    shown = trace_text(small, limit=1)
    assert "#1 12:00:00 prompt" in shown
    assert "#2 12:00:03" not in shown
    assert shown.endswith("2 more steps: --limit 3\n")


def test_only_chosen_steps_are_listed_with_their_numbers(small):
    shown = trace_text(small, steps=small.select(text="one file"))
    assert "#3 12:00:09" in shown
    assert "#1 12:00:00" not in shown
    assert "No such steps." in trace_text(small, steps=small.select(text="absent"))


def test_dropped_content_is_said(tmp_path):
    log = write_claude_log(tmp_path / f"{SESSION}.jsonl")
    assert "Numbers only" in trace_text(trace(log, content=False, home=tmp_path))


def test_wide_signs_and_nested_agents_fit():
    events = [answer(0, text="漢字" * 100), call("c0")]
    for n in range(1, 12):
        start = SubagentStart(id=f"agent-{n}", call_id=f"c{n - 1}")
        events += [start, answer(n, agent=f"agent-{n}", text="漢字" * 90), call(f"c{n}")]
    shown = trace_text(a_trace(*events))
    assert max(map(cell_len, shown.splitlines())) <= 80


def test_cutting_keeps_what_fits():
    assert truncate_line("  ab\tc", 20) == "  ab c"
    assert cell_len(truncate_line("漢字漢字漢字", 6)) <= 6


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (None, ""),
        ("ls -l", "ls -l"),
        ('{"a": 1, "b": [2]}', "a: 1, b: [2]"),
        ('["x"]', '["x"]'),
        ("[" * 15_000, "[" * 15_000),
        ('{"cut', '{"cut'),
    ],
)
def test_arguments_are_told_without_the_marks_of_json(given, shown):
    assert arguments(given) == shown
