"""Cookies of this host, and that of somebody who signed in."""

import secrets
from typing import Final, Literal, NamedTuple

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import Response

_BYTES: Final = 32


class HostCookie(NamedTuple):
    """A cookie that no script reads.

    Under HTTPS its name begins so that a browser takes it from this very host and over HTTPS
    alone; no neighbour sets it. ``longest`` is how many characters can be ours.
    """

    name: str
    same_site: Literal["strict", "lax"]
    longest: int

    def read(self, headers: Headers, *, is_https: bool) -> str:
        """What the browser holds; empty without one, or where it can't be ours."""
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
    """A name for a sign-in that nobody can guess."""
    return secrets.token_urlsafe(_BYTES)
