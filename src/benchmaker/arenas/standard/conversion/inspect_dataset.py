"""Data sets of Inspect as suites: rows with ``input``, ``target`` and ``choices``.

Scorers and solvers of Inspect are Python and not in these files. Sources: record_to_sample_fn in
inspect_ai/dataset/_util.py, and the template of a single answer in
inspect_ai/solver/_multiple_choice.py, both of Inspect 0.3.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmaker.arenas.standard.conversion.data_rows import (
    DataRow,
    question_of,
    rows_of,
    text_list,
)
from benchmaker.arenas.standard.conversion.draft_suite import (
    DraftSuite,
    NotTranslated,
    no_verdict,
    unique_id,
)
from benchmaker.scoring.extract.options import LETTERS

TOOL = "Inspect"
TEMPLATE = (
    "Answer the following multiple choice question. The entire content of your response should be "
    "of the following format: 'ANSWER: $LETTER' (without quotes) where LETTER is one of {letters}."
    "\n\n{question}\n\n{choices}"
)
"""The template by which Inspect asks for the letter of a choice."""

_KEYS = frozenset({"input", "target", "choices", "id", "metadata", "description"})
_WORKSPACE = ("sandbox", "files", "setup")


def is_dataset(values: Mapping[str, Any]) -> bool:
    """True if a row looks like a sample of Inspect."""
    return "input" in values and ("target" in values or "choices" in values)


def convert_dataset(path: Path) -> DraftSuite:
    """Return the suite of a data set."""
    draft = DraftSuite(TOOL, path.name)
    draft.header = {"name": path.stem[:200], "profile": "robust", "scorer": "exact"}
    taken: set[str] = set()
    for place, row in enumerate(rows_of(path), 1):
        name = unique_id(str(row.values.get("id") or place), taken)
        taken.add(name)
        try:
            draft.cases.append({"id": name, **_case(row, draft)})
        except NotTranslated as exc:
            reason = f"the sample is left out: {exc}"
            draft.omit(("cases", len(draft.cases)), row.omission(reason))
    return draft


def _case(row: DataRow, draft: DraftSuite) -> dict[str, Any]:
    values = row.values
    for key in _WORKSPACE:
        if values.get(key):
            raise NotTranslated(f"it needs a sandbox ({key})")
    for key in values.keys() - _KEYS:
        if values[key] is not None and "target" not in key:
            draft.omit(("cases", len(draft.cases)), row.omission(f"{key} is not used"))
    metadata = _metadata(values)
    made = _choice_case(row, draft) if values.get("choices") else _text_case(row)
    return made | ({"metadata": metadata} if metadata else {})


def _text_case(row: DataRow) -> dict[str, Any]:
    targets = text_list(row.values.get("target"))
    made = question_of(row.values.get("input"))
    if not any(it.strip() for it in targets):
        return {**made, "checks": [no_verdict("the sample has no target")], "checks_only": True}
    return {**made, "expected": targets[0] if len(targets) == 1 else targets}


def _choice_case(row: DataRow, draft: DraftSuite) -> dict[str, Any]:
    choices = _choices(row.values["choices"])
    if not 1 < len(choices) <= len(LETTERS):
        raise NotTranslated(f"it has {len(choices)} choices")
    made = _with_options(question_of(row.values.get("input")), choices)
    targets = "".join(text_list(row.values.get("target")))
    made |= {"choices": choices}
    if len(targets) == 1 and targets in LETTERS[: len(choices)]:
        return {**made, "expected": targets, "scorer": "choice"}
    what = "a target that is not one letter has no verdict"
    draft.omit(("cases", len(draft.cases)), row.omission(what))
    return {**made, "checks": [no_verdict(what)], "checks_only": True}


def _with_options(question: dict[str, Any], choices: list[str]) -> dict[str, Any]:
    """The question with its options, in the template of Inspect."""
    listed = "\n".join(f"{letter}) {it}" for letter, it in zip(LETTERS, choices, strict=False))
    letters = ",".join(LETTERS[: len(choices)])
    turns = question.get("messages")
    text = turns[-1]["content"] if turns else question["prompt"]
    fill_template = TEMPLATE.format(letters=letters, question=text, choices=listed)
    if not turns:
        return {"prompt": fill_template}
    return {"messages": [*turns[:-1], {**turns[-1], "content": fill_template}]}


def _choices(given: Any) -> list[str]:  # noqa: ANN401  any JSON
    if isinstance(given, str):
        if given.lstrip().startswith("["):
            return text_list(json.loads(given))
        return [it.strip() for it in given.split(",")]
    return text_list(given)


def _metadata(values: Mapping[str, Any]) -> dict[str, Any]:
    given = values.get("metadata")
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            return {"metadata": given}
    return dict(given) if isinstance(given, Mapping) else {}
