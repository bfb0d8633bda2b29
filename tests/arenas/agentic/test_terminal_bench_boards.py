"""The worked case of docs/explanation/terminal-bench.md, from the lent trials."""

import csv
from collections import Counter
from pathlib import Path
from statistics import fmean

import pytest

from benchmaker import import_logs, leaderboard
from benchmaker.analysis.boards.bias import residuals
from benchmaker.arenas.agentic.evaluation.metrics import metrics_of
from benchmaker.arenas.agentic.evaluation.profile_columns import ProfileRanking
from benchmaker.record.submissions.metric_joining import collect_columns
from benchmaker.report.sentences.board_words import figure_interval, rank_of, score_of
from benchmaker.spec.tasks.agentic_profile import BUILT_IN

PAGE = Path(__file__).resolve().parents[3] / "docs" / "explanation" / "terminal-bench.md"
PUBLISHED = ("openhands_claude-4-sonnet", "goose_claude-4-sonnet", "droid_claude-4-sonnet")

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def trials(shared, tmp_path_factory):
    path = shared / "agent_logs" / "terminal_bench" / "leaderboard_trials.csv"
    home = tmp_path_factory.mktemp("home")
    found = [metrics_of(one) for one in import_logs(path, dry_run=True, home=home).submissions]
    return collect_columns(found)


@pytest.fixture(scope="module")
def page():
    return PAGE.read_text(encoding="utf-8")


def by_system(board):
    return {row.system: row for row in board.rows}


def test_the_three_published_accuracies_come_out(shared, trials):
    published = {}
    with (shared / "ranking" / "terminal_bench_runs.csv").open(newline="") as lines:
        for line in csv.DictReader(lines):
            name = line["submission"].partition("_")[2]
            published.setdefault(name, []).append(float(line["accuracy"]))
    found = by_system(leaderboard(trials, value="resolved"))

    assert [round(fmean(published[name]), 10) for name in PUBLISHED] == [0.4125, 0.4125, 0.505]
    for name in PUBLISHED:
        assert found[name].score / 100 == pytest.approx(fmean(published[name]), abs=1e-12)


def test_the_page_shows_accuracies_with_and_without_the_infrastructures_failures(trials, page):
    resolved = leaderboard(trials, value="resolved")
    success = by_system(leaderboard(trials, value="success"))
    broken = Counter(row.system for row in trials.rows() if row.outcome == "infra_error")
    for row in resolved.rows:
        other = success[row.system]
        line = (
            f"| {row.system} | {row.score:.2f} | {rank_of(row)} | {other.score:.2f} "
            f"| {rank_of(other)} | {broken[row.system]} |"
        )
        assert line in page


def test_seven_systems_have_no_tokens(trials):
    known = Counter(row.system for row in trials.rows() if row.total_tokens is not None)
    assert set(trials.systems) - set(known) == {
        system for system in trials.systems if not system.startswith("orchestrator")
    }
    assert len(trials.systems) - len(known) == 7


def test_classic_evaluates_none_of_them_and_says_why(trials, page):
    board = leaderboard(trials, profile="classic")

    assert all(row.rank is None and row.n == 0 for row in board.rows)
    assert board.left_out == {
        "infrastructure": 158,
        "no_tool_calls": 403,
        "no_total_tokens": 3023,
    }
    for count in ("3,023", "403", "158"):
        assert count in page


def test_the_page_shows_what_robust_makes_of_them(trials, page):
    for row in leaderboard(trials, profile="robust").rows:
        score, interval = score_of(row, "overall"), figure_interval("overall", row.low, row.high)
        assert f"| {row.system} | {score} | {interval} | {rank_of(row)} |" in page


def test_the_bias_report_sees_that_the_parts_differ(trials, page):
    ranking = ProfileRanking(BUILT_IN["robust"])
    found = {one.tool: one for one in residuals(trials, ranking.composites(trials))}

    for tool in ("orchestrator_claude-4.1-opus", "orchestrator_qwen-3-coder-480B"):
        one = found[tool]
        assert one.is_flagged
        assert f"{-one.points:.1f} points lower" in page
