"""Settings of the cyclic garbage collector while a command loads: rare runs.

Loading the engine creates hundreds of thousands of long-lived objects; scanning them repeatedly
takes a tenth of the time to the first request. For settings during a run, see
:mod:`benchmaker.engine.trials.interpreter`.
"""

import gc

_WHILE_LOADING = 200_000
"""New objects between two searches; the interpreter's own is 700."""

_usual = gc.get_threshold()


def collect_seldom() -> None:
    """Loading begins."""
    gc.set_threshold(_WHILE_LOADING)


def resume_collecting() -> None:
    """Collect as usual again, without scanning the objects loaded so far."""
    gc.freeze()
    gc.set_threshold(*_usual)
