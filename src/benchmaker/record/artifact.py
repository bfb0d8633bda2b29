"""The code in an answer: files, their kinds, and their places in the text."""

from enum import StrEnum

import msgspec

EXTRACTION_VERSION = "1"
"""Version of the extraction rules, so that older artifacts can be recognized."""

ARTIFACT_FLAGS = {
    "answer_cut": "The answer exceeds the size limit; the rest was ignored.",
    "fragment": "The HTML is a fragment and was wrapped in a document.",
    "no_fence": "The code was outside code fences.",
    "reasoning_stripped": "Reasoning was removed before code extraction.",
    "several_versions": "A file occurs more than once; the last complete version counts.",
    "truncated": "The answer ends inside a code fence or with unclosed elements.",
    "unreferenced": "Some files are not referenced by any other; they are shown, not run.",
    "wrapped": "The answer has only styles and scripts, which were wrapped in a page.",
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
