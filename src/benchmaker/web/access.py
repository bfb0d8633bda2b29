"""Access control: a token that opens one session, and the cookie that keeps it.

The server is bound to this machine; the token excludes its other users and pages of other servers.
A session's cookie is signed with a key in the data folder, readable only by its owner, so that it
survives a restart of the server. The key also signs link tokens, each of which opens one session of
a running server, within some minutes.
"""

import hashlib
import hmac
import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path

COOKIE = "benchmaker_session"
TOKEN_WORD = "token"  # noqa: S105  a word of the address, no secret
DEFAULT_PORT = 8600
_KEY_FILE = "serve.key"
_KEY_BYTES = 32
LINK_S = 300
"""Seconds for which a link token is valid."""


class Access:
    """Opens and recognises sessions; without a token everyone has one.

    ``clock`` returns the time in seconds since 1970.
    """

    def __init__(
        self, home: Path, token: str | None, *, clock: Callable[[], float] = time.time
    ) -> None:
        self._token = token
        self._is_open = token is None
        self._key = b"" if self._is_open else _key(home)
        self._clock = clock
        self._used: dict[str, int] = {}

    def allows(self, cookie: str | None) -> bool:
        """True if this cookie belongs to a session opened here."""
        if self._is_open:
            return True
        name, _, signature = (cookie or "").partition(".")
        return bool(name) and hmac.compare_digest(_sign(self._key, name), signature)

    def open_session(self, token: str) -> str | None:
        """The cookie of a new session, or None; a token opens one and is then used up."""
        if self._is_open or not (self._spend_own(token) or self._spend_link(token)):
            return None
        name = secrets.token_urlsafe(24)
        return f"{name}.{_sign(self._key, name)}"

    def _spend_own(self, token: str) -> bool:
        """Use up the token that the server printed."""
        if self._token is None or not _are_equal(token, self._token):
            return False
        self._token = None
        return True

    def _spend_link(self, token: str) -> bool:
        """Use up a link token, if it is valid and was not used before."""
        claim, _, signature = token.rpartition(".")
        if not claim or not _are_equal(signature, _sign(self._key, claim)):
            return False
        now, expires = int(self._clock()), int(claim.rpartition(".")[2])
        self._used = {one: end for one, end in self._used.items() if end >= now}
        if expires < now or claim in self._used:
            return False
        self._used[claim] = expires
        return True


def new_link_token(home: Path, *, clock: Callable[[], float] = time.time) -> str:
    """Return a token for one more session of the server on this data folder.

    Its signed text has dots, which the name in a cookie lacks, so neither is valid as the other.
    """
    claim = f"link.{secrets.token_urlsafe(24)}.{int(clock()) + LINK_S}"
    return f"{claim}.{_sign(_key(home), claim)}"


def _sign(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def _are_equal(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode())


def new_token() -> str:
    """A token for the address that the server prints."""
    return secrets.token_urlsafe(24)


def _key(home: Path) -> bytes:
    """The key in the data folder, made where there is none; only its owner may read it."""
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = home / _KEY_FILE
    try:
        made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        found = path.read_bytes()
        if len(found) >= _KEY_BYTES:
            return found
        path.unlink()
        return _key(home)
    with os.fdopen(made, "wb") as stream:
        key = secrets.token_bytes(_KEY_BYTES)
        stream.write(key)
    return key
