"""The driver's and the worker's side, in one process: the wire between them is all that lacks."""

import asyncio

import pytest

from benchmaker.engine.executors.local import Local
from benchmaker.engine.requests.budget import Budget
from benchmaker.engine.requests.limits import REPLAY, RunLimits
from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.engine.runs.run import execute
from benchmaker.engine.runs.setups import models_named, setups_of
from benchmaker.errors import PrerequisiteError, ProviderError, SpecError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Outcome, RunState
from benchmaker.record.run_command import ControlAction
from benchmaker.spec import Suite
from tests.engine.executors.answering import ASKED, FLYING, Answering
from tests.engine.executors.crews import NearCrew
from tests.engine.run_data import begun, executed, keys, opened, right, sums

RECORDED = {"kind": "recorded"}


@pytest.fixture(autouse=True)
def _nothing_asked():
    ASKED.clear()
    FLYING.update(now=0, most=0)


def told(store, run):
    """Every trial, but for moments and durations."""
    return [
        (trial.position, trial.model, trial.outcome, trial.text, trial.score, trial.flags,
         trial.error_type, trial.messages_hash, len(trial.attempts))
        for trial in store.trials(run.id)
    ]  # fmt: skip


def done(folder, executor, provider, *, count=60, recorded=False, **options):
    folder.mkdir(exist_ok=True)
    with opened(folder) as store:
        fields = {"provider": RECORDED} if recorded else {"provider": {"kind": "live"}}
        run = begun(store, sums(count), **fields)
        ended, stopped = executed(store, run, provider, executor=executor, **options)
        return ended, stopped, told(store, run)


def halves(request):
    """Right for every other case, an error for some."""
    number = int(request.case_id.removeprefix("c"))
    if number % 7 == 3:
        raise ProviderError("there is none.")
    return right(request) if number % 2 else "?"


def test_recorded_answers_are_marked_in_workers_as_they_are_here(tmp_path):
    options = {"count": 700, "recorded": True, "limits": REPLAY}
    here = done(tmp_path / "here", Local(), Scripted(halves), **options)
    there = done(tmp_path / "there", NearCrew(3), Scripted(halves), **options)

    assert there[0].state is RunState.FINISHED
    assert there[2] == here[2]


@pytest.mark.parametrize("deaths", [(1,), (2,), (4, 5), (3, 6, 8)])
def test_recorded_answers_are_all_marked_though_workers_die(tmp_path, deaths):
    options = {"count": 700, "recorded": True, "limits": REPLAY}
    here = done(tmp_path / "here", Local(), Scripted(right), **options)
    there = done(tmp_path / "there", NearCrew(2, deaths), Scripted(right), **options)

    assert there[2] == here[2]


def test_live_models_are_asked_once_and_the_rows_are_those_of_a_local_run(tmp_path):
    crew = NearCrew(2)
    there = done(tmp_path / "there", crew, Answering())
    assert set(ASKED.values()) == {1}
    here = done(tmp_path / "here", Local(), Answering())

    assert there[0].state is RunState.FINISHED
    assert there[2] == here[2]
    assert crew.quota.lent_permits == 0


@pytest.mark.parametrize("deaths", [(3,), (8,), (9, 14), (5, 12, 20)])
def test_when_workers_die_no_more_is_asked_twice_than_they_had_in_flight(tmp_path, deaths):
    limits = RunLimits(concurrency=4)
    ended, _, rows = done(tmp_path, NearCrew(2, deaths), Answering(), limits=limits)

    assert ended.state is RunState.FINISHED
    assert len(rows) == len(ASKED) == 120
    assert sum(ASKED.values()) - 120 <= len(deaths) * 2
    assert {row[2] for row in rows} == {Outcome.SCORED}


def test_no_more_requests_fly_than_is_allowed(tmp_path):
    done(tmp_path, NearCrew(3), Answering(latency_s=0.01), limits=RunLimits(concurrency=4))

    assert 2 <= FLYING["most"] <= 4


def test_a_model_whose_key_is_wrong_is_stopped_everywhere_and_the_other_goes_on(tmp_path):
    ended, stopped, rows = done(tmp_path, NearCrew(2), Answering(denied="a"), count=200)

    assert list(stopped) == ["a"]
    assert ended.state is RunState.FINISHED
    assert sum(row[1] == "b" for row in rows) == 200
    assert sum(number for (model, _), number in ASKED.items() if model == "a") <= 5


def test_a_budget_is_for_all_workers_together(tmp_path):
    budget = Budget(0.5)
    ended, _, rows = done(
        tmp_path,
        NearCrew(3),
        Answering(usd=0.01),
        budget=budget,
        options=RunOptions(max_cost_usd=0.5),
    )

    assert ended.state is RunState.INTERRUPTED
    assert "the budget of $0.50 does not cover another request" in budget.refusal
    assert 45 <= len(rows) <= 50
    assert sum(ASKED.values()) == len(rows)
    assert budget.spent_usd == pytest.approx(0.01 * len(rows))


