"""Rows of our own exports, read as recorded answers: JSON Lines, CSV, Parquet or a sheet."""

import json
from typing import Any, Final

from benchmaker.record import setup_name
from benchmaker.record.trial import CACHE_HIT, CHANGED, UNSENT
from benchmaker.spec.documents.formula_cells import unprotect_cell
from benchmaker.spec.documents.rows import DataRow

_TOKENS = ("input_tokens", "output_tokens", "reasoning_tokens")
_MARKS = frozenset({"run_id", "model", "case_id", "outcome", "score_version", "output"})
"""The columns that tell a row of ours from anybody else's."""

_OURS_ALONE = frozenset({"run_id", "score_version"})
"""With one of them, a row is one of ours that has lost the others."""

_INTEGERS = ("run", "steps", *_TOKENS)

LABELLED_MODEL: Final = "labelled_model"
"""The key of the model behind the label of a row, which has the label as its model."""


ANSWER_FLAGS: Final = "answer_flags"
"""The key of the flags that describe the answer of a row, and not its score."""

_FLAGS = frozenset({
    CACHE_HIT, "cost_dropped", "key_redacted", "latency_dropped", "no_done", "no_finish",
    "other_model", "reasoning_only", "reconnected", "same_id", "tool_call", "unknown_finish",
    "usage_absurd", "usage_inconsistent", "usage_negative", "usage_not_a_number", "usage_zero",
})  # fmt: skip


def is_own(row: DataRow) -> bool:
    """True if the row is from an export of runs."""
    return row.values.keys() >= _MARKS


def lost_columns(row: DataRow) -> list[str]:
    """Return the columns that a row from an export of runs has lost; empty for any other row."""
    if "case_id" not in row.values or "id" in row.values:
        return []
    found = _MARKS & row.values.keys()
    return sorted(_MARKS - found) if found & _OURS_ALONE else []


def answer_row(row: DataRow, labels: dict[str, str]) -> DataRow:
    """Return the row as a line of recorded answers, without scores, which are made again.

    Flags of the answer are kept, such as ``cache_hit``, without which the answer would cost again;
    those of the trial and of the score are not.

    The run label is the number of the run in its series, or the id of the run if the row has no
    number or another run of the file has the same number. A model with a label has its label as
    ``model``, so that two labels of one model stay two.

    Args:
        row: a row of an export.
        labels: the labels of the runs so far, by id; that of this row's run is added.
    """
    values = row.values if row.text is not None else _values_of_cells(row.values)
    label = labels.setdefault(str(values["run_id"]), _label(values, labels))
    tokens = {name: values.get(name) for name in _TOKENS}
    model = values["model"]
    name = _model_label(values)
    given: dict[str, Any] = {
        "id": values["case_id"],
        "model": name,
        LABELLED_MODEL: None if name == model else model,
        "prompt_id": values.get("prompt_id"),
        "effort": values.get("effort"),
        "output": values["output"],
        "run": label,
        "usage": {name: it for name, it in tokens.items() if it not in (None, "")} or None,
        "latency_s": values.get("latency_s"),
        "cost_usd": values.get("cost_usd"),
        "outcome": values["outcome"],
        "error": values.get("error"),
        "error_type": values.get("error_type"),
        "logprobs": values.get("logprobs"),
        "transcript": values.get("transcript"),
        "stopped_by": values.get("stopped_by"),
        "finish": values.get("finish"),
        ANSWER_FLAGS: _answer_flags(values.get("flags")),
    }
    present = {name: it for name, it in given.items() if it not in (None, "") or name == "output"}
    if "transcript" in present:
        present["steps"] = values.get("steps") or None
    return row._replace(values=present, text=row.text or json.dumps(present))


def _answer_flags(given: object) -> list[str]:
    """The flags that describe an answer; a cell holds all flags with spaces between them."""
    names = given.split() if isinstance(given, str) else given if isinstance(given, list) else ()
    return [
        name
        for name in names
        if isinstance(name, str) and (name in _FLAGS or name.startswith((UNSENT, CHANGED)))
    ]


def _values_of_cells(cells: dict[str, Any]) -> dict[str, Any]:
    """The values of a row of text, as its cells were before they were protected."""
    values = {name: unprotect_cell(it) for name, it in cells.items()}
    numbers = {it: int(values[it]) for it in _INTEGERS if values.get(it, "").isdecimal()}
    return {**values, **numbers}


def _model_label(values: dict[str, Any]) -> Any:  # noqa: ANN401  as it stands in the row
    """The name of a row's setup without prompt and effort: the label of its model, or the model."""
    model, setup = values["model"], values.get("setup")
    behind = setup_name("", values.get("prompt_id") or None, values.get("effort") or None)
    if not isinstance(model, str) or not isinstance(setup, str) or not setup.endswith(behind):
        return model
    return setup.removesuffix(behind) or model


def _label(values: dict[str, Any], labels: dict[str, str]) -> str:
    number = values.get("run")
    is_free = isinstance(number, int) and str(number) not in labels.values()
    return str(number) if is_free else str(values["run_id"])
