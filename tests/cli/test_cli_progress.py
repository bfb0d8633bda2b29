import pytest

from benchmaker.cli.context import Context
from benchmaker.cli.progress import PlainLines, line, showing
from benchmaker.engine.progress import Progress
from benchmaker.record import Outcome


def a_snapshot(**given):
    usual = {"run_id": "r", "planned": 2000, "done": 500, "rate": 41.6, "seconds_left": 36.0}
    return Progress(**{**usual, "outcomes": {Outcome.SCORED: 500}, **given})


def test_the_line_has_counts_rate_and_time_left():
    assert line(a_snapshot()) == "500 of 2,000 trials · 42 trials/s · 36 s left"


def test_failures_are_counted_by_kind_the_most_frequent_first():
    outcomes = {Outcome.SCORED: 9, Outcome.EMPTY: 1, Outcome.PROVIDER_ERROR: 3}
    told = line(a_snapshot(outcomes=outcomes, seconds_left=None))
    assert told == "500 of 2,000 trials · 42 trials/s · 3 provider error, 1 empty"


def test_a_series_says_which_run_it_is():
    assert line(a_snapshot(number=2, runs=3)).startswith("run 2 of 3: 500 of 2,000")


def test_a_known_cost_is_shown():
    assert "recorded cost $0.51" in line(a_snapshot(cost_usd=0.507))


def test_at_the_end_no_time_is_left():
    assert "left" not in line(a_snapshot(done=2000, seconds_left=0.0))


def test_a_slow_rate_keeps_a_decimal():
    assert "0.4 trials/s" in line(a_snapshot(rate=0.41))


def test_without_a_terminal_lines_are_seldom_and_the_last_is_never_left_out(capsys):
    lines = PlainLines(every_s=3600)
    lines.show(a_snapshot(done=1))
    lines.show(a_snapshot(done=2))
    lines.show(a_snapshot(done=2000))
    assert capsys.readouterr().err.count("\n") == 1


def test_without_a_terminal_a_line_comes_when_it_is_time(capsys):
    lines = PlainLines(every_s=0)
    lines.show(a_snapshot(done=1))
    lines.show(a_snapshot(done=2))
    assert capsys.readouterr().err.count("\n") == 2


@pytest.mark.parametrize("quiet", [True, False])
def test_quiet_shows_nothing(capsys, tmp_path, quiet):
    with showing(Context(home=tmp_path), quiet=quiet) as show:
        if show:
            show(a_snapshot(done=2000))
    assert (capsys.readouterr().err == "") is quiet
