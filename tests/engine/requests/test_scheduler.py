"""Whose turn it is: nobody starves, nobody is idle without a reason, no money is overspent."""

import asyncio
from collections import Counter, defaultdict
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.engine.requests.attempts import TrialRequests
from benchmaker.engine.requests.budget import Budget
from benchmaker.engine.requests.model_queue import ModelQueue
from benchmaker.engine.requests.rate_limiter import RateLimiter
from benchmaker.engine.requests.scheduler import RequestScheduler
from benchmaker.engine.trials.plan import Task
from benchmaker.errors import Timeout
from benchmaker.testing import a_case, a_request
from tests.engine.run_data import an_attempt
from tests.engine.simulated import SimulatedClock, simulated


class Scene:
    """Workers over lanes whose requests take and cost what is said; a record of all of it."""

    def __init__(self, latencies, *, tasks, workers, budget=None, failing=0.0, seed=1):
        self.latencies = latencies
        self.workers = workers
        self.budget = budget
        self.failing = failing
        self.random = Random(seed)  # noqa: S311  seeded on purpose
        self.sent = []
        self.ended = defaultdict(list)
        self.idle_s = 0.0
        self.flying = Counter()
        self.most = Counter()
        self.worst_passed = 0.0
        self.lanes = RequestScheduler(
            {model: self._lane(model, tasks) for model in latencies},
            clock=SimulatedClock(),
            budget=budget,
            most_waiting=workers,
        )

    def _lane(self, model, tasks):
        def begin(task):
            worst = self.random.uniform(0.01, 0.2) if self.budget else 0.0
            return TrialRequests(a_request(model=model, case_id=task.case.id), worst_usd=worst)

        made = (Task(n, a_case(f"c{n}"), model) for n in range(tasks))
        return ModelQueue(model, made, limiter=RateLimiter(self.workers), begin=begin)

    async def work(self):
        while (trying := await self.lanes.take()) is not None:
            await self._asked(trying)

    async def _asked(self, trying):
        model = trying.model
        self._note(model, 1)
        await asyncio.sleep(self.latencies[model] * self.random.uniform(0.5, 1.5))
        fails = self.random.random() < self.failing
        trying.error = Timeout("late") if fails else None
        trying.spent_usd = None if fails else trying.worst_usd * self.random.random()
        trying.attempts.append(an_attempt(len(trying.attempts) + 1, "ok"))
        self._note(model, -1)
        if fails and len(trying.attempts) < 3:
            self.lanes.requeue(trying, self.random.uniform(0, 2))
            return
        self.lanes.finish(trying)
        self.ended[model].append(asyncio.get_running_loop().time())

    def _note(self, model, change):
        self.flying[model] += change
        self.most[model] = max(self.most[model], self.flying[model])
        self.most["all"] = max(self.most["all"], self.flying.total())
        if change > 0:
            self.sent.append(model)
        if self.budget is not None:
            passed = self.budget.spent_usd + self.budget.in_flight_usd - self.budget.most_usd
            self.worst_passed = max(self.worst_passed, passed)

    def run(self):
        async def all_of_it():
            await asyncio.gather(*(self.work() for _ in range(self.workers)))
            return asyncio.get_running_loop().time()

        self.seconds = simulated(all_of_it())
        return self


LATENCIES = st.dictionaries(st.sampled_from("abcd"), st.floats(0.01, 20), min_size=1)


@settings(deadline=None, max_examples=60)
@given(LATENCIES, st.integers(1, 20), st.integers(1, 8), st.floats(0, 0.9), st.integers(0, 99))
def test_every_task_ends_once_and_no_more_are_in_flight_than_there_are_workers(
    latencies, tasks, workers, failing, seed
):
    scene = Scene(latencies, tasks=tasks, workers=workers, failing=failing, seed=seed).run()

    assert {model: len(times) for model, times in scene.ended.items()} == dict.fromkeys(
        latencies, tasks
    )
    assert scene.most["all"] <= workers
    assert scene.lanes.in_flight == 0


@settings(deadline=None, max_examples=60)
@given(LATENCIES, st.integers(1, 8), st.integers(0, 99))
def test_no_worker_is_idle_while_there_is_something_to_ask(latencies, workers, seed):
    scene = Scene(latencies, tasks=12, workers=workers, seed=seed).run()
    work_s = 12 * sum(latencies.values()) * 0.5
    longest_s = 1.5 * max(latencies.values())

    assert scene.most["all"] == min(workers, 12 * len(latencies))
    assert scene.seconds <= 3.0 * work_s / workers + longest_s + 1e-6


@pytest.mark.parametrize("models", [2, 3, 5])
@pytest.mark.parametrize("workers", [1, 2, 5, 6, 20])
def test_while_all_have_something_to_ask_the_places_are_shared_evenly(models, workers):
    latencies = dict.fromkeys("abcde"[:models], 1.0)
    scene = Scene(latencies, tasks=40, workers=workers).run()
    each = Counter(scene.sent[: 20 * models])

    assert max(each.values()) - min(each.values()) <= workers
    assert max(scene.most[name] for name in latencies) >= -(-workers // models)


@pytest.mark.parametrize("slowness", [10.0, 1000.0])
def test_a_slow_model_takes_its_share_of_places_and_no_more(slowness):
    latencies = {"slow": slowness, "one": 0.1, "two": 0.1}
    scene = Scene(latencies, tasks=60, workers=6).run()
    alone = Scene({"one": 0.1, "two": 0.1}, tasks=60, workers=4).run()

    assert max(scene.ended["one"] + scene.ended["two"]) <= 1.2 * alone.seconds
    slow_then = sum(at <= max(scene.ended["one"]) for at in scene.ended["slow"])
    assert slow_then == 0


def test_once_the_others_are_done_the_slow_one_has_all_places():
    scene = Scene({"slow": 10.0, "fast": 0.01}, tasks=40, workers=8).run()

    assert scene.most["slow"] == 8


@settings(deadline=None, max_examples=80)
@given(LATENCIES, st.integers(1, 8), st.floats(0, 0.5), st.floats(0, 3), st.integers(0, 999))
def test_what_is_spent_and_in_flight_never_passes_the_budget(
    latencies, workers, failing, most_usd, seed
):
    budget = Budget(most_usd)
    scene = Scene(
        latencies, tasks=15, workers=workers, budget=budget, failing=failing, seed=seed
    ).run()
    ended = sum(len(times) for times in scene.ended.values())

    assert scene.worst_passed <= 1e-9
    assert budget.spent_usd <= most_usd + 1e-9
    assert budget.in_flight_usd == 0
    assert (ended < 15 * len(latencies)) == bool(budget.refusal)


def test_a_model_that_is_dropped_ends_with_what_is_in_flight():
    scene = Scene({"a": 1.0, "b": 1.0}, tasks=30, workers=4)

    async def dropping():
        work = asyncio.gather(*(scene.work() for _ in range(4)))
        await asyncio.sleep(3.2)
        scene.lanes.drop("a")
        await work

    simulated(dropping())

    assert len(scene.ended["a"]) <= 3.2 / 0.5 * 2 + 2
    assert len(scene.ended["b"]) == 30


def test_closing_lets_the_sleepers_go_and_hands_out_nothing_more():
    scene = Scene({"a": 50.0}, tasks=2, workers=5)

    async def closing():
        work = [asyncio.ensure_future(scene.work()) for _ in range(5)]
        await asyncio.sleep(1)
        scene.lanes.close()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return sum(part.done() for part in work), await asyncio.gather(*work)

    done_at_once, _ = simulated(closing())

    assert done_at_once == 3
    assert len(scene.sent) == 2
