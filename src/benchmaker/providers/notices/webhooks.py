"""Webhooks: a notice as a signed POST of JSON, in the form of standardwebhooks.com.

The receiver computes HMAC-SHA256 over ``id.timestamp.body`` with the shared secret and compares it
with ``webhook-signature``; ``webhook-timestamp`` (seconds since 1970) lets it refuse old messages,
``webhook-id`` drop duplicates.
"""

import base64
import binascii
import hmac
import time
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from benchmaker.errors import PrerequisiteError, ProviderError, SpecError
from benchmaker.providers.network.http import Http
from benchmaker.providers.network.transport import HttpLimits

_PREFIX = "whsec_"
_OK = range(200, 300)


def signature(secret: str, *, id: str, timestamp: int, body: bytes) -> str:  # noqa: A002  the published word
    """The header ``webhook-signature``; a secret that begins with ``whsec_`` is Base64.

    >>> signature("key", id="msg_1", timestamp=1, body=b"{}")
    'v1,jKGHVBDuJf5ZbCMVrrutoMHDN1OlFFCE9iogVIO9MLQ='
    """
    signed = b".".join((id.encode(), str(timestamp).encode(), body))
    return "v1," + base64.b64encode(hmac.digest(_key(secret), signed, "sha256")).decode()


class Webhook:
    """One receiver of signed notices; redirects are not followed.

    Args:
        url: the target, http or https.
        secret: the shared secret.
        timeout_s: timeout of each post in seconds.
        environ: the environment with proxies and certificates.
        clock: returns seconds since 1970.
    """

    def __init__(
        self,
        url: str,
        *,
        secret: str,
        timeout_s: float = 10.0,
        environ: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise SpecError("the address of a webhook must start with https:// or http://.")
        if not secret:
            raise PrerequisiteError("a webhook needs a secret to sign with.")
        _key(secret)
        self._url, self._secret, self._clock = url, secret, clock
        self.name = f"webhook {parts.hostname}"
        limits = HttpLimits(
            connect_s=timeout_s, first_byte_s=timeout_s, idle_s=timeout_s, total_s=timeout_s
        )
        self._http = Http(limits, environ=environ)

    async def send(self, notice_id: str, body: bytes) -> None:
        """Post it.

        Raises:
            ProviderError: it can't be reached, or does not answer with 2xx.
        """
        now = int(self._clock())
        headers = {
            "content-type": "application/json",
            "webhook-id": notice_id,
            "webhook-timestamp": str(now),
            "webhook-signature": signature(self._secret, id=notice_id, timestamp=now, body=body),
        }
        async with self._http.request(self._url, headers=headers, body=body) as reply:
            await reply.drain()
            if reply.status not in _OK:
                raise ProviderError(f"{self.name} answered {reply.status}.")

    async def close(self) -> None:
        """Close the connections."""
        await self._http.close()


def _key(secret: str) -> bytes:
    if not secret.startswith(_PREFIX):
        return secret.encode()
    try:
        return base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except binascii.Error as exc:
        raise PrerequisiteError(
            f"a secret that starts with {_PREFIX} must continue in Base64."
        ) from exc
