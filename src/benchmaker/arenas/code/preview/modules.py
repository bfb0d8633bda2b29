"""Modules that browsers cannot run directly: passed to the loader, which translates them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from benchmaker.arenas.code.extract.languages import SCRIPTS
from benchmaker.arenas.code.extract.markup import Tag, tags
from benchmaker.arenas.code.extract.references import (
    imports,
    is_local,
    is_local_import,
    reachable_paths,
    references,
    resolve_reference,
)
from benchmaker.arenas.code.preview.draft import PageDraft
from benchmaker.arenas.code.preview.own_scripts import own_script, script_json, scripts
from benchmaker.record.artifact import CodeFile

_BLOCKS = frozenset({"template", "script", "style"})
_MODULES = SCRIPTS | {"vue"}
_CLASSES = re.compile(r"\bclass(?:Name)?\s{0,4}=\s{0,4}\{?\s{0,4}[\"'`]([^\"'`]{1,600})[\"'`]")
_UTILITY = re.compile(
    r"(?:[a-z0-9-]+:){0,3}-?(?:[pm][xytrbl]?|w|h|gap|text|bg|grid|items|justify|rounded|shadow|border"
    r"|font|leading|tracking|space-[xy]|divide-[xy]|max-w|min-h|min-w|max-h|flex|z|inset|top|left"
    r"|opacity|duration|transition|from|to|via|ring|size|overflow|hover)-[\w./\[\]#%-]+"
)
_DIRECTIVE = re.compile(r"@(?:tailwind|apply|theme)\b|@import\s{1,4}[\"']tailwindcss")
_MOST_WORDS = 4
_PLAIN_LANGUAGES = frozenset({"js"})


def is_plain(path: str, files: Mapping[str, CodeFile]) -> bool:
    """True if a browser can run a module, and all its imports, directly."""
    for needed in reachable_paths(path, files):
        file = files[needed]
        if file.language not in _PLAIN_LANGUAGES:
            return False
        if not all(is_exact(it, file.path, files) for it in imports(file.text)):
            return False
    return True


def is_exact(specifier: str, origin: str, files: Mapping[str, CodeFile]) -> bool:
    """True if an import is of a package, of a missing file, or exactly of the file it names."""
    if not is_local_import(specifier):
        return True
    path = resolve_reference(specifier, origin, files)
    if path is None:
        return True
    folder = PurePosixPath(origin).parent
    parts: list[str] = []
    for part in (folder / specifier).parts:
        if part == "..":
            parts[-1:] = []
        elif part != ".":
            parts.append(part)
    return "/".join(parts) == path


def loader(draft: PageDraft, entries: Sequence[tuple[str, str]], *, up: str = "") -> str:
    """Return the page's prerequisites for modules: libraries, their texts, the loader.

    ``entries`` are paths, with the text of each; they may be inline instead of files. ``up`` leads
    from the page to the entry's folder.
    """
    draft.flag("transpiled")
    given = dict(draft.files)
    for path, text in entries:
        given.setdefault(path, CodeFile(path=path, language="jsx", text=text))
    needed: dict[str, None] = {}
    for path, _ in entries:
        needed.update(dict.fromkeys(sorted(reachable_paths(path, given))))
    libraries = ["sucrase.js", *_libraries(draft, [given[path] for path in needed])]
    held = {path: _loader_entry(given[path], given, draft) for path in needed}
    table = f'<script type="application/json" id="benchmaker-files">{script_json(held)}</script>'
    fresh = [it for it in dict.fromkeys(libraries) if it not in draft.libraries]
    addresses = [draft.use_vendored(it) for it in fresh]
    seen_from_here = [up + it if it.startswith("./") else it for it in addresses]
    return scripts(seen_from_here) + table + own_script("loader")


def _libraries(draft: PageDraft, files: Iterable[CodeFile]) -> Iterator[str]:
    """The scripts that the imports of files need, in order."""
    for file in files:
        if file.language in {"jsx", "tsx"}:
            yield "react.js"
        if file.language == "vue":
            yield "vue.js"
        for specifier in _imports_of(file):
            if is_local_import(specifier):
                continue
            module = draft.module_file(specifier, is_ours=True)
            if module is not None:
                yield from (it for it in draft.needs(module) if it.endswith(".js"))


def _imports_of(file: CodeFile) -> Iterator[str]:
    if file.language in _MODULES:
        yield from (it.target for it in references(file) if it.is_import)


def _loader_entry(
    file: CodeFile, files: Mapping[str, CodeFile], draft: PageDraft
) -> dict[str, object]:
    """Return the loader's entry for one file: text, language, and resolved imports."""
    links = {}
    for reference in references(file):
        target = reference.target
        if reference.is_import and is_local_import(target):
            path = resolve_reference(target, file.path, files)
            if path is None:
                draft.lacks_file(target)
            else:
                links[target] = path
        elif not reference.is_import:
            _look(target, file, draft)
    held: dict[str, object] = {"language": file.language, "text": file.text, "links": links}
    if file.language == "vue":
        held["parts"] = component_blocks(file.text)
        del held["text"]
    return held


def _look(target: str, file: CodeFile, draft: PageDraft) -> None:
    """Record missing resources of a template or a style; bound values are not addresses."""
    if file.language in {"vue", "css"} and "{{" not in target:
        if not is_local(target):
            if not target.startswith("#"):
                draft.lacks_address(target)
        elif resolve_reference(target, file.path, draft.files) is None and "." in target:
            draft.lacks_file(target)


def component_blocks(text: str) -> list[dict[str, object]]:
    """The blocks of a single-file component of Vue, in order, each with its attributes."""
    found: list[dict[str, object]] = []
    opened: Tag | None = None
    depth = 0
    for tag in tags(text):
        if opened is None:
            if tag.name not in _BLOCKS or tag.is_end:
                continue
            if tag.body_end is not None:
                found.append(_part(tag, text[tag.end : tag.body_end]))
            elif not tag.is_self_closing:
                opened, depth = tag, 1
        elif tag.name == "template" and not tag.is_self_closing:
            depth += -1 if tag.is_end else 1
            if depth == 0:
                found.append(_part(opened, text[opened.end : tag.start]))
                opened = None
    if opened is not None:
        found.append(_part(opened, text[opened.end :]))
    return found


def _part(tag: Tag, body: str) -> dict[str, object]:
    attributes = {it.name: it.value for it in tag.attributes}
    return {"name": tag.name, "attributes": attributes, "text": body}


def uses_tailwind(files: Iterable[CodeFile]) -> bool:
    """True if components use Tailwind: by its directives, or by class names."""
    words: set[str] = set()
    for file in files:
        if file.path.rpartition("/")[2].startswith("tailwind.config."):
            return True
        if file.language in {"css", "scss", "vue"} and _DIRECTIVE.search(file.text):
            return True
        if file.language in _MODULES:
            for classes in _CLASSES.findall(file.text):
                words.update(word for word in classes.split() if _UTILITY.fullmatch(word))
        if len(words) > _MOST_WORDS:
            return True
    return False
