"""The parts of a preview: one document, the files next to it, and missing resources."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

MissingKind = Literal["local", "cdn", "other"]

BUNDLE_FLAGS = {
    "mapped": "Addresses of well-known libraries were replaced by the bundled copies.",
    "transpiled": "TypeScript, JSX and components are compiled in the page.",
    "tailwind": "Tailwind was added because the code uses its classes.",
    "nothing": "Nothing to show.",
}
"""Every flag of a bundle, with its description."""


class MissingAsset(NamedTuple):
    """A resource that the page requests and does not get.

    ``kind`` is ``local`` for a file missing from the answer, ``cdn`` for a package or an address of
    a library that is not bundled, ``other`` for every other address.
    """

    url: str
    reason: str
    kind: MissingKind


class Mapped(NamedTuple):
    """One address or package, and the copy it was pointed at: ``package@version`` and file."""

    url: str
    package: str
    file: str


@dataclass(frozen=True, slots=True)
class Bundle:
    """An offline page.

    ``document`` is HTML, to be served at a folder's address (``…/``) with the headers of
    ``preview_headers``. ``files`` are served next to it by their relative paths, each a content
    type and its bytes, with the same headers. Vendored files are served under the prefix passed to
    ``assemble``; ``vendored`` reads them.
    """

    document: str
    files: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)
    mapped: tuple[Mapped, ...] = ()
    missing: tuple[MissingAsset, ...] = ()
    flags: tuple[str, ...] = ()
    vendored: tuple[str, ...] = ()
    """The vendored files used by the document."""
