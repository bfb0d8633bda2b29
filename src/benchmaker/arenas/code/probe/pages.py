"""A file as a page to be probed."""

import hashlib
from dataclasses import dataclass
from pathlib import PurePath

from benchmaker.arenas.code.extract import artifact_of_page, extract_artifact
from benchmaker.arenas.code.preview import Bundle, assemble

_PAGES = {".html": "index.html", ".htm": "index.html", ".svg": "image.svg"}


@dataclass(frozen=True, slots=True)
class ProbePage:
    """The probed content, and the digest of its source file."""

    bundle: Bundle
    sha256: str


def page_of_file(name: str, data: bytes, *, mapping: bool = True) -> ProbePage:
    """The page that a file is, or the one that is found in it as in a model's answer."""
    text = data.decode("utf-8", "replace")
    path = _PAGES.get(PurePath(name).suffix.lower())
    artifact = artifact_of_page(text, path=path) if path else extract_artifact(text)
    return ProbePage(assemble(artifact, mapping=mapping), hashlib.sha256(data).hexdigest())
