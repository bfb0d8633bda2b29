"""A real server on a free port of this machine, with an admin, a member and a viewer."""

import atexit
import json
import os
import shutil
import subprocess
import sys
from functools import cache
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from benchmaker.accounts import tokens
from benchmaker.record.account import MAIN, Role, TokenScope
from benchmaker.store import Store
from benchmaker.testing.built_runs import built_runs

_TIMEOUT_S: Final = 120


class ServerReply(NamedTuple):
    """The answer to a request; names of headers are in lower case."""

    status: int
    headers: dict[str, str]
    text: str


class LocalServer:
    """``benchmaker serve`` in another process, with its own data folder.

    It ends with this process. ``page`` is the dotted path of a page to serve besides the installed
    ones. With ``has_runs``, the store has a few small runs.
    """

    def __init__(self, page: str, *, has_runs: bool) -> None:
        folder = TemporaryDirectory(prefix="benchmaker-testing-")
        atexit.register(folder.cleanup)
        home = Path(folder.name, "home")
        if has_runs:
            shutil.copytree(next(iter(built_runs().values())).place.home, home)
        self._secrets = _add_people(home)
        self._process = subprocess.Popen(  # noqa: S603  our own program
            [
                *(sys.executable, "-m", "benchmaker", "--home", str(home), "serve"),
                *("--port", "0", "--no-worker", "--page", page, "--json"),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=_environment(),
        )
        atexit.register(self._end)
        self._port = self._read_port()

    def ask(
        self, path: str, role: Role | None = Role.ADMIN, *, method: str = "GET", **headers: str
    ) -> ServerReply:
        """Send a request as a user with that role; None sends it without a sign-in.

        Redirects are not followed.
        """
        if role is not None:
            headers["Authorization"] = f"Bearer {self._secrets[role]}"
        connection = HTTPConnection("127.0.0.1", self._port, timeout=_TIMEOUT_S)
        try:
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            names = {name.lower(): value for name, value in answer.getheaders()}
            return ServerReply(answer.status, names, answer.read().decode("utf-8", "replace"))
        finally:
            connection.close()

    def _read_port(self) -> int:
        """Return the port from the JSON that the server prints when it listens."""
        printed = ""
        for line in self._process.stdout or ():
            printed += line
            if line.startswith("}") and (address := json.loads(printed).get("address")):
                return urlsplit(address).port or 0
        _, errors = self._process.communicate(timeout=_TIMEOUT_S)
        said = " ".join(f"{errors} {printed}".split())
        raise AssertionError(f"benchmaker serve did not start: {said}")

    def _end(self) -> None:
        self._process.terminate()
        self._process.communicate(timeout=_TIMEOUT_S)


@cache
def local_server(page: str, *, has_runs: bool) -> LocalServer:
    """Return the server for a page, started once per process."""
    return LocalServer(page, has_runs=has_runs)


def _add_people(home: Path) -> dict[Role, str]:
    """Add a user of each role to ``main``, with a token of all scopes; return the tokens."""
    home.mkdir(parents=True, exist_ok=True)
    secrets = {}
    with Store.open(home / "benchmaker.db") as store:
        for role in reversed(Role):  # the first person is an admin
            user = store.accounts.add_user(role.value, None)
            store.accounts.set_role(MAIN, user.id, role)
            secrets[role] = secret = tokens.new_secret()
            store.accounts.add_token(
                user.id,
                MAIN,
                name="contract",
                scopes=tuple(TokenScope),
                secret_hash=tokens.hash_secret(secret),
            )
    return secrets


def _environment() -> dict[str, str]:
    """Return this process's variables and import path, without settings of Benchmaker."""
    kept = {name: it for name, it in os.environ.items() if not name.startswith("BENCHMAKER_")}
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
