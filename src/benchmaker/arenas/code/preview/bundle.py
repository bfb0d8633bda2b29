"""What a preview is made of: one document, the files beside it, and what it lacks."""

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
"""Every flag of a bundle, and what it says."""


class MissingAsset(NamedTuple):
    """Something that the page asks for and does not get.

    ``kind`` is ``local`` for a file that the answer does not hold, ``cdn`` for a package or an
    address of a library that does not ship with us, ``other`` for every other address.
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
    """A page that needs no network.

    ``document`` is HTML, to be served at a folder's address (``…/``) with the headers of
    ``preview_headers``. ``files`` are served beside it by their relative paths, each a content
    type and its bytes, with the same headers. Vendored files are served under the prefix that
    ``assemble`` was given; ``vendored`` reads them.
    """

    document: str
    files: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)
    mapped: tuple[Mapped, ...] = ()
    missing: tuple[MissingAsset, ...] = ()
    flags: tuple[str, ...] = ()
    vendored: tuple[str, ...] = ()
    """The vendored files that the document asks for."""
