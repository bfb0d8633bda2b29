"""Whom connections trust: read when the first of them is encrypted, and not before."""

import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from benchmaker.errors import SpecError


def trust_context(environ: Mapping[str, str]) -> ssl.SSLContext:
    """The certificates that ``SSL_CERT_FILE`` or ``SSL_CERT_DIR`` name, else the system's.

    Raises:
        SpecError: they can't be read.
    """
    file, folder = environ.get("SSL_CERT_FILE"), environ.get("SSL_CERT_DIR")
    try:
        return ssl.create_default_context(cafile=file or None, capath=folder or None)
    except OSError as exc:
        raise SpecError(
            f"the certificates in {file or folder!r} can't be read: {exc}.",
            hint="Check SSL_CERT_FILE and SSL_CERT_DIR.",
        ) from exc


@contextmanager
def skip_default_certificates() -> Iterator[None]:
    """Make default contexts trust nobody, and read no certificates for them.

    aiohttp creates two on import, each of which reads all system certificates (a twentieth of the
    time to the first request). We pass a context with each request instead; a missing one would be
    refused, never trusted.
    """
    ssl.SSLContext.set_default_verify_paths = _leave_alone  # type: ignore[method-assign,assignment]  # for a moment
    try:
        yield
    finally:
        del ssl.SSLContext.set_default_verify_paths  # the inherited one is back


def _leave_alone(_: ssl.SSLContext) -> None:
    """Read nothing."""
