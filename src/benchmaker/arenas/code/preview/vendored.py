"""The libraries that ship with us: their manifest, and which address means which of them."""

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

import msgspec

from benchmaker.structs import resolve_type

_FOLDER = ("resources", "vendor", "code")
_TYPES = {
    "js": "text/javascript; charset=utf-8",
    "mjs": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "json": "application/json",
}
_DIGITS = 12


class Vendored(msgspec.Struct, frozen=True, kw_only=True):
    """One bundled file: its components, its digest, and the file with its licences."""

    name: str
    version: str
    file: str
    sha256: str
    licence: str
    licence_file: str
    needs: tuple[str, ...] = ()
    """Files that a page must load before this one."""


def _read(name: str) -> bytes:
    return files("benchmaker").joinpath(*_FOLDER, name).read_bytes()


@cache
def manifest() -> dict[str, Vendored]:
    """Every vendored file by its name."""
    listed = msgspec.json.decode(_read("manifest.json"), type=resolve_type(list[Vendored]))
    return {it.file: it for it in listed}


@cache
def mapping_table() -> dict[str, dict[str, dict[str, object]]]:
    """The mapping table as its file has it: hosts, names and packages."""
    found: dict[str, dict[str, dict[str, object]]] = json.loads(_read("mapping.json"))
    return found


def mapping_version() -> str:
    """The version of the table of addresses; with it a preview may change."""
    return str(mapping_table()["version"])


def address(file: str, prefix: str) -> str:
    """Return the address of a vendored file, which includes its content's digest."""
    return f"{prefix}{manifest()[file].sha256[:_DIGITS]}/{file}"


def vendored_file(path: str) -> tuple[str, bytes]:
    """Return the content type and bytes of a vendored file, by its path after the prefix.

    The leading digest is optional. Raises KeyError for unknown paths, including other digests.
    """
    digest, _, name = path.rpartition("/")
    found = manifest()[name]
    if digest and digest != found.sha256[:_DIGITS]:
        raise KeyError(path)
    return _TYPES[name.rpartition(".")[2]], _read(name)


def with_needs(file: str) -> Iterator[str]:
    """A file and before it whatever it needs."""
    for needed in manifest()[file].needs:
        yield from with_needs(needed)
    yield file
