"""A process that hands submissions in from many threads, and says of each when it is durable."""

import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmaker.arenas.agentic.submissions.queue import IntakeQueue
from benchmaker.errors import StoreError
from benchmaker.spec.tasks.agentic_profile import BUILT_IN
from benchmaker.store import Store
from tests.arenas.agentic.handed import many, write_submissions

THREADS = 8
AGAIN_S = 0.05
CLASSIC = BUILT_IN["classic"]


def all_handed_in(
    desk, folder, given, *, on_kept, on_trouble=lambda _error: None, may_end=lambda: False
):
    """Hand all of them in from some threads, each until it is kept."""

    def hand_in(one):
        path = folder / one.id / "rows.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_submissions(path, [one])
        while not may_end():
            try:
                desk.submit(path, profile=CLASSIC, waits=False)
            except StoreError as error:
                on_trouble(error)
                time.sleep(AGAIN_S)
            else:
                on_kept(one.id)
                return

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(hand_in, given))


def main(says, address, home, count):
    """Hand so many in; told to end, end as a server does."""
    ended, lock = threading.Event(), threading.Lock()

    def told(name):
        with lock:
            says.send(name)

    with Store.open(address) as store:
        desk = IntakeQueue(lambda: store, Path(home))
        signal.signal(signal.SIGTERM, lambda *_: (ended.set(), desk.stop_soon()))
        all_handed_in(desk, Path(home) / "in", many(count), on_kept=told, may_end=ended.is_set)
        desk.leave()
