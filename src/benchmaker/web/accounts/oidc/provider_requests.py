"""Requests to a provider: JSON within limits of time and size, without redirects."""

import asyncio
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from benchmaker.errors import BenchmakerError
from benchmaker.web.accounts.environ import leading_out
from benchmaker.web.accounts.oidc.refusal import ProviderUnavailable

if TYPE_CHECKING:
    from benchmaker.providers.network.http import Http

TOTAL_S: Final = 10.0
"""Total seconds of a request, including name resolution."""

LARGEST: Final = 512 * 2**10
"""Maximum size of a response in bytes."""

_OK: Final = 200


class ProviderClient:
    """The only client for the provider, which the server's operator configures."""

    def __init__(self, environ: Mapping[str, str], *, total_s: float = TOTAL_S) -> None:
        self._environ = leading_out(environ)
        self._total_s = total_s
        self._made: Http | None = None

    async def get(self, url: str) -> dict[str, Any]:
        """Return the JSON object at an address.

        Raises:
            Away: it does not answer in time, or not with a JSON object.
        """
        return await self._ask(url, {}, None)

    async def post(self, url: str, headers: Mapping[str, str], body: str) -> dict[str, Any]:
        """The answer to a form; Away as above."""
        form = {"Content-Type": "application/x-www-form-urlencoded", **headers}
        return await self._ask(url, form, body.encode("ascii"))

    async def close(self) -> None:
        """Let go of every connection."""
        if self._made is not None:
            await self._made.close()

    async def _ask(
        self, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> dict[str, Any]:
        all_headers = {"Accept": "application/json", **headers}
        try:
            async with asyncio.timeout(self._total_s):
                async with self._http().request(url, headers=all_headers, body=body) as reply:
                    status = reply.status
                    text = await reply.read() if status == _OK else b""
        except (BenchmakerError, TimeoutError) as exc:
            said = exc.message if isinstance(exc, BenchmakerError) else "it took too long."
            raise ProviderUnavailable(f"the provider did not answer: {said}") from exc
        if status != _OK:
            raise ProviderUnavailable(f"the provider returned status {status}.")
        return _object(text)

    def _http(self) -> "Http":
        if self._made is None:
            from benchmaker.providers.network.http import Http  # noqa: PLC0415  where it is wanted
            from benchmaker.providers.network.transport import HttpLimits  # noqa: PLC0415

            limits = HttpLimits(
                connect_s=self._total_s,
                first_byte_s=self._total_s,
                idle_s=self._total_s,
                total_s=self._total_s,
                body_bytes=LARGEST,
            )
            self._made = Http(limits, environ=self._environ)
        return self._made


def _object(text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise ProviderUnavailable("the provider's response is not JSON.") from exc
    if not isinstance(found, dict):
        raise ProviderUnavailable("the provider's response is not a JSON object.")
    return found
