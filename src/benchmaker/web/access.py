"""Access control: a token that opens one session, and the cookie that keeps it.

The server is bound to this machine; the token excludes its other users and pages of other servers.
A session's cookie is signed with a key in the data folder, readable only by its owner, so that it
survives a restart of the server.
"""

import hashlib
import hmac
import os
import secrets
from pathlib import Path

COOKIE = "benchmaker_session"
TOKEN_WORD = "token"  # noqa: S105  a word of the address, no secret
_KEY_FILE = "serve.key"
_KEY_BYTES = 32


class Access:
    """Opens and recognises sessions; without a token everyone has one."""

    def __init__(self, home: Path, token: str | None) -> None:
        self._token = token
        self._is_open = token is None
        self._key = b"" if self._is_open else _key(home)

    def allows(self, cookie: str | None) -> bool:
        """True if this cookie belongs to a session opened here."""
        if self._is_open:
            return True
        name, _, signature = (cookie or "").partition(".")
        return bool(name) and hmac.compare_digest(self._sign(name), signature)

    def open_session(self, token: str) -> str | None:
        """The cookie of a new session, or None; a token opens one and is then used up."""
        if self._token is None or not hmac.compare_digest(
            token.encode("utf-8", "replace"), self._token.encode()
        ):
            return None
        self._token = None
        name = secrets.token_urlsafe(24)
        return f"{name}.{self._sign(name)}"

    def _sign(self, name: str) -> str:
        return hmac.new(self._key, name.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


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
