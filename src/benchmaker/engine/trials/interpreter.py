"""The interpreter's settings during a run: garbage collection, and thread switching.

Both settings apply to the whole process, until its last run has ended.
"""

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG = 5_000
"""Objects made before the collector looks; most of ours hold no cycles and are gone by then."""

BULK_YOUNG = 200_000
"""The same for stored answers: a batch of rows holds that many, and all of them are gone after it.
With fewer, the collector took a tenth of the processor time."""

_SWITCH_S = 0.002
"""How long a busy thread lets another one wait. A commit hands the interpreter over and back at
each of its statements: with Python's 5 ms, rows of a busy loop wait long for it; with a fraction of
a millisecond both threads spend a third of their time on handing over."""

_LIVE_SWITCH_S = 0.0002
"""The same where workers wait for their rows, in small commits of one statement each."""

_lock = threading.Lock()
_inside: list[float] = []
_before = (gc.get_threshold(), sys.getswitchinterval())


@contextmanager
def tune_interpreter(*, live: bool = False, young: int = YOUNG) -> Iterator[None]:
    """Freeze existing objects for the garbage collector and shorten thread turns, in a context.

    Prices, modules and cases live for a whole run; scanning them repeatedly took a third of its
    processor time. Turns are shorter for ``live`` models. ``young`` is the number of new objects
    after which the collector looks for cycles.
    """
    longest_s = _LIVE_SWITCH_S if live else _SWITCH_S
    with _lock:
        if not _inside:
            _tune(young)
        _inside.append(longest_s)
        _take_turns()
    try:
        yield
    finally:
        with _lock:
            _inside.remove(longest_s)
            _take_turns()
            if not _inside:
                _restore()


def _tune(young: int) -> None:
    global _before  # noqa: PLW0603  the interpreter, too, is one for the whole process
    thresholds, _ = _before = (gc.get_threshold(), sys.getswitchinterval())
    gc.freeze()
    if thresholds[0]:  # 0 is off
        gc.set_threshold(max(young, thresholds[0]), *thresholds[1:])


def _take_turns() -> None:
    """As short as the one of us wants them that wants them shortest."""
    sys.setswitchinterval(min((_before[1], *_inside)))


def _restore() -> None:
    thresholds, switch_s = _before
    gc.set_threshold(*thresholds)
    gc.unfreeze()
    sys.setswitchinterval(switch_s)
