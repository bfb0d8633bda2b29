"""The entry file of an answer's code, and its kind."""

import re
from collections.abc import Iterable, Mapping

from benchmaker.arenas.code.extract.languages import COMPONENTS, SCRIPTS, is_page
from benchmaker.arenas.code.extract.markup import tags
from benchmaker.arenas.code.extract.references import is_local, reachable_paths, resolve_reference
from benchmaker.record.artifact import ArtifactKind, CodeFile

_EXPORTS = re.compile(
    r"\bexport[ \t]{1,4}(?:default\b|\{[^}]{0,400}\bas[ \t]{1,4}default\b)|\bmodule\.exports\b"
)
_MOUNTS = re.compile(
    r"\bcreateRoot\s{0,4}\(|\bReactDOM\s{0,4}\.\s{0,4}(?:render|hydrate)\s{0,4}\(|\bhydrateRoot\s{0,4}\("
)
_MOUNTS_VUE = re.compile(r"\bcreateApp\s{0,4}\(")
_FROM_VUE = re.compile(r"from\s{0,4}['\"]vue['\"]")
_CONFIGURES = re.compile(
    r"(?:^|/)(?:(?:tailwind|vite|postcss|next|vue|webpack|jest|eslint)\.config\.\w+|setupTests\.\w+|.*\.(?:test|spec)\.\w+)$"
)
_ROOTS = frozenset({"root", "app", "__next"})
_APPS = frozenset({"app", "main", "index"})
_PLAIN = frozenset({"css", "js", "ts"})
_EMPTY_IN_SHELL = frozenset({"html", "head", "meta", "title", "link", "body", "noscript", "base"})


def entry_of(files: Mapping[str, CodeFile]) -> tuple[ArtifactKind, str | None]:
    """The kind of an answer's code and the path that is shown.

    A page that is more than an empty place for components comes first, then a drawing, then a
    component that no other one uses; styles and scripts alone are parts without a page.
    """
    components = [file for file in files.values() if _is_component(file)]
    page = _page(files, has_components=bool(components))
    if page is not None:
        return ArtifactKind.HTML, page.path
    drawings = [file for file in files.values() if file.language == "svg"]
    if drawings and not components:
        return ArtifactKind.SVG, max(drawings, key=_worth).path
    if components:
        entry = _root(components, files)
        return _kind(entry, files), entry.path
    if any(file.language in _PLAIN for file in files.values()):
        return ArtifactKind.PARTS, None
    return ArtifactKind.NONE, None


def _worth(file: CodeFile) -> tuple[bool, int]:
    return file.is_complete, len(file.text)


def _is_component(file: CodeFile) -> bool:
    if _CONFIGURES.search(file.path):
        return False
    if file.language in COMPONENTS:
        return True
    mounts = _MOUNTS.search(file.text) or (
        _MOUNTS_VUE.search(file.text) and _FROM_VUE.search(file.text)
    )
    return file.language in SCRIPTS and bool(mounts)


def _page(files: Mapping[str, CodeFile], *, has_components: bool) -> CodeFile | None:
    pages = [file for file in files.values() if file.language == "html"]
    if has_components:
        pages = [file for file in pages if not _is_shell(file, files)]
    if not pages:
        return None
    whole = [file for file in pages if is_page(file.text)]
    named = [
        file for file in whole if file.path.rpartition("/")[2] == "index.html" and file.is_complete
    ]
    complete = [file for file in whole if file.is_complete]
    if named:
        return named[0]
    if complete:
        return max(complete, key=lambda file: len(file.text))
    return (whole or pages)[-1]


def _is_shell(page: CodeFile, files: Mapping[str, CodeFile]) -> bool:
    """True if a page is only a container for components, and starts none of them itself."""
    last_end = 0
    for tag in tags(page.text):
        if page.text[last_end : tag.start].strip() and not _is_head_text(page.text, last_end):
            return False
        last_end = tag.end if tag.body_end is None else tag.body_end
        if tag.is_end or tag.name in _EMPTY_IN_SHELL:
            continue
        if tag.name == "script":
            if _starts(page, tag.value("src"), page.text[tag.end : last_end], files):
                return False
        elif tag.value("id") not in _ROOTS:
            return False
    return True


def _is_head_text(text: str, at: int) -> bool:
    """Text before any element is the doctype; text of comments is no content."""
    piece = text[at : at + 400].lstrip()
    return (
        piece.startswith(("<!", "</noscript"))
        or at == 0
        or text.rfind("<noscript", 0, at) > text.rfind("</noscript", 0, at)
    )


def _starts(page: CodeFile, source: str | None, body: str, files: Mapping[str, CodeFile]) -> bool:
    if source is None:
        return bool(body.strip())
    return is_local(source) and resolve_reference(source, page.path, files) is not None


def _root(components: list[CodeFile], files: Mapping[str, CodeFile]) -> CodeFile:
    """The component to show: one that mounts, else one that no other uses, App before others."""
    mounting = [file for file in components if _mounts(file, files)]
    if mounting:
        return mounting[-1]
    used: set[str] = set()
    for file in components:
        used |= reachable_paths(file.path, files) - {file.path}
    free = [file for file in components if file.path not in used] or components
    exporting = [
        file for file in free if file.language == "vue" or _EXPORTS.search(file.text)
    ] or free
    complete = [file for file in exporting if file.is_complete] or exporting
    apps = [file for file in complete if _stem(file.path) in _APPS]
    return (apps or complete)[-1]


def _mounts(file: CodeFile, files: Mapping[str, CodeFile]) -> bool:
    """True if a file mounts a component on the page, and has everything it needs."""
    if _MOUNTS.search(file.text):
        return True
    return (
        file.language in SCRIPTS
        and bool(_MOUNTS_VUE.search(file.text) and _FROM_VUE.search(file.text))
        and len(reachable_paths(file.path, files)) > 1
    )


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0].lower()


def _kind(entry: CodeFile, files: Mapping[str, CodeFile]) -> ArtifactKind:
    if entry.language == "vue" or _FROM_VUE.search(entry.text):
        return ArtifactKind.VUE
    needed: Iterable[str] = reachable_paths(entry.path, files)
    return (
        ArtifactKind.VUE
        if any(files[it].language == "vue" for it in needed)
        else ArtifactKind.REACT
    )
