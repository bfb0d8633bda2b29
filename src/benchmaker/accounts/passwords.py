"""Passwords: hashed with argon2id, and compared in the same time for any user."""

import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from benchmaker.errors import PrerequisiteError, SpecError

if TYPE_CHECKING:
    from argon2 import PasswordHasher

SHORTEST = 12
"""Minimum length of a password."""

LONGEST = 1_024
"""Maximum length of a password; hashing takes longer for longer ones."""


@dataclass(frozen=True, slots=True)
class HashCost:
    """The cost of hashing a password: passes, memory, and threads."""

    passes: int
    memory_kib: int
    threads: int

    @property
    def dummy_hash(self) -> str:
        """A hash to compare with if there is no password: equally slow, and never matching."""
        spent = f"m={self.memory_kib},t={self.passes},p={self.threads}"
        return f"$argon2id$v=19${spent}$YmVuY2htYXJrLW5vYm9keQ${'A' * 43}"


COST = HashCost(passes=3, memory_kib=65_536, threads=4)
"""The second recommended option of RFC 9106, for machines with less memory."""


def refuse_weak(password: str, name: str) -> None:
    """Refuse passwords that are easily guessed.

    Raises:
        SpecError: it is too short or too long, or hardly differs from the user name.
    """
    if len(password) < SHORTEST:
        raise SpecError(f"the password is shorter than {SHORTEST} characters.", hint=_LONGER)
    if len(password) > LONGEST:
        raise SpecError(
            f"the password is longer than {LONGEST:,} characters.",
            hint="Choose a shorter password.",
        )
    folded = password.casefold()
    if len(set(folded.replace(name.casefold(), ""))) < _DISTINCT:
        raise SpecError("the password is too easy to guess.", hint=_LONGER)
    if _bytes(password) is None:
        raise SpecError("the password contains an invalid character.", hint="Type it again.")


def hash_password(password: str) -> str:
    """Return the password hash to store, with salt and cost; takes about 50 ms and 64 MiB.

    Raises:
        PrerequisiteError: argon2-cffi is not installed.
    """
    return _hasher(COST).hash(_bytes(password) or b"")


def verify(password_hash: str | None, password: str) -> bool:
    """True if this is the password; takes the same time without a stored one.

    Raises:
        PrerequisiteError: argon2-cffi is not installed.
    """
    hasher = _hasher(COST)
    from argon2.exceptions import InvalidHashError, VerificationError  # noqa: PLC0415  an extra

    given = _bytes(password) if len(password) <= LONGEST else None
    try:
        fits = hasher.verify(password_hash or COST.dummy_hash, given or b"")
    except (VerificationError, InvalidHashError):
        return False
    return fits and password_hash is not None and given is not None


def needs_rehash(password_hash: str) -> bool:
    """True if the hash was made with another cost than the current one."""
    return _hasher(COST).check_needs_rehash(password_hash)


_DISTINCT = 4
_LONGER = f"Use at least {SHORTEST} characters, such as four unrelated words."


def _bytes(password: str) -> bytes | None:
    """Return the bytes to hash, normalised for any way of typing; None for a lone surrogate."""
    try:
        return unicodedata.normalize("NFKC", password).encode()
    except UnicodeEncodeError:
        return None


@cache
def _hasher(cost: HashCost) -> "PasswordHasher":
    try:
        from argon2 import PasswordHasher  # noqa: PLC0415  an extra
    except ImportError as exc:
        raise PrerequisiteError(
            "passwords need the package argon2-cffi.",
            hint="Install it with: pip install 'benchmaker[accounts]'",
        ) from exc
    return PasswordHasher(
        time_cost=cost.passes, memory_cost=cost.memory_kib, parallelism=cost.threads
    )
