"""Workers of this process, which die when they are told to."""

import asyncio
import pickle
import time

from benchmaker.engine.executors.dispatch import RemoteReplay, RemoteRequests, WorkerLost
from benchmaker.engine.executors.quota import Quota
from benchmaker.engine.executors.task import TaskRunner
from benchmaker.engine.executors.worker import Worker


class Near:
    """A worker that lives in this event loop."""

    def __init__(self, name, lender, crew):
        self.name = name
        self._worker = Worker(name, lender)
        self._crew = crew
        self.is_dead = False

    async def open(self, order):
        return await self._told(self._worker.open(order))

    async def score(self, replies):
        return await self._told(self._worker.score(replies))

    async def begin(self, batch):
        return await self._told(self._worker.begin(batch))

    async def news(self, durable, stopped, stop):
        return await self._told(self._worker.news(durable, stopped, stop=stop))

    def end(self):
        if not self.is_dead:
            self.is_dead = True
            self._crew.quota.forget(time.monotonic(), self.name)
            self._crew.closing.append(asyncio.ensure_future(self._worker.close()))

    async def _told(self, reply):
        told = await reply
        await asyncio.sleep(0)
        self._crew.calls += 1
        if self._crew.calls in self._crew.deaths:
            self.end()
        if self.is_dead:
            raise WorkerLost("killed by the test")
        return told


class NearCrew:
    """An executor over ``size`` workers of this process; ``deaths`` are the calls that kill one."""

    def __init__(self, size=2, deaths=()):
        self.size = size
        self.deaths = frozenset(deaths)
        self.calls = 0
        self.quota = None
        self.workers = []
        self.closing = []

    def begin(self, job):
        self.quota = Quota(job.limits)
        return RemoteRequests(job, self) if job.is_live else RemoteReplay(job, self)

    def start_worker(self):
        worker = Near(f"w{len(self.workers)}", self._lend, self)
        self.workers.append(worker)
        return worker

    async def fund(self, job):
        budget = job.budget
        if budget is not None:
            self.quota.fund(budget.most_usd, budget.spent_usd)

    async def account(self, job):
        if job.budget is not None:
            job.budget.spent_usd = self.quota.spent_usd
            job.budget.refusal = self.quota.refusal

    async def states(self):
        return self.quota.states(time.monotonic())

    async def _lend(self, holder, reports, hints, wishes):
        await asyncio.sleep(0.001)
        return self.quota.trade(
            time.monotonic(), holder, reports=reports, hints=hints, wishes=wishes
        )


class NearHand:
    """A hand of this event loop; what goes there and back is pickled, as on the way elsewhere."""

    def __init__(self, crew):
        self._hand = TaskRunner()
        self._crew = crew
        self.is_dead = False

    async def open(self, spec):
        return await self._told(self._hand.open(pickle.loads(pickle.dumps(spec))))  # noqa: S301

    async def do(self, item):
        done = await self._told(self._hand.do(pickle.loads(pickle.dumps(item))))  # noqa: S301
        return pickle.loads(pickle.dumps(done))  # noqa: S301  ours

    async def close(self):
        await self._hand.close()

    def end(self):
        if not self.is_dead:
            self.is_dead = True
            self._crew.ended += 1
            self._crew.closing.append(asyncio.ensure_future(self._hand.close()))

    async def _told(self, reply):
        told = await reply
        await asyncio.sleep(0)
        self._crew.calls += 1
        if self._crew.calls in self._crew.deaths:
            self.end()
        if self.is_dead:
            raise WorkerLost("killed by the test")
        return told


class NearHands:
    """A crew whose hands live in this process; ``deaths`` are the calls that kill one."""

    def __init__(self, size=2, deaths=()):
        self.size = size
        self.deaths = frozenset(deaths)
        self.calls = self.hired = self.ended = 0
        self.closing = []

    def start_task_runner(self, *, is_beside):
        del is_beside
        self.hired += 1
        return NearHand(self)
