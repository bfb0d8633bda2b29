"""The gateway of a series of agent trials."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from benchmaker.arenas.agentic.gateway.admission import Admission
from benchmaker.arenas.agentic.gateway.app import GatewayApp
from benchmaker.arenas.agentic.gateway.caps import SERIES, SeriesCaps, Spending, TrialCaps
from benchmaker.arenas.agentic.gateway.exchange import GatewayParts
from benchmaker.arenas.agentic.gateway.grants import TrialGrant
from benchmaker.arenas.agentic.gateway.recording import RecordedReplies, Recorder
from benchmaker.arenas.agentic.gateway.request_rows import RequestRows
from benchmaker.arenas.agentic.gateway.sending import Sender
from benchmaker.arenas.agentic.gateway.socket_server import SocketServer
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.rate_limiters import RateLimiters
from benchmaker.engine.requests.retry import Retry
from benchmaker.engine.trials.clock import Clock, SystemClock
from benchmaker.errors import PrerequisiteError, SpecError, StoreError
from benchmaker.providers.forwarding import FORWARD_LIMITS, Forwarding, ForwardRoute
from benchmaker.providers.network.transport import HttpLimits
from benchmaker.providers.prices.price_file import price_advice
from benchmaker.record.agent_trial import GatewayRequest, TrialKey, TrialMeter, UnknownCosts
from benchmaker.record.usage import Usage
from benchmaker.sandbox.paused_time import PausedTime
from benchmaker.store import Store

_CONCURRENCY = 64
"""Requests in flight to one endpoint with one key, until it refuses some."""

_RETRY = Retry(retries=4)
_SAMPLE = Usage(input_tokens=1, output_tokens=1)


class Gateway:
    """The only way from the agents of a series to their models; see :func:`open_gateway`.

    ``socket`` accepts the token of every trial. The socket of a grant accepts that one alone.
    """

    def __init__(
        self, store: Store, parts: GatewayParts, server: SocketServer, *, series: str
    ) -> None:
        self._store, self._parts, self._server = store, parts, server
        self._series = series
        self._grants: dict[str, TrialGrant] = {}
        self._number = 0
        self.socket = server.listen("all", GatewayApp(parts, self._grants))

    @property
    def error(self) -> StoreError | None:
        """The error of the store that stopped the gateway; None while it works."""
        return self._parts.rows.error

    @property
    def refusal(self) -> str:
        """The reason why the caps of the series admit no further request; empty if they do."""
        return self._parts.admission.refusal()

    @property
    def spending(self) -> Spending:
        """The spending of the series so far, earlier processes and judges included."""
        return self._parts.admission.spending

    def grant(self, key: TrialKey, model: str, caps: TrialCaps | None = None) -> TrialGrant:
        """Return the right of one try of a trial to query a model, within caps.

        Requests that an earlier process made in the same try count, and those of earlier tries with
        what is known of them.

        Raises:
            SpecError: another series, or a model that the gateway was not opened with.
            PrerequisiteError: the cost is capped, and the price of the model is unknown.
        """
        if key.series != self._series:
            raise SpecError(f"{key.series!r} is not the series of this gateway.")
        route = self._parts.forwarding.route(model)
        given = caps or TrialCaps()
        if given.cost_usd is not None:
            check_priced([route])
        self._number += 1
        paused = PausedTime(self._server.folder / f"{self._number}-paused")
        grant = TrialGrant(key, route, trial_spending(self._store, key, given), paused)
        grant.resume(self._store.agent_trials.requests(key))
        self._grants[grant.token] = grant
        own = GatewayApp(self._parts, self._grants, own=grant)
        grant.socket = self._server.listen(str(self._number), own)
        return grant

    def requests(self, key: TrialKey) -> tuple[GatewayRequest, ...]:
        """Return the stored requests of one try of a trial, in order."""
        return self._store.agent_trials.requests(key)

    def interrupt(self) -> None:
        """Note that the runner ends all trials in progress, so that their agents did not leave."""
        for grant in self._grants.values():
            grant.is_interrupted = True

    async def revoke(self, grant: TrialGrant) -> TrialMeter:
        """End a grant: its token is refused, and its requests are cut off; return their sums."""
        self._grants.pop(grant.token, None)
        await self._server.stop(grant.socket)
        await grant.end_requests()
        grant.paused.close()
        return grant.meter()

    async def close(self) -> None:
        """Revoke every grant, and stop."""
        for grant in list(self._grants.values()):
            await self.revoke(grant)
        await self._server.close()
        await self._parts.rows.close()


@asynccontextmanager
async def open_gateway(
    store: Store,
    models: Sequence[str],
    *,
    series: str,
    caps: SeriesCaps | None = None,
    record: Path | None = None,
    replay: Path | None = None,
    environ: Mapping[str, str] | None = None,
    dotenv: Path | None = None,
    home: Path | None = None,
    limits: HttpLimits = FORWARD_LIMITS,
    retry: Retry = _RETRY,
    limiters: RateLimiters | None = None,
    clock: Clock | None = None,
) -> AsyncIterator[Gateway]:
    """Open the gateway of a series, for use with ``async with``.

    Args:
        store: where the rows of requests go.
        models: the model strings that may be granted.
        series: the id of the series; its earlier requests count under its caps.
        caps: the caps of all trials together.
        record: a folder that replies are recorded to.
        replay: a folder of recorded replies, which are given in place of a model's.
        environ: the environment: keys, base URLs, proxies, certificates, egress policy.
        dotenv: a file of further variables.
        home: the data folder, with the user's endpoints and prices.
        limits: limits of time and size, for each request.
        retry: the rules for refused requests.
        limiters: the rate limiters of other work with the same keys.
        clock: the clock.

    Raises:
        SpecError: an invalid model, or no recording in ``replay``.
        PrerequisiteError: a key is missing, or a price under a cap on the cost.
    """
    given, now = caps or SeriesCaps(), clock or SystemClock()
    forwarding = Forwarding(
        models,
        environ=environ,
        dotenv=dotenv,
        home=home,
        limits=limits,
        needs_keys=replay is None,
    )
    await asyncio.to_thread(forwarding.prepare)
    if given.cost_usd is not None:
        check_priced([forwarding.route(model) for model in models])
    spending = Spending(given, scope=SERIES)
    spending.resume(await asyncio.to_thread(_earlier, store, series))
    spending.add_judge_cost(*await asyncio.to_thread(_judge_costs, store, series))
    recorder = Recorder(record) if record is not None else None
    pace = limiters or RateLimiters(
        forwarding, RunLimits(concurrency=_CONCURRENCY, retry=retry), clock=now
    )
    parts = GatewayParts(
        forwarding=forwarding,
        sender=Sender(forwarding, pace, retry=retry, clock=now),
        admission=Admission(spending),
        rows=RequestRows(store),
        clock=now,
        recorder=recorder,
        replay=RecordedReplies(replay) if replay is not None else None,
    )
    gateway = Gateway(store, parts, SocketServer(), series=series)
    try:
        yield gateway
    finally:
        await gateway.close()
        await forwarding.close()
        if recorder is not None:
            recorder.close()


def check_priced(routes: Sequence[ForwardRoute]) -> None:
    """Refuse models without a known price, whose cost can't be capped.

    Raises:
        PrerequisiteError: there are some; each is named.
    """
    unknown = [it.requested for it in routes if it.tariff.cost_usd(_SAMPLE) is None]
    if unknown:
        raise PrerequisiteError(
            f"the price of {', '.join(unknown)} is unknown, so its cost can't be capped.",
            hint=f"{price_advice(unknown[0])} Or cap requests or tokens instead.",
        )


def trial_spending(store: Store, key: TrialKey, caps: TrialCaps) -> Spending:
    """The spending of a trial before this try."""
    spending = Spending(caps, scope="trial")
    for number in range(1, key.attempt_try):
        spending.add_earlier(store.agent_trials.requests(key._replace(attempt_try=number)))
    return spending


def _earlier(store: Store, series: str) -> list:  # type: ignore[type-arg]
    return list(store.agent_trials.series_requests(series))


def _judge_costs(store: Store, series: str) -> tuple[float, UnknownCosts]:
    """The known cost of the judges of a stored series, and their requests of unknown cost."""
    every = (it.judge_usd for it in store.agent_trials.every_series() if it.id == series)
    trials = store.agent_trials.trials(series)
    return next(every, None) or 0.0, UnknownCosts.sum(it.judge_unknowns for it in trials)
