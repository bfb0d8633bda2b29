"""The headline of a board: who is ahead, by how much, how sure, at what cost."""

import benchmaker
from benchmaker.report.arenas.leaderboard import board_report
from tests.analysis.submissions import a_row


def rows_of(**systems):
    return [
        a_row(
            100 * place + n,
            system=system,
            task_id=task,
            tool=system,
            correctness=score - n / 1000,
            cost=cost,
        )
        for place, (system, (score, task, cost)) in enumerate(systems.items())
        for n in range(6)
    ]


def report_of(rows, **given):
    return board_report(benchmaker.leaderboard(rows, **given))


def test_the_leader_is_named_with_its_lead_and_cost():
    rows = rows_of(a=(0.9, "t1", 0.5), b=(0.5, "t1", 0.25), c=(0.2, "t1", None))
    lead, costs = report_of(rows, value="correctness").verdict
    assert lead.startswith("a has the best correctness, 89.8 (40.0 points above b), significantly")
    assert costs == "Mean cost per submission: $0.50 (a), $0.25 (b)."


def test_a_system_on_other_tasks_alone_is_not_the_leader():
    rows = rows_of(
        a=(0.9, "t1", 0.5), b=(0.5, "t1", 0.25), c=(0.2, "t1", None), far=(1.0, "t2", 0.1)
    )
    found = report_of(rows, value="correctness")
    assert found.verdict[0].startswith("a has the best correctness")
    assert found.notes[0] == "Shares no task with the other systems, not ranked: far."
    classic = report_of(rows, value="correctness", profile="classic")
    assert classic.verdict[0].startswith("far has the best correctness, 99.8 (10.0 points above a)")
    assert "Shares no task with the other systems, ranked as published: far." in classic.notes


def test_a_board_by_cost_gives_it_once():
    rows = rows_of(a=(1, "t1", 0.5), b=(1, "t1", 0.25), c=(1, "t1", 1.0))
    (verdict,) = report_of(rows, value="dollars").verdict
    assert verdict.startswith("b has the lowest cost, $0.25 ($0.25 below a)")
