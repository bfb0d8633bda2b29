"""Pages around components of React and Vue."""

import re

from benchmaker.arenas.code.extract.joining import join
from benchmaker.arenas.code.preview.draft import Draft
from benchmaker.arenas.code.preview.modules import loader, uses_tailwind
from benchmaker.arenas.code.preview.own import as_json, own_script, scripts
from benchmaker.arenas.code.preview.pages import document_around, with_head
from benchmaker.record.artifact import ArtifactKind, CodeFile

_MOUNTS = re.compile(
    r"\b(?:createRoot|hydrateRoot|createApp)\s{0,4}\(|\bReactDOM\s{0,4}\.\s{0,4}(?:render|hydrate)\s{0,4}\("
)
_PLACES = ("root", "app", "__next")


def component_page(draft: Draft, entry: str, kind: ArtifactKind) -> str:
    """A page with one component in it, or the place that a script mounts its own in."""
    file = draft.files[entry]
    early = own_script("shim")
    added = [draft.files[path] for path in join(kind, entry, draft.files).added]
    styles = "".join(_style(draft, it) for it in added)
    if uses_tailwind(draft.files.values()):
        draft.flag("tailwind")
        styles += scripts([draft.vendored("tailwind.js")])
    places = "\n".join(f'<div id="{name}"></div>' for name in _places(file, kind))
    started = _start(file, kind)
    body = f"{places}\n{loader(draft, [(entry, file.text)])}{started}"
    return with_head(document_around(body), early + styles)


def _style(draft: Draft, file: CodeFile) -> str:
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
    """The element that runs a module in its turn; ``show`` names who shows what it exports."""
    call = f"Benchmaker.start({as_json(path)}, {as_json(show)})"
    return f'<script type="module">{call}</script>'
