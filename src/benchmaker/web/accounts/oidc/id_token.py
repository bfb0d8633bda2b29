"""Verification of ID tokens: signature, issuer, audience, lifetime, nonce."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from benchmaker.accounts.identities import is_claim_value
from benchmaker.errors import PrerequisiteError
from benchmaker.web.accounts.oidc.refusal import ProviderUnavailable, SignInRefused

if TYPE_CHECKING:
    from joserfc.jwk import Key
    from joserfc.jws import JWSRegistry

ALGORITHMS: Final = ("RS256", "ES256", "PS256", "EdDSA")
"""Accepted signature algorithms: with a private key only, never with a secret or none."""

LEEWAY_S: Final = 60
"""Maximum clock difference to the provider in seconds."""

_TYPES: Final = {"RS256": "RSA", "PS256": "RSA", "ES256": "EC", "EdDSA": "OKP"}
_CURVES: Final = {"ES256": "P-256", "EdDSA": "Ed25519"}
_LEAST_MODULUS: Final = 342
"""Base64 digits of an RSA key of 2,048 bits."""

_HEAD_BYTES: Final = 8 * 2**10
_MOST_KEYS: Final = 100


class UnknownKey(SignInRefused):
    """The provider has no key with the token's key id."""


def verify_id_token(
    token: object,
    keys: Sequence["Key"],
    *,
    issuer: str,
    client_id: str,
    nonce: str,
    algorithms: Sequence[str],
    now: float,
) -> Mapping[str, Any]:
    """Return the claims of a token after full verification (OpenID Connect Core 1.0, 3.1.3.7).

    Args:
        token: the token from the token endpoint.
        keys: the provider's keys.
        issuer: the required issuer.
        client_id: the required audience.
        nonce: the nonce of the sign-in.
        algorithms: permitted signature algorithms, some of :data:`ALGORITHMS`.
        now: seconds since 1970.

    Raises:
        UnknownKey: it is signed with another key.
        Refused: any other check failed.
        PrerequisiteError: Authlib is not installed.
    """
    refuse_unready()
    from authlib.oidc.core import (  # type: ignore[import-untyped]  # noqa: PLC0415  an extra
        CodeIDToken,
    )
    from joserfc import jwt  # noqa: PLC0415
    from joserfc.errors import JoseError  # noqa: PLC0415

    if not isinstance(token, str):
        raise SignInRefused("the provider gave no ID token.")
    try:
        found = jwt.decode(
            token,
            lambda it: _key_for(keys, it.headers()),
            registry=_registry(algorithms),
        )
        is_of = {"value": issuer, "essential": True}
        is_for = {"value": client_id, "essential": True}
        claims = CodeIDToken(
            found.claims,
            found.header,
            options={"iss": is_of, "aud": is_for, "sub": {"essential": True}},
            params={"nonce": nonce, "client_id": client_id},
        )
        claims.validate(now=int(now), leeway=LEEWAY_S)
    except (JoseError, ValueError, TypeError, KeyError, RecursionError) as exc:
        raise SignInRefused(f"the ID token was refused: {_reason(exc)}.") from None
    if not is_claim_value(claims["sub"]):
        raise SignInRefused("the ID token has no usable subject.")
    return dict(claims)


def keys_of(document: Mapping[str, Any]) -> tuple["Key", ...]:
    """Return the public signing keys in a provider's set; others are skipped.

    Raises:
        Away: there is no key set.
    """
    refuse_unready()
    found = document.get("keys")
    if not isinstance(found, list):
        raise ProviderUnavailable("the provider's key set is invalid.")
    made = (_key_of(one) for one in found[:_MOST_KEYS] if _is_usable(one))
    return tuple(one for one in made if one is not None)


def refuse_unready() -> None:
    """PrerequisiteError where Authlib is not installed."""
    try:
        import_module("authlib.oidc.core")
        import_module("joserfc.jwt")
    except ImportError as exc:
        raise PrerequisiteError(
            "single sign-on needs the packages authlib and joserfc.",
            hint="Install them with: pip install 'benchmaker[accounts]'",
        ) from exc


def _is_usable(entry: object) -> bool:
    if not isinstance(entry, dict) or entry.get("kty") not in _TYPES.values():
        return False
    if entry["kty"] == "RSA" and len(str(entry.get("n", ""))) < _LEAST_MODULUS:
        return False
    return bool(entry.get("use", "sig") == "sig")


def _key_of(entry: dict[str, Any]) -> "Key | None":
    from joserfc.errors import JoseError  # noqa: PLC0415
    from joserfc.jwk import JWKRegistry  # noqa: PLC0415

    try:
        return JWKRegistry.import_key(entry)
    except (JoseError, ValueError, TypeError, KeyError):
        return None


def _key_for(keys: Sequence["Key"], header: Mapping[str, Any]) -> "Key":
    """The key that a header names; without a name, the only one that fits."""
    algorithm, named = str(header.get("alg")), header.get("kid")
    fits = [it for it in keys if _fits(it, algorithm)]
    if named is not None:
        fits = [it for it in fits if it.kid == named]
    if len(fits) != 1:
        raise UnknownKey("the ID token is signed with a key that the provider does not publish.")
    return fits[0]


def _fits(key: "Key", algorithm: str) -> bool:
    """True if a key has the type that the algorithm needs, and is for no other one."""
    is_kind = key.key_type == _TYPES.get(algorithm)
    curve = _CURVES.get(algorithm)
    is_curve = curve is None or key.get("crv") == curve
    return bool(is_kind and is_curve and key.get("alg") in {None, algorithm})


def _registry(algorithms: Sequence[str]) -> "JWSRegistry":
    from joserfc.errors import UnsupportedAlgorithmError  # noqa: PLC0415
    from joserfc.jws import JWSRegistry  # noqa: PLC0415

    class Registry(JWSRegistry):
        """A registry that knows only the permitted algorithms."""

        max_header_length = _HEAD_BYTES

        def get_alg(self, name: str) -> Any:  # noqa: ANN401  the library's own
            """As it is; the library would warn of EdDSA, which means Ed25519 here and is sound."""
            if name not in ALGORITHMS or name not in algorithms:
                raise UnsupportedAlgorithmError("its algorithm is not one that is allowed")
            return self.algorithms[name]

    return Registry(strict_check_header=False)


def _reason(error: Exception) -> str:
    """Return a loggable reason of an error: its kind and the claim, nothing from the token."""
    claim = getattr(error, "claim", None)
    kind = type(error).__name__.removesuffix("Error")
    return f"{kind} {claim}" if isinstance(claim, str) else kind
