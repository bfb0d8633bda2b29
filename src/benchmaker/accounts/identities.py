"""How the store names who somebody is elsewhere: an identity, or one that is awaited."""

from typing import Final

LONGEST: Final = 255
"""Characters of a subject, and of a claim that is awaited, at most."""

_AWAITS: Final = "awaits "


def identity(issuer: str, subject: str) -> str:
    """Who somebody is at a provider: by the pair of both, and by nothing else.

    >>> identity("https://id.example.org", "248289761001")
    'https://id.example.org 248289761001'
    """
    return f"{issuer} {subject}"


def pending_identity(value: str) -> str:
    """What stands in place of an identity until somebody signs in of whom a claim says this.

    An issuer is an address and begins with ``http``, so that this is nobody's identity.

    >>> pending_identity("ada@example.org")
    'awaits ada@example.org'
    """
    return _AWAITS + value


def awaited_value(kept: str) -> str:
    """What the claim is to say; empty where nobody is awaited.

    >>> awaited_value("awaits ada"), awaited_value("https://id.example.org ada")
    ('ada', '')
    """
    return kept.removeprefix(_AWAITS) if kept.startswith(_AWAITS) else ""


def is_claim_value(value: object) -> bool:
    """True if a claim may say this of a person: a text of some length, without odd characters.

    >>> is_claim_value("ada@example.org"), is_claim_value(" "), is_claim_value(7)
    (True, False, False)
    """
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST:
        return False
    return value.isprintable() and value == value.strip()
