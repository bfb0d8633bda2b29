"""HTML pages made independent of the network, with minimal changes in place."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from benchmaker.arenas.code.extract.languages import is_page
from benchmaker.arenas.code.extract.markup import Attribute, Tag, content_start, tags
from benchmaker.arenas.code.extract.references import (
    imports,
    is_local,
    is_local_import,
    resolve_reference,
)
from benchmaker.arenas.code.preview.draft import PageDraft
from benchmaker.arenas.code.preview.modules import is_exact, is_plain, loader, uses_tailwind
from benchmaker.arenas.code.preview.own_scripts import (
    attribute,
    own_script,
    script_json,
    script_text,
    scripts,
)
from benchmaker.record.artifact import CodeFile

_DOCTYPE = re.compile(r"<!doctype[^>]{0,2000}>", re.IGNORECASE)
_JSX_TYPES = frozenset({"text/babel", "text/jsx"})
_MODULE_SYNTAX = re.compile(r"^[ \t]{0,8}(?:import[\s{*'\"]|export[\s{*])", re.MULTILINE)
_REASON_STYLE = 'style="font:16px/1.5 system-ui,sans-serif;margin:2rem;color:#444"'
_DROPPED = ("integrity", "crossorigin", "nonce")
_SHOWN = {
    "img": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "image": "href",
    "embed": "src",
    "track": "src",
}
_ICONS = frozenset({"icon", "apple-touch-icon", "mask-icon", "manifest"})
"""Nothing on the page shows these, so that one which is not there is no lack of it."""
_NEVER_LOADED = frozenset(
    {"preconnect", "dns-prefetch", "canonical", "alternate", "author", "license"}
)

Edit = tuple[int, int, str]
"""Start and end of the replaced text, and its replacement."""


def html_page(draft: PageDraft, entry: str, added: Sequence[str], *, is_fragment: bool) -> str:
    """Return the entry with libraries, adjacent files and the shim; a fragment gets a document."""
    document = _one_page(draft, draft.files[entry], added, is_fragment=is_fragment)
    done = {entry}
    while draft.waiting:
        path = draft.waiting.pop()
        if path not in done:
            done.add(path)
            kind, _ = draft.beside[path]
            file, depth = draft.files[path], path.count("/")
            other = _one_page(draft, file, (), is_fragment=not is_page(file.text), depth=depth)
            draft.beside[path] = (kind, other.encode())
    return document


def _one_page(
    draft: PageDraft, file: CodeFile, added: Sequence[str], *, is_fragment: bool, depth: int = 0
) -> str:
    """One page; ``depth`` is how many folders its address lies below the entry's."""
    reader = _Reader(draft, file, "../" * depth)
    edits = [edit for tag in tags(file.text) for edit in reader.edits(tag)]
    tail = "".join(reader.file_element(path) for path in added)
    text = _apply_edits(file.text, edits)
    if is_fragment:
        text = document_around(text, svg=file.language == "svg")
    text = _before_end(text, tail)
    return with_head(text, own_script("shim") + reader.head())


def parts_page(draft: PageDraft, added: Sequence[str]) -> str:
    """A page around styles and scripts, with the places that scripts look for."""
    around = CodeFile(
        path="index.html", language="html", text='<div id="root"></div>\n<div id="app"></div>'
    )
    return _one_page(draft, around, added, is_fragment=True)


def empty_page(draft: PageDraft, reason: str = "") -> str:
    """Return a page with the reason why there is nothing to show; an empty one without."""
    draft.flag("nothing")
    body = f"<p {_REASON_STYLE}>{escape(reason)}</p>" if reason else ""
    return with_head(document_around(body), own_script("shim"))


def document_around(body: str, *, svg: bool = False) -> str:
    """A document around a fragment."""
    style = "<style>body{margin:0}svg{display:block;max-width:100%}</style>" if svg else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Preview</title>{style}\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def with_head(text: str, head: str) -> str:
    """Return a page with additions at the very start of its head, right after the doctype."""
    doctype = _DOCTYPE.match(text, content_start(text))
    at = doctype.end() if doctype else 0
    for tag in tags(text):
        if tag.name not in {"html", "head"} or tag.is_end:
            break
        at = tag.end
        if tag.name == "head":
            break
    return text[:at] + head + text[at:]


def _before_end(text: str, tail: str) -> str:
    """A page with more at the end of its body."""
    if not tail:
        return text
    ends = [tag.start for tag in tags(text) if tag.is_end and tag.name == "body"]
    at = ends[-1] if ends else len(text)
    return text[:at] + tail + text[at:]


