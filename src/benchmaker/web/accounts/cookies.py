"""Cookies of this host, and the sign-in cookie."""

import secrets
from typing import Final, Literal, NamedTuple

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import Response

_BYTES: Final = 32


class HostCookie(NamedTuple):
    """A cookie that scripts cannot read.

    Under HTTPS its name has a prefix that makes browsers accept it only from this host and over
    HTTPS; no sibling domain can set it. ``longest`` is the maximum length of our values.
    """

    name: str
    same_site: Literal["strict", "lax"]
    longest: int

    def read(self, headers: Headers, *, is_https: bool) -> str:
        """Return the cookie's value; empty if missing or too long to be ours."""
        given = cookie_parser(headers.get("cookie", "")).get(self._name(is_https=is_https), "")
        return given if len(given) <= self.longest else ""

    def keep(self, answer: Response, value: str, *, is_https: bool, seconds: int) -> None:
        """Let the browser hold it."""
        answer.set_cookie(
            self._name(is_https=is_https),
            value,
            max_age=seconds,
            httponly=True,
            secure=is_https,
            samesite=self.same_site,
            path="/",
        )

    def drop(self, answer: Response, *, is_https: bool) -> None:
        """Let the browser forget it."""
        answer.delete_cookie(
            self._name(is_https=is_https),
            httponly=True,
            secure=is_https,
            samesite=self.same_site,
            path="/",
        )

    def _name(self, *, is_https: bool) -> str:
        return f"__Host-{self.name}" if is_https else self.name


SIGNED: Final = "benchmaker_account"
SIGNED_IN: Final = HostCookie(SIGNED, "strict", 100)


def new_cookie() -> str:
    """Return an unguessable name for a sign-in."""
    return secrets.token_urlsafe(_BYTES)
