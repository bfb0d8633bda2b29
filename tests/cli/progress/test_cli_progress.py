import pytest

from benchmaker.cli.context import Context
from benchmaker.cli.progress.progress import PlainLines, line, progress_display
from tests.cli.snapshots import a_moment, a_pace, a_snapshot


def test_the_line_has_counts_rate_and_time_left():
    assert line(a_moment()) == "500 of 2,000 trials · 42 trials/s · about 36 s left"


def test_the_line_has_requests_in_flight_and_cost():
    told = line(a_moment(flying=5, cost_usd=0.507, limiters={"openai": a_pace()}))
    assert told == "500 of 2,000 trials · 42 trials/s · about 36 s left · 5 in flight · cost $0.507"


def test_an_endpoint_that_is_held_back_stands_in_the_line():
    held = a_pace(limit=4, rate=2.5, held_s=11.2)
    told = line(a_moment(limiters={"openai (KEY)": held, "ollama": a_pace()}))
    assert told.endswith("openai (KEY): 2 of 4 in flight · at most 2.5 requests/s · waits 12 s")


def test_a_model_that_is_asked_no_more_is_named_in_the_line():
    told = line(a_moment(stopped={"openai/x": "AuthError: refused"}))
    assert told.endswith("stopped: openai/x")


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
    with progress_display(Context(home=tmp_path), quiet=quiet) as show:
        if show:
            show(a_snapshot(done=2000))
    assert (capsys.readouterr().err == "") is quiet
