"""The settings of the server at startup."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmaker.accounts.oidc_settings import OidcSettings
from benchmaker.redact import Redactor


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of one server.

    ``home`` is the data folder, ``store_url`` the database if it is not the file in it. ``hosts``
    are the accepted values of the Host header, with their ports. ``token`` opens the first session
    of a browser, once; None admits everyone who reaches the server, for tests of single pages.
    ``environ`` holds the variables, including keys, which no page ever shows, and ``dotenv`` is a
    file with further variables. ``preview_host`` is another name of the same server, with its port,
    which serves only generated pages; without it there are no previews. ``works`` is true if this
    process also executes the runs that pages start. ``metrics`` enables metrics for Prometheus.

    A server that ``is_shared`` is reachable from other machines, and requires an account.
    ``is_https`` is true if browsers reach it only over HTTPS, through a proxy.
    ``requests_a_minute`` is the rate limit for each person, token, or address without either if
    there are accounts. With accounts no model is queried at an address of a private network, unless
    ``allow_private`` is true. ``hides`` is the redactor of logs, which learns the teams' secrets.
    ``oidc`` is an additional sign-in provider.

    ``pages`` are classes of pages, as ``package.module:Class``, beside those that are installed.
    """

    home: Path
    store_url: str | None = None
    hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]")
    preview_host: str = ""
    token: str | None = None
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    dotenv: Path | None = None
    works: bool = True
    metrics: bool = False
    is_shared: bool = False
    is_https: bool = False
    requests_a_minute: int = 1_200
    allow_private: bool = False
    oidc: OidcSettings | None = None
    pages: tuple[str, ...] = ()
    hides: Redactor | None = field(default=None, repr=False)
    clock: Callable[[], float] = time.time

    @property
    def scheme(self) -> str:
        """The scheme of full addresses."""
        return "https" if self.is_https else "http"

    @property
    def address(self) -> str | Path:
        """The address of the store."""
        return self.store_url or self.home / "benchmaker.db"
