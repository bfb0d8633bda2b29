"""Boards as pages, under hostile names."""

import io

import pytest

from benchmaker.analysis.boards.fronts import Fronts
from benchmaker.analysis.boards.profile_comparison import ProfileComparison, ProfileQuality
from benchmaker.analysis.composite.system_baselines import system_baselines
from benchmaker.arenas.agentic.boards.leaderboard import leaderboard
from benchmaker.arenas.agentic.evaluation.profile_columns import ProfileRanking
from benchmaker.arenas.agentic.settling.stored_boards import BoardMaker, bias_body, bias_of
from benchmaker.record.submissions.metric_joining import collect_columns
from benchmaker.redact import Redactor
from benchmaker.report.arenas.baselines import system_baseline_report
from benchmaker.report.arenas.bias import bias_report
from benchmaker.report.arenas.fronts import fronts_report
from benchmaker.report.arenas.leaderboard import board_report
from benchmaker.report.arenas.profiles import profile_comparison_report
from benchmaker.report.arenas.sections import ReportDocument, Section
from benchmaker.report.plots.scatter import LogPlane
from benchmaker.report.tables.table import Column, Table
from benchmaker.spec.tasks.agentic_profile import BUILT_IN
from tests.analysis.submissions import a_row
from tests.report.runs.test_html import ATTRIBUTES, PAYLOADS, TAGS, Reader

OWN_TAGS = TAGS | {"g", "polyline"}
OWN_ATTRIBUTES = ATTRIBUTES | {"aria-label", "transform", "points"}


def rows(*systems):
    return [
        a_row(
            n, system=systems[n % len(systems)], tool=systems[n % len(systems)], cost=0.01 * (n + 1)
        )
        for n in range(30)
    ]


def page(told, **given):
    stream = io.StringIO()
    told.write_html(stream, **given)
    return stream.getvalue()


def front_of(given):
    return fronts_report(Fronts.of(collect_columns(given)).to_dict() | {"profile": "classic/1"})


def all_told(given):
    columns = collect_columns(given)
    maker = BoardMaker(columns, ProfileRanking(BUILT_IN["classic"]))
    front = Fronts.of(columns).to_dict() | {"profile": "classic/1"}
    return [
        board_report(leaderboard(columns)),
        fronts_report(front),
        bias_report(bias_body(bias_of(maker), maker)),
    ]


@pytest.mark.parametrize(
    ("attempts", "why"),
    [
        ({"a": 1}, "a: not tested (1 attempt, at least 5 are needed)."),
        (
            {"a": 5, "b": 5},
            "a: not tested (3 systems with at least 5 attempts are needed, 2 available",
        ),
        ({"a": 5, "b": 5, "c": 5, "d": 4}, "d: not tested (4 attempts, at least 5 are needed)."),
    ],
)
def test_a_place_on_the_front_is_not_tested_below_the_minimums(attempts, why):
    names = [name for name, n in attempts.items() for _ in range(n)]
    given = [a_row(n, system=name, cost=0.01 * (n + 1)) for n, name in enumerate(names)]
    text = "".join(front_of(given).text(explain=True, width=200))

    assert why in text
    assert ("No system beats" in text) == (len(attempts) == 4)
    assert "not tested" in text


def test_systems_with_enough_attempts_are_tested():
    given = [a_row(n, system="abc"[n % 3], cost=0.01 * (n + 1)) for n in range(15)]
    assert "not tested" not in "".join(front_of(given).text(explain=True, width=200))


@pytest.mark.parametrize("first", range(0, len(PAYLOADS), 4))
def test_a_hostile_name_is_text_on_every_page(first):
    for told in all_told(rows(*PAYLOADS[first : first + 4], "b")):
        read = Reader(page(told))
        assert read.tags <= OWN_TAGS
        assert {name for name, *_ in read.attributes} <= OWN_ATTRIBUTES


def test_secrets_are_taken_out_of_a_page():
    told = board_report(leaderboard(rows("a secret word", "b", "c")))
    assert "secret" not in page(told, redactor=Redactor(["a secret word"]))


def test_text_and_markdown_hold_every_row():
    told = board_report(leaderboard(rows("first", "second", "third")))
    for form in (told.text(), told.markdown()):
        assert all(name in form for name in ("first", "second", "third"))


def test_equal_scores_share_their_rank():
    given = [a_row(n, system=f"s{n % 3}", total_tokens=5, tool_calls=5, iterations=1, seconds=9.0,
                   cost=0.1) for n in range(30)]  # fmt: skip
    lines = board_report(leaderboard(given, profile="classic")).text().splitlines()
    assert sum(line.startswith("1 [1–3]") for line in lines) == 3


def test_a_table_without_rows_leaves_its_notes():
    told = ReportDocument("Title", sections=(Section(Table((Column("A"),), ()), notes=("why",)),))
    assert told.text() == "Title\n\nwhy\n"


def test_a_plane_holds_its_points():
    plane = LogPlane.from_values([0.01, 10.0], [0.2, 0.7])
    assert plane.top == pytest.approx(0.7)
    assert 40 < plane.x(0.01) < plane.x(10.0) < 760
    assert plane.y(0.7) < plane.y(0.2)
    assert LogPlane.from_values([0.0], [1.0]) is None


def test_bias_says_that_nothing_was_tested_where_nothing_was():
    for few in ([], rows("cli")[:1]):
        maker = BoardMaker(collect_columns(few), ProfileRanking(BUILT_IN["classic"]))
        body = bias_body(bias_of(maker), maker)
        assert bias_report(body).verdict == ("Not tested: too few comparable submissions.",)


def test_a_system_without_verdict_or_cost_says_that_they_are_not_known():
    given = [a_row(n, success=None, cost=None) for n in range(5)]
    usual = system_baselines(given)
    text = "".join(system_baseline_report("cli", usual, {usual[0].task_id: given}).text(width=200))

    assert "none" not in text
    assert "unknown" in text
    assert "no interval" in text


def test_a_comparison_of_few_systems_says_what_was_not_tested_and_why():
    few = ProfileQuality("p/1", 3, 1, None, None, None, None, None)
    reason = "1 system ranked by both, at least 3 are needed"
    made = ProfileComparison(few, few, 1, None, None, (), (), (), reason)
    text = "".join(profile_comparison_report(made, 3).text(explain=True, width=200))

    assert "none" not in text
    assert text.count("not tested") == 4
    assert "stability needs 3 systems and 2 tasks" in text
    assert "1 system ranked by both" in text


def test_a_front_of_one_budget_says_that_its_area_is_not_known():
    text = "".join(front_of([a_row(n, cost=0.01) for n in range(6)]).text(width=200))

    assert "none" not in text
    assert "An area needs successes at two different budgets." in text
