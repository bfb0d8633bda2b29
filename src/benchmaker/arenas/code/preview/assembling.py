"""From an artifact to a page that needs no network."""

from typing import assert_never

from benchmaker.arenas.code.extract.joining import join
from benchmaker.arenas.code.preview.bundle import Bundle
from benchmaker.arenas.code.preview.components import component_page
from benchmaker.arenas.code.preview.draft import Draft
from benchmaker.arenas.code.preview.pages import empty_page, page, parts_page
from benchmaker.arenas.code.preview.vendored import address, vendored
from benchmaker.record.artifact import Artifact, ArtifactKind

VENDOR = "/v/"


def assemble(artifact: Artifact, *, mapping: bool = True, vendor: str = VENDOR) -> Bundle:
    """The page of an artifact, with a shim before its own code.

    ``mapping`` points addresses of well-known libraries at the copies that ship; without it they
    are left as they are, and listed as missing. ``vendor`` is the prefix under which vendored
    files are served. Any artifact gives a bundle; of kind ``none`` an empty page.
    """
    files = {file.path: file for file in artifact.files}
    draft = Draft(files, mapping=mapping, vendor=vendor)
    match artifact.kind:
        case ArtifactKind.NONE:
            document = empty_page(draft)
        case ArtifactKind.REACT | ArtifactKind.VUE:
            document = component_page(draft, artifact.entry or "", artifact.kind)
        case ArtifactKind.PARTS:
            document = parts_page(draft, join(artifact.kind, None, files).added)
        case ArtifactKind.HTML | ArtifactKind.SVG:
            entry = artifact.entry or ""
            added = join(artifact.kind, entry, files).added
            is_fragment = artifact.kind is ArtifactKind.SVG or "fragment" in artifact.flags
            document = page(draft, entry, added, is_fragment=is_fragment)
        case _:
            assert_never(artifact.kind)
    return draft.bundle(document)


def page_files(bundle: Bundle, *, vendor: str) -> dict[str, bytes]:
    """A bundle as files of one folder: ``index.html``, the files beside it, vendored ones.

    ``vendor`` is the relative prefix that ``assemble`` was given, such as ``./v/``. Any server of
    files can serve the folder; opened without one, pages with modules stay empty.
    """
    written = {path: body for path, (_, body) in bundle.files.items() if path != "index.html"}
    written["index.html"] = bundle.document.encode()
    for file in bundle.vendored:
        path = address(file, vendor).removeprefix("./")
        written[path] = vendored(path.removeprefix(vendor.removeprefix("./")))[1]
    return written
