"""A provider as it describes itself (OpenID Connect Discovery 1.0)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from benchmaker.accounts.oidc_settings import GROUPS, refuse_odd_address
from benchmaker.errors import SpecError
from benchmaker.web.accounts.oidc.id_token import ALGORITHMS
from benchmaker.web.accounts.oidc.refused import Away

BASIC: Final = "client_secret_basic"
POST: Final = "client_secret_post"


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """Where to send people, where to ask, and how tokens are signed there.

    ``names_itself`` says that its answers carry the issuer (RFC 9207), ``has_groups`` that groups
    are asked for by a scope of that name; others tell them unasked, and refuse the scope.
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
    def of(cls, told: Mapping[str, Any], issuer: str) -> "Description":
        """Out of the document that the issuer serves.

        Raises:
            Away: it speaks for another issuer, an address in it can't be, or nothing that it
                offers is what we take.
        """
        if told.get("issuer") != issuer:
            raise Away("the provider describes another issuer than the one that was named.")
        scopes = told.get("scopes_supported")
        return cls(
            issuer=issuer,
            authorization_endpoint=_address(told, "authorization_endpoint"),
            token_endpoint=_address(told, "token_endpoint"),
            jwks_uri=_address(told, "jwks_uri"),
            algorithms=_common(told, "id_token_signing_alg_values_supported", ALGORITHMS),
            secret_by=_common(told, "token_endpoint_auth_methods_supported", (BASIC, POST))[0],
            names_itself=told.get("authorization_response_iss_parameter_supported") is True,
            has_groups=isinstance(scopes, list) and GROUPS in scopes,
        )


def _address(told: Mapping[str, Any], word: str) -> str:
    found = told.get(word)
    if not isinstance(found, str):
        raise Away(f"the provider does not tell its {word}.")
    try:
        refuse_odd_address(found, f"the provider's {word}")
    except SpecError as exc:
        raise Away(exc.message) from exc
    return found


def _common(told: Mapping[str, Any], word: str, ours: tuple[str, ...]) -> tuple[str, ...]:
    """What of ours is offered; all of it where nothing is said."""
    offered = told.get(word, list(ours))
    found = tuple(one for one in ours if isinstance(offered, list) and one in offered)
    if not found:
        raise Away(f"the provider offers none of {', '.join(ours)} as {word}.")
    return found
