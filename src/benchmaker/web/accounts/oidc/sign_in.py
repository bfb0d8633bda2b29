"""External sign-in, from the button to the return."""

import logging
from collections.abc import Mapping
from typing import Any, Final

from fastapi import Request
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from benchmaker.accounts.oidc_settings import OidcSettings
from benchmaker.accounts.sealing import SecretSealer
from benchmaker.web.accounts.authentication import SIGN_IN_OIDC, address_of, is_https
from benchmaker.web.accounts.oidc.people import People
from benchmaker.web.accounts.oidc.provider import OidcProvider
from benchmaker.web.accounts.oidc.provider_requests import ProviderClient
from benchmaker.web.accounts.oidc.refusal import SignInRefused
from benchmaker.web.accounts.oidc.sign_in_state import (
    PendingSignIn,
    PendingSignInCookie,
    UsedSignIns,
)
from benchmaker.web.workbench import Workbench

_WORDS: Final = ("state", "code", "iss", "error")
"""What an answer may say; each once."""

_LOG = logging.getLogger("benchmaker.web.accounts")


class OidcSignIn:
    """The sign-in by a provider, in addition to passwords."""

    def __init__(self, bench: Workbench, settings: OidcSettings) -> None:
        own = bench.settings
        self._bench, self._environ = bench, own.environ
        self._sealing: SecretSealer | None = None
        self.name = settings.display_name
        self.settings = settings
        self.provider = OidcProvider(settings, ProviderClient(own.environ), clock=own.clock)
        self.keeping = PendingSignInCookie(self.sealer, own.clock, UsedSignIns())

    @property
    def people(self) -> People:
        """The people by identity."""
        return People(self._bench.store.accounts, self.settings)

    def sealer(self) -> SecretSealer:
        """Return the sealer of the browser's cookie; its key is created if missing.

        Raises:
            PrerequisiteError: there is no usable key.
        """
        if self._sealing is None:
            self._sealing = SecretSealer.of(self._bench.home, self._environ)
        return self._sealing

    async def begin(
        self, request: Request, *, back: str, session: str = "", links: str = ""
    ) -> tuple[PendingSignIn, str]:
        """A new sign-in, and where to send the person; Away where the provider does not answer."""
        begun = PendingSignIn.create(
            back=back, now=self._bench.settings.clock(), session=session, links=links
        )
        return begun, await self.provider.address(begun, self._redirect_uri(request.scope))

    def consume(self, request: Request) -> PendingSignIn:
        """The sign-in that this request answers, which counts no more from now on.

        Raises:
            Refused: the browser began no such sign-in.
        """
        answer = _words(request)
        headers = Headers(scope=request.scope)
        https = is_https(request.scope, self._bench)
        return self.keeping.consume(headers, answer.get("state", ""), is_https=https)

    async def claims(self, request: Request, begun: PendingSignIn) -> Mapping[str, Any]:
        """Return the provider's claims; Refused if they are missing or not trustworthy."""
        uri = self._redirect_uri(request.scope)
        return await self.provider.claims(_words(request), begun, uri)

    def keep(self, request: Request, answer: Response, begun: PendingSignIn) -> Response:
        """Return the answer with the pending sign-in as a cookie."""
        self.keeping.keep(answer, begun, is_https=is_https(request.scope, self._bench))
        return answer

    def drop(self, request: Request, answer: Response) -> Response:
        """The answer, with which the browser forgets it; no page learns the address it has."""
        self.keeping.drop(answer, is_https=is_https(request.scope, self._bench))
        answer.headers["referrer-policy"] = "no-referrer"
        return answer

    def log_refusal(self, request: Request, refused: SignInRefused) -> None:
        """Write the reason for a refused sign-in to the server's log."""
        address = address_of(request.scope)
        _LOG.warning(
            "a sign-in at %s was refused, from %s: %s", self.name, address, refused.message
        )

    async def close(self) -> None:
        """Let go of every connection."""
        await self.provider.close()

    def _redirect_uri(self, scope: Scope) -> str:
        """Return the callback address; the guard has checked the host."""
        scheme = "https" if is_https(scope, self._bench) else "http"
        return f"{scheme}://{Headers(scope=scope)['host'].lower()}{SIGN_IN_OIDC}"


def _words(request: Request) -> dict[str, str]:
    """Return the answer's parameters; repeated ones are ignored."""
    found = {word: request.query_params.getlist(word) for word in _WORDS}
    return {word: said[0] for word, said in found.items() if len(said) == 1}
