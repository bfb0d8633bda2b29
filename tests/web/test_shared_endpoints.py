"""Runs of one server at the same endpoint: they share its limit, and none waits for another."""

import pytest

from benchmaker.record import RunState
from benchmaker.store import Store
from tests.waiting import until
from tests.web.answering import answering
from tests.web.serving import serving
from tests.web.test_arena_live import begun, put

LONG, SMALL = 2_000, 5


@pytest.fixture
def home(tmp_path):
    """An empty data folder."""
    return tmp_path / "home"


def is_finished(home, run_id):
    with Store.open(home / "benchmaker.db") as store:
        return store.run(run_id).state is RunState.FINISHED


@pytest.mark.parametrize("concurrency", [1, 5])
def test_a_small_run_does_not_wait_behind_a_long_one(home, concurrency):
    long = put(home, cases=LONG, prompt="Long", name="long")
    small = put(home, cases=SMALL, prompt="Small", name="small")
    with answering(pause_s=0.002) as models, serving(home) as address:
        model = [f"{models.url}#small"]
        before = begun(address, long, model, concurrency=concurrency)
        until(lambda: len(models.asked) > 3 * concurrency)
        name = begun(address, small, model, concurrency=concurrency)
        until(lambda: is_finished(home, name))
        assert not is_finished(home, before)
        asked = list(models.asked)

    places = [at for at, prompt in enumerate(asked) if prompt.startswith("Small")]
    others = [prompt for prompt in asked[places[0] : places[-1]] if prompt.startswith("Long")]
    assert len(others) <= 2 * SMALL
    assert models.most_at_once <= concurrency
    if concurrency == 1:
        numbers = [int(prompt.split()[-1]) for prompt in asked if prompt.startswith("Long")]
        assert numbers == list(range(len(numbers)))
