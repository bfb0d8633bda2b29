import gc
import sys

import pytest

from benchmaker.engine.trials.interpreter import tune_interpreter


@pytest.fixture(autouse=True)
def _usual_collector():
    """As Python starts: a command that ran in this process may have left another setting."""
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


def settings():
    return gc.get_threshold(), gc.get_freeze_count(), sys.getswitchinterval()


def test_the_interpreter_is_tuned_inside_and_as_before_afterwards():
    before = settings()
    with tune_interpreter():
        inside = settings()
        assert inside[0][0] > before[0][0]
        assert inside[1] > 1000
        assert inside[2] < before[2]
        with pytest.raises(ZeroDivisionError), tune_interpreter():
            _ = 1 / 0
        after = settings()
        assert (after[0], after[2]) == (inside[0], inside[2])  # what was frozen may be let go
        assert after[1] > 1000
    assert settings() == (before[0], 0, before[2])  # what was frozen before is let go, too


def test_threads_take_shorter_turns_where_models_are_live():
    with tune_interpreter():
        recorded = sys.getswitchinterval()
    with tune_interpreter(live=True):
        assert sys.getswitchinterval() < recorded


def test_a_collector_that_was_switched_off_stays_so():
    before = gc.get_threshold()
    gc.set_threshold(0)
    try:
        with tune_interpreter():
            assert gc.get_threshold()[0] == 0
        assert gc.get_threshold()[0] == 0
    finally:
        gc.set_threshold(*before)
