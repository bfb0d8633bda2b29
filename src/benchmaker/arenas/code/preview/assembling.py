"""From an artifact to a page that needs no network."""

import re
from typing import assert_never

from benchmaker.arenas.code.extract.joining import join
from benchmaker.arenas.code.preview.bundle import Bundle
from benchmaker.arenas.code.preview.draft import PageDraft
from benchmaker.arenas.code.preview.modules import loader, uses_tailwind
from benchmaker.arenas.code.preview.own_scripts import own_script, script_json, scripts
from benchmaker.arenas.code.preview.pages import (
    document_around,
    empty_page,
    html_page,
    parts_page,
    with_head,
)
from benchmaker.arenas.code.preview.vendored import address, vendored_file
from benchmaker.record.artifact import Artifact, ArtifactKind, CodeFile

_MOUNTS = re.compile(
    r"\b(?:createRoot|hydrateRoot|createApp)\s{0,4}\(|\bReactDOM\s{0,4}\.\s{0,4}(?:render|hydrate)\s{0,4}\("
)
_PLACES = ("root", "app", "__next")


def component_page(draft: PageDraft, entry: str, kind: ArtifactKind) -> str:
    """A page with one component in it, or the place that a script mounts its own in."""
    file = draft.files[entry]
    early = own_script("shim")
    added = [draft.files[path] for path in join(kind, entry, draft.files).added]
    styles = "".join(_style(draft, it) for it in added)
    if uses_tailwind(draft.files.values()):
        draft.flag("tailwind")
        styles += scripts([draft.use_vendored("tailwind.js")])
    places = "\n".join(f'<div id="{name}"></div>' for name in _places(file, kind))
    started = _start(file, kind)
    body = f"{places}\n{loader(draft, [(entry, file.text)])}{started}"
    return with_head(document_around(body), early + styles)


def _style(draft: PageDraft, file: CodeFile) -> str:
    draft.follow(file)
    text = re.sub(r"<(?=/style)", r"\\3C ", file.text, flags=re.IGNORECASE)
    kind = ' type="text/tailwindcss"' if uses_tailwind([file]) else ""
    return f"<style{kind}>{text}</style>"


def _places(file: CodeFile, kind: ArtifactKind) -> list[str]:
    """The ids of the elements to mount in: those that the entry speaks of, else the usual one."""
    named = [it for it in _PLACES if re.search(rf"[\"'`]#?{it}[\"'`]", file.text)]
    return named or ["app" if kind is ArtifactKind.VUE else "root"]


def _start(file: CodeFile, kind: ArtifactKind) -> str:
    """The element that starts the entry, and shows its component where it does not itself."""
    mounts = file.language != "vue" and _MOUNTS.search(file.text) is not None
    show = None if mounts else kind.value
    return start_script(file.path, show)


def start_script(path: str, show: str | None = None) -> str:
    """Return the element that runs a module in order; ``show`` displays its export."""
    call = f"Benchmaker.start({script_json(path)}, {script_json(show)})"
    return f'<script type="module">{call}</script>'


VENDOR = "/v/"


def assemble(artifact: Artifact, *, mapping: bool = True, vendor: str = VENDOR) -> Bundle:
    """Build the page of an artifact, with a shim before its own code.

    ``mapping`` maps addresses of well-known libraries to the bundled copies; without it they are
    unchanged, and listed as missing. ``vendor`` is the prefix under which vendored files are
    served. Every artifact gives a bundle; kind ``none`` gives a page with the reason.
    """
    files = {file.path: file for file in artifact.files}
    draft = PageDraft(files, mapping=mapping, vendor=vendor)
    match artifact.kind:
        case ArtifactKind.NONE:
            document = empty_page(draft, artifact.reason)
        case ArtifactKind.REACT | ArtifactKind.VUE:
            document = component_page(draft, artifact.entry or "", artifact.kind)
        case ArtifactKind.PARTS:
            document = parts_page(draft, join(artifact.kind, None, files).added)
        case ArtifactKind.HTML | ArtifactKind.SVG:
            entry = artifact.entry or ""
            added = join(artifact.kind, entry, files).added
            is_fragment = artifact.kind is ArtifactKind.SVG or "fragment" in artifact.flags
            document = html_page(draft, entry, added, is_fragment=is_fragment)
        case _:
            assert_never(artifact.kind)
    return draft.bundle(document)


def page_files(bundle: Bundle, *, vendor: str) -> dict[str, bytes]:
    """Return a bundle as files of one folder: ``index.html``, the files next to it, vendored ones.

    ``vendor`` is the relative prefix passed to ``assemble``, such as ``./v/``. Any static file
    server can serve the folder; opened without one, pages with modules stay empty.
    """
    written = {path: body for path, (_, body) in bundle.files.items() if path != "index.html"}
    written["index.html"] = bundle.document.encode()
    for file in bundle.vendored:
        path = address(file, vendor).removeprefix("./")
        written[path] = vendored_file(path.removeprefix(vendor.removeprefix("./")))[1]
    return written
