"""Rows of our own exports as JSON Lines, read as recorded answers."""

from typing import Any

from benchmaker.spec.documents.rows import Row

_MARKS = frozenset({"run_id", "model", "case_id", "outcome", "score_version", "output"})
"""The columns that tell a row of ours from anybody else's."""


def is_own(row: Row) -> bool:
    """Whether the row is one of an export of runs."""
    return row.text is not None and row.values.keys() >= _MARKS


def answer_row(row: Row) -> Row:
    """The row as a line of recorded answers.

    The run it came from is its run label; scores are left aside, they are made again.
    """
    values = row.values
    tokens = {name: values.get(name) for name in ("input_tokens", "output_tokens")}
    given: dict[str, Any] = {
        "id": values["case_id"],
        "model": values["model"],
        "output": values["output"],
        "run": values["run_id"],
        "usage": {name: it for name, it in tokens.items() if it not in (None, "")} or None,
        "latency_s": values.get("latency_s"),
        "cost_usd": values.get("cost_usd"),
        "outcome": values["outcome"],
        "error": values.get("error"),
        "error_type": values.get("error_type"),
    }
    present = {name: it for name, it in given.items() if it not in (None, "") or name == "output"}
    return row._replace(values=present)
