"""From an answer to its artifact."""

import hashlib
from collections.abc import Iterable, Sequence

import msgspec

from benchmaker.arenas.code.extract.blocks import (
    CodeBlock,
    fenced_blocks,
    kept_languages,
    loose_blocks,
)
from benchmaker.arenas.code.extract.entry import entry_of
from benchmaker.arenas.code.extract.fences import Fence, Scan, scan
from benchmaker.arenas.code.extract.joining import join
from benchmaker.arenas.code.extract.languages import is_page
from benchmaker.arenas.code.extract.markup import ends_inside_tag, unclosed_elements
from benchmaker.arenas.code.extract.names import label_of, tidy_path
from benchmaker.arenas.code.extract.references import is_local, references, resolve_reference
from benchmaker.arenas.code.extract.versions import Folder, folder_of
from benchmaker.record.artifact import Artifact, ArtifactKind, CodeFile

MOST_CHARACTERS = 2_000_000
"""Maximum length of an answer; longer ones are cut, with the flag ``answer_cut``."""

_SHOWN = frozenset({"html", "svg", "vue", "jsx", "tsx"})
_RUN = _SHOWN | {"css", "js", "ts"}
_MOST_NAMED = 5
_MOST_OF_PATH = 200
_TRIES = 20


def extract_artifact(text: str) -> Artifact:
    r"""Return the code of an answer, for any text; linear in its length, and never an error.

    If nothing can be shown, the kind is ``none``, with a ``reason``.

    >>> extract_artifact("Good morning.").reason
    'The answer has no code.'
    >>> artifact = extract_artifact("Here:\n```html\n<p>Hi</p>\n```")
    >>> artifact.kind.value, artifact.entry, artifact.files[0].spans
    ('html', 'index.html', ((14, 24),))
    """
    read = text[:MOST_CHARACTERS]
    found = scan(read)
    blocks, others = fenced_blocks(read, found.fences)
    is_loose = not kept_languages(blocks) & _SHOWN
    loose = loose_blocks(read, found, others) if is_loose else []
    if loose and blocks and not any(block.language in _SHOWN for block in loose):
        loose = []
    folder = folder_of([*blocks, *loose])
    kind, entry = entry_of(folder.files)
    if entry is not None:
        _adopt(folder, entry)
    flags = {"no_fence"} if loose else set()
    if found.had_reasoning:
        flags.add("reasoning_stripped")
    if len(text) > len(read):
        flags.add("answer_cut")
    if kind is ArtifactKind.NONE:
        reason = _reason(read, found, others, folder.files.values())
        return _artifact(kind, None, folder, flags, reason=reason)
    return _artifact(kind, entry, folder, flags | _artifact_flags(kind, entry, folder))


def artifact_of_page(text: str, *, path: str = "index.html") -> Artifact:
    """Return the artifact of one file, shown verbatim.

    A missing document frame is not added.
    """
    language = "svg" if path.lower().endswith(".svg") else "html"
    folder = Folder()
    folder.add(CodeBlock(language, text, ((0, len(text)),), path))
    kind = ArtifactKind(language)
    return _artifact(kind, path, folder, _artifact_flags(kind, path, folder) - {"fragment"})


def extract_so_far(text: str) -> Artifact:
    """Return the code of an answer that is still being written, always ``truncated``.

    Each call reads the whole text, so call it at display rate, not for every token.
    """
    found = extract_artifact(text)
    flags = tuple(sorted({*found.flags, "truncated"}))
    return msgspec.structs.replace(found, flags=flags)


def _adopt(folder: Folder, entry: str) -> None:
    """Give files without names those that the entry has for files which are not there."""
    named = [it.target for it in references(folder.files[entry]) if is_local(it.target)]
    missing = [it for it in named if resolve_reference(it, entry, folder.files) is None]
    for target in missing[: len(folder.unnamed) * _TRIES]:
        clean = tidy_path(target.split("?", 1)[0].split("#", 1)[0])
        if clean is None or len(clean) > _MOST_OF_PATH:
            continue
        ending = clean.rpartition(".")[2].lower()
        free = [it for it in folder.unnamed if folder.files[it].path.endswith(f".{ending}")]
        if free and clean not in folder.files and free[0] != entry:
            folder.rename(free[0], clean)


def _artifact_flags(kind: ArtifactKind, entry: str | None, folder: Folder) -> set[str]:
    """Return the flags of the extraction."""
    flags = set()
    if folder.earlier:
        flags.add("several_versions")
    files = folder.files
    if any(not file.is_complete for file in files.values()):
        flags.add("truncated")
    if kind is ArtifactKind.PARTS:
        flags.add("wrapped")
    if entry is not None and kind is ArtifactKind.HTML:
        text = files[entry].text
        if not is_page(text):
            flags.add("fragment")
        if ends_inside_tag(text):
            flags.add("truncated")
    if set(files) - join(kind, entry, files).run:
        flags.add("unreferenced")
    return flags


def _artifact(
    kind: ArtifactKind, entry: str | None, folder: Folder, flags: set[str], *, reason: str = ""
) -> Artifact:
    files = tuple(folder.files.values())
    is_markup = kind in {ArtifactKind.HTML, ArtifactKind.SVG}
    return Artifact(
        kind=kind,
        entry=entry,
        files=files,
        earlier=tuple(folder.earlier),
        flags=tuple(sorted(flags)),
        unclosed=unclosed_elements(folder.files[entry].text)
        if entry is not None and is_markup
        else (),
        reason=reason,
        sha256=_digest(kind, entry, files),
    )


def _digest(kind: ArtifactKind, entry: str | None, files: Sequence[CodeFile]) -> str:
    content = [kind.value, entry, [[file.path, file.language, file.text] for file in files]]
    return hashlib.sha256(msgspec.json.encode(content)).hexdigest()


def _reason(text: str, found: Scan, others: Sequence[Fence], files: Iterable[CodeFile]) -> str:
    if not text.strip():
        return "The answer is empty."
    if found.had_reasoning and not found.fences and not _outside_text(text, found):
        return "The answer ends inside its reasoning."
    languages = {file.language for file in files}
    if "svelte" in languages:
        return "Svelte components can't be shown: they need a compiler that is not included."
    labels = dict.fromkeys([*sorted(languages), *(label_of(fence.info) for fence in others)])
    named = [label[:40] for label in labels if label][:_MOST_NAMED]
    if named:
        return f"The answer has no code for a browser; its code fences contain {', '.join(named)}."
    if others:
        return "The answer has no code for a browser; its code fences name no language."
    return "The answer has no code."


def _outside_text(text: str, found: Scan) -> str:
    return "".join(text[start:end] for start, end in found.outside).strip()
