"""Goldens of DeepEval as a suite: inputs with the output that is expected.

Metrics of DeepEval are Python and not in these files. Source: Golden in
deepeval/dataset/golden.py of DeepEval 4.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmaker.arenas.standard.conversion.data_rows import DataRow, rows_of
from benchmaker.arenas.standard.conversion.draft_suite import (
    DraftSuite,
    NotTranslated,
    no_verdict,
    unique_id,
)

TOOL = "DeepEval"
_NAMES = {
    "actualOutput": "actual_output",
    "expectedOutput": "expected_output",
    "retrievalContext": "retrieval_context",
    "additionalMetadata": "additional_metadata",
    "sourceFile": "source_file",
    "toolsCalled": "tools_called",
    "expectedTools": "expected_tools",
}
_KEPT = ("context", "retrieval_context", "comments", "source_file", "additional_metadata")
_SINGLE = frozenset({"expected_output", "actual_output", "retrieval_context"})
_CONVERSATION = frozenset({"scenario", "turns", "expected_outcome"})


def is_golden(values: Mapping[str, Any]) -> bool:
    """True if a row looks like a golden of DeepEval."""
    names = _rename_keys(values).keys()
    is_single = "input" in names and "target" not in names and bool(_SINGLE & names)
    return is_single or {"scenario", "turns"} <= names or {"scenario", "expected_outcome"} <= names


def convert_goldens(path: Path) -> DraftSuite:
    """Return the suite of a file of goldens."""
    draft = DraftSuite(TOOL, path.name)
    draft.header = {"name": path.stem[:200], "profile": "robust", "scorer": "exact"}
    taken: set[str] = set()
    for place, row in enumerate(rows_of(path), 1):
        values = _rename_keys(row.values)
        name = unique_id(str(values.get("name") or place), taken)
        taken.add(name)
        try:
            draft.cases.append({"id": name, **_case(row, values, draft)})
        except NotTranslated as exc:
            reason = f"the golden is left out: {exc}"
            draft.omit(("cases", len(draft.cases)), row.omission(reason))
    return draft


def _rename_keys(values: Mapping[str, Any]) -> dict[str, Any]:
    return {_NAMES.get(key, key): it for key, it in values.items()}


def _case(row: DataRow, values: Mapping[str, Any], draft: DraftSuite) -> dict[str, Any]:
    if _CONVERSATION & values.keys():
        raise NotTranslated("conversations with a simulated user have no counterpart")
    if not isinstance(values.get("input"), str):
        raise NotTranslated("it has no input")
    made: dict[str, Any] = {"prompt": values["input"]}
    expected = values.get("expected_output")
    if isinstance(expected, str) and expected.strip():
        made["expected"] = expected
    else:
        made |= {"checks": [no_verdict("the golden expects no output")], "checks_only": True}
    for key in ("expected_tools", "tools_called"):
        if values.get(key):
            what = f"{key} is not checked, since a golden does not declare its tools"
            draft.omit(("cases", len(draft.cases)), row.omission(what))
    metadata = {key: it for key in _KEPT if (it := values.get(key))}
    return made | ({"metadata": metadata} if metadata else {})
