"""A data folder with people in it, and browsers and programs that ask a server over it."""

import contextlib
import http.client
import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from benchmaker.accounts import passwords, tokens
from benchmaker.record.account import ApiToken, Role, TokenScope
from benchmaker.store import Store
from benchmaker.web.accounts.cookies import SIGNED

PASSWORDS = {
    "ada": "ada likes four odd words",
    "max": "max drinks tea at noon",
    "vi": "vi only ever watches birds",
    "eve": "eve is on the other team",
    "noa": "noa belongs to nobody yet",
}
"""Ada is an admin of main, max a member, vi a viewer; eve an admin of other; noa is in no team."""

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}


@cache
def _hash(password: str) -> str:
    return passwords.hash_password(password)


def settle(home: Path) -> dict[str, str]:
    """Put the people and their tokens in; the secrets by name."""
    with Store.open(home / "benchmaker.db") as store:
        accounts = store.accounts
        users = {it: accounts.add_user(it, _hash(secret)) for it, secret in PASSWORDS.items()}
        accounts.add_team("other", "The others")
        accounts.set_role("main", users["max"].id, Role.MEMBER)
        accounts.set_role("main", users["vi"].id, Role.VIEWER)
        accounts.set_role("other", users["eve"].id, Role.ADMIN)
        given = {}
        for scope in TokenScope:
            given[str(scope)] = _token(store, users["ada"].id, "main", (scope,))[0]
            given[f"vi-{scope}"] = _token(store, users["vi"].id, "main", (scope,))[0]
        given["eve"] = _token(store, users["eve"].id, "other", tuple(TokenScope))[0]
        past = "2020-01-01T00:00:00.000Z"
        given["expired"] = _token(
            store, users["ada"].id, "main", (TokenScope.READ,), expires_at=past
        )[0]
        given["revoked"], made = _token(store, users["ada"].id, "main", (TokenScope.READ,))
        accounts.revoke_token(made.id)
    return given


def _token(store, user_id, team, scopes, *, expires_at=None) -> tuple[str, ApiToken]:
    secret = tokens.new_secret()
    made = store.accounts.add_token(
        user_id, team, name="a program", scopes=scopes, secret_hash=tokens.hash_secret(secret),
        expires_at=expires_at,
    )  # fmt: skip
    return secret, made


@dataclass(frozen=True)
class Answer:
    """What came back; names of headers are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes
    cookies: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def data(self) -> Any:
        return json.loads(self.body)

    @property
    def wants_sign_in(self) -> bool:
        """Whether it says that nobody is signed in."""
        to = self.headers.get("location", "")
        is_sent = self.status == 303 and to.startswith("/sign-in") and not self.cookies
        return self.status == 401 or is_sent


@dataclass
class Asker:
    """A browser with its cookie, a program with its token, or nobody; follows nothing."""

    address: str
    headers: dict[str, str] = field(default_factory=dict)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """One request; a mapping is sent as a form."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {**self.headers, **given}
        if isinstance(body, dict):
            body, sent = urlencode(body), {**FORM, **sent}
        made = http.client.HTTPConnection(urlsplit(self.address).netloc, timeout=300)
        with contextlib.closing(made) as connection:
            connection.request(method, path, body, sent)
            found = connection.getresponse()
            cookies = tuple(v for k, v in found.getheaders() if k.lower() == "set-cookie")
            told = {key.lower(): it for key, it in found.getheaders()}
            return Answer(found.status, told, found.read(), cookies)

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, **headers)

    def post(self, path: str, **fields: str) -> Answer:
        return self.ask("POST", path, fields)


def sign_in(
    address: str, name: str, password: str | None = None, **headers: str
) -> tuple[Asker, Answer]:
    """A browser in which somebody has tried to sign in, and what was answered."""
    asker = Asker(address)
    typed = PASSWORDS[name] if password is None else password
    answer = asker.ask("POST", "/sign-in", {"name": name, "password": typed}, **headers)
    held = [it.partition(";")[0] for it in answer.cookies if SIGNED in it]
    return Asker(address, {"Cookie": held[0]} if held else {}), answer


def with_token(address: str, secret: str) -> Asker:
    """A program."""
    return Asker(address, {"Authorization": f"Bearer {secret}"})
