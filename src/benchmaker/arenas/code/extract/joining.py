"""The use of an artifact's files: executed, or only displayed."""

from collections.abc import Mapping
from dataclasses import dataclass

from benchmaker.arenas.code.extract.languages import is_for_a_server, is_page
from benchmaker.arenas.code.extract.markup import tags
from benchmaker.arenas.code.extract.references import reachable_paths
from benchmaker.record.artifact import ArtifactKind, CodeFile

_STYLES = frozenset({"css"})
_SCRIPTS = frozenset({"js", "ts", "jsx", "tsx"})
_NEVER = ("tailwind.config.", "postcss.config.", "vite.config.", "package.json", ".test.", ".spec.")


@dataclass(frozen=True, slots=True)
class Joined:
    """The paths that the entry reaches, and those added to the page though it names them not."""

    reached: frozenset[str]
    added: tuple[str, ...]

    @property
    def run(self) -> frozenset[str]:
        """Every path used by the displayed page."""
        return self.reached | set(self.added)


def join(kind: ArtifactKind, entry: str | None, files: Mapping[str, CodeFile]) -> Joined:
    """Return the executed files of an artifact.

    Styles and scripts that a page does not reference are added if it has no style, or no script; to
    a fragment always; to a component only styles.
    """
    found = frozenset(reachable_paths(entry, files)) if entry is not None else frozenset()
    rest = [file for path, file in files.items() if path not in found]
    takes_styles, takes_scripts = _accepted_kinds(
        kind, files[entry] if entry else None, found, files
    )
    added = [
        file.path
        for file in rest
        if (file.language in _STYLES and takes_styles)
        or (file.language in _SCRIPTS and takes_scripts and _may_run(file, kind))
    ]
    return Joined(found, tuple(added))


def _accepted_kinds(
    kind: ArtifactKind,
    entry: CodeFile | None,
    found: frozenset[str],
    files: Mapping[str, CodeFile],
) -> tuple[bool, bool]:
    if kind is ArtifactKind.PARTS:
        return True, True
    has_style = any(files[path].language in _STYLES for path in found)
    if entry is None or kind in {ArtifactKind.SVG, ArtifactKind.NONE}:
        return False, False
    if kind is not ArtifactKind.HTML:
        return not has_style, False
    if not is_page(entry.text):
        return True, True
    has_script = any(files[path].language in _SCRIPTS for path in found)
    for tag in tags(entry.text):
        has_style |= tag.name == "style"
        has_script |= tag.name == "script" and tag.value("src") is None and not tag.is_end
    return not has_style, not has_script


def _may_run(file: CodeFile, kind: ArtifactKind) -> bool:
    if kind is ArtifactKind.PARTS:
        return True
    name = file.path.rpartition("/")[2]
    if any(word in name for word in _NEVER):
        return False
    return not is_for_a_server(file.text)
