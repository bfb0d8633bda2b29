"""When the collector of cyclic garbage works while a command loads: seldom.

Loading the engine makes hundreds of thousands of objects that stay; searching them for garbage
again and again takes a tenth of the time until the first request. While models are asked, see
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
    """It collects as usual again, and leaves alone what was loaded."""
    gc.freeze()
    gc.set_threshold(*_usual)
