"""Entries of the registry of OpenAI evals as a suite, with samples in files beside it.

Sources: evals/elsuite/basic/match.py, includes.py, fuzzy_match.py and json_match.py, and
evals/elsuite/utils.py of openai/evals 3.
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
from benchmaker.arenas.standard.conversion.draft_suite import DraftSuite, NotTranslated
from benchmaker.arenas.standard.conversion.original_file import OriginalFile, read_original
from benchmaker.errors import SpecError
from benchmaker.scoring.checks.filter_work import apply_filters

TOOL = "OpenAI evals"
_CLASSES = {
    "evals.elsuite.basic.match:Match": "match",
    "evals.elsuite.basic.includes:Includes": "includes",
    "evals.elsuite.basic.fuzzy_match:FuzzyMatch": "fuzzy",
    "evals.elsuite.basic.json_match:JsonMatch": "json",
}
_ARGUMENTS = frozenset({"samples_jsonl", "ignore_case", "max_tokens"})
_PLAIN: list[Any] = ["lower",
          {"replace": r"[^\w\s]|_"}, {"replace": r"\b(?:a|an|the)\b", "with": " "},
          {"replace": r"\s+", "with": " "}, "trim"]  # fmt: skip


def is_registry(data: Any) -> bool:  # noqa: ANN401  any JSON
    """True if the data of a file look like entries of the registry."""
    return isinstance(data, Mapping) and any(
        isinstance(it, Mapping) and str(it.get("class", "")).startswith("evals.")
        for it in data.values()
    )


def convert_registry(path: Path) -> DraftSuite:
    """Return the suite of all evals of a file whose class and samples can be carried over.

    Raises:
        SpecError: there is none.
    """
    file = read_original(path)
    draft = DraftSuite(TOOL, path.name)
    draft.header = {"name": path.stem[:200], "profile": "robust", "parameters": {"temperature": 0}}
    for name, entry in file.data.items():
        if isinstance(entry, Mapping) and "class" in entry:
            _add_eval(file, str(name), entry, draft)
    if not draft.cases:
        reasons = "; ".join(one.what for one in draft.listed_omissions())
        raise SpecError(f"no eval of {path.name} can be carried over: {reasons}.", where=str(path))
    return draft


def _add_eval(file: OriginalFile, name: str, entry: Mapping[str, Any], draft: DraftSuite) -> None:
    place = len(draft.cases)
    try:
        kind = _kind(entry)
        options = dict(entry.get("args") or {})
        rows = list(rows_of(_samples(file.path, options)))
        cases = [_case(it, kind, options, draft) for it in rows]
    except NotTranslated as exc:
        draft.omit(("cases", place), file.omission((name,), f"{name} is left out: {exc}"))
        return
    for number, one in enumerate(cases):
        draft.cases.append({"id": f"{name}/{number}"[:512], **one, "category": name[:200]})
    for key in options.keys() - _ARGUMENTS:
        where = file.omission((name, "args", key), f"{key} of {name} is not used")
        draft.omit(("cases", place), where)
    if kind == "fuzzy" and cases:
        what = "an answer that is only a part of the ideal text is wrong here"
        draft.omit(("cases", place), file.omission((name, "class"), what))


def _kind(entry: Mapping[str, Any]) -> str:
    name = str(entry["class"])
    if name not in _CLASSES:
        raise NotTranslated(f"the class {name} is not run")
    if (entry.get("args") or {}).get("num_few_shot"):
        raise NotTranslated("its examples (num_few_shot) have no counterpart")
    return _CLASSES[name]


def _samples(path: Path, options: Mapping[str, Any]) -> Path:
    """The file of samples: beside the registry's file, or in its folder ``data``."""
    name = options.get("samples_jsonl")
    if not isinstance(name, str) or Path(name).is_absolute() or ".." in Path(name).parts:
        raise NotTranslated("it names no file of samples beside it")
    for folder in (path.parent, path.parent.parent / "data", path.parent / "data"):
        if (folder / name).is_file():
            return folder / name
    raise NotTranslated(f"no file {name}")


def _case(row: DataRow, kind: str, options: Mapping[str, Any], draft: DraftSuite) -> dict[str, Any]:
    ideals = text_list(row.values.get("ideal"))
    if not ideals or not all(ideals):
        raise NotTranslated(f"line {row.line} of {row.file} has no ideal answer")
    made = question_of(row.values.get("input"))
    if any(it.get("name") for it in row.values["input"] if isinstance(it, Mapping)):
        draft.omit(("cases", len(draft.cases)), row.omission("names of messages are not sent"))
    return {**made, "checks": [_check(kind, ideals, options)]}


def _check(kind: str, ideals: list[str], options: Mapping[str, Any]) -> dict[str, Any]:
    match kind:
        case "match":
            return {"type": "starts_with", "value": ideals, "keep_spaces": True}
        case "includes":
            case = {"ignore_case": True} if options.get("ignore_case") else {}
            return {"type": "contains", "value": ideals, **case}
        case "json":
            return {"type": "equals", "value": [_json(it) for it in ideals]}
        case _:
            texts = [apply_filters(_PLAIN, it) for it in ideals]
            if not all(texts):
                raise NotTranslated("an ideal answer has no words")
            return {"type": "contains", "value": texts, "filters": _PLAIN}


def _json(text: str) -> Any:  # noqa: ANN401  any JSON
    try:
        return json.loads(text)
    except ValueError as exc:
        raise NotTranslated("an ideal answer is no JSON") from exc
