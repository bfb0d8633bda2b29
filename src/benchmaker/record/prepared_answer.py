"""An answer prepared for judging: its code, and the behaviour of its page."""

import msgspec

from benchmaker.record.artifact import Artifact
from benchmaker.record.probe import ProbeReport


class VisualMatch(msgspec.Struct, frozen=True, kw_only=True):
    """The similarity of a screenshot to the requested one, each share from 0 to 1.

    ``blocks`` compares the drawn areas, ``colours`` the colours, and ``ssim`` is the structural
    similarity (Wang et al. 2004); ``overall`` is their mean. ``reference`` is the SHA-256 of the
    reference screenshot.
    """

    blocks: float
    colours: float
    ssim: float
    overall: float
    reference: str


class Rendering(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One examination of a page, with everything that may affect its findings.

    ``content`` identifies the examined input (artifact, checks, mapping, reference, versions);
    ``place`` the renderer (the browser's build and its isolation), and ``key`` both.
    ``artifact_sha`` is that of the artifact. ``match`` is set if there is a reference.
    """

    key: str
    content: str
    place: str
    artifact_sha: str
    report: ProbeReport
    match: VisualMatch | None = None
    mapping: bool = True
    took_s: float | None = None


class PreparedAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An answer ready for judging; without code there is no rendering."""

    artifact: Artifact
    rendering: Rendering | None = None

    @property
    def report(self) -> ProbeReport | None:
        """The observed behaviour of the page."""
        return self.rendering.report if self.rendering else None
