"""The right of one try of a trial to query its model."""

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from secrets import token_urlsafe

from benchmaker.arenas.agentic.gateway.caps import Spending
from benchmaker.providers.forwarding import ForwardRoute
from benchmaker.record.agent_trial import GatewayRequest, TrialKey, TrialMeter
from benchmaker.sandbox.paused_time import PausedTime


class TrialGrant:
    """A token for one try of a trial, and what was spent with it.

    ``socket`` is a Unix socket where only this token is accepted. ``refused`` is set once a request
    was refused because of a cap, and ``refusal`` is the reason then. ``fault`` is the first failure
    that is not the agent's: of the gateway, or a cap that others used. ``is_interrupted`` is true
    once the runner ends the trial before its agent has ended, ``is_revoked`` once no request is
    accepted any more. ``paused`` is the time in which the gateway held all its open requests, which
    does not count under the time limit of the trial.
    """

    def __init__(
        self, key: TrialKey, route: ForwardRoute, spending: Spending, paused: PausedTime
    ) -> None:
        self.key, self.route, self.spending, self.paused = key, route, spending, paused
        self.token = f"sk-bm-{token_urlsafe(32)}"
        self.refused = asyncio.Event()
        self.refusal = self.fault = ""
        self.socket = Path()
        self.in_progress = 0
        self.is_interrupted = self.is_revoked = False
        self.tasks: set[asyncio.Task[None]] = set()
        self._settling: set[asyncio.Task[None]] = set()
        self._rows: dict[int, GatewayRequest] = {}
        self._arrivals = 0
        self._given_up: dict[int, float] = {}

    def __repr__(self) -> str:
        return f"TrialGrant({self.key!r})"

    @property
    def pause_file(self) -> Path:
        """The file of the paused time."""
        return self.paused.path

    @property
    def paused_s(self) -> float:
        """The seconds in which the gateway held requests."""
        return self.paused.seconds

    @property
    def model(self) -> str:
        """The name of the model at its endpoint, for the agent."""
        return self.route.model

    def resume(self, rows: tuple[GatewayRequest, ...]) -> None:
        """Count the requests that an earlier process made in the same try."""
        self._rows.update((row.number, row) for row in rows)
        self.spending.resume(rows)

    def next_number(self) -> int:
        """Return the number of the next request."""
        return max(self._rows, default=0) + 1

    def note(self, row: GatewayRequest) -> None:
        """Keep the newest state of a request."""
        self._rows[row.number] = row

    def count_arrival(self) -> int:
        """Return the number of a request in the order of arrival, from 1."""
        self._arrivals += 1
        return self._arrivals

    def give_up(self, arrival: int, held_s: float) -> None:
        """Note that the agent left a request after the gateway had held it for so long."""
        self._given_up[arrival] = held_s

    @property
    def given_up_s(self) -> float:
        """The seconds for which the gateway held the last request; 0 unless the agent left it."""
        return self._given_up.get(self._arrivals, 0.0)

    def start_settling(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Settle a request in a task of its own, which no end of the request stops."""
        task = asyncio.create_task(work)
        self._settling.add(task)
        task.add_done_callback(self._settling.discard)
        return task

    async def end_requests(self) -> None:
        """Cut off the requests in progress, and wait until the last one is settled."""
        self.is_revoked = True
        for task in tuple(self.tasks):
            task.cancel()
        while waiting := {it for it in self.tasks | self._settling if not it.done()}:
            await asyncio.wait(waiting)

    def refuse(self, reason: str, *, is_agents: bool) -> None:
        """Note that a cap was reached, by the agent or by others."""
        self.refusal = self.refusal or reason
        if not is_agents:
            self.fail(reason)
        self.refused.set()

    def fail(self, fault: str) -> None:
        """Note a failure that is not the agent's."""
        self.fault = self.fault or fault

    def meter(self) -> TrialMeter:
        """Return the sums over the requests so far, those in progress included."""
        return TrialMeter.of(self._rows.values())
