"""The cookie of somebody who signed in."""

import secrets
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import Response

SIGNED: Final = "benchmaker_account"
_HTTPS_ALONE: Final = f"__Host-{SIGNED}"
"""A browser takes this name from this very host and over HTTPS alone, so no neighbour sets it."""

_BYTES: Final = 32
_LONGEST: Final = 100


def new_cookie() -> str:
    """A name for a sign-in that nobody can guess."""
    return secrets.token_urlsafe(_BYTES)


def cookie_of(headers: Headers, *, is_https: bool) -> str:
    """What the browser holds; empty without one, or where it can't be ours."""
    given = cookie_parser(headers.get("cookie", "")).get(_name(is_https=is_https), "")
    return given if len(given) <= _LONGEST else ""


def keep(answer: Response, value: str, *, is_https: bool, seconds: int) -> None:
    """Let the browser hold it."""
    answer.set_cookie(
        _name(is_https=is_https),
        value,
        max_age=seconds,
        httponly=True,
        secure=is_https,
        samesite="strict",
        path="/",
    )


def drop(answer: Response, *, is_https: bool) -> None:
    """Let the browser forget it."""
    answer.delete_cookie(
        _name(is_https=is_https), httponly=True, secure=is_https, samesite="strict", path="/"
    )


def _name(*, is_https: bool) -> str:
    return _HTTPS_ALONE if is_https else SIGNED
