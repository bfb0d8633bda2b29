import asyncio
import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.errors import SandboxError, ScorerTimeout
from benchmaker.sandbox import TimedWorker
from benchmaker.sandbox import process as spawned
from tests.waiting import until

EVIL = ["search", "(a+)+$", "a" * 64 + "b"]
PATIENCE_S = 60
"""The time of whatever is to come to an end: on a busy machine, too."""


class PatientWorker(TimedWorker):
    """A worker whose calls have plenty of time, unless a test gives them little."""

    def call(self, payload, *, timeout_s=PATIENCE_S):
        return super().call(payload, timeout_s=timeout_s)

    async def acall(self, payload, *, timeout_s=PATIENCE_S):
        return await super().acall(payload, timeout_s=timeout_s)


@pytest.fixture(scope="module")
def shared_worker():
    worker = PatientWorker("tests.sandbox.timed_functions:do")
    yield worker
    worker.close()


@pytest.fixture
def worker():
    worker = PatientWorker("tests.sandbox.timed_functions:do")
    yield worker
    worker.close()


def is_running(pid):
    """Whether the process exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_for_end(pid):
    until(lambda: not is_running(pid), PATIENCE_S)


@contextmanager
def once_there(path, act):
    """Meanwhile, a thread that acts as soon as the file is there."""

    def wait_and_act():
        until(path.exists, PATIENCE_S)
        act()

    thread = threading.Thread(target=wait_and_act)
    thread.start()
    try:
        yield
    finally:
        path.touch()  # where no call made it, the thread is not to wait for it
        thread.join()


def children():
    listed = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return {int(pid) for path in listed for pid in path.read_text().split()}


def open_files():
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_result_comes_back(shared_worker):
    assert shared_worker.call(["search", "b+", "abbc"]) == [1, 3]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(value=json_values)
@settings(max_examples=150 if settings().max_examples >= 100 else 40, deadline=None)
def test_plain_data_passes_unchanged_lone_surrogates_included(shared_worker, value):
    assert shared_worker.call(["echo", value]) == value


@pytest.mark.parametrize("size", [0, 1, 65_531, 65_532, 65_536, 1_000_000, 3_000_000])
def test_long_payloads_pass_in_both_directions(shared_worker, size):
    assert shared_worker.call(["echo", "é" * (size // 2)]) == "é" * (size // 2)


def test_a_late_call_ends_on_time_and_the_process_lives_on(worker, monkeypatch):
    """Without its alarm the call would last for ages; on a busy machine that may ring late."""
    monkeypatch.setattr(spawned, "GRACE_S", PATIENCE_S)
    pid = worker.call(["pid"])
    started = time.monotonic()
    with pytest.raises(ScorerTimeout, match=r"timed out after 0\.2 s"):
        worker.call(EVIL, timeout_s=0.2)
    assert 0.2 <= time.monotonic() - started < PATIENCE_S
    assert worker.call(["pid"]) == pid


def test_a_late_call_of_a_pure_function_is_made_once_more(tmp_path):
    """A machine that stood still was late in the first call only."""
    worker = TimedWorker("tests.sandbox.timed_functions:do", is_pure=True)
    try:
        late = ["late_once", str(tmp_path / "called")]
        assert worker.call(late, timeout_s=0.2) == "in time"
        late = ["late_once", str(tmp_path / "called again")]
        assert asyncio.run(worker.acall(late, timeout_s=0.2)) == "in time"
        with pytest.raises(ScorerTimeout):
            worker.call(EVIL, timeout_s=0.05)
        with pytest.raises(ScorerTimeout):
            asyncio.run(worker.acall(EVIL, timeout_s=0.05))
    finally:
        worker.close()


def test_a_call_that_has_to_wait_for_its_turn_is_not_late(worker, tmp_path):
    assert worker.call(["await", str(tmp_path / "never"), 0.5], timeout_s=0.3) == "nowhere"


def test_a_call_that_waits_for_ever_is_late_by_the_clock(worker, tmp_path):
    with pytest.raises(ScorerTimeout, match=r"timed out after 0\.05 s"):
        worker.call(["await", str(tmp_path / "never"), PATIENCE_S], timeout_s=0.05)


def test_a_call_that_is_busy_and_deaf_is_late_however_it_was_ended(worker):
    with pytest.raises(ScorerTimeout):
        worker.call(["stubborn", 10 * PATIENCE_S], timeout_s=2)


def test_a_call_that_is_deaf_to_its_alarm_is_killed_and_the_next_call_works(worker):
    pid = worker.call(["pid"])
    with pytest.raises(ScorerTimeout):
        worker.call(["deaf", PATIENCE_S], timeout_s=0.1)
    assert not is_running(pid)
    assert worker.call(["echo", 1]) == 1


def test_the_time_that_a_call_used_is_not_taken_from_the_next_one():
    program = """if True:
        import signal
        from benchmaker.sandbox import timed_child

        for kind in (signal.SIGVTALRM, signal.SIGALRM):
            signal.signal(kind, timed_child._raise_time_limit)
        print(timed_child._call_timed(lambda last: sum(range(last)), 10_000_000, 0.01, 60.0))
        print(signal.getitimer(signal.ITIMER_PROF)[0])
    """
    command = [sys.executable, "-c", program]
    told = subprocess.run(command, check=True, capture_output=True, text=True)
    reply, left_s = told.stdout.splitlines()
    assert reply == "['late']"
    assert float(left_s) > 0.95


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (["fail", "because"], "ValueError: because"),
        (["hog"], "MemoryError"),
        (["exit", 3], "during a call"),
        (["nonsense"], "KeyError"),
        (["not json"], "during a call"),
        (["fill", 5 << 20], "longer than"),
    ],
)
def test_a_broken_call_is_a_sandbox_error_and_the_next_call_works(worker, payload, reason):
    with pytest.raises(SandboxError, match=reason):
        worker.call(payload)
    assert worker.call(["echo", "fine"]) == "fine"


def test_a_process_killed_between_calls_is_replaced_unnoticed(worker):
    pid = worker.call(["pid"])
    os.kill(pid, signal.SIGKILL)
    wait_for_end(pid)
    assert worker.call(["pid"]) != pid


def test_a_process_killed_during_a_call_is_a_sandbox_error(worker, tmp_path):
    pid, there = worker.call(["pid"]), tmp_path / "there"
    with (
        once_there(there, lambda: os.kill(pid, signal.SIGKILL)),
        pytest.raises(SandboxError, match="during a call"),
    ):
        worker.call(["mark", str(there), ["deaf", PATIENCE_S]])
    assert worker.call(["echo", 1]) == 1


def test_the_environment_is_empty(worker, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "sk-canary")
    pid = worker.call(["pid"])
    assert set(worker.call(["environment"])) <= {"LC_CTYPE"}  # Python's own, from the C locale
    assert b"canary" not in Path(f"/proc/{pid}/environ").read_bytes()


def test_memory_is_bounded_and_no_core_is_written(worker):
    assert worker.call(["limits"]) == [1 << 30, 0]


def test_the_process_starts_with_the_standard_library_alone(worker):
    modules = worker.call(["modules"])
    heavy = {
        "msgspec",
        "pydantic",
        "numpy",
        "benchmaker",
        "asyncio",
        "subprocess",
        "typing_extensions",
    }
    assert heavy.isdisjoint(modules)


def test_what_the_function_prints_does_not_disturb(shared_worker):
    assert shared_worker.call(["print", '["ok", "forged"]']) == ""
    assert shared_worker.call(["echo", 2]) == 2


def test_the_process_inherits_no_open_files(worker, tmp_path):
    with (tmp_path / "held").open("w") as held:
        os.set_inheritable(held.fileno(), True)
        pid = worker.call(["pid"])
        targets = [str(path.readlink()) for path in Path(f"/proc/{pid}/fd").iterdir()]
    assert all(target.startswith(("pipe:", os.devnull)) for target in targets)


def test_many_threads_get_their_own_answers(shared_worker):
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda i: shared_worker.call(["echo", i]), range(400)))
    assert answers == list(range(400))


def test_many_coroutines_get_their_own_answers(shared_worker):
    async def ask():
        return await asyncio.gather(*(shared_worker.acall(["echo", i]) for i in range(200)))

    assert asyncio.run(ask()) == list(range(200))


def test_slow_coroutines_threads_and_quick_ones_all_get_their_own_answers(shared_worker):
    def payload(i):
        return ["echo", i] if i % 5 else ["spin", 0.01]

    def expected(i):
        return i if i % 5 else "spun"

    async def ask():
        loop = asyncio.get_running_loop()
        calls = (shared_worker.acall(payload(i)) for i in range(40))
        with ThreadPoolExecutor(4) as threads:
            others = [
                loop.run_in_executor(threads, shared_worker.call, payload(i)) for i in range(40)
            ]
            return await asyncio.gather(*calls), await asyncio.gather(*others)

    assert asyncio.run(ask()) == ([expected(i) for i in range(40)],) * 2


def test_the_event_loop_goes_on_while_a_call_takes_its_time(shared_worker, tmp_path):
    """The call ends only when the loop, beside it, has made the file that it waits for."""
    there = tmp_path / "there"

    async def beside():
        for _ in range(30):
            await asyncio.sleep(0.005)
        there.touch()

    async def ask():
        await shared_worker.acall(["echo", 1])
        made = asyncio.create_task(beside())
        found = await shared_worker.acall(["await", str(there), PATIENCE_S])
        await made
        with pytest.raises(ScorerTimeout):
            await shared_worker.acall(EVIL, timeout_s=0.1)
        return found

    assert asyncio.run(ask()) == "there"


def test_a_row_of_quick_calls_lets_others_have_their_turn(shared_worker):
    turns = []

    async def other():
        while True:
            turns.append(None)
            await asyncio.sleep(0)

    async def ask():
        beside = asyncio.create_task(other())
        for i in range(50):
            await shared_worker.acall(["echo", i])
        beside.cancel()

    asyncio.run(ask())
    assert len(turns) >= 50


def test_a_cancelled_call_leaves_the_worker_usable(worker):
    async def ask():
        await worker.acall(["echo", 0])
        late = asyncio.create_task(worker.acall(["spin", 0.2]))
        queued = asyncio.create_task(worker.acall(["echo", 1]))
        await asyncio.sleep(0.05)
        late.cancel()
        queued.cancel()
        await asyncio.gather(late, queued, return_exceptions=True)
        return await worker.acall(["echo", 2])

    assert asyncio.run(ask()) == 2


def test_an_interrupt_during_a_call_leaves_the_worker_usable(worker, tmp_path):
    worker.call(["echo", 0])
    there = tmp_path / "there"

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with (
            once_there(there, lambda: os.kill(os.getpid(), signal.SIGALRM)),
            pytest.raises(KeyboardInterrupt),
        ):
            worker.call(["mark", str(there), ["deaf", PATIENCE_S]])
    finally:
        signal.signal(signal.SIGALRM, before)
    assert worker.call(["echo", 1]) == 1


def test_close_is_idempotent_and_a_later_call_starts_anew(worker):
    worker.close()
    pid = worker.call(["pid"])
    assert worker.pid == pid
    worker.close()
    worker.close()
    assert worker.pid is None
    assert not is_running(pid)
    assert worker.call(["echo", 1]) == 1


def test_a_dropped_worker_takes_its_process_along():
    worker = PatientWorker("tests.sandbox.timed_functions:do")
    pid = worker.call(["pid"])
    del worker
    gc.collect()
    wait_for_end(pid)


@pytest.mark.parametrize(
    "function",
    [
        "tests.sandbox.timed_functions:absent",
        "nowhere_at_all:do",
        "nowhere.at.all:do",
        "sys:do",
        ":x",
    ],
)
def test_a_function_that_can_not_be_loaded_is_a_sandbox_error(function):
    worker = TimedWorker(function)
    with pytest.raises(SandboxError):
        worker.call(1)
    assert worker.pid is None


def test_an_interpreter_that_can_not_be_started_is_a_sandbox_error(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(SandboxError, match="can't be started"):
        TimedWorker("tests.sandbox.timed_functions:do").call(1)


BREAKING = (["deaf", PATIENCE_S], ["exit", 1], ["hog"], ["fail", "x"])


@pytest.mark.parametrize("rounds", [8, pytest.param(100, marks=pytest.mark.long)])
def test_kills_of_every_kind_leave_no_zombie_and_no_open_file(worker, rounds):
    worker.call(["echo", 1])
    files, mine = open_files(), len(children())
    for number in range(rounds):
        with pytest.raises((ScorerTimeout, SandboxError)):
            worker.call(BREAKING[number % len(BREAKING)], timeout_s=0.05)
    worker.call(["echo", 1])
    # Tests that ran before may still open a file; a kind that leaks one leaves one for each round.
    assert open_files() - files < rounds // len(BREAKING)
    assert len(children()) == mine


PARENT = """
import sys, time
sys.path.insert(0, {folder!r})
from benchmaker.sandbox import TimedWorker, process as spawned
from tests.waiting import until
worker = TimedWorker("tests.sandbox.timed_functions:do")
print(worker.call(["pid"], timeout_s=60), flush=True)
{then}
"""


def parent(then):
    code = PARENT.format(folder=str(Path(__file__).parent), then=then)
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize(
    "then", ["time.sleep(60)", "worker.call(['spin', 60], timeout_s=0.3)"], ids=["idle", "busy"]
)
def test_the_process_ends_when_its_parent_is_killed(then):
    with parent(then) as started:
        pid = int(started.stdout.readline())
        started.kill()
        started.wait()
        wait_for_end(pid)


def test_the_process_ends_when_its_parent_is_killed_while_it_is_deaf_to_its_alarm(tmp_path):
    # the kernel's limit on its processor time ends it
    there = tmp_path / "there"
    then = f"worker.call(['mark', {str(there)!r}, ['stubborn', 60]], timeout_s=0.3)"
    with parent(then) as started:
        pid = int(started.stdout.readline())
        until(there.exists, PATIENCE_S)
        started.kill()
        started.wait()
        wait_for_end(pid)


def test_the_process_ends_when_its_parent_forgets_to_close():
    with parent("") as started:
        pid = int(started.stdout.readline())
        assert started.wait(timeout=PATIENCE_S) == 0
        wait_for_end(pid)


FORK = """
import os, sys
sys.path.insert(0, {folder!r})
from benchmaker.sandbox import TimedWorker, process as spawned
from tests.waiting import until
worker = TimedWorker("tests.sandbox.timed_functions:do")
pid = worker.call(["pid"], timeout_s=60)
with worker._lock:  # as if another thread were in the middle of a call
    child = os.fork()
if child == 0:
    own = worker.call(["pid"], timeout_s=60)
    worker.close()
    os._exit(0 if own != pid else 1)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(status, worker.call(["pid"], timeout_s=60) == pid)
"""


def test_a_fork_gets_a_process_of_its_own_and_leaves_the_parents_alone():
    code = FORK.format(folder=str(Path(__file__).parent))
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    assert (done.stdout.split(), done.stderr) == (["0", "True"], "")


def test_spawned_processes_of_multiprocessing_may_use_it():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(_echo, (str(Path(__file__).parent),)) == "there"


def _echo(folder):
    sys.path.insert(0, folder)
    return PatientWorker("tests.sandbox.timed_functions:do").call(["echo", "there"])


def test_importing_the_sandbox_starts_nothing():
    code = (
        "import threading, benchmaker.sandbox; from pathlib import Path;"
        "print(threading.active_count(), Path('/proc/self/task').exists() and "
        "[p.read_text() for p in Path('/proc/self/task').glob('*/children')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1 ['']"
