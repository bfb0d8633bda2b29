"""From blocks to files: versions of one file, and separate files."""

import re
from collections.abc import Sequence
from itertools import count

from msgspec import structs

from benchmaker.arenas.code.extract.blocks import CodeBlock
from benchmaker.arenas.code.extract.languages import COMPONENTS, ENDINGS, SCRIPTS, is_page
from benchmaker.arenas.code.extract.markup import tags
from benchmaker.record.artifact import CodeFile

_STEMS = {
    "html": "index",
    "css": "style",
    "scss": "style",
    "svg": "image",
    "vue": "App",
    "svelte": "App",
}
_HALF = 0.5
_DECLARED = re.compile(
    r"^(?:export[ \t]{1,4})?(?:default[ \t]{1,4})?(?:async[ \t]{1,4})?"
    r"(?:function\*?|class|const|let|var)[ \t]{1,4}([\w$]+)",
    re.MULTILINE,
)
_DEFAULT = re.compile(
    r"^[ \t]{0,8}export[ \t]{1,4}default[ \t]{1,4}(?:async[ \t]{1,4})?"
    r"(?:function[ \t]{1,4}|class[ \t]{1,4})?([A-Z][\w$]*)",
    re.MULTILINE,
)
_COMPONENT = re.compile(r"^(?:const|function)[ \t]+([A-Z][a-z][\w$]*)", re.MULTILINE)
_SELECTOR = re.compile(r"^[ \t]{0,16}([^{}@/;\n][^{};\n]{0,200}?)[ \t]{0,40}\{", re.MULTILINE)
_ELISION = re.compile(
    r"(?://|/\*|<!--|#)[ \t]{0,4}(?:\.{3}|…)"
    r"|\.{3}[ \t]{0,4}(?:rest of|existing|remaining|other|previous|same as)"
    r"|(?:rest of (?:the|your)|existing) (?:code|styles|markup|content)",
    re.IGNORECASE,
)


class Folder:
    """The files of an answer as they grow block by block, and the versions that lost."""

    def __init__(self) -> None:
        self.files: dict[str, CodeFile] = {}
        self.earlier: list[CodeFile] = []
        self.unnamed: dict[str, frozenset[str]] = {}
        """Files that the answer gives no name, with what each is known by."""

    def add(self, block: CodeBlock) -> None:
        """Add a block: a new file, a newer version, or a separate part."""
        if block.path is not None:
            self._put(block.path, block)
            return
        known = _marks(block)
        older = self._older_version(block, known)
        if older is not None:
            self._replace(older, block, by_size=True, marks=known)
        elif not self._join(block, known):
            path = self._free_path(_name(block))
            self.unnamed[path] = known
            self.files[path] = _file(path, block)

    def rename(self, old: str, new: str) -> None:
        """Rename an unnamed file to the name that a page has for it."""
        del self.unnamed[old]
        self.files = {
            (new if path == old else path): (
                structs.replace(file, path=new) if path == old else file
            )
            for path, file in self.files.items()
        }

    def _put(self, path: str, block: CodeBlock) -> None:
        if path in self.unnamed:
            self.rename(path, self._free_path(path))
        if path in self.files:
            self._replace(path, block)
        else:
            self.files[path] = _file(path, block)

    def _older_version(self, block: CodeBlock, known: frozenset[str]) -> str | None:
        for path, marks in self.unnamed.items():
            old = self.files[path]
            if old.language == block.language and _are_versions(old, marks, block, known):
                return path
        return None

    def _replace(
        self,
        path: str,
        block: CodeBlock,
        *,
        by_size: bool = False,
        marks: frozenset[str] = frozenset(),
    ) -> None:
        old, new = self.files[path], _file(path, block)
        is_newer = _wins(new, old, by_size=by_size)
        self.files[path] = new if is_newer else old
        self.earlier.append(old if is_newer else new)
        if is_newer and path in self.unnamed:
            self.unnamed[path] = marks

    def _join(self, block: CodeBlock, marks: frozenset[str]) -> bool:
        """Add a fragment to the fragment there is; whole pages are never joined."""
        if block.language != "html" or is_page(block.text):
            return False
        for path in self.unnamed:
            file = self.files[path]
            if file.language == "html" and not is_page(file.text):
                self.files[path] = structs.replace(
                    file,
                    text=file.text + block.text,
                    spans=file.spans + block.spans,
                    is_complete=block.is_complete,
                )
                self.unnamed[path] |= marks
                return True
        return False

    def _free_path(self, path: str) -> str:
        if path not in self.files:
            return path
        stem, _, ending = path.rpartition(".")
        return next(name for n in count(2) if (name := f"{stem}-{n}.{ending}") not in self.files)


def _file(path: str, block: CodeBlock) -> CodeFile:
    return CodeFile(
        path=path,
        language=block.language,
        text=block.text,
        spans=block.spans,
        is_complete=block.is_complete,
    )


def _name(block: CodeBlock) -> str:
    ending = ENDINGS[block.language]
    stem = _STEMS.get(block.language, "script")
    if block.language in SCRIPTS:
        stem = _component_name(block) or ("App" if block.language in COMPONENTS else "script")
    return f"{stem}.{ending}"


def _component_name(block: CodeBlock) -> str | None:
    """Return a script's default export, or else its last declared component."""
    exported = _DEFAULT.search(block.text)
    if exported:
        return exported[1]
    declared = _COMPONENT.findall(block.text) if block.language in COMPONENTS else []
    return "App" if "App" in declared else declared[-1] if declared else None


def _wins(new: CodeFile, old: CodeFile, *, by_size: bool) -> bool:
    """True if a later version of a file counts: complete, and not an excerpt.

    ``by_size``: among whole pages without names the largest counts, the last among equals.
    """
    if new.is_complete != old.is_complete:
        return new.is_complete
    if old.language == "html" and is_page(old.text) != is_page(new.text):
        return is_page(new.text)
    if by_size and new.language == "html" and is_page(new.text):
        return len(new.text) >= len(old.text)
    return len(new.text) >= len(old.text) or not _ELISION.search(new.text)


def _are_versions(
    old: CodeFile, before: frozenset[str], new: CodeBlock, after: frozenset[str]
) -> bool:
    """True if two unnamed blocks are versions of one file.

    Whole pages always are. Otherwise the newer is a version of the older if it has half of the
    older's marks.
    """
    if old.language == "html" and is_page(old.text) and is_page(new.text):
        return True
    if not before or not after:
        return old.text == new.text
    return len(before & after) >= _HALF * len(before)


def _marks(block: CodeBlock) -> frozenset[str]:
    """Return the marks of a piece of code: names declared, selectors, elements."""
    if block.language in SCRIPTS:
        return frozenset(_DECLARED.findall(block.text))
    if block.language in {"css", "scss"}:
        return frozenset(" ".join(found.split()) for found in _SELECTOR.findall(block.text))
    return frozenset(
        f"{tag.name}#{tag.value('id') or ''}.{tag.value('class') or ''}"
        for tag in tags(block.text)
        if not tag.is_end
    )


def folder_of(blocks: Sequence[CodeBlock]) -> Folder:
    """All blocks, put together in the order of the answer."""
    folder = Folder()
    for block in sorted(blocks, key=lambda it: it.start):
        folder.add(block)
    return folder
