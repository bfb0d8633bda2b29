"""Types are resolved once, however many threads are first."""

import subprocess
import sys

RACE = """
import sys
from threading import Barrier, Thread

import msgspec

from benchmaker.structs import resolve_type

sys.setswitchinterval(1e-6)
text = b'{"g0": {"f0": 1}, ' + b", ".join(b'"g%d": {"f39": 2}' % n for n in range(1, 40)) + b"}"


def decode(barrier, kind):
    barrier.wait()
    msgspec.json.decode(text, type=resolve_type(kind))


for number in range(100):
    inner = msgspec.defstruct(f"A{number}", [(f"f{n}", int | None, None) for n in range(40)])
    outer = msgspec.defstruct(f"B{number}", [(f"g{n}", inner | None, None) for n in range(40)])
    barrier = Barrier(4)
    threads = [Thread(target=decode, args=(barrier, outer)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def race(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode


def test_threads_may_decode_a_type_for_the_first_time_at_once():
    assert race(RACE) == 0
