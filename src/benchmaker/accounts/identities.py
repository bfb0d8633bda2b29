"""External identities of users as stored: an identity, or a pending one."""

from typing import Final

LONGEST: Final = 255
"""Maximum length of a subject, and of an expected claim."""

_AWAITS: Final = "awaits "


def identity(issuer: str, subject: str) -> str:
    """Return an identity at a provider: the pair of issuer and subject, nothing else.

    >>> identity("https://id.example.org", "248289761001")
    'https://id.example.org 248289761001'
    """
    return f"{issuer} {subject}"


def pending_identity(value: str) -> str:
    """Return the placeholder for an identity until somebody with this claim signs in.

    An issuer is a URL and starts with ``http``, so that this is never a real identity.

    >>> pending_identity("ada@example.org")
    'awaits ada@example.org'
    """
    return _AWAITS + value


def awaited_value(kept: str) -> str:
    """Return the expected value of the claim; empty for a known identity.

    >>> awaited_value("awaits ada"), awaited_value("https://id.example.org ada")
    ('ada', '')
    """
    return kept.removeprefix(_AWAITS) if kept.startswith(_AWAITS) else ""


def is_claim_value(value: object) -> bool:
    """True if a claim can have this value for a person: bounded text without odd characters.

    >>> is_claim_value("ada@example.org"), is_claim_value(" "), is_claim_value(7)
    (True, False, False)
    """
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST:
        return False
    return value.isprintable() and value == value.strip()
