"""Writing stored submissions in each of the forms."""

from collections.abc import Callable, Sequence
from typing import Any, BinaryIO, Final

import msgspec

from benchmaker.arenas.agentic.exporters import atif, otel
from benchmaker.arenas.agentic.exporters.steps import Story
from benchmaker.arenas.agentic.traces.trace import stored_source
from benchmaker.errors import SpecError
from benchmaker.record.submissions.submission import Submission
from benchmaker.redact import Redactor
from benchmaker.store import Store

FORMS: Final = ("atif", "otel", "submission")


def write_submissions(
    store: Store, ids: Sequence[str], form: str, stream: BinaryIO, *, redactor: Redactor
) -> None:
    """Write stored submissions.

    ``atif`` is one trajectory, ``otel`` a line of OTLP JSON per submission, ``submission`` one
    document that :func:`~benchmaker.arenas.agentic.import_logs` reads back. One submission is in
    memory at a time. Texts that look like keys are removed once more.

    Raises:
        SpecError: several submissions as one trajectory.
        StoreError: unknown submission.
    """
    if form == "atif" and len(ids) > 1:
        raise SpecError(
            f"one trajectory can't hold {len(ids)} submissions.",
            hint="Export them one by one, or use the format otel.",
        )
    _WRITERS[form](store, ids, stream, redactor)


def _atif(store: Store, ids: Sequence[str], stream: BinaryIO, redactor: Redactor) -> None:
    for name in ids:
        found = store.submission(name)
        _put(stream, redactor.tree(atif.trajectory(found, story_of(store, found))), indent=2)


def _otel(store: Store, ids: Sequence[str], stream: BinaryIO, redactor: Redactor) -> None:
    for name in ids:
        found = store.submission(name)
        _put(stream, redactor.tree(otel.batch(found, story_of(store, found))), indent=-1)


def _submission(store: Store, ids: Sequence[str], stream: BinaryIO, redactor: Redactor) -> None:
    stream.write(b'{"submissions": [')
    for number, name in enumerate(ids):
        stream.write(b",\n" if number else b"\n")
        row = redactor.tree(msgspec.to_builtins(store.submission(name)))
        stream.write(msgspec.json.encode(row))
    stream.write(b"\n]}\n")


_Writer = Callable[[Store, Sequence[str], BinaryIO, Redactor], None]
_WRITERS: dict[str, _Writer] = {"atif": _atif, "otel": _otel, "submission": _submission}


def story_of(store: Store, found: Submission) -> Story:
    """The stored steps of a submission."""
    source = stored_source(store, found.id)
    return Story.of(source.events, source.keys, source.single_requests)


def _put(stream: BinaryIO, value: Any, *, indent: int) -> None:  # noqa: ANN401  plain data
    stream.write(msgspec.json.format(msgspec.json.encode(value), indent=indent) + b"\n")
