"""The models of the user's own endpoints, for searches."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Thread
from typing import TypeAlias

from benchmaker.errors import BenchmakerError
from benchmaker.providers.catalogue import Offer, offers
from benchmaker.providers.endpoints.endpoint_file import endpoints_of
from benchmaker.providers.endpoints.endpoints import Endpoint, endpoint_table
from benchmaker.providers.endpoints.keys import Keys
from benchmaker.providers.network.transport import HttpLimits

KEPT_S = 60.0
"""Seconds for which a list is used, and for which a failed request is not repeated."""

_LIMITS = HttpLimits(total_s=8.0, first_byte_s=8.0)

_Listing: TypeAlias = "Future[tuple[Offer, ...]]"


@dataclass(frozen=True, slots=True)
class _Request:
    """A list with the time of its request."""

    began_s: float
    listing: _Listing


class OwnModelLists:
    """Lists the models of the endpoints in ``endpoints.yaml``, all in parallel.

    A request that takes longer than the search continues, for later searches. Endpoints without
    their key are omitted, and those that fail.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._requests: dict[tuple[str, str], _Request] = {}

    def find(
        self,
        home: Path,
        *,
        environ: Mapping[str, str],
        dotenv: Path | None = None,
        patience_s: float = 1.0,
    ) -> dict[str, Offer]:
        """Return the models by model string; lists that take longer are missing.

        Raises:
            SpecError: ``endpoints.yaml`` is invalid.
        """
        keys = Keys(environ, dotenv)
        own = list(_own_endpoints(home, keys.variables))
        listings = {one.name: self._listing(one, home, environ, dotenv) for one in own}
        wait(listings.values(), timeout=patience_s)
        return {
            f"{name}/{offer.id}": offer
            for name, listing in listings.items()
            for offer in (listing.result() if listing.done() else ())
        }

    def _listing(
        self, endpoint: Endpoint, home: Path, environ: Mapping[str, str], dotenv: Path | None
    ) -> _Listing:
        place = (endpoint.name, endpoint.base_url)
        with self._lock:
            known = self._requests.get(place)
            if known is not None and self._clock() - known.began_s < KEPT_S:
                return known.listing
            listing: _Listing = Future()
            self._requests[place] = _Request(self._clock(), listing)
        args = (listing, endpoint.name, home, environ, dotenv)
        Thread(target=_request_list, args=args, daemon=True).start()
        return listing


def _own_endpoints(home: Path, variables: Mapping[str, str]) -> Iterator[Endpoint]:
    built_in = endpoint_table()
    for name, endpoint in endpoints_of(home).items():
        has_key = any(variables.get(key, "").strip() for key in endpoint.keys)
        if endpoint is not built_in.get(name) and (has_key or not endpoint.needs_key):
            yield endpoint


def _request_list(
    listing: _Listing, name: str, home: Path, environ: Mapping[str, str], dotenv: Path | None
) -> None:
    found: tuple[Offer, ...] = ()
    try:
        found = asyncio.run(offers(name, environ=environ, dotenv=dotenv, home=home, limits=_LIMITS))
    except BenchmakerError:
        pass  # a query of this endpoint alone shows the reason
    finally:
        listing.set_result(found)
