"""Logs written, read by one importer, and reduced."""

import json

from benchmaker.arenas.agentic.importers.base import FileHead, Options
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.arenas.agentic.sessions.reduce import Reducer
from benchmaker.providers.prices.costs import Prices

PRICER = Pricer(Prices(), now=1_770_000_000.0)


def written(path, rows):
    """The rows as JSON lines; bytes and texts as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(line_of(row) + b"\n" for row in rows))
    return path


def line_of(row):
    if isinstance(row, bytes):
        return row
    return row.encode() if isinstance(row, str) else json.dumps(row).encode()


def head_of(path):
    content = path.read_bytes()
    return FileHead(path, len(content), content[: 64 * 2**10])


def sessions_in(importer, *paths):
    """The sessions of these files; what is a further file of another is dropped, as in a walk."""
    refs = [ref for path in paths for ref in importer.scan(path)]
    members = {file for ref in refs for file in ref.files[1:]}
    return [ref for ref in refs if ref.files[0] not in members]


def events_of(importer, *paths, skipped=None, **options):
    told = [] if skipped is None else skipped
    reading = Options(skip=told.append, **options)
    return [
        event for ref in sessions_in(importer, *paths) for event in importer.parse(ref, reading)
    ]


def read(importer, *paths, skipped=None, **options):
    """The submissions of these files, imported together."""
    told = [] if skipped is None else skipped
    reading = Options(skip=told.append, **options)
    reducer = Reducer(PRICER)
    for ref in sessions_in(importer, *paths):
        reducer.read(importer.parse(ref, reading))
    return [reduced.submission for reduced in reducer.finish() if not reduced.is_copy]


def read_one(importer, *paths, **options):
    (submission,) = read(importer, *paths, **options)
    return submission


def tokens(submissions):
    return sum(it.total_tokens or 0 for it in submissions)
