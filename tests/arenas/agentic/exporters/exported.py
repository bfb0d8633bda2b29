"""Logs imported into a store of the test's own, exported, and read again."""

import io
import json
from contextlib import contextmanager

from benchmaker.arenas.agentic.exporters.writing import write_submissions
from benchmaker.arenas.agentic.sessions.importing import import_logs
from benchmaker.redact import Redactor
from benchmaker.store import Store

SUFFIX = {"atif": ".trajectory.json", "otel": ".jsonl", "submission": ".json"}


@contextmanager
def stored(home, path, **given):
    """The submissions of a path, and the store that has them."""
    submissions = import_logs(path, home=home, **given).submissions
    with Store.open(home / "benchmaker.db", read_only=True) as store:
        yield submissions, store


def written(store, form, *ids, redactor=None):
    stream = io.BytesIO()
    write_submissions(store, ids, form, stream, redactor=redactor or Redactor())
    return stream.getvalue()


def document(store, form, submission):
    return json.loads(written(store, form, submission.id))


def read_back(folder, store, form, submission):
    """The one submission that an export is read as."""
    path = folder / f"exported{SUFFIX[form]}"
    path.write_bytes(written(store, form, submission.id))
    imported = import_logs(path, dry_run=True, home=folder / "none")
    assert imported.skipped == 0
    (found,) = imported.submissions
    return found


def totals(submission):
    """The totals that every form carries; what is missing is 0 in them."""
    usage, cost = submission.usage, submission.cost
    return {
        **{name: getattr(usage, name) or 0 for name in usage.__struct_fields__},
        "total": submission.total_tokens or 0,
        "llm_calls": submission.llm_calls or 0,
        "tool_calls": submission.tool_calls or 0,
        "tool_errors": submission.tool_errors or 0,
        "tools_by_name": submission.tools_by_name,
        "iterations": submission.iterations or 0,
        "reported_usd": round(cost.reported_usd or 0, 9),
        "system": (submission.system.harness, submission.system.model),
    }
