"""Votes in a file: the models, the winner, and the voter."""

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmaker.analysis.ratings.battles import Rounds
from benchmaker.errors import Finding, SpecError
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.rows import DataRow, read_rows
from benchmaker.stats.ratings import battles

NAMES: Mapping[str, tuple[str, ...]] = {
    "a": ("a", "model_a"),
    "b": ("b", "model_b"),
    "winner": ("winner", "outcome"),
    "voter": ("voter", "judge", "actor"),
    "prompt": ("prompt", "prompt_id", "question_id", "case_id"),
    "at": ("at", "time"),
    "weight": ("weight",),
}
"""The accepted names of each column; the first one in the file is used."""

LABELS = {
    "a": "a",
    "b": "b",
    "tie": "tie",
    "model_a": "a",
    "model_b": "b",
    "both": "tie",
    "both_bad": "tie",
    "tie (bothbad)": "tie",
}
"""The accepted values of a winner, apart from the names of the two models."""

_NEEDED = ("a", "b", "winner")
_SHOWN = 20


@dataclass(slots=True)
class _Columns:
    """The columns of a file while it is read."""

    names: Mapping[str, str]
    path: Path
    features: Sequence[str]
    values: dict[str, list[Any]] = field(default_factory=dict)
    sides: dict[str, tuple[list[float], list[float]]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def take(self, row: DataRow) -> None:
        """Add one vote, or its fault."""
        texts = {what: _text(row.values.get(name)) for what, name in self.names.items()}
        try:
            self._keep(texts, row)
        except ValueError as error:
            self.findings.append(Finding(str(self.path), row.number, 1, str(error), ""))

    def _keep(self, texts: dict[str, str], row: DataRow) -> None:
        missing = [name for name in _NEEDED if not texts[name]]
        if missing:
            raise ValueError(f"{missing[0]!r} is missing.")
        if texts["a"] == texts["b"]:
            raise ValueError(f"a and b are the same model {texts['a']!r}.")
        weight = _number(texts["weight"], "weight") if texts.get("weight") else 1.0
        measured = [self._feature_values(name, row) for name in self.features]
        kept = texts | {"winner": _winner(texts), "weight": weight}
        for what, value in kept.items():
            self.values.setdefault(what, []).append(
                sys.intern(value) if isinstance(value, str) else value
            )
        for name, (left, right) in zip(self.features, measured, strict=True):
            both = self.sides.setdefault(name, ([], []))
            both[0].append(left)
            both[1].append(right)

    def _feature_values(self, name: str, row: DataRow) -> tuple[float, float]:
        left, right = (
            _number(_text(row.values.get(f"{name}_{side}")), f"{name}_{side}") for side in "ab"
        )
        return left, right


def read_votes(path: Path, *, features: Sequence[str] = ()) -> Rounds:
    """The votes of a CSV or JSON Lines file: columns a, b, winner, and optionally voter, prompt.

    ``winner`` is a, b, tie, or the name of one of the two models. Further columns: ``at``, a time
    in ISO 8601; ``weight``; and ``NAME_a``, ``NAME_b`` for each of the features.

    Raises:
        SpecError: rows that can't be read, all of them with their lines.
        AnalysisError: votes that can't be counted.
    """
    read: _Columns | None = None
    findings: list[Finding] = []
    for row in read_rows(path, limits=Limits(), report=findings.extend):
        if read is None:
            read = _Columns(_column_names(row, path), path, features, findings=findings)
        read.take(row)
    if findings:
        raise SpecError.of(findings[:_SHOWN])
    if read is None:
        raise SpecError("the file has no votes.", where=str(path))
    return _rounds(read)


def _rounds(read: _Columns) -> Rounds:
    values = read.values
    weights = values.get("weight", [])
    return Rounds(
        battles=battles(
            values["a"],
            values["b"],
            values["winner"],
            weight=weights if set(weights) != {1.0} else None,
        ),
        source="votes",
        voter=_complete_column(values, "voter"),
        prompt=_complete_column(values, "prompt"),
        at=_complete_column(values, "at"),
        features=read.sides,
        n_prompts=len(set(values["prompt"])) if _complete_column(values, "prompt") else None,
    )


def _complete_column(values: Mapping[str, list[Any]], what: str) -> list[Any] | None:
    """A column that says something in every row; None where there is none."""
    column = values.get(what)
    if not column or not any(column):
        return None
    if not all(column):
        row = next(at for at, value in enumerate(column, start=1) if not value)
        raise SpecError(
            f"vote {row} has no {what}, but other votes do.",
            hint="Fill the whole column, or remove it.",
        )
    return column


def _column_names(row: DataRow, path: Path) -> dict[str, str]:
    """Return the names of this file's columns."""
    found = {
        what: name
        for what, names in NAMES.items()
        if (name := next((one for one in names if one in row.values), None))
    }
    missing = [what for what in _NEEDED if what not in found]
    if missing:
        there = ", ".join(list(row.values)[:_SHOWN])
        raise SpecError(
            f"there is no column {missing[0]!r}; there are: {there}.",
            where=str(path),
            hint="A vote file has the columns a, b and winner; voter and prompt are optional.",
        )
    return found


def _winner(texts: Mapping[str, str]) -> str:
    said = texts["winner"]
    if said in (texts["a"], texts["b"]):
        return "a" if said == texts["a"] else "b"
    known = LABELS.get(said.lower())
    if known is None:
        raise ValueError(f"the winner {said!r} is not a, b, tie or one of the two models.")
    return known


def _text(value: Any) -> str:  # noqa: ANN401  a cell of any kind
    return "" if value is None else str(value).strip()


def _number(text: str, name: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise ValueError(f"the {name} {text!r} is not a number.") from None
    if not math.isfinite(number):
        raise ValueError(f"the {name} {text!r} is not finite.")
    return number
