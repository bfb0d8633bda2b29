"""The sources of requested resources, and the missing ones."""

from collections.abc import Iterable, Mapping
from typing import Protocol
from urllib.parse import urlsplit

from benchmaker.arenas.code.probe.browser_events import Witness
from benchmaker.record import MissingResource

_CDN = (
    "unpkg.com", "cdn.jsdelivr.net", "cdnjs.cloudflare.com", "esm.sh", "cdn.skypack.dev",
    "cdn.tailwindcss.com", "esm.run", "code.jquery.com", "stackpath.bootstrapcdn.com",
    "maxcdn.bootstrapcdn.com", "fonts.googleapis.com", "fonts.gstatic.com", "ajax.googleapis.com",
    "use.fontawesome.com", "kit.fontawesome.com", "cdn.plot.ly", "d3js.org", "threejs.org",
    "cdn.plyr.io", "js.stripe.com", "polyfill.io", "ga.jspm.io", "esm-cdn.com",
)  # fmt: skip
"""Hosts that serve packages, fonts and styles to any page."""


class MissingCopy(Protocol):
    """A resource missing from a bundle."""

    @property
    def url(self) -> str: ...  # noqa: D102
    @property
    def reason(self) -> str: ...  # noqa: D102
    @property
    def kind(self) -> str: ...  # noqa: D102


class MappedCopy(Protocol):
    """One address, and the copy of ours that it was pointed at."""

    @property
    def url(self) -> str: ...  # noqa: D102
    @property
    def package(self) -> str: ...  # noqa: D102
    @property
    def file(self) -> str: ...  # noqa: D102


class ProbedBundle(Protocol):
    """The probe's view of a bundle."""

    @property
    def document(self) -> str: ...  # noqa: D102
    @property
    def files(self) -> Mapping[str, tuple[str, bytes]]: ...  # noqa: D102
    @property
    def mapped(self) -> Iterable[MappedCopy]: ...  # noqa: D102
    @property
    def missing(self) -> Iterable[MissingCopy]: ...  # noqa: D102
    @property
    def flags(self) -> Iterable[str]: ...  # noqa: D102


def missing_resources(bundle: ProbedBundle, notes: Witness | None) -> tuple[MissingResource, ...]:
    """Return the page's missing resources, as found by assembly and by the render."""
    found = {
        _normalise_url(one.url): MissingResource(url=one.url, kind=str(one.kind), reason=one.reason)
        for one in bundle.missing
    }
    for url in sorted(notes.blocked) if notes else ():
        resource = MissingResource(url=url, kind=kind_of(url), reason="the probe has no network")
        found.setdefault(_normalise_url(url), resource)
    for path in sorted(notes.absent) if notes else ():
        gone = MissingResource(url=path, kind="local", reason="no such file in the answer")
        found.setdefault(_normalise_url(path), gone)
    return tuple(sorted(found.values(), key=lambda one: (one.kind, one.url)))


def mapped_addresses(bundle: ProbedBundle) -> tuple[tuple[str, str, str], ...]:
    """Return the addresses mapped to bundled copies: address, package and file."""
    return tuple(sorted((one.url, one.package, one.file) for one in bundle.mapped))


def kind_of(url: str) -> str:
    """``cdn`` for hosts that serve packages to any page, else ``other``."""
    host = urlsplit(url).hostname or ""
    is_cdn = any(host == one or host.endswith(f".{one}") for one in _CDN)
    return "cdn" if is_cdn else "other"


def _normalise_url(url: str) -> str:
    return url.removeprefix("./").rstrip("/")
