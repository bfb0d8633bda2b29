"""Maps addresses of well-known hosts to packages and vendored files."""

import re
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlsplit

from benchmaker.arenas.code.preview.vendored import manifest, mapping_table

_NPM = re.compile(r"/?(?P<name>(?:@[\w.~-]+/)?[\w.~-]+)(?:@(?P<version>[^/]*))?(?P<path>/.*)?$")
_CDNJS = re.compile(r"/ajax/libs/(?P<name>[\w.~-]+)/(?P<version>[^/]+)(?P<path>/.*)?$")
_TAILWIND = re.compile(r"/?(?P<version>[^/]*)(?P<path>)$")
_ESM_PREFIX = re.compile(r"^/(?:stable|v\d+|npm:|-|pin)(?=[/@\w])/?")
_MAJOR = re.compile(r"[\^~>=v\s]*(\d+)")
_FLOATING = frozenset({"", "latest", "next"})


@dataclass(frozen=True, slots=True)
class Package:
    """A package that an address or an import names; ``version`` as written, "" without one."""

    name: str
    version: str
    path: str = ""

    def __str__(self) -> str:
        """As npm writes it."""
        return f"{self.name}@{self.version}" if self.version else self.name


@dataclass(frozen=True, slots=True)
class Copy:
    """The vendored file for a package, and its components."""

    file: str
    package: str


def package_at(url: str) -> Package | None:
    """The package that an address of a known host means; None for every other address.

    >>> print(package_at("https://cdn.jsdelivr.net/npm/vue@3.4/dist/vue.global.js"))
    vue@3.4
    """
    parts = urlsplit(url if not url.startswith("//") else f"https:{url}")
    host = (parts.hostname or "").lower()
    kind = cast("dict[str, str]", mapping_table()["hosts"]).get(host)
    if kind is None or parts.scheme not in {"http", "https"}:
        return None
    path = parts.path
    if kind == "tailwind":
        found = _TAILWIND.match(path)
        return Package("tailwindcss", found["version"] if found else "3")
    if kind == "cdnjs":
        return _package_of(_CDNJS.match(path))
    if kind == "jsdelivr":
        path = path.removeprefix("/npm") if path.startswith("/npm/") else ""
    if kind == "esm":
        path = "/" + _ESM_PREFIX.sub("", path).lstrip("/")
    return _package_of(_NPM.match(path))


def package_of(specifier: str) -> Package | None:
    """The package of a bare import such as ``react-dom/client``; None where it is an address."""
    if ":" in specifier or specifier.startswith((".", "/", "#")):
        return None
    return _package_of(_NPM.match(specifier))


def _package_of(found: re.Match[str] | None) -> Package | None:
    if found is None:
        return None
    name = cast("dict[str, str]", mapping_table()["names"]).get(found["name"], found["name"])
    return Package(name, found["version"] or "", (found["path"] or "").strip("/"))


def copy_of(package: Package, *, is_module: bool) -> Copy | None:
    """Return the vendored file for a package, None for that version or use."""
    entry = mapping_table()["packages"].get(package.name)
    if not isinstance(entry, dict) or not _is_version(package.version, entry["majors"]):
        return None
    file = entry.get("module" if is_module else "script")
    if is_module:
        subpath = package.path.removesuffix(".js").removesuffix(".mjs")
        file = cast("dict[str, str]", entry.get("subpaths", {})).get(subpath, file)
    if not isinstance(file, str):
        return None
    return Copy(file, f"{manifest()[file].name}@{manifest()[file].version}")


def _is_version(version: str, majors: object) -> bool:
    if version in _FLOATING:
        return True
    found = _MAJOR.match(version)
    return found is not None and found[1] in cast("list[str]", majors)
