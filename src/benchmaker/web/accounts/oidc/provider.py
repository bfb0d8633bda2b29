"""The identity provider: its endpoints, and its claims about people."""

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote_plus

from fastapi.concurrency import run_in_threadpool

from benchmaker.accounts.oidc_settings import GROUPS, OidcSettings, refuse_odd_address
from benchmaker.errors import SpecError
from benchmaker.web.accounts.oidc.id_token import (
    ALGORITHMS,
    UnknownKey,
    keys_of,
    refuse_unready,
    verify_id_token,
)
from benchmaker.web.accounts.oidc.provider_requests import ProviderClient
from benchmaker.web.accounts.oidc.refusal import ProviderUnavailable, SignInRefused
from benchmaker.web.accounts.oidc.sign_in_state import PendingSignIn

if TYPE_CHECKING:
    from joserfc.jwk import Key

BASIC: Final = "client_secret_basic"
POST: Final = "client_secret_post"


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """A provider's endpoints and signature algorithms.

    ``names_itself`` is true if its answers contain the issuer (RFC 9207), ``has_groups`` if groups
    need a scope of that name; other providers send them without, and refuse the scope.
    """

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    algorithms: tuple[str, ...]
    secret_by: str
    names_itself: bool
    has_groups: bool

    @classmethod
    def of(cls, document: Mapping[str, Any], issuer: str) -> "Description":
        """Parse the issuer's metadata document.

        Raises:
            Away: it belongs to another issuer, has an invalid address, or offers nothing that we
                support.
        """
        if document.get("issuer") != issuer:
            raise ProviderUnavailable(
                "the provider describes a different issuer than the configured one."
            )
        scopes = document.get("scopes_supported")
        return cls(
            issuer=issuer,
            authorization_endpoint=_address(document, "authorization_endpoint"),
            token_endpoint=_address(document, "token_endpoint"),
            jwks_uri=_address(document, "jwks_uri"),
            algorithms=_common_values(
                document, "id_token_signing_alg_values_supported", ALGORITHMS
            ),
            secret_by=_common_values(
                document, "token_endpoint_auth_methods_supported", (BASIC, POST)
            )[0],
            names_itself=document.get("authorization_response_iss_parameter_supported") is True,
            has_groups=isinstance(scopes, list) and GROUPS in scopes,
        )


def _address(document: Mapping[str, Any], word: str) -> str:
    found = document.get(word)
    if not isinstance(found, str):
        raise ProviderUnavailable(f"the provider does not publish its {word}.")
    try:
        refuse_odd_address(found, f"the provider's {word}")
    except SpecError as exc:
        raise ProviderUnavailable(exc.message) from exc
    return found


