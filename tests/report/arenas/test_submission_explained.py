"""How a submission's figures were worked out."""

import json
import math
from io import StringIO

import pytest

from benchmaker.arenas.agentic.logs.events import LlmCall, Totals, UserTurn
from benchmaker.arenas.agentic.sessions.importing import import_logs
from benchmaker.arenas.agentic.traces.trace import trace
from benchmaker.record.submissions.submission import TokenUsage
from benchmaker.report.arenas.submission_explained import (
    explained_data,
    explained_text,
    same_digits,
    terms,
)
from benchmaker.report.arenas.submission_text import submission_text
from benchmaker.report.arenas.trace_html import write_trace_html
from benchmaker.report.arenas.trace_text import trace_text
from tests.arenas.agentic.log_data import SESSION, write_claude_log
from tests.arenas.agentic.traces.test_trace import a_trace, an_id, answer


@pytest.fixture
def claude_log(tmp_path):
    return write_claude_log(tmp_path / f"{SESSION}.jsonl")


def test_the_terms_are_products_that_add_up_to_the_cost():
    made = a_trace(*(answer(n, output=n * 7) for n in range(1, 6)))
    found = terms(made)
    assert [(it.part, it.amount) for it in found] == [("input_uncached", 25), ("output", 105)]
    for it in found:
        assert math.isclose(it.usd, it.amount * it.rate_usd / 1e6)
    assert math.isclose(sum(it.usd for it in found), made.submission.cost.computed_usd)
    assert same_digits(made) is True


def test_requests_of_another_size_have_a_term_of_their_own():
    small = TokenUsage(input_uncached=100_000, output=1)
    large = TokenUsage(input_uncached=300_000, output=1)
    made = a_trace(
        LlmCall(id=an_id(1), model="claude-sonnet-4-5", usage=small),
        LlmCall(id=an_id(2), model="claude-sonnet-4-5", usage=large),
    )
    rates = [it.rate_usd for it in terms(made) if it.part == "input_uncached"]
    assert rates == [pytest.approx(3), pytest.approx(6)]


def test_the_arithmetic_of_time_names_the_gaps_that_are_left_out():
    made = a_trace(UserTurn(at=1e9), answer(1, at=1e9 + 10), answer(2, at=1e9 + 1010))
    shown = explained_text(made, width=200)
    assert "wall = last row − first row" in shown
    assert "active = wall − gaps over 300 s = 1,010.000 − 1,000.000 = 10.000 s" in shown
    assert "1 gap excluded: 1,000.000 s" in shown


def test_totals_of_the_log_are_said_to_be_its_own():
    made = a_trace(answer(1), Totals(usage=TokenUsage(input_uncached=50, output=10), wall_s=9.0))
    shown = explained_text(made, width=200)
    assert "stated in the log, replacing the sum" in shown
    assert "wall = 9.000 s, stated in the log" in shown
    assert same_digits(made) is None


def test_unknown_costs_say_why():
    made = a_trace(LlmCall(id=an_id(1), model="inhouse-7", usage=TokenUsage(output=5)))
    assert "unknown (no price for inhouse-7)" in explained_text(made)
    assert explained_data(made)["cost"]["computed_usd"] is None


def test_zeros_that_were_not_measured_say_so_everywhere(tmp_path):
    row = {"id": "b2", "tool": "x", "task_id": "t", "total_tokens": 0, "tool_calls": 3}
    row |= {"execution_time": 0, "estimated_cost": 0, "success": True}
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([row]))
    (kept,) = import_logs(path, home=tmp_path).submissions
    made = trace(kept.id, home=tmp_path)
    why = "0 despite model calls, so not measured"
    page = StringIO()
    write_trace_html(made, page)
    explained, traced = explained_text(made, width=200), trace_text(made, width=200)
    assert f"unknown: {why}" in " ".join(explained.split())
    assert f"Time: unknown: {why}." in explained
    assert f"Reported: unknown: {why}." in explained
    assert f"Tokens: unknown: {why}." in traced
    assert f"Time: unknown: {why}." in traced
    assert f"Cost: unknown: {why}" in traced
    assert page.getvalue().count(why) >= 3
    for shown in (explained, traced):
        assert "not in the log" not in shown
    assert "reports no tokens" not in explained + traced + page.getvalue()


def test_reported_and_computed_cost_stand_apart_with_their_gap():
    usage = TokenUsage(input_uncached=1_000_000, output=0)
    made = a_trace(LlmCall(id=an_id(1), model="gpt-4o", usage=usage, cost_usd=2.0))
    shown = explained_text(made)
    assert "Reported by the log: 2.0 dollars." in shown
    assert "Computed − reported: +0.500000 dollars." in shown


def test_prices_that_changed_give_other_digits(tmp_path, claude_log):
    (kept,) = import_logs(claude_log, home=tmp_path).submissions
    assert "the same " in explained_text(trace(kept.id, home=tmp_path))
    (tmp_path / "prices.yaml").write_text("prices:\n  claude-sonnet-4-5: {input: 9, output: 9}\n")
    made = trace(kept.id, home=tmp_path)
    assert same_digits(made) is False
    assert "with genai-prices" in explained_text(made)


def test_the_data_fit_in_json(tmp_path, claude_log):
    made = trace(claude_log, home=tmp_path)
    data = json.loads(json.dumps(explained_data(made)))
    assert data["cost"]["same_digits"] is True
    assert data["tokens"]["requests"] == 2


def test_a_submission_is_shown_with_where_its_figures_come_from(tmp_path, claude_log):
    (it,) = import_logs(claude_log, dry_run=True, home=tmp_path).submissions
    shown = submission_text(it)
    lines = {line[:30].strip(): line[30:].split() for line in shown.splitlines()}
    assert lines["All tokens"] == ["1,900", "computed"]
    assert lines["Tool calls"] == ["2", "imported"]
    assert "unknown: no file changed" in shown
    assert "Tools: Bash 2" in shown
