"""Commands of three processes at once, with kills of all of them: the server's own record."""

import time
from datetime import datetime
from random import Random

import pytest

from benchmaker import control
from benchmaker.record.run_command import CommandState, ControlAction
from benchmaker.store import Store
from tests.faults.control_child import MOST_REQUESTS, Orders
from tests.faults.control_child import main as send_commands
from tests.faults.live_work import (
    answers_by_question,
    ended,
    finish,
    killed_after,
    report,
    rows,
    start,
    stored,
)
from tests.faults.processes import TIMEOUT_S, begun, wait_until
from tests.live.faulty import FaultyServer
from tests.live.runs import environ_for
from tests.live.server.pace import Pace
from tests.waiting import until

pytestmark = pytest.mark.warm

CONTROLLERS = 3
OBEYS_S = 2.0
LATENCY_S = 0.3
CASES = 200
TRIALS = 2 * CASES


@pytest.fixture(scope="module")
def server():
    with FaultyServer(Pace(latency_s=LATENCY_S)) as started:
        yield started


@pytest.fixture(scope="module")
def uninterrupted(server, tmp_path_factory):
    """Rows and report of a run that nobody disturbed."""
    home = tmp_path_factory.mktemp("uninterrupted")
    finish(home, environ_for(server, "sk-proj-uncontrolled-0"), cases=CASES, concurrency=50)
    return rows(home), report(home)


def commands_of(home):
    """All commands to the newest run, in order."""
    with Store.open(home / "benchmaker.db", read_only=True) as store:
        return store.run_commands.of_run(store.runs(limit=1)[0].id)


def arrivals(server, key):
    """When each request came, in seconds since 1970."""
    since = time.time() - server.journal.now_s()
    return [since + entry.at_s for entry in server.journal.entries(key=key)]


def pauses(commands):
    """Each pause that took effect: when it was acknowledged, and when its end was asked for."""
    began = None
    for command in commands:
        if command.action is ControlAction.PAUSE and command.result.startswith("paused;"):
            began = _seconds(command.applied_at)
        if command.action is ControlAction.RESUME and began is not None:
            yield began, _seconds(command.created_at)
            began = None


def _seconds(stamp):
    return datetime.fromisoformat(stamp).timestamp()


def begin_controller(home, seed, number):
    return begun(send_commands, Orders(home, seed, number))


def check(home, server, uninterrupted, seed):
    """Three senders and an engine, each killed at a random moment; then all is finished."""
    random = Random(seed)  # noqa: S311  seeded on purpose
    key = f"sk-proj-controlled-{seed}"
    environ = environ_for(server, key)
    engine = start("run", home, environ, cases=CASES)
    wait_until(engine, "done")
    senders = [begin_controller(home, 10 * seed + n, number=6) for n in range(CONTROLLERS)]
    wait_until(senders[0], "sends")
    time.sleep(random.random())
    senders[0].process.kill()
    ended(senders[0])
    killed_after(engine, server, key, 0, random.random())
    senders[0] = begin_controller(home, 10 * seed + CONTROLLERS, number=3)
    engine = start("resume", home, environ)
    for sender in senders:
        assert not ended(sender).last.get("error")
    wait_until(engine, "done")

    a_pause_is_obeyed(home, server, key)
    control("latest", resume=True, concurrency=50, home=home)
    assert ended(engine).last.get("finished")
    nothing_is_lost_or_doubled(home, server, key, uninterrupted)
    commands_are_applied_once_and_in_order(home)
    for began, asked in pauses(commands_of(home)):
        late = [at for at in arrivals(server, key) if began + OBEYS_S < at < asked]
        assert late == [], (seed, began, asked)


def a_pause_is_obeyed(home, server, key):
    """After the acknowledgement only those come that were on their way; then none."""
    control("latest", resume=True, home=home)
    done = control("latest", pause=True, home=home)
    assert done.is_held
    assert done.state == "paused"
    until(lambda: all(it.end != "open" for it in server.journal.entries(key=key)), TIMEOUT_S)
    began = _seconds(done.commands[0].applied_at)
    until(lambda: time.time() > began + OBEYS_S, TIMEOUT_S)
    before = stored(home)
    after = [at for at in arrivals(server, key) if at > began]
    assert len(after) <= MOST_REQUESTS
    assert [at for at in after if at > began + OBEYS_S] == []
    assert 0 < before < TRIALS, "the pause came too late to show anything"


def nothing_is_lost_or_doubled(home, server, key, uninterrupted):
    assert rows(home) == uninterrupted[0]
    assert report(home) == uninterrupted[1]
    asked = answers_by_question(server, key)
    assert len(asked) == TRIALS
    assert sum(asked.values()) - TRIALS <= MOST_REQUESTS, "one kill costs what is in flight"


def commands_are_applied_once_and_in_order(home):
    """Pauses and their ends are applied in their order; none is left, and none is refused."""
    commands = commands_of(home)
    switches = [it for it in commands if it.action in {ControlAction.PAUSE, ControlAction.RESUME}]
    times = [it.applied_at for it in switches if it.applied_at]
    assert times == sorted(times)
    assert {it.state for it in switches} == {CommandState.APPLIED}
    assert CommandState.REFUSED not in {it.state for it in commands}
    is_paused = False
    for command in switches:
        changes = not command.result.startswith("no effect")
        assert changes == (is_paused is (command.action is ControlAction.RESUME)), command
        is_paused = command.action is ControlAction.PAUSE


@pytest.mark.quick("a command from another process must be obeyed, and cost nothing")
def test_three_processes_control_one_run(tmp_path, server, uninterrupted):
    check(tmp_path, server, uninterrupted, 0)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 9))
def test_three_processes_control_one_run_whenever_they_are_killed(
    tmp_path, server, uninterrupted, seed
):
    check(tmp_path, server, uninterrupted, seed)
