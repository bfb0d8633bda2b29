"""What the server is told when it starts."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path


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
    clock: Callable[[], float] = time.time

    @property
    def address(self) -> str | Path:
        """Where the store is."""
        return self.store_url or self.home / "benchmaker.db"
