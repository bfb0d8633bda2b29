"""The code in an answer: files, their kinds, and their places in the text."""

from enum import StrEnum

import msgspec

EXTRACTION_VERSION = "1"
"""Version of the extraction rules, so that older artifacts can be recognized."""

ARTIFACT_FLAGS = {
    "answer_cut": "The answer is longer than what is read; the rest was left out.",
    "fragment": "The HTML is a fragment; a document was put around it.",
    "no_fence": "The code stood outside fences.",
    "reasoning_stripped": "Reasoning was taken out before code was looked for.",
    "several_versions": "A file was given more than once; the last complete version counts.",
    "truncated": "The answer ends within a fence or with elements left open.",
    "unreferenced": "Some files are named by no other; they are shown and not run.",
    "wrapped": "There was no page, only styles and scripts; a page was put around them.",
}
"""Every flag of an artifact, with its description."""


class ArtifactKind(StrEnum):
    """The kind of an answer's code, which decides how it is shown."""

    HTML = "html"
    SVG = "svg"
    REACT = "react"
    VUE = "vue"
    PARTS = "parts"
    """Styles and scripts without a page."""
    NONE = "none"
    """Nothing that can be shown; the artifact's ``reason`` explains it."""


class CodeFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file of an answer.

    ``path`` is relative, with ``/`` between its parts; ``language`` a lower-case word such as
    ``html`` or ``tsx``. ``spans`` are pairs of offsets into the answer, in code points, end
    excluded: their texts joined are ``text``. ``is_complete`` is False where the answer ended
    before the file did.
    """

    path: str
    language: str
    text: str
    spans: tuple[tuple[int, int], ...] = ()
    is_complete: bool = True


class Artifact(msgspec.Struct, frozen=True, kw_only=True):
    """All code of an answer, with the method of extraction.

    ``entry`` is the path shown; None if styles and scripts have no page or no code was found.
    ``earlier`` holds the versions of files that another version replaced, in their order in the
    answer. ``flags`` are keys of ``ARTIFACT_FLAGS``, sorted. ``unclosed`` names the HTML elements
    that the entry leaves open, outermost first. ``reason`` explains why no code was found,
    otherwise empty. ``sha256`` covers kind, entry and files, not their places.
    """

    kind: ArtifactKind
    entry: str | None = None
    files: tuple[CodeFile, ...] = ()
    earlier: tuple[CodeFile, ...] = ()
    flags: tuple[str, ...] = ()
    unclosed: tuple[str, ...] = ()
    reason: str = ""
    sha256: str = ""
    version: str = EXTRACTION_VERSION

    def file(self, path: str) -> CodeFile | None:
        """Return the file with that path, or None."""
        return next((file for file in self.files if file.path == path), None)
