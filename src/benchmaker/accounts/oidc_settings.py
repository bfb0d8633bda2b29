"""The company's identity provider, as configured by the server's operator."""

import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit

from benchmaker.errors import SpecError
from benchmaker.record.account import Role

ISSUER: Final = "BENCHMAKER_OIDC_ISSUER"
CLIENT_ID: Final = "BENCHMAKER_OIDC_CLIENT_ID"
CLIENT_SECRET: Final = "BENCHMAKER_OIDC_CLIENT_SECRET"  # noqa: S105  a variable's name
"""Environment variables for the settings; the secret is never an argument."""

EMAIL: Final = "email"
GROUPS: Final = "groups"
"""Claims, and the scopes that request them; the second is not standardized."""

USUAL_CLAIM: Final = "preferred_username"

_CLAIM: Final = re.compile(r"[A-Za-z0-9_.:/-]{1,100}")
_DOMAIN: Final = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+")
_LONGEST_NAME: Final = 40
_LONGEST: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinPolicy:
    """The people who get an account automatically, and their role.

    Anyone with a verified e-mail address in one of ``domains``, or in one of ``groups``.

    Raises:
        SpecError: neither is given, or the role is admin.
    """

    team: str
    role: Role
    domains: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.role is Role.ADMIN:
            raise SpecError("automatic join as admin is not allowed.", hint="Use the role member.")
        if not (self.domains or self.groups):
            raise SpecError(
                "no rule for automatic join.",
                hint="Add --oidc-join-domain example.org, or --oidc-join-group NAME.",
            )
        for domain in self.domains:
            if not _DOMAIN.fullmatch(domain):
                raise SpecError(
                    f"{domain!r} is not an e-mail domain.",
                    hint="Use the part after the @ in lower case, such as example.org.",
                )

    @classmethod
    def of(cls, text: str, *, domains: tuple[str, ...], groups: tuple[str, ...]) -> "JoinPolicy":
        """Out of ``TEAM:ROLE``; SpecError as above."""
        team, _, role = text.partition(":")
        if not team or role not in {*map(str, Role)}:
            raise SpecError(
                f"{text!r} is not a team and role.", hint="Use TEAM:ROLE, such as main:viewer."
            )
        return cls(team=team, role=Role(role), domains=domains, groups=groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcSettings:
    """The settings for sign-in by OpenID Connect.

    ``issuer`` is the provider's address, as in its tokens. ``name`` is the label of the button.
    ``claim`` identifies the person of an account at its first sign-in. Without ``joining`` no
    accounts are created automatically. Printing shows no secret.

    Raises:
        SpecError: an invalid value, with the remedy.
    """

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    name: str = ""
    claim: str = USUAL_CLAIM
    joining: JoinPolicy | None = None

    def __post_init__(self) -> None:
        refuse_odd_address(self.issuer, "the issuer")
        if urlsplit(self.issuer).query or "?" in self.issuer:
            raise SpecError("the issuer contains a question mark.", where=self.issuer, hint=_AS)
        _refuse_odd_word(self.client_id, "the client id", CLIENT_ID)
        _refuse_odd_word(self.client_secret, "the client secret", CLIENT_SECRET)
        if not self.display_name.isprintable() or len(self.display_name) > _LONGEST_NAME:
            raise SpecError(
                f"the provider name has more than {_LONGEST_NAME} characters, or invalid ones.",
                hint="Use a short --oidc-name, such as 'Example login'.",
            )
        if not _CLAIM.fullmatch(self.claim):
            raise SpecError(
                f"{self.claim!r} is not a valid claim.", hint=f"The usual claim is {USUAL_CLAIM}."
            )

    @property
    def display_name(self) -> str:
        """The display name: the name, else the host."""
        return self.name or (urlsplit(self.issuer).hostname or "")[:_LONGEST_NAME]

    @property
    def scopes(self) -> tuple[str, ...]:
        """The requested scopes: the minimum that identifies the account."""
        wants_email = self.claim == EMAIL or (self.joining is not None and self.joining.domains)
        wants_groups = self.joining is not None and self.joining.groups
        more = [word for word, wanted in ((EMAIL, wants_email), (GROUPS, wants_groups)) if wanted]
        return ("openid", "profile", *more)


def refuse_odd_address(text: str, what: str) -> None:
    """Refuse an address of a provider over which a secret should not travel.

    Raises:
        SpecError: it is no address, names a person or a fragment, or is not encrypted; on this
            machine it need not be.
    """
    found = _split(text)
    if found is None or found.username is not None or found.password is not None or "#" in text:
        raise SpecError(f"{what} is not a URL.", where=text[:200], hint=_AS)
    is_here = found.scheme == "http" and _is_loopback(found.hostname or "")
    if found.scheme != "https" and not is_here:
        raise SpecError(
            f"{what} does not use HTTPS.",
            where=text[:200],
            hint="Use an https URL; http is allowed only for a provider on this machine.",
        )


_AS: Final = "Use the issuer URL of the provider, such as https://login.example.org/realms/main."


def _split(text: str) -> SplitResult | None:
    """The parts of an address with a host; None where there is none."""
    if not text.isascii() or not text.isprintable() or " " in text or len(text) > _LONGEST:
        return None
    try:
        found = urlsplit(text)
        _ = found.port
    except ValueError:
        return None
    return found if found.hostname else None


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _refuse_odd_word(text: str, what: str, variable: str) -> None:
    if not 0 < len(text) <= _LONGEST or not text.isprintable() or text != text.strip():
        raise SpecError(
            f"{what} of the provider is missing or contains invalid characters.",
            hint=f"Set {variable} to the value from the provider.",
        )
