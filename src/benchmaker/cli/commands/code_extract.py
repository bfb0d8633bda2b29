"""``benchmaker code extract``: the code in answers, its files, and pages that need no network."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchmaker.cli.base_command import FILE, FOLDER
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.output.output import one_line, say, say_json, tell
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.arenas.code.preview import Bundle
    from benchmaker.record import Artifact, CodeFile

_WIDTH = 110
_VENDOR = "./v/"


@declare(
    "extract",
    examples=(
        "benchmaker code extract answer.md",
        "benchmaker code extract answers/*.md --out pages",
        "benchmaker code extract answer.md --json",
    ),
)
@click.argument("files", metavar="FILE…", type=FILE, nargs=-1, required=True)
@click.option(
    "--out",
    type=FOLDER,
    metavar="DIR",
    help="Write each answer's code to DIR/NAME/code and its page to DIR/NAME/page.",
)
@click.option("--no-mapping", is_flag=True, help="Leave addresses of libraries unchanged.")
def command(
    context: Context, *, files: tuple[Path, ...], out: Path | None, no_mapping: bool
) -> None:
    """Extract code from answers and write it as offline pages.

    Each FILE contains one model answer as text. Code is found inside and outside fences; files are
    joined by their names. Files that are referenced but absent are listed as missing.
    """
    from benchmaker.arenas.code.extract import extract_artifact
    from benchmaker.arenas.code.preview import assemble

    documents = []
    for path in files:
        artifact = extract_artifact(_text(path))
        bundle = assemble(artifact, mapping=not no_mapping, vendor=_VENDOR)
        folder = None if out is None else out / path.stem
        if folder is not None:
            _write(folder, artifact, bundle)
        documents.append(_artifact_data(path, artifact, bundle))
        if not context.use_json:
            _say(path, artifact, bundle)
            if folder is not None:
                tell(f"Written to {folder}")
    if context.use_json:
        say_json({"answers": documents})


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as exc:
        why = exc.strerror or type(exc).__name__
        raise SpecError(f"{path} can't be read: {why}.", hint="Give a text file.") from exc


def _say(path: Path, artifact: "Artifact", bundle: "Bundle") -> None:
    flags = f" ({', '.join(artifact.flags)})" if artifact.flags else ""
    shown = artifact.entry or artifact.reason
    say(one_line(f"{path}: {artifact.kind} {shown}{flags}", _WIDTH))
    for file in artifact.files:
        cut = "" if file.is_complete else ", incomplete"
        say(
            "  "
            + one_line(f"{file.path}: {file.language}, {len(file.text):,} characters{cut}", _WIDTH)
        )
    for mapped in bundle.mapped:
        say("  " + one_line(f"mapped {mapped.url} to {mapped.package}", _WIDTH))
    for missing in bundle.missing:
        say("  " + one_line(f"missing {missing.url}: {missing.reason}", _WIDTH))


def _artifact_data(path: Path, artifact: "Artifact", bundle: "Bundle") -> dict[str, Any]:
    return {
        "file": str(path),
        "kind": artifact.kind,
        "entry": artifact.entry,
        "files": [_file_data(it) for it in artifact.files],
        "earlier": [_file_data(it) for it in artifact.earlier],
        "flags": artifact.flags,
        "unclosed": artifact.unclosed,
        "reason": artifact.reason,
        "sha256": artifact.sha256,
        "version": artifact.version,
        "mapped": [it._asdict() for it in bundle.mapped],
        "missing": [it._asdict() for it in bundle.missing],
        "preview_flags": bundle.flags,
    }


def _file_data(file: "CodeFile") -> dict[str, Any]:
    return {
        "path": file.path,
        "language": file.language,
        "text": file.text,
        "spans": file.spans,
        "is_complete": file.is_complete,
    }


def _write(folder: Path, artifact: "Artifact", bundle: "Bundle") -> None:
    from benchmaker.arenas.code.preview import page_files

    try:
        for file in artifact.files:
            _put(folder / "code" / file.path, file.text.encode())
        for name, body in page_files(bundle, vendor=_VENDOR).items():
            _put(folder / "page" / name, body)
    except OSError as exc:
        why = exc.strerror or type(exc).__name__
        raise SpecError(
            f"{exc.filename or folder} can't be written: {why}.", hint="Choose another folder."
        ) from exc


def _put(path: Path, body: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)
