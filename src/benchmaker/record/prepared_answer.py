"""What an answer was made into before it is judged: its code, and what its page did."""

import msgspec

from benchmaker.record.artifact import Artifact
from benchmaker.record.probe import ProbeReport


class VisualMatch(msgspec.Struct, frozen=True, kw_only=True):
    """How far a screenshot is the one that was asked for, each share from 0 to 1.

    ``blocks`` compares where something is drawn, ``colours`` which colours there are, and
    ``ssim`` is the structural similarity (Wang et al. 2004); ``overall`` is their mean.
    ``reference`` is the SHA-256 of the screenshot that was compared with.
    """

    blocks: float
    colours: float
    ssim: float
    overall: float
    reference: str


class Rendering(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One page as it was examined, under all that may change what is found.

    ``content`` names what was examined and how (artifact, checks, mapping, reference, versions);
    ``place`` is what rendered it (the browser's build and its isolation), and ``key`` names both.
    ``artifact_sha`` is that of the artifact. ``match`` is there where a reference was given.
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
    """An answer ready to be judged; without code there is nothing to render."""

    artifact: Artifact
    rendering: Rendering | None = None

    @property
    def report(self) -> ProbeReport | None:
        """What the page did."""
        return self.rendering.report if self.rendering else None
