"""What the server is told when it starts."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmaker.accounts.oidc_settings import OidcSettings
from benchmaker.redact import Redactor


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of one server.

    ``home`` is the data folder, ``store_url`` the database when it is not the file in it. ``hosts``
    are the values of the Host header that are answered, with their ports. ``token`` opens the first
    session of a browser, once; None opens to everybody who reaches the server, for tests of single
    pages. ``environ`` holds the variables, keys among them, which no page ever shows, and
    ``dotenv`` names a file with more of them. ``preview_host`` is another name of the same server,
    with its port, under which generated pages are shown and nothing else; without it there are no
    previews. ``works`` says whether this process also carries out the runs that pages start.
    ``metrics`` says whether figures are kept for Prometheus.

    A server that ``is_shared`` can be reached from other machines, and lets in nobody without an
    account. ``is_https`` says that browsers reach it over HTTPS alone, by a proxy before it.
    ``requests_a_minute`` is what each person, token, or address without either may send where
    there are accounts. With accounts no model is asked at an address of a private network, unless
    ``allow_private`` says so. ``hides`` is what logs are written through; it learns the secrets
    that teams have entered. ``oidc`` is the provider at which people may sign in, too.

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
        """How the addresses begin that pages hand out in full."""
        return "https" if self.is_https else "http"

    @property
    def address(self) -> str | Path:
        """Where the store is."""
        return self.store_url or self.home / "benchmaker.db"
