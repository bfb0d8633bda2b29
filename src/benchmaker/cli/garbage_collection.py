"""Settings of the cyclic garbage collector while a command loads and at its end: rare runs.

Loading the engine creates hundreds of thousands of long-lived objects; scanning them repeatedly
takes a tenth of the time to the first request, and scanning them at the end a fifth of the
processor time of a short run. For settings during a run, see
:mod:`benchmaker.engine.trials.interpreter`.
"""

import atexit
import gc

_WHILE_LOADING = 500_000
"""New objects between two searches; the interpreter's own is 700."""

_usual = gc.get_threshold()


def collect_seldom() -> None:
    """Loading begins."""
    gc.set_threshold(_WHILE_LOADING)


def resume_collecting() -> None:
    """Collect as usual again, without scanning the objects loaded so far."""
    gc.freeze()
    gc.set_threshold(*_usual)


def skip_final_collection() -> None:
    """Scan nothing when the process ends: its memory is freed as a whole."""
    atexit.register(gc.freeze)
