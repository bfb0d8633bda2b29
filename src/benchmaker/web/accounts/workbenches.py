"""A workbench for each team: its own data folder, its own store, its own worker, its own keys."""

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import Final

from benchmaker.accounts.sealing import SecretSealer
from benchmaker.errors import BenchmakerError, SpecError
from benchmaker.providers.endpoints.endpoint_file import endpoints_of
from benchmaker.providers.endpoints.endpoints import Endpoint, endpoint_table
from benchmaker.providers.network.egress import EgressPolicy
from benchmaker.record.account import MAIN
from benchmaker.redact import Redactor
from benchmaker.store.home import Home
from benchmaker.store.people.accounts import AccountStore
from benchmaker.store.team_stores import make_team_place, team_place
from benchmaker.web.accounts.environ import Learn, TeamEnviron, leading_out, of_server
from benchmaker.web.tickets import Tickets
from benchmaker.web.workbench import Workbench
from benchmaker.web.worker_thread import running_worker

_GONE: Final = "There is no such team."


class Benches:
    """The workbenches of all teams, each opened on first use together with its worker.

    That of ``main`` is the original one; with accounts it is subject to the egress policy, and has
    the secrets of its team in addition to the server's variables.
    """

    def __init__(self, root: Workbench) -> None:
        settings = root.settings
        self.reach = EgressPolicy.NETWORK if settings.allow_private else EgressPolicy.INTERNET
        self._root, self._environ = root, settings.environ
        self._place = Home(settings.home, settings.store_url)
        self._lock, self._keys = Lock(), Lock()
        self._sealing: SecretSealer | None = None
        self._opened: dict[str, Workbench] = {MAIN: root}
        self._environs: dict[str, TeamEnviron] = {}
        self._stack = ExitStack()
        self._is_leaving = False
        base = of_server(settings.environ)
        environ = self._environ_of(MAIN, base, self._learn(root.redactor, root))
        environ.read()
        root.use(environ)
        root.on_leave.append(self.leave)

    def of_team(self, team: str) -> Workbench:
        """The workbench of a team.

        Raises:
            SpecError: there is no such team.
            StoreError: its store can't be opened.
        """
        if (known := self._opened.get(team)) is not None:
            return known
        with self._lock:
            if team not in self._opened:
                self._opened[team] = self._open(team)
            return self._opened[team]

    def find_open(self, team: str) -> Workbench | None:
        """The workbench of a team, if it is open."""
        return self._opened.get(team)

    def is_of(self, bench: Workbench) -> bool:
        """True if this is the workbench of ``main``, the reference for all others."""
        return bench is self._root

    def start(self) -> None:
        """Open every team, so that its waiting jobs run; teams that fail to open are skipped."""
        for team in self._accounts().teams():
            try:
                self.of_team(team.slug)
            except BenchmakerError:  # said to whoever asks for a page of it
                continue

    def sealer(self) -> SecretSealer:
        """Return the sealer of secrets; its key is created if missing.

        Raises:
            PrerequisiteError: there is no usable key.
        """
        with self._keys:
            if self._sealing is None:
                self._sealing = SecretSealer.of(self._root.home, self._environ)
            return self._sealing

    def forget_secrets(self, team: str) -> None:
        """Apply changed secrets of a team immediately."""
        if team in self._environs:
            self._environs[team].forget()

    def leave(self) -> None:
        """The server is about to end."""
        self._is_leaving = True
        for bench in self._other_workbenches():
            bench.leave()

    async def let_go(self) -> None:
        """Let all pages go that follow runs."""
        for bench in self._other_workbenches():
            await bench.watch.close()

    def close(self) -> None:
        """End the workers of all teams but ``main``, and close their stores."""
        others = self._other_workbenches()
        self._stack.close()
        for bench in others:
            bench.close()

    def _other_workbenches(self) -> list[Workbench]:
        return [bench for team, bench in list(self._opened.items()) if team != MAIN]

    def _accounts(self) -> AccountStore:
        return self._root.store.accounts

    def _open(self, team: str) -> Workbench:
        if self._accounts().team(team) is None:
            raise SpecError(_GONE)
        make_team_place(self._place, team)
        bench = self._create(team)
        self._environs[team].read()
        if not self._is_leaving:
            self._stack.enter_context(running_worker(bench))
        return bench

    def _create(self, team: str) -> Workbench:
        place, own = team_place(self._place, team), self._root.settings
        redactor = Redactor()
        learn = self._learn(redactor, place)
        environ = self._environ_of(team, leading_out(self._environ), learn)
        bench = Workbench(
            replace(own, home=place.home, store_url=place.url, environ=environ, dotenv=None)
        )
        bench.redactor, bench.teams, bench.is_leaving = redactor, self, self._is_leaving
        if isinstance(self._root.tickets, Tickets):
            bench.tickets = self._root.tickets.of_team(team)
        return bench

    def _environ_of(self, team: str, base: Mapping[str, str], learn: Learn) -> TeamEnviron:
        made = self._environs[team] = TeamEnviron(
            team,
            self._accounts,
            sealing=self.sealer,
            base=base,
            reach=self.reach,
            learn=learn,
        )
        return made

    def _learn(self, redactor: Redactor, place: Workbench | Home) -> Learn:
        """Return a callback that tells the team's redactor and the log about secrets."""
        return partial(_learn_secrets, [redactor, self._root.settings.hides], place)


def _learn_secrets(
    redactors: Iterable[Redactor | None], place: Workbench | Home, secrets: Mapping[str, str]
) -> None:
    public = {name for endpoint in _endpoints(place) for name in endpoint.base_urls}
    values = [value for name, value in secrets.items() if name not in public]
    for redactor in redactors:
        if redactor is not None:
            redactor.learn(values)


def _endpoints(place: Workbench | Home) -> Iterable[Endpoint]:
    """Return a team's endpoints; their base URLs are not secret."""
    try:
        return endpoints_of(place.home).values()
    except (BenchmakerError, OSError):  # refused by whoever needs the file
        return endpoint_table().values()
