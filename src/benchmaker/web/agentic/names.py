"""Names that lists of submissions can be narrowed to, looked up once for each that comes in."""

from threading import Lock
from weakref import WeakKeyDictionary

from benchmaker.web.workbench import Workbench

LABELS = ("tool", "model", "task")

_KNOWN: "WeakKeyDictionary[Workbench, tuple[int, dict[str, tuple[str, ...]]]]" = WeakKeyDictionary()
_LOCK = Lock()


def known_names(bench: Workbench) -> dict[str, tuple[str, ...]]:
    """The tools, models and tasks of the last submissions, by label."""
    newest = bench.store.submission_pages.newest_number()
    with _LOCK:
        if (known := _KNOWN.get(bench)) is not None and known[0] == newest:
            return known[1]
    found = {label: bench.store.submission_pages.names_of(label) for label in LABELS}
    with _LOCK:
        _KNOWN[bench] = newest, found
    return found
