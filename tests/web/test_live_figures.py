"""The live page shows of each model what the metric of its suite counts."""

import re

import pytest

from benchmaker import Case, Suite, run
from benchmaker.arenas.standard.job_handlers import RESUME, ask_for
from benchmaker.record import RunState
from benchmaker.record.run_command import CommandState, ControlAction
from benchmaker.store import Store
from benchmaker.web.arena import fragments
from benchmaker.web.arena.fragments import so_far
from benchmaker.web.live.events import RunTail
from tests.store.filled import a_trial, add_run, put
from tests.web.aside import aside
from tests.web.results_data import fetched
from tests.web.serving import serving
from tests.web.test_arena_live import listened

ANSWERS = {"a": "Quito", "b": "Quitos"}


def answer(request):
    """Answer as if by a model."""
    return ANSWERS[request.case_id]


@pytest.mark.parametrize(
    ("grades", "metric", "shown"),
    [(True, "mean", "mean"), (True, "strict", "strict accuracy"), (False, "mean", "accuracy")],
)
def test_the_figure_is_that_of_the_metric(tmp_path, grades, metric, shown):
    cases = [Case(id=name, prompt=name, expected="Quito") for name in ANSWERS]
    suite = Suite(
        name="cities", scorer="exact", profile="robust", grades=grades, metric=metric, cases=cases
    )
    done = run(suite, models=[answer], home=tmp_path)

    with Store.open(tmp_path / "benchmaker.db", read_only=True) as store:
        (it,) = so_far(store, store.run(done.run_ids[0]))

    scores = [trial.score.score for trial in done.trials()]
    strict = sum(score == 1 for score in scores) / 2
    assert it.noun == shown
    assert it.value == (sum(scores) / 2 if metric == "mean" else strict)
    assert it.text == (f"{100 * it.value:.1f}" + ("" if shown == "mean" else "%"))


def trials_arriving(monkeypatch, path):
    """From now on a trial is stored right before any figures are read."""
    arriving = iter(range(1, 10))

    def read(store, run):
        with Store.open(path) as other:
            aside(put, other, a_trial(next(arriving)))
        return so_far(store, run)

    monkeypatch.setattr(fragments, "so_far", read)


def counted(text):
    """The trials done, and the cases in the figure of the first model."""
    done = re.search(r"(\d+) of 20 trials done", text)[1]
    return int(done), int(re.search(r'id="figure0".*?(\d+) cases?', text, re.DOTALL)[1])


def test_counts_and_figures_are_of_one_moment_on_the_page_and_in_its_stream(tmp_path, monkeypatch):
    path = tmp_path / "benchmaker.db"
    with Store.open(path) as store:
        made = add_run(store, cases=10, state=RunState.RUNNING, planned=20)
        put(store, a_trial(0))
        ask_for(store, RESUME, made.id, {})
    trials_arriving(monkeypatch, path)
    with serving(tmp_path, works=False) as address:
        page = fetched(f"{address}/arena/{made.id}")[2].decode()
        [(_, _, event)] = listened(address, f"/arena/{made.id}/events")
    assert counted(page) == (1, 1)
    assert counted(event)[0] == counted(event)[1]


def test_a_page_is_updated_once_a_command_is_acknowledged_that_changes_nothing_else(tmp_path):
    with Store.open(tmp_path / "benchmaker.db") as store:
        run_id = add_run(store, planned=2).id
        tail = RunTail(store, run_id, lambda: None)

        def looked():
            tail.look_soon()
            return tail.look()

        tail.last = looked()
        assert looked() is None
        command = store.run_commands.add(run_id, ControlAction.MAX_COST, 3.0)
        tail.last = looked()
        assert tail.last.state.command == command
        store.run_commands.acknowledge(command.number, CommandState.REFUSED, "no price")
        assert looked().state.command.result == "no price"
