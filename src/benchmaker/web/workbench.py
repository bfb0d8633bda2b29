"""The context of every page: the store, the settings, the clock."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Protocol

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool

from benchmaker.arenas.standard.job_handlers import Standard
from benchmaker.errors import BenchmakerError, SpecError
from benchmaker.providers.endpoints.endpoint_file import endpoints_of
from benchmaker.providers.endpoints.endpoints import endpoint_table
from benchmaker.providers.endpoints.keys import Keys
from benchmaker.providers.model_lists import OwnModelLists
from benchmaker.providers.network.egress import EgressPolicy
from benchmaker.redact import Redactor
from benchmaker.store import Store
from benchmaker.web.live.events import RunWatch
from benchmaker.web.settings import Settings
from benchmaker.web.tickets import TeamTickets, Tickets

if TYPE_CHECKING:  # where there are accounts
    from benchmaker.accounts.sealing import SecretSealer


class TeamWorkbenches(Protocol):
    """The workbenches of all teams, each opened when it is first needed."""

    @property
    def reach(self) -> EgressPolicy:
        """The egress policy for the models of teams."""

    def of_team(self, team: str) -> "Workbench":
        """Return the workbench of a team."""

    def find_open(self, team: str) -> "Workbench | None":
        """Return the workbench of a team, if it is open."""

    def is_of(self, bench: "Workbench") -> bool:
        """True if this is the workbench of ``main``, the reference for all others."""

    def sealer(self) -> "SecretSealer":
        """Return the sealer of secrets."""

    def forget_secrets(self, team: str) -> None:
        """Read the secrets of a team again: they were changed."""

    def start(self) -> None:
        """Open every team, so that its waiting jobs are carried out."""

    async def let_go(self) -> None:
        """Let all pages go that follow runs."""

    def close(self) -> None:
        """End the workers of all teams but ``main``, and close their stores."""


class Workbench:
    """One data folder, opened on the first request.

    With accounts, ``teams`` holds a workbench for each team; that of ``main`` is this one.
    ``opener`` creates them, usually
    :func:`benchmaker.web.accounts.workbenches.Benches`; without one there are no
    teams.
    """

    def __init__(
        self, settings: Settings, *, opener: "Callable[[Workbench], TeamWorkbenches] | None" = None
    ) -> None:
        self.settings = settings
        self.teams: TeamWorkbenches | None = None
        self._opener = opener
        self._lock, self._settling = Lock(), Lock()
        self._store: Store | None = None
        self.watch = RunWatch()
        self.own_models = OwnModelLists()
        self.tickets: Tickets | TeamTickets = Tickets()
        self.is_leaving = False
        self.worker_seen: Callable[[], float | None] = lambda: None
        self.on_leave: list[Callable[[], object]] = [self.watch.leave]
        self.standard = Standard(
            settings.home, settings.store_url, settings.environ, settings.dotenv
        )

    @property
    def home(self) -> Path:
        """The data folder."""
        return self.settings.home

    @property
    def store(self) -> Store:
        """The store; its connections are pooled, so that any thread may use it."""
        with self._lock:
            if self._store is None:
                self._store = Store.open(self.settings.address, clock=self.settings.clock)
            return self._store

    def of_team(self, team: str) -> "Workbench":
        """Return the workbench of a team, with everything its pages show and change.

        Raises:
            SpecError: unknown team.
        """
        return self.benches.of_team(team)

    @property
    def benches(self) -> TeamWorkbenches:
        """The workbenches of all teams, created on first use."""
        with self._settling:
            if self.teams is None:
                if self._opener is None:
                    raise SpecError("There are no teams here.")
                self.teams = self._opener(self)
            return self.teams

    def settle(self) -> None:
        """With accounts, apply their egress policy, and start the teams' workers.

        Call it before the first job.
        """
        if self._opener and self.teams is None and self.store.accounts.has_users():
            self.benches.start()

    def use(self, environ: Mapping[str, str]) -> None:
        """Use this environment for keys and all other variables."""
        self.settings = replace(self.settings, environ=environ)
        self.standard.environ = environ

    def leave(self) -> None:
        """The server is about to end: pages are let go, and the worker puts its job back."""
        self.is_leaving = True
        for callback in self.on_leave:
            callback()

    @cached_property
    def redactor(self) -> Redactor:
        """A redactor of this environment's keys in all output."""
        return Redactor(self._secrets())

    def _secrets(self) -> Iterator[str]:
        settings = self.settings
        try:
            known = list(endpoints_of(settings.home).values())
            keys = Keys(settings.environ, settings.dotenv)
        except (BenchmakerError, OSError):  # refused by whoever needs the file
            known, keys = list(endpoint_table().values()), Keys(settings.environ)
        return iter(keys.without_keys({}, known)[1])

    async def let_go(self) -> None:
        """Let all pages go that follow runs; on the loop of the server."""
        await self.watch.close()
        if self.teams is not None:
            await self.teams.let_go()

    def close(self) -> None:
        """Close the store, if it was opened, and those of all teams.

        A thread that still answers gets the closed one, whose connections end with their use.
        """
        if self.teams is not None and self.teams.is_of(self):
            self.teams.close()
        with self._lock:
            if self._store is not None:
                self._store.close()


def bench_of(request: Request) -> Workbench:
    """Return the workbench of the requester's team; without accounts, the only one.

    People without a team get that of the data folder, for pages about themselves: all others are
    closed to them.
    """
    root: Workbench = request.app.state.bench
    actor = getattr(request.state, "actor", None)
    return root.of_team(actor.team) if actor is not None and actor.team else root


async def _bench(request: Request) -> Workbench:
    """The same; a thread is waited for only where there are teams, whose stores are opened."""
    actor = getattr(request.state, "actor", None)
    if actor is not None and actor.team:
        return await run_in_threadpool(bench_of, request)
    return bench_of(request)


Bench = Annotated[Workbench, Depends(_bench)]
"""The workbench, as an argument of a page."""
