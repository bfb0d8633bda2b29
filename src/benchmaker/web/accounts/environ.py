"""The variables of a team: the secrets entered by its admins, and network settings."""

import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping
from threading import Lock
from typing import Final

from benchmaker.accounts.oidc_settings import CLIENT_SECRET
from benchmaker.accounts.sealing import KEY_VARIABLE, SecretSealer, is_reserved
from benchmaker.errors import BenchmakerError, PrerequisiteError
from benchmaker.providers.network.egress import VARIABLE as REACH
from benchmaker.providers.network.egress import EgressPolicy
from benchmaker.store.people.accounts import AccountStore

Learn = Callable[[Mapping[str, str]], None]
"""Registers secrets, by name, before their first use."""

_FRESH_S: Final = 1.0
_LOG = logging.getLogger("benchmaker.web.accounts")

_OWN: Final = frozenset({KEY_VARIABLE, CLIENT_SECRET, "BENCHMAKER_STORE", "BENCHMAKER_STORE_FILE"})
"""What the server alone needs."""

_LEADING: Final = re.compile(
    r".*_PROXY|SSL_CERT_FILE|SSL_CERT_DIR|PATH|LANG|TZ|TMPDIR", re.IGNORECASE
)
"""What every team needs of the server's variables; none of it is a key."""


class TeamEnviron(Mapping[str, str]):
    """The environment for a team's providers, read again after changes.

    A secret takes precedence over a variable of the server. Printing shows nothing.

    Args:
        team: the team of the secrets.
        accounts: the store of the sealed secrets.
        sealing: function that returns their sealer; called only if there are any.
        base: the server's variables that apply to the team.
        reach: the egress policy of the team.
        learn: called with the secrets, for redaction.
    """

    def __init__(
        self,
        team: str,
        accounts: Callable[[], AccountStore],
        *,
        sealing: Callable[[], SecretSealer],
        base: Mapping[str, str],
        reach: EgressPolicy,
        learn: Learn,
    ) -> None:
        self._team, self._accounts, self._sealing = team, accounts, sealing
        self._base = {**base, REACH: str(reach)}
        self._learn = learn
        self._lock = Lock()
        self._read_at = -_FRESH_S
        self._found: Mapping[str, str] = {}
        self._sealed: Mapping[str, bytes] = {}

    def __repr__(self) -> str:
        return f"TeamEnviron({self._team!r})"

    def __getitem__(self, name: str) -> str:
        return self._current_values()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._current_values())

    def __len__(self) -> int:
        return len(self._current_values())

    def read(self) -> None:
        """Read the secrets, so that redactors learn them."""
        self._current_values()

    def forget(self) -> None:
        """Read the secrets again on next use."""
        with self._lock:
            self._read_at = -_FRESH_S

    def _current_values(self) -> Mapping[str, str]:
        with self._lock:
            if time.monotonic() - self._read_at >= _FRESH_S:
                self._read()
                self._read_at = time.monotonic()
            return self._found

    def _read(self) -> None:
        sealed = self._accounts().secrets(self._team)
        if self._found and sealed == self._sealed:
            return
        opened = dict(self._unsealed_values(sealed))
        self._learn(opened)
        self._sealed, self._found = sealed, {**self._base, **opened}

    def _unsealed_values(self, sealed: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
        for name, one in sealed.items():
            if is_reserved(name):
                continue
            try:
                yield name, self._sealing().unseal(one, team=self._team, name=name)
            except PrerequisiteError as exc:  # as if it were not there; its page says so, too
                _LOG.warning("a secret of the team %s: %s", self._team, exc.message)


def unreadable_secrets(
    accounts: AccountStore, team: str, sealing: Callable[[], SecretSealer]
) -> frozenset[str]:
    """The names of the secrets that don't open with the keys that there are."""
    shut = set()
    for name, one in accounts.secrets(team).items():
        try:
            sealing().unseal(one, team=team, name=name)
        except BenchmakerError:
            shut.add(name)
    return frozenset(shut)


def of_server(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the server's variables for the team ``main``: all except the server's own."""
    return {name: value for name, value in environ.items() if name not in _OWN}


def leading_out(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the server's variables for other teams: network settings, no keys."""
    return {name: value for name, value in environ.items() if _LEADING.fullmatch(name)}
