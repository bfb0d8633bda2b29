"""References between files: sources of a page, imports of scripts and styles."""

import posixpath
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

from benchmaker.arenas.code.extract.languages import SCRIPTS
from benchmaker.arenas.code.extract.markup import Tag, tags
from benchmaker.record.artifact import CodeFile

_IMPORT = re.compile(
    r"""(?:^|[;}])[ \t]{0,40}import(?:\s{1,40}|(?=[{*]))(?:type\s{1,40})?
        (?:[\w$*]{1,200}(?:\s{1,40}as\s{1,40}[\w$]{1,200})?\s{0,40},?\s{0,40})?
        (?:\{[^{}'"]{0,4000}\})?\s{0,40}from\s{0,40}['"]([^'"\n]{1,400})['"]
    |(?:^|[;}])[ \t]{0,40}import\s{0,8}['"]([^'"\n]{1,400})['"]
    |(?:^|[;}])[ \t]{0,40}export(?:\s{1,40}|(?=[{*]))(?:type\s{1,40})?
        (?:\*(?:\s{1,40}as\s{1,40}[\w$]{1,200})?|\{[^{}'"]{0,4000}\})\s{0,40}from\s{0,40}['"]([^'"\n]{1,400})['"]
    |\b(?:import|require)\s{0,8}\(\s{0,8}['"]([^'"\n]{1,400})['"]\s{0,8}\)""",
    re.MULTILINE | re.VERBOSE,
)
_STYLE_URL = re.compile(
    r"""@import\s{1,8}['"]([^'"\n]{1,400})['"]|\burl\(\s{0,8}['"]?([^'"()\n]{1,400})['"]?\s{0,8}\)"""
)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]{0,20}:|//", re.IGNORECASE)
_ENDINGS = ("", ".tsx", ".ts", ".jsx", ".js", ".vue", ".json", ".css", ".mjs")
_INDEXES = ("/index.tsx", "/index.ts", "/index.jsx", "/index.js", "/index.html")
_PLACES = {
    "script": "src",
    "link": "href",
    "img": "src",
    "source": "src",
    "a": "href",
    "image": "href",
}
MODULE = "module"


@dataclass(frozen=True, slots=True)
class Reference:
    """One reference to another file or address; ``is_import`` in a script."""

    target: str
    is_import: bool = False


def is_local(target: str) -> bool:
    """True if a reference is to a file next to the page, not to an address or a fragment.

    >>> is_local("a/b.css"), is_local("//cdn.test/x.js"), is_local("#top")
    (True, False, False)
    """
    return bool(target.strip()) and not _SCHEME.match(target) and target[0] not in "#?{"


def is_local_import(specifier: str) -> bool:
    """True if an import is of a file next to the script, not of a package."""
    return specifier.startswith((".", "/", "@/", "~/")) and not specifier.startswith("//")


def imports(script: str) -> list[str]:
    """The specifiers that a script imports or requires, in order."""
    if not any(word in script for word in ("import", "require", "export")):  # most have none
        return []
    return [next(filter(None, found)) for found in _IMPORT.findall(script)]


def references(file: CodeFile) -> Iterator[Reference]:
    """Yield all references of a file."""
    if file.language in SCRIPTS:
        yield from (Reference(it, is_import=True) for it in imports(file.text))
    elif file.language == "css":
        yield from _of_style(file.text)
    elif file.language in {"html", "vue", "svg"}:
        for tag in tags(file.text):
            yield from _of_tag(tag, file.text)


def _of_style(text: str) -> Iterator[Reference]:
    if "url(" not in text and "@import" not in text:
        return
    for found in _STYLE_URL.findall(text):
        yield Reference(next(filter(None, found)).strip())


def _of_tag(tag: Tag, text: str) -> Iterator[Reference]:
    if tag.is_end:
        return
    named = tag.value(_PLACES.get(tag.name, ""))
    if named:
        yield Reference(named)
    if tag.body_end is None:
        return
    body = text[tag.end : tag.body_end]
    if tag.name == "script":
        yield from (Reference(it, is_import=True) for it in imports(body))
    elif tag.name == "style":
        yield from _of_style(body)


def resolve_reference(target: str, origin: str, paths: Iterable[str]) -> str | None:
    """Return the path for a reference in the file ``origin``, None if there is no such file.

    Suffixes are optional, ``@/`` and ``/`` mean the root or ``src``; finally, a unique file of that
    name in any folder counts.
    """
    known = frozenset(paths)
    clean = unquote(target.split("?", 1)[0].split("#", 1)[0]).strip()
    for base in _bases(clean, origin):
        for ending in (*_ENDINGS, *_INDEXES):
            if base + ending in known:
                return base + ending
    name = posixpath.basename(clean)
    named = _by_name(known)
    alike = [path for ending in _ENDINGS for path in named.get(name + ending, ())] if name else []
    return alike[0] if len(alike) == 1 else None


@lru_cache(maxsize=8)
def _by_name(paths: frozenset[str]) -> dict[str, list[str]]:
    """The paths under the last of their parts."""
    found: dict[str, list[str]] = {}
    for path in sorted(paths):
        found.setdefault(posixpath.basename(path), []).append(path)
    return found


def _bases(clean: str, origin: str) -> Iterator[str]:
    if clean.startswith(("@/", "~/", "/")):
        bare = clean.lstrip("@~").lstrip("/")
        yield from (bare, f"src/{bare}", f"public/{bare}")
        return
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(origin), clean))
    yield joined
    yield f"public/{joined}"


def reachable_paths(entry: str, files: Mapping[str, CodeFile]) -> set[str]:
    """The paths that the entry needs, its own among them."""
    seen, waiting = {entry}, deque([entry])
    while waiting:
        file = files[waiting.popleft()]
        for reference in references(file):
            target = reference.target
            if not (is_local_import(target) if reference.is_import else is_local(target)):
                continue
            path = resolve_reference(target, file.path, files)
            if path is not None and path not in seen:
                seen.add(path)
                waiting.append(path)
    return seen