def _common_values(
    document: Mapping[str, Any], word: str, ours: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the values both sides support; all of ours if the provider names none."""
    offered = document.get(word, list(ours))
    found = tuple(one for one in ours if isinstance(offered, list) and one in offered)
    if not found:
        raise ProviderUnavailable(f"the provider offers none of {', '.join(ours)} as {word}.")
    return found


FRESH_S: Final = 3_600.0
"""Seconds for which configuration and keys are cached; an unknown key triggers a new request."""

_AGAIN_S: Final = 2.0
"""After it did not answer, everybody is told so for so long before it is asked again."""

_LONGEST_CODE: Final = 4_096
_ERRORS: Final = frozenset(
    {
        "access_denied", "consent_required", "interaction_required", "invalid_request",
        "invalid_scope", "login_required", "server_error", "temporarily_unavailable",
        "unauthorized_client", "unsupported_response_type",
    }
)  # fmt: skip
"""What a provider may say instead of a code; anything else is not repeated."""


@dataclass(frozen=True, slots=True)
class _ProviderMetadata:
    description: Description
    keys: "tuple[Key, ...]"
    at: float


class OidcProvider:
    """One provider, contacted on the first sign-in, never at startup."""

    def __init__(
        self, settings: OidcSettings, asking: ProviderClient, *, clock: Callable[[], float]
    ) -> None:
        self.settings = settings
        self._asking = asking
        self._clock = clock
        self._known: _ProviderMetadata | None = None
        self._failed: ProviderUnavailable | None = None
        self._failed_at = 0.0

    async def address(self, begun: PendingSignIn, redirect_uri: str) -> str:
        """Return the authorization URL for the person.

        Raises:
            Away: the provider is unavailable or misconfigured.
        """
        known = await self._metadata()
        return await run_in_threadpool(self._address, known.description, begun, redirect_uri)

    async def claims(
        self, answer: Mapping[str, str], begun: PendingSignIn, redirect_uri: str
    ) -> Mapping[str, Any]:
        """Return the provider's claims about the returning person.

        Args:
            answer: the query parameters of the callback.
            begun: the pending sign-in of the browser; its state is already verified.
            redirect_uri: the callback address without parameters.

        Raises:
            Away: the provider is unavailable.
            Refused: the answer or the ID token is invalid.
        """
        known = await self._metadata()
        self._refuse_odd(answer, known.description)
        token = await self._token(known.description, answer["code"], begun, redirect_uri)
        try:
            return await self._verify(token, known, begun)
        except UnknownKey:  # it may have new ones: asked once
            known = await self._ask()
            return await self._verify(token, known, begun)

    async def close(self) -> None:
        """Let go of every connection."""
        await self._asking.close()

    async def _metadata(self) -> _ProviderMetadata:
        """The description and the keys; old ones where newer ones can't be had."""
        known = self._known
        if known is not None and self._clock() - known.at < FRESH_S:
            return known
        if self._failed is None or self._clock() - self._failed_at >= _AGAIN_S:
            try:
                return await self._ask()
            except ProviderUnavailable as exc:
                self._failed, self._failed_at = exc, self._clock()
        if known is None:
            raise ProviderUnavailable(self._failed.message)
        return known

    async def _ask(self) -> _ProviderMetadata:
        issuer = self.settings.issuer
        url = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
        description = Description.of(await self._asking.get(url), issuer)
        document = await self._asking.get(description.jwks_uri)
        keys = await run_in_threadpool(keys_of, document)
        self._known, self._failed = _ProviderMetadata(description, keys, self._clock()), None
        return self._known

    def _address(self, description: Description, begun: PendingSignIn, redirect_uri: str) -> str:
        refuse_unready()
        from authlib.oauth2.rfc6749.parameters import (  # type: ignore[import-untyped]  # noqa: PLC0415
            prepare_grant_uri,
        )
        from authlib.oauth2.rfc7636 import (  # type: ignore[import-untyped]  # noqa: PLC0415
            create_s256_code_challenge,
        )

        wanted = self.settings.scopes
        scopes = [it for it in wanted if it != GROUPS or description.has_groups]
        made = prepare_grant_uri(
            description.authorization_endpoint,
            client_id=self.settings.client_id,
            response_type="code",
            redirect_uri=redirect_uri,
            scope=" ".join(scopes),
            state=begun.state,
            nonce=begun.nonce,
            code_challenge=create_s256_code_challenge(begun.verifier),
            code_challenge_method="S256",
        )
        return str(made)

    @staticmethod
    def _refuse_odd(answer: Mapping[str, str], description: Description) -> None:
        """Refuse an answer of another provider (RFC 9207), and one without a code."""
        named = answer.get("iss")
        if (named is None and description.names_itself) or named not in {None, description.issuer}:
            raise SignInRefused("the response is from another provider.")
        if error := answer.get("error"):
            raise SignInRefused(f"the provider says {error if error in _ERRORS else 'no'}.")
        if not 0 < len(answer.get("code", "")) <= _LONGEST_CODE:
            raise SignInRefused("the response has no code.")

    async def _token(
        self, description: Description, code: str, begun: PendingSignIn, redirect_uri: str
    ) -> object:
        """The ID token for a code; the access token beside it is not looked at."""
        from authlib.oauth2.rfc6749.parameters import (  # noqa: PLC0415
            prepare_token_request,
        )

        own, words = self.settings, {"code": code, "code_verifier": begun.verifier}
        headers = {}
        if description.secret_by == POST:
            words |= {"client_id": own.client_id, "client_secret": own.client_secret}
        else:
            headers["Authorization"] = _basic_auth(own.client_id, own.client_secret)
        form = prepare_token_request("authorization_code", redirect_uri=redirect_uri, **words)
        reply = await self._asking.post(description.token_endpoint, headers, str(form))
        return reply.get("id_token")

    async def _verify(
        self, token: object, known: _ProviderMetadata, begun: PendingSignIn
    ) -> Mapping[str, Any]:
        return await run_in_threadpool(
            verify_id_token,
            token,
            known.keys,
            issuer=known.description.issuer,
            client_id=self.settings.client_id,
            nonce=begun.nonce,
            algorithms=known.description.algorithms,
            now=self._clock(),
        )


def _basic_auth(client_id: str, secret: str) -> str:
    """Both as a form writes them (RFC 6749, 2.3.1), which most libraries forget."""
    pair = f"{quote_plus(client_id)}:{quote_plus(secret)}"
    return f"Basic {base64.b64encode(pair.encode('ascii')).decode('ascii')}"
