"""Writers that are killed: ``python -m tests.store.child ADDRESS``.

For each line of seconds it reads, a fork writes trials to the store, from the first on, and is
killed so long after its first rows became durable. What the fork acknowledged is printed as a
line of JSON: pairs of case and model.
"""

import json
import os
import signal
import sys
import time

from benchmaker.record import Attempt, Completion
from benchmaker.store import Store, Writer
from tests.store.filled import MODELS, a_trial

CASES = 2_000


def write(address: str, acknowledge: int) -> None:
    """Write trials; a line goes to the descriptor for each that is durable."""
    with Writer(Store.open(address), max_rows=40, max_delay_s=0.005) as writer:
        for at in range(CASES):
            for model in MODELS:
                trial = a_trial(
                    at,
                    model,
                    completion=Completion(text="x" * 300),
                    attempts=(Attempt(number=1, status="ok", started_at="now"),),
                )
                line = f"{trial.case_id} {model}\n".encode()
                writer.put(trial, on_durable=lambda _, line=line: os.write(acknowledge, line))


def killed_after(address: str, seconds: float) -> list[list[str]]:
    """What a writer had acknowledged when it was killed."""
    said, saying = os.pipe()
    fork = os.fork()
    if fork == 0:
        os.close(said)
        write(address, saying)
        os._exit(0)
    os.close(saying)
    lines = os.read(said, 1)
    ends_at = time.monotonic() + seconds
    os.set_blocking(said, False)
    while time.monotonic() < ends_at:
        lines += read(said)
    os.kill(fork, signal.SIGKILL)
    os.waitpid(fork, 0)
    while more := read(said):
        lines += more
    os.close(said)
    return [line.split(" ") for line in lines.decode().split("\n")[:-1]]


def read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65_536)
    except BlockingIOError:
        time.sleep(0.001)
        return b""


if __name__ == "__main__":
    for seconds in sys.stdin:
        sys.stdout.write(json.dumps(killed_after(sys.argv[1], float(seconds))) + "\n")
        sys.stdout.flush()