def test_known_answers_are_not_asked_for_again(tmp_path):
    options = RunOptions(cache=True)
    with opened(tmp_path) as store:
        first = begun(store, sums(30), provider={"kind": "live"}, id="20261120-aaaaaa")
        executed(store, first, Answering(), executor=NearCrew(2), options=options)
        asked = sum(ASKED.values())
        second = begun(store, sums(30), provider={"kind": "live"}, id="20261120-bbbbbb")
        executed(store, second, Answering(), executor=NearCrew(2), options=options)

        assert asked == sum(ASKED.values()) == 60
        assert [row[3] for row in told(store, first)] == [row[3] for row in told(store, second)]


def test_trials_at_which_worker_after_worker_dies_end_the_run(tmp_path):
    with pytest.raises(PrerequisiteError, match="3 workers died at the same trials"):
        done(tmp_path, NearCrew(1, range(2, 100, 2)), Answering(), count=10)


def test_a_provider_that_cannot_be_made_anew_is_refused(tmp_path):
    with pytest.raises(SpecError, match="Scripted can't be recreated in another process"):
        done(tmp_path, NearCrew(1), Scripted(right))


@pytest.mark.parametrize("denied", ["", "m · prompt-2 · low"])
def test_setups_are_queried_in_workers_as_they_are_here(tmp_path, denied):
    suite = Suite(
        "s",
        [{"id": "a", "vars": {"n": [1, 2, 3]}, "expected": "{{ n }}"}],
        scorer="exact",
        prompts=["{{ n }}?", "again: {{ n }}"],
    )
    setups = setups_of(suite, models_named(suite, ["m", "k"]), efforts=["low", "high"])
    names = tuple(one.name for one in setups)

    def ran(folder, executor):
        folder.mkdir()
        with opened(folder) as store:
            run = begun(store, suite, models=names, setups=setups, provider={"kind": "live"})
            provider = Answering(denied=denied)
            ended, stopped = executed(store, run, provider, executor=executor)
            return ended.state, stopped, told(store, run)

    here, there = ran(tmp_path / "here", Local()), ran(tmp_path / "there", NearCrew(2))
    assert here[0] is there[0] is RunState.FINISHED
    assert set(here[1]) == set(there[1]) == {name for name in names if denied and name[0] == "m"}
    if not denied:
        assert there[2] == here[2]
        assert len({trial[7] for trial in here[2]}) == 3 * 2, "a hash for each case and prompt"


@pytest.mark.parametrize("kind", ["live", "recorded"])
def test_workers_obey_a_pause_and_refuse_new_limits(tmp_path, kind):
    with opened(tmp_path) as store:
        run = begun(store, sums(60), provider={"kind": kind})
        commands = [
            store.run_commands.add(run.id, ControlAction.PAUSE),
            store.run_commands.add(run.id, ControlAction.CONCURRENCY, 3),
            store.run_commands.add(run.id, ControlAction.MAX_COST, 3.0),
            store.run_commands.add(run.id, ControlAction.RETRY_FAILED),
            store.run_commands.add(run.id, ControlAction.DROP_MODEL, "b"),
            store.run_commands.add(run.id, ControlAction.RESUME),
        ]
        ended, stopped = executed(store, run, Answering(), executor=NearCrew(2))
        found = [store.run_commands.find(one.number) for one in commands]

        assert [one.state for one in found] == [
            "applied", "refused", "refused", "refused", "applied", "applied",
        ]  # fmt: skip
        assert "--concurrency" in found[1].result
        assert (ended.state, set(stopped)) == (RunState.FINISHED, {"b"})
        assert {model for _, model in keys(store, run.id)} == {"a"}


async def becomes(is_so):
    while not is_so():  # noqa: ASYNC110  of the store, which says nothing
        await asyncio.sleep(0.01)


def test_live_workers_pause_in_the_middle_and_repeat_nothing(tmp_path):
    async def scene(store, run):
        suite = store.suite(run.suite_hash)
        provider = Answering(latency_s=0.02)
        task = asyncio.ensure_future(execute(store, run, suite, provider, executor=NearCrew(2)))
        await becomes(lambda: sum(ASKED.values()) >= 10)
        paused = store.run_commands.add(run.id, ControlAction.PAUSE)
        await becomes(lambda: store.run_commands.find(paused.number).applied_at)
        await becomes(lambda: not FLYING["now"])
        before = sum(ASKED.values())
        late = store.run_commands.add(run.id, ControlAction.PAUSE)
        await becomes(lambda: store.run_commands.find(late.number).applied_at)
        assert sum(ASKED.values()) == before < 400
        store.run_commands.add(run.id, ControlAction.RESUME)
        await task

    with opened(tmp_path) as store:
        run = begun(store, sums(200), provider={"kind": "live"})
        asyncio.run(scene(store, run))
        assert store.run(run.id).state is RunState.FINISHED
        assert set(ASKED.values()) == {1}
        assert len(keys(store, run.id)) == 400
