"""Collects the parts of a page during assembly: files, libraries, and missing resources."""

import re
from collections.abc import Mapping

from benchmaker.arenas.code.extract.languages import SCRIPTS
from benchmaker.arenas.code.extract.references import (
    imports,
    is_local,
    is_local_import,
    references,
    resolve_reference,
)
from benchmaker.arenas.code.preview.addresses import copy_of, package_at, package_of
from benchmaker.arenas.code.preview.bundle import Bundle, Mapped, MissingAsset, MissingKind
from benchmaker.arenas.code.preview.vendored import address, with_needs
from benchmaker.record.artifact import CodeFile

_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "json": "application/json",
}
_OTHERS = "text/plain; charset=utf-8"
_FONTS = ("https://fonts.googleapis.com", "https://fonts.gstatic.com", "//fonts.googleapis.com")
_HARMLESS = re.compile(r"(?:data|blob|mailto|tel|javascript|about):", re.IGNORECASE)

MOST_MISSING = 200
"""Maximum number of missing files listed."""
_MOST_OF_URL = 2000


class PageDraft:
    """A bundle that is being put together."""

    def __init__(self, files: Mapping[str, CodeFile], *, mapping: bool, vendor: str) -> None:
        self.files = files
        self.mapping = mapping
        self.vendor = vendor
        self.beside: dict[str, tuple[str, bytes]] = {}
        self.waiting: list[str] = []
        """Other pages of the answer, still to be assembled."""
        self.import_map: dict[str, str] = {}
        """What modules are imported as, and the vendored file that each is."""
        self.libraries: dict[str, None] = {}
        """Vendored scripts that the head loads, in order."""
        self._mapped: dict[str, Mapped] = {}
        self._missing: dict[str, MissingAsset] = {}
        self._flags: set[str] = set()
        self._vendored: dict[str, None] = {}

    def bundle(self, document: str) -> Bundle:
        """Return all collected parts, with the document."""
        return Bundle(
            document=document,
            files=self.beside,
            mapped=tuple(self._mapped.values()),
            missing=tuple(self._missing.values()),
            flags=tuple(sorted(self._flags | ({"mapped"} if self._mapped else set()))),
            vendored=tuple(self._vendored),
        )

    def flag(self, name: str) -> None:
        """Add a flag to the whole bundle."""
        self._flags.add(name)

    def use_vendored(self, file: str) -> str:
        """The address of a vendored file, which is from now on part of the bundle."""
        self._vendored[file] = None
        return address(file, self.vendor)

    def load(self, file: str) -> None:
        """Load a vendored script in the head, after its dependencies."""
        for needed in with_needs(file):
            self.libraries[needed] = None

    def mapped_script(self, url: str) -> str | None:
        """The vendored file for a script's or a style's address; None, and missing, without one."""
        package = package_at(url)
        copy = copy_of(package, is_module=False) if package and self.mapping else None
        if copy is None:
            self.lacks_address(url, is_library=True)
            return None
        self._mapped[url] = Mapped(url, copy.package, copy.file)
        for needed in list(with_needs(copy.file))[:-1]:
            self.libraries[needed] = None
        return copy.file

    def mapped_module(self, specifier: str) -> None:
        """Have the import map lead an import of a package to its copy; else it is missing."""
        if specifier in self.import_map:
            return
        file = self.module_file(specifier)
        if file is not None:
            self.load(file)
            self.libraries.pop(file)
            self.import_map[specifier] = file

    def module_file(self, specifier: str, *, is_ours: bool = False) -> str | None:
        """The vendored module for an import; None, and missing, without one.

        ``is_ours``: the module is run by our loader, which knows packages with mapping or without.
        """
        named = package_of(specifier)
        package = named or package_at(specifier)
        may = self.mapping or (is_ours and named is not None)
        copy = copy_of(package, is_module=True) if package and may else None
        if copy is None:
            self._lacks_package(specifier)
            return None
        self._mapped[specifier] = Mapped(specifier, copy.package, copy.file)
        return copy.file

    def needs(self, file: str) -> list[str]:
        """Return a vendored file after its dependencies."""
        return list(with_needs(file))

    def lacks_file(self, target: str) -> None:
        """Note a file that the answer names and does not hold."""
        self._note_missing(target, "The answer has no such file.", "local")

    def lacks_address(self, url: str, *, is_library: bool = False) -> None:
        """Note an address that is not reached; a script or a style at it is a library."""
        if _HARMLESS.match(url):
            return
        package = package_at(url)
        if package is not None:
            reason = f"{package} is not a bundled library."
            if not self.mapping:
                reason = f"Mapping is off, so {package} is not replaced by the bundled copy."
            self._note_missing(url, reason, "cdn")
            return
        if url.startswith(_FONTS):
            self._note_missing(url, "Web font, replaced by a system font.", "other")
        else:
            self._note_missing(url, "Previews have no network.", "cdn" if is_library else "other")

    def _lacks_package(self, specifier: str) -> None:
        if "://" in specifier or specifier.startswith("//"):
            self.lacks_address(specifier, is_library=True)
            return
        reason = "Not a bundled library."
        self._note_missing(specifier, reason, "cdn")

    def _note_missing(self, url: str, reason: str, kind: MissingKind) -> None:
        if len(self._missing) < MOST_MISSING:
            self._missing.setdefault(url, MissingAsset(url[:_MOST_OF_URL], reason, kind))

    def local_path(self, target: str, origin: str) -> str | None:
        """Return the path of a referenced file; None if missing, which is recorded."""
        path = resolve_reference(target, origin, self.files)
        if path is None:
            self.lacks_file(target)
        return path

    def serve(self, path: str) -> str:
        """Serve a file next to the page, with all its references; return its address."""
        file = self.files[path]
        if path not in self.beside:
            if file.language == "html":
                self.waiting.append(path)
            self.beside[path] = (_TYPES.get(file.language, _OTHERS), file.text.encode())
            self.follow(file)
        return path

    def follow(self, file: CodeFile) -> None:
        """See to everything that a script or a style names."""
        if file.language in SCRIPTS:
            self.follow_imports(file.text, file.path)
        elif file.language == "css":
            for reference in references(file):
                self.ask(reference.target, file.path)

    def follow_imports(self, script: str, origin: str) -> None:
        """See to everything that a module imports."""
        for specifier in imports(script):
            if not is_local_import(specifier):
                self.mapped_module(specifier)
            elif (path := self.local_path(specifier, origin)) is not None:
                self.serve(path)

    def ask(self, target: str, origin: str) -> str | None:
        """Return the address of a displayed resource, such as an image; None if missing."""
        if not is_local(target):
            if not target.startswith("#"):
                self.lacks_address(target)
            return None
        path = self.local_path(target, origin)
        return None if path is None else self.serve(path)
