"""Uploaded suite files."""

import re
from dataclasses import replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from benchmaker.errors import Finding, PrerequisiteError, SpecError
from benchmaker.scoring.check import load_checked
from benchmaker.spec import CaseFields, Limits, ScorerSpec
from benchmaker.store import Store
from benchmaker.web.form_body import UPLOAD_BYTES, Upload
from benchmaker.web.suites.versions import keep, keep_checked

FIELDS = ("id", "prompt", "expected", "category", "tags", "weight")
"""The fields that can be mapped to a path in each line."""

_ENDINGS = (
    ".yaml", ".yml", ".json", ".jsonl", ".csv", ".jsonl.gz", ".csv.gz", ".parquet", ".xlsx",
)  # fmt: skip
KINDS = "YAML, JSON, JSON lines, CSV, Parquet or Excel (.xlsx)"
"""The kinds of files that hold suites or cases, in words."""

CHOOSABLE = ",".join(sorted({f".{one.rpartition('.')[2]}" for one in _ENDINGS}))
"""The endings of these files as a file field takes them."""


_LIMITS = Limits(data_bytes=4 * UPLOAD_BYTES, findings=100, takes_datasets=False)
_LONGEST_STEM = 80
_LONGEST_NAME = 200


def take(store: Store, upload: Upload) -> str:
    """Store the suite in a file; return its content hash.

    Raises:
        SpecError: the file is invalid; all faults together, with line and column.
        PrerequisiteError: the library that reads Parquet or Excel files is not installed.
    """
    name = file_name(upload.name)
    with TemporaryDirectory(prefix="benchmaker-") as folder:
        path = Path(folder, name)
        path.write_bytes(upload.body)
        try:
            suite = load_checked(
                path,
                fields=_fields(upload),
                scorer=_scorer(upload),
                limits=_LIMITS,
                sheet=upload.fields["sheet"].strip() or None,
            )
            suite = replace(suite, source=name)
            if given := upload.fields["name"].strip():
                return keep(store, replace(suite, name=given[:_LONGEST_NAME]))
            return keep_checked(store, suite)
        except SpecError as exc:
            raise _without_folder(exc, folder) from exc


def refusal_status(error: SpecError | PrerequisiteError) -> int:
    """Return the status of a page that shows why a file was not stored."""
    return 422 if isinstance(error, SpecError) else 424


def file_name(given: str) -> str:
    """The name of a file as it can be written: its last step, strange signs replaced.

    Raises:
        SpecError: the ending is of no kind of file that holds suites.
    """
    last = PurePosixPath(given.replace("\\", "/")).name
    ending = next((one for one in sorted(_ENDINGS, key=len, reverse=True)
                   if last.lower().endswith(one)), None)  # fmt: skip
    if ending is None:
        raise SpecError(
            f"a suite file must be {KINDS}.",
            where=last[:200],
            hint=f"Choose a file that ends in {', '.join(_ENDINGS)}.",
        )
    stem = re.sub(r"[^\w.-]+", "_", last[: -len(ending)]).strip("._")[:_LONGEST_STEM]
    return f"{stem or 'suite'}{ending}"


def _fields(upload: Upload) -> CaseFields | None:
    given = {name: text for name in FIELDS if (text := upload.fields[f"at_{name}"].strip())}
    return CaseFields(**given) if given else None


def _scorer(upload: Upload) -> ScorerSpec | None:
    name = upload.fields["scorer"].strip()
    return ScorerSpec(id=name) if name else None


def _without_folder(error: SpecError, folder: str) -> SpecError:
    """The same without the folder in which the file lay for a moment."""
    faults = [
        Finding(
            _strip_folder(one.file, folder),
            one.line,
            one.column,
            _strip_folder(one.message, folder),
            one.hint,
        )
        for one in error.findings
    ]
    if faults:
        return SpecError.of(faults)
    where = _strip_folder(error.where, folder)
    return SpecError(_strip_folder(error.message, folder), where=where, hint=error.hint)


def _strip_folder(text: str, folder: str) -> str:
    return text.replace(f"{folder}/", "")
