import io

import pytest
from rich.console import Console

from benchmaker.cli.progress.terminal_lines import render_snapshot
from benchmaker.record import Outcome
from tests.cli.snapshots import a_moment, a_pace


def shown(moment, width=80):
    page = io.StringIO()
    Console(file=page, width=width, legacy_windows=False).print(render_snapshot(moment))
    return page.getvalue().splitlines()


def test_there_is_a_line_for_each_thing_worth_knowing():
    moment = a_moment(
        flying=3,
        cost_usd=0.1,
        limiters={"openai": a_pace(limit=3, held_s=2.0), "ollama": a_pace()},
        stopped={"openai/x": "AuthError: refused"},
    )
    lines = shown(moment)
    assert " 25% 500 of 2,000 trials · 42 trials/s · about 36 s left" in lines[0]
    assert [line.rstrip() for line in lines[1:]] == [
        "  3 in flight · cost $0.10",
        "  openai: 2 of 3 in flight · waits 2 s",
        "  ollama: 2 of 5 in flight",
        "  stopped querying openai/x: AuthError: refused",
    ]


def test_recorded_answers_need_one_line():
    assert len(shown(a_moment())) == 1


def test_no_line_is_wider_than_the_window():
    moment = a_moment(stopped={"m" * 60: "r" * 60}, flying=5, number=1, runs=5)
    assert max(map(len, shown(moment, width=40))) <= 40


def test_what_steers_terminals_is_made_visible():
    assert not any("\x1b" in line for line in shown(a_moment(stopped={"m\x1b[2J": "no"})))


def test_nothing_planned_is_drawn_too():
    assert "0%" in shown(a_moment(planned=0, done=0))[0]


def test_the_bar_is_of_the_whole_series():
    assert " 12% run 1 of 2: " in shown(a_moment(number=1, runs=2))[0]
    assert " 62% run 2 of 2: " in shown(a_moment(number=2, runs=2))[0]


def test_answers_that_wait_for_a_judge_are_not_done():
    waiting = {"planned": 3, "done": 3, "left": 0, "rate": 0.0, "seconds_left": None}
    assert "  0% 0 of 3 judged" in shown(a_moment(**waiting, awaiting=3))[0]
    assert " 66% 2 of 3 judged" in shown(a_moment(**waiting, awaiting=1))[0]
    assert "100% 3 of 3 trials" in shown(a_moment(**waiting))[0]
    assert " 15% 500 of 2,000 trials" in shown(a_moment(awaiting=200))[0]


@pytest.mark.parametrize("width", [40, 60, 80])
def test_the_time_left_is_whole_in_any_window(width):
    page = io.StringIO()
    outcomes = {Outcome.SCORED: 488, Outcome.TIMEOUT: 12}
    moment = a_moment(flying=3, cost_usd=0.1, retries=7, outcomes=outcomes)
    console = Console(file=page, width=width, legacy_windows=False)
    console.print(render_snapshot(moment, width))
    first, second = page.getvalue().splitlines()[:2]
    assert "about 36 s left" in first
    assert "12 timeouts" in second
    assert "$0.10" in second
    assert "…" not in first + second
