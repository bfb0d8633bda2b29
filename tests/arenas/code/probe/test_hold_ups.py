"""A browser that is held up from outside: a limit that it reaches says nothing of the page."""

import os
import signal
import subprocess
import threading
from contextlib import contextmanager, suppress

import pytest

from benchmaker.arenas.code.probe.attempt import Attempt
from benchmaker.arenas.code.probe.examination import PageObservations
from benchmaker.processes import usage
from benchmaker.record import ProbeOutcome
from benchmaker.spec.suites.page_checks import Check
from tests.arenas.code.probe.conftest import Probing, was_held_up
from tests.waiting import until

PAGE = "<button onclick=\"this.textContent='Went'\">Go</button>"
CHECK = Check.model_validate({"steps": [{"expect": "Nowhere"}]})
RENDERED, HANG, UNKNOWN = ProbeOutcome.RENDERED, ProbeOutcome.HANG, ProbeOutcome.UNKNOWN


@pytest.fixture
def hurried():
    """A prober of its own with little time for a page; its browsers may be stopped."""
    reasons = []
    probing = Probing(budget_s=2, on_repeat=reasons.append)
    probing.reasons = reasons
    yield probing
    probing.close()


@contextmanager
def stopping(prober, times):
    """Stop each of the first browsers that show a page, so many; gives those that were."""
    stopped, is_over = [], threading.Event()

    def watch():
        while not is_over.wait(0.01) and len(stopped) < times:
            browser = prober._running
            if browser and browser.in_use and browser.memory.pid not in stopped:
                with suppress(ProcessLookupError):
                    os.kill(browser.memory.pid, signal.SIGSTOP)
                    stopped.append(browser.memory.pid)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield stopped
    finally:
        is_over.set()
        thread.join()


@pytest.mark.long
def test_a_page_is_examined_again_after_its_browser_was_stopped(hurried):
    with stopping(hurried.prober, 1) as stopped:
        report = hurried.report(PAGE, budget_s=20)
    assert len(stopped) == 1
    assert report.outcome is RENDERED
    assert (report.axe, report.click.changed) == ((), 1)


@pytest.mark.long
def test_a_page_whose_browsers_were_all_stopped_is_unknown(hurried):
    with stopping(hurried.prober, 9) as stopped:
        report = hurried.report(PAGE, checks=[CHECK])
    assert len(stopped) == 3
    assert hurried.reasons == 2 * [
        "The machine is busy: a page is examined again, with longer limits."
    ]
    assert report.outcome is UNKNOWN
    assert report.error.startswith("the machine was too busy: the page had ")
    assert (report.axe, report.click, report.title, report.checks) == (None, None, None, ())
    assert [it.message for it in report.findings] == [f"No result: {report.error}"]
    assert "machine_busy" in report.flags


@pytest.mark.long
def test_a_loop_is_a_hang_also_after_a_stop(hurried):
    with stopping(hurried.prober, 1):
        report = hurried.report("<script>for(;;);</script>", budget_s=4)
    assert report.outcome is HANG or was_held_up(report)
    assert report.timeout is True


@pytest.mark.long
def test_a_busy_machine_makes_no_page_hang(hurried):
    busy = [subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"]) for _ in range(16)]
    try:
        report = hurried.report(PAGE, checks=[CHECK])
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert report.outcome is RENDERED or was_held_up(report)
    if report.outcome is UNKNOWN:
        assert report.click is None
        assert report.checks == ()
    else:
        assert report.axe == ()


class Held:
    """A watch that saw this."""

    def __init__(self, *, share=1.0, ran_s=0.0):
        self.took_s, self.held_s, self.share, self.ran_s = 10.0, 10 * (1 - share), share, ran_s


def attempt(*, timeout=True, share=1.0, ran_s=0.0, **given):
    made = Attempt(PageObservations((1440,), timeout=timeout), budget_s=10.0, **given)
    made.watch = Held(share=share, ran_s=ran_s)
    return made


def test_a_time_out_of_a_browser_that_was_held_up_is_doubtful():
    assert attempt(share=0.5).is_doubtful
    assert not attempt(share=0.9).is_doubtful
    assert not attempt(share=0.5, timeout=False).is_doubtful


def test_the_reason_of_another_attempt_names_a_busy_machine_only_if_it_was_busy():
    assert attempt(share=0.5).repeat_reason.startswith("The machine is busy: ")
    assert attempt(share=0.9).repeat_reason.startswith("A page reached its time limit ")


def test_longer_limits_make_up_for_the_time_that_was_lost():
    first = attempt(share=0.5)
    assert first.next_stretch == 2.0
    assert not attempt(share=0.5, stretch=first.next_stretch).is_doubtful
    assert attempt(share=0.0).next_stretch == 4.0


def test_a_page_that_used_the_processors_is_the_cause_if_it_was_alone():
    assert not attempt(share=0.1, ran_s=6.0, is_alone=True).is_doubtful
    assert attempt(share=0.1, ran_s=6.0).is_doubtful


def test_the_use_of_a_process_grows_while_it_works_and_not_while_it_is_stopped():
    busy = subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"])
    try:
        until(lambda: usage(busy.pid).main_ran_s > 0.05)
        busy.send_signal(signal.SIGSTOP)
        until(lambda: usage(busy.pid).is_stopped)
        before = usage(busy.pid)
        assert usage(busy.pid) == before
    finally:
        busy.kill()
        busy.wait()
    assert usage(busy.pid) is None