def _apply_edits(text: str, edits: Iterable[Edit]) -> str:
    parts, at = [], 0
    for start, end, new in sorted(edits):
        if start >= at:
            parts += [text[at:start], new]
            at = end
    return "".join([*parts, text[at:]])


class _Reader:
    """Walks one page, and says what must change."""

    def __init__(self, draft: PageDraft, file: CodeFile, up: str) -> None:
        self.draft = draft
        self.file = file
        self.up = up
        self.modules: dict[str, str] = {}
        """The page's own import map, moved to the head."""
        self.loaded: dict[str, str] = {}
        """Modules that the loader runs, with their texts."""

    def head(self) -> str:
        """Return the page's additions before its own head: an import map and libraries."""
        draft = self.draft
        ours = {name: self._address(file) for name, file in draft.import_map.items()}
        mapped = {**self.modules, **ours}
        table = (
            f'<script type="importmap">{script_json({"imports": mapped})}</script>'
            if mapped
            else ""
        )
        if self.loaded and uses_tailwind(draft.files.values()):
            draft.flag("tailwind")
            draft.load("tailwind.js")
        libraries = scripts(self._address(file) for file in draft.libraries)
        started = loader(draft, list(self.loaded.items()), up=self.up) if self.loaded else ""
        return table + libraries + started

    def edits(self, tag: Tag) -> Iterator[Edit]:
        """Yield the changes to one tag and its content."""
        if tag.is_end:
            return
        if tag.name == "script":
            yield from self._script(tag)
        elif tag.name == "link":
            yield from self._link(tag)
        elif tag.name == "style" and tag.body_end is not None:
            body = self.file.text[tag.end : tag.body_end]
            self.draft.follow(CodeFile(path=self.file.path, language="css", text=body))
        elif tag.name == "a":
            yield from self._anchor(tag)
        elif tag.name == "iframe" and (source := tag.value("src")):
            self.draft.ask(source, self.file.path)
        elif tag.name in _SHOWN:
            yield from self._redirect_address(tag, tag.attribute(_SHOWN[tag.name]))

    def file_element(self, path: str) -> str:
        """The element for a file that the page does not name."""
        file = self.draft.files[path]
        if file.language == "css":
            return f'<link rel="stylesheet" href="{attribute(self._served_address(path))}">'
        if file.language == "js":
            if not _MODULE_SYNTAX.search(file.text):
                self.draft.beside[path] = ("text/javascript; charset=utf-8", file.text.encode())
                return f'<script src="{attribute(self.up + path)}"></script>'
            if is_plain(path, self.draft.files):
                return (
                    f'<script type="module" src="{attribute(self._served_address(path))}"></script>'
                )
        return self._loader_element(path)

    def _script(self, tag: Tag) -> Iterator[Edit]:
        kind = (tag.value("type") or "").strip().lower()
        source = tag.attribute("src")
        body = self.file.text[tag.end : tag.body_end]
        if source is None or not source.value.strip():
            yield from self._inline_edits(tag, kind, body)
        elif not is_local(source.value):
            yield from self._remote_script(tag, source, is_module=kind == "module")
        elif (path := self.draft.local_path(source.value, self.file.path)) is not None:
            yield from self._local_script(tag, source, path, kind)

    def _inline_edits(self, tag: Tag, kind: str, body: str) -> Iterator[Edit]:
        if kind == "importmap":
            yield from self._import_map(tag, body)
        elif kind == "module":
            if self._is_native(body):
                self.draft.follow_imports(body, self.file.path)
            else:
                yield tag.start, self._end(tag), self._loaded_text(body)
        elif kind in _JSX_TYPES:
            for specifier in imports(body):
                if not is_local_import(specifier):
                    self.draft.module_file(specifier, is_ours=True)

    def _is_native(self, body: str) -> bool:
        """True if the browser itself can load all imports of an inline module."""
        files = self.draft.files
        for specifier in imports(body):
            if not is_exact(specifier, self.file.path, files):
                return False
            path = (
                resolve_reference(specifier, self.file.path, files)
                if is_local_import(specifier)
                else None
            )
            if path is not None and not is_plain(path, files):
                return False
        return True

    def _import_map(self, tag: Tag, body: str) -> Iterator[Edit]:
        try:
            given = json.loads(body)["imports"]
            pairs = [(str(key), str(value)) for key, value in given.items()]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return
        yield tag.start, self._end(tag), ""
        for key, value in pairs:
            if is_local(value):
                self.modules[key] = value
                continue
            file = self.draft.module_file(value)
            if file is not None:
                self.draft.load(file)
                self.draft.libraries.pop(file)
                self.draft.import_map[key] = file
            else:
                self.modules[key] = value

    def _remote_script(self, tag: Tag, source: Attribute, *, is_module: bool) -> Iterator[Edit]:
        url = source.value.strip()
        if is_module:
            file = self.draft.module_file(url)
            if file is not None:
                self.draft.load(file)
                self.draft.libraries.pop(file)
        else:
            file = self.draft.mapped_script(url)
        if file is None:
            return
        if file == "tailwind.js":
            yield tag.start, tag.start, own_script("tailwind")
        elif file == "sucrase.js" and not self.loaded:
            end = self._end(tag)
            yield end, end, own_script("loader")
        yield source.start, source.end, f'src="{attribute(self._address(file))}"'
        yield from _dropped_attributes(tag)

    def _local_script(self, tag: Tag, source: Attribute, path: str, kind: str) -> Iterator[Edit]:
        language = self.draft.files[path].language
        if kind in _JSX_TYPES:
            text = script_text(self.draft.files[path].text)
            yield tag.start, self._end(tag), f'<script type="text/babel">{text}</script>'
        elif language == "js" and (kind != "module" or is_plain(path, self.draft.files)):
            if kind == "module":
                self.draft.serve(path)
            else:
                self.draft.beside[path] = (
                    "text/javascript; charset=utf-8",
                    self.draft.files[path].text.encode(),
                )
            yield source.start, source.end, f'src="{attribute(self.up + path)}"'
            yield from _dropped_attributes(tag)
        else:
            yield tag.start, self._end(tag), self._loader_element(path)

    def _link(self, tag: Tag) -> Iterator[Edit]:
        relation = (tag.value("rel") or "").lower().split()
        target = tag.attribute("href")
        if target is None or not target.value.strip() or set(relation) & _NEVER_LOADED:
            return
        if (
            set(relation) & _ICONS
            and resolve_reference(target.value, self.file.path, self.draft.files) is None
        ):
            return
        if is_local(target.value) or "stylesheet" not in relation:
            yield from self._redirect_address(tag, target)
            return
        file = self.draft.mapped_script(target.value.strip())
        if file is not None and file.endswith(".js"):
            yield tag.start, tag.end, own_script("tailwind") + scripts([self._address(file)])
        elif file is not None:
            yield target.start, target.end, f'href="{attribute(self._address(file))}"'
            yield from _dropped_attributes(tag)

    def _anchor(self, tag: Tag) -> Iterator[Edit]:
        target = tag.attribute("href")
        if target is None or not is_local(target.value):
            return
        path = resolve_reference(target.value, self.file.path, self.draft.files)
        if path is not None and self.draft.files[path].language == "html":
            yield from self._redirect_address(tag, target)

    def _redirect_address(self, tag: Tag, target: Attribute | None) -> Iterator[Edit]:
        """Something shown by its address: the attribute is pointed at the file beside."""
        if target is None or not target.value.strip():
            return
        path = self.draft.ask(target.value.strip(), self.file.path)
        if path is not None and (self.up + path) != target.value:
            yield target.start, target.end, f'{target.name}="{attribute(self.up + path)}"'
        if path is not None:
            yield from _dropped_attributes(tag)

    def _address(self, file: str) -> str:
        """Return the address of a vendored file, relative to this page."""
        found = self.draft.use_vendored(file)
        return self.up + found if found.startswith("./") else found

    def _served_address(self, path: str) -> str:
        return self.up + self.draft.serve(path)

    def _loader_element(self, path: str) -> str:
        """The element that has the loader run a file; the loader itself comes with the head."""
        self.loaded[path] = self.draft.files[path].text
        return start_script(path)

    def _loaded_text(self, body: str) -> str:
        folder = self.file.path.rpartition("/")[0]
        path = f"{folder}/inline-{len(self.loaded) + 1}.js".lstrip("/")
        self.loaded[path] = body
        return start_script(path)

    def _end(self, tag: Tag) -> int:
        """Return the end of a script's element."""
        body_end = tag.end if tag.body_end is None else tag.body_end
        closing = self.file.text.find(">", body_end)
        return len(self.file.text) if closing < 0 else closing + 1


def start_script(path: str) -> str:
    """The element that has the loader run a module in its turn, as a module's element would."""
    return f'<script type="module">Benchmaker.start({script_json(path)}, null)</script>'


def _dropped_attributes(tag: Tag) -> Iterator[Edit]:
    """Yield removals of attributes of a replaced address."""
    for name in _DROPPED:
        found = tag.attribute(name)
        if found is not None:
            yield found.start, found.end, ""
