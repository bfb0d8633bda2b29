"""The width of text, and names folded to a width."""

import io
import os
import pty
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.report.tables.commands import wrap_hint, wrap_message
from benchmaker.report.tables.width import cell_width, fold_name, width_of, wrap_lines


@pytest.mark.parametrize(
    ("said", "columns"), [("60", 60), ("100", 100), ("7", 40), ("0", 80), ("", 80), ("wide", 80)]
)
def test_columns_says_the_width_of_any_stream(monkeypatch, said, columns):
    monkeypatch.setenv("COLUMNS", said)
    assert width_of(io.StringIO()) == columns


def test_a_terminal_that_does_not_know_its_size_is_taken_as_80_columns(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    master, slave = pty.openpty()
    with os.fdopen(master, "rb"), os.fdopen(slave, "w", encoding="utf-8") as stream:
        assert width_of(stream) == 80


@pytest.mark.parametrize(
    ("name", "width", "lines"),
    [
        ("openrouter/mistral-large", 24, ["openrouter/mistral-large"]),
        ("openrouter/mistral-large", 18, ["openrouter/", "mistral-large"]),
        ("openrouter/mistral-large", 23, ["openrouter/", "mistral-large"]),
        ("claude-haiku-4-5", 15, ["claude-", "haiku-4-5"]),
        (
            "openrouter/anthropic/claude-sonnet-4.5",
            30,
            ["openrouter/anthropic/", "claude-sonnet-4.5"],
        ),
        ("qwen/qwen3-coder:free", 18, ["qwen/qwen3-", "coder:free"]),
        ("openai/gpt-5 high", 16, ["openai/gpt-5", "high"]),
        ("a name of words", 9, ["a name of", "words"]),
        ("abcdefghij", 4, ["abcd", "efg", "hij"]),
        ("aurora\n− basalt", 10, ["aurora", "− basalt"]),
    ],
)
def test_a_name_breaks_near_its_middle_behind_a_sign_where_there_is_one(name, width, lines):
    assert fold_name(name, width).split("\n") == lines


@given(name=st.text("ab-/. 表", max_size=40), width=st.integers(2, 30))
def test_no_letter_is_lost(name, width):
    assert fold_name(name, width).replace("\n", "").replace(" ", "") == name.replace(" ", "")


@given(name=st.text("ab-/:. 表", max_size=30), width=st.integers(4, 20))
def test_no_line_is_too_wide_and_a_short_last_one_cannot_be_avoided(name, width):
    folded = fold_name(name, width).split("\n")
    *before, last = [cell_width(line) for line in folded]
    assert max((*before, last)) <= width
    if before and last < 3:
        parts = re.findall(r"[^\s/:-]*[\s/:-]+|[^\s/:-]+", name)
        assert len(parts) == 1 or cell_width("".join(parts[-2:]).rstrip()) > width


@pytest.mark.parametrize("width", range(24, 90))
@pytest.mark.parametrize(
    "whole", ["95% CI [56.6, 100.0]", "95% CI 4.3 to 10.4", "95% CI −32.1 to 62.4", "p = 0.001"]
)
def test_no_interval_is_broken_over_lines(width, whole):
    text = f"No significant difference: alpha leads beta by 20.0 points ({whole}), over 2 prompts."
    lines = wrap_lines(text, width)
    assert sum(whole in line for line in lines) == 1
    assert " ".join(lines) == text
    assert all(len(line) <= width for line in lines)
    assert wrap_hint(text, width).split("\n") == wrap_message(text, width).split("\n") == lines
