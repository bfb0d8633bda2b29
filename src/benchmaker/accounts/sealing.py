"""Secrets at rest: encrypted with a key stored outside the database.

Fernet (AES-128 in CBC with HMAC-SHA256) by the package cryptography. The sealed text names its team
and secret, so that a person who can write rows cannot swap them. The first of several keys seals,
and each opens its own texts, so that keys can be rotated.
"""

import json
import os
import re
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmaker.errors import PrerequisiteError, SpecError

if TYPE_CHECKING:
    from cryptography.fernet import Fernet, MultiFernet

KEY_VARIABLE: Final = "BENCHMAKER_SECRETS_KEY"
"""The variable with the keys, the newest first, with commas or spaces between them."""

KEY_FILE: Final = "secrets.key"
"""The file with the keys in the data folder, one per line, used if the variable is not set."""

LONGEST: Final = 8_192
"""Maximum length of a secret."""

SHORTEST: Final = 8
"""Minimum length of a secret; shorter ones would match ordinary words in logs."""

_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,127}")
_RESERVED = re.compile(
    r"(?:BENCHMAKER|RAY|LD|DYLD|SSL|GIT|OTEL|XDG)(?:_.*)?|PYTHON.*|.*_PROXY"
    r"|PATH|HOME|USER|SHELL|LANG|TMPDIR|CI|REQUEST_METHOD"
)


class SecretSealer:
    """Encrypts and decrypts secrets; printing shows no key.

    Args:
        keys: Fernet keys (32 bytes in URL-safe base64), the one that seals first.
        where: the source of the keys, for messages.

    Raises:
        PrerequisiteError: there is no key, one is invalid, or cryptography is not installed.
    """

    __slots__ = ("_fernet", "_where")

    def __init__(self, keys: Sequence[str], *, where: str = KEY_VARIABLE) -> None:
        self._where = where
        self._fernet = _multi(keys, where)

    def __repr__(self) -> str:
        return f"Sealing({self._where})"

    @classmethod
    def of(cls, home: Path, environ: Mapping[str, str]) -> "SecretSealer":
        """Return a sealer with the keys of the environment or the data folder, made if missing.

        Raises:
            PrerequisiteError: a key is none, or others may read the file.
        """
        if given := environ.get(KEY_VARIABLE, "").strip():
            return cls(_split(given))
        path = home / KEY_FILE
        return cls(_split(_make_or_read(path)), where=str(path))

    def seal(self, secret: str, *, team: str, name: str) -> bytes:
        """The secret, sealed for this team under this name."""
        return self._fernet.encrypt(json.dumps([team, name, secret]).encode())

    def unseal(self, sealed: bytes, *, team: str, name: str) -> str:
        """The secret.

        Raises:
            PrerequisiteError: none of the keys sealed it, or it was sealed for something else.
        """
        from cryptography.fernet import InvalidToken  # noqa: PLC0415  an extra

        try:
            found = json.loads(self._fernet.decrypt(sealed))
        except (InvalidToken, ValueError) as exc:
            raise self._wrong_key_error(name) from exc
        if found[:2] != [team, name]:
            raise self._wrong_key_error(name)
        return str(found[2])

    def reseal(self, sealed: bytes, *, team: str, name: str) -> bytes:
        """The same secret under the first key; PrerequisiteError as above."""
        return self.seal(self.unseal(sealed, team=team, name=name), team=team, name=name)

    def _wrong_key_error(self, name: str) -> PrerequisiteError:
        return PrerequisiteError(
            f"the secret {name} was sealed with another key than the one in {self._where}.",
            hint=f"Restore the original key in {KEY_VARIABLE}, or enter the secret again.",
        )


def new_key() -> str:
    """A key for :data:`KEY_VARIABLE`."""
    return _fernet().generate_key().decode("ascii")


def refuse_name(name: str) -> None:
    """Refuse what is not a valid name of a secret.

    Raises:
        SpecError: it is not a variable in capital letters, or one with another meaning: the
            program's own paths, or its network access.
    """
    if not _NAME.fullmatch(name):
        raise SpecError(
            f"{name[:80]!r} is not a valid name of a secret.",
            hint="Use the key variable of an endpoint, such as OPENAI_API_KEY.",
        )
    if is_reserved(name):
        raise SpecError(
            f"{name} can't be set for a team.",
            hint="Only the administrator of the server can set it.",
        )


def is_reserved(name: str) -> bool:
    """True if a variable is reserved for the server's operator."""
    return _RESERVED.fullmatch(name.upper()) is not None


def checked_secret(value: str) -> str:
    """The secret without the line break at its end.

    Raises:
        SpecError: it is too short or too long, or has line breaks or control characters in it.
    """
    secret = value.strip()
    if not secret:
        raise SpecError("the secret is empty.", hint="Enter a value, or drop the secret.")
    if not secret.isprintable():
        raise SpecError("the secret contains a line break or a control character.", hint=_AGAIN)
    if len(secret) < SHORTEST:
        raise SpecError(f"the secret is shorter than {SHORTEST} characters.", hint=_AGAIN)
    if len(secret) > LONGEST:
        raise SpecError(f"the secret is longer than {LONGEST:,} characters.", hint=_AGAIN)
    return secret


_AGAIN: Final = "Copy it again."


def _split(text: str) -> list[str]:
    return [key for key in re.split(r"[,\s]+", text) if key]


def _multi(keys: Sequence[str], where: str) -> "MultiFernet":
    fernet = _fernet()
    from cryptography.fernet import MultiFernet  # noqa: PLC0415  an extra

    try:
        return MultiFernet([fernet(key) for key in keys])
    except ValueError as exc:  # no key, or one of another length or alphabet
        raise PrerequisiteError(
            "no key to seal secrets.",
            where=where,
            hint="Create one with: benchmaker secret key",
        ) from exc


def _fernet() -> "type[Fernet]":
    try:
        from cryptography.fernet import Fernet  # noqa: PLC0415  an extra
    except ImportError as exc:
        raise PrerequisiteError(
            "secrets need the package cryptography.",
            hint="Install it with: pip install 'benchmaker[accounts]'",
        ) from exc
    return Fernet


def _make_or_read(path: Path) -> str:
    """Return the content of the file, readable only by its owner; create it if missing.

    It gets its name after the key is completely written to disk.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not path.exists():
        _make(path)
    if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise PrerequisiteError(
            "other users can read the key file of the secrets.",
            where=str(path),
            hint=f"chmod 600 {path}",
        )
    return path.read_text("ascii", errors="replace")


def _make(path: Path) -> None:
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    made = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(made, "w", encoding="ascii") as stream:
            stream.write(f"{new_key()}\n")
            stream.flush()
            os.fsync(stream.fileno())
        os.link(unfinished, path)
    except FileExistsError:
        pass  # another process was first, and its key counts
    finally:
        unfinished.unlink()
