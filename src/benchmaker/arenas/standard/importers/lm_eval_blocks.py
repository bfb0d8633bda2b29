"""Lines of lm-eval with generated answers, read together into columns."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from math import isfinite
from typing import Any, Final

from benchmaker.arenas.standard.importers.evaluation import within_scale
from benchmaker.arenas.standard.importers.reading import is_empty, texts_of
from benchmaker.arenas.standard.importers.row_blocks import LONGEST_ID, RowBlock

TRANSLATED: Final = (
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
)  # fmt: skip
"""The fields of a line that have a place of their own."""

IDENTITY: Final = ("doc_id", "doc_hash", "prompt_hash", "target_hash", "target", "resps")
"""The fields of a line that identify its row."""

_NEEDED = frozenset(TRANSLATED)
_Line = dict[str, Any]


@lru_cache(maxsize=100)
def scorer_labels(names: tuple[str, ...], applied: str) -> tuple[str, ...]:
    """Return the names of scorers; the lines of a file have the same few."""
    return tuple(f"lm_eval/{name},{applied}" for name in names)


def block_of(lines: Sequence[_Line], model: str) -> RowBlock | None:
    """Return lines as one block of rows; None unless they are alike, with one answer each.

    Then each has the same fields, filter and metrics, and its values have the usual types.
    """
    names = tuple(lines[0]) if lines else ()
    if not names or any(tuple(line) != names for line in lines):
        return None
    columns = dict(zip(names, zip(*[line.values() for line in lines], strict=True), strict=True))
    if not columns.keys() >= _NEEDED:
        return None
    applied, metrics = columns["filter"][0], columns["metrics"][0]
    is_usual = _is_each((applied,), str) and applied and _is_each(metrics or (None,), str)
    if not is_usual or not (_is_one(columns["filter"]) and _is_one(columns["metrics"])):
        return None
    return _AlikeLines(columns, applied, metrics).block(model)


def _is_each(values: Iterable[Any], *kinds: type) -> bool:
    return set(map(type, values)) <= set(kinds)


def _is_finite(values: Iterable[float]) -> bool:
    try:
        return all(map(isfinite, values))
    except OverflowError:
        return False


def _is_one(values: Sequence[Any]) -> bool:
    first = values[0]
    return all(value == first for value in values)


@dataclass(frozen=True, slots=True)
class _AlikeLines:
    """The columns of lines with the same filter and metrics."""

    columns: Mapping[str, Sequence[Any]]
    applied: str
    metrics: Sequence[str]

    def block(self, model: str) -> RowBlock | None:
        ids, questions, outputs = self._ids(), self._questions(), self._outputs()
        values, rests = self._values(), self._rests()
        if ids is None or questions is None or outputs is None or values is None or rests is None:
            return None
        labels = scorer_labels(tuple(self.metrics), self.applied)
        return RowBlock(
            model=model,
            scorer=labels[0],
            ids=ids,
            questions=questions,
            expected=[
                (target,) if type(target) is str and target else _expectations(target)
                for target in self.columns["target"]
            ],
            metadata=[{"doc": doc} if doc else {} for doc in self.columns["doc"]],
            outputs=outputs,
            scores=[dict(zip(labels, each, strict=True)) for each in zip(*values, strict=True)],
            values=list(map(within_scale, values[0])),
            identities=self._identities(),
            rests=rests,
        )

    def _ids(self) -> list[str] | None:
        found = self.columns["doc_id"]
        ids = [str(one) for one in found if type(one) is int or (type(one) is str and one)]
        is_whole = len(ids) == len(found) and max(map(len, ids)) <= LONGEST_ID
        return ids if is_whole else None

    def _questions(self) -> list[str] | None:
        """The text of the only request of each line, unless it is a chat."""
        found = self.columns["arguments"]
        texts = [
            next(iter(request.values()))
            for requests in found
            if type(requests) is dict and len(requests) == 1
            for request in requests.values()
            if type(request) is dict and request
        ]
        is_whole = len(texts) == len(found) and _is_each(texts, str)
        is_chat = is_whole and any(text.lstrip().startswith("[{") for text in texts)
        return texts if is_whole and not is_chat else None

    def _outputs(self) -> list[str] | None:
        """The first reply of each line."""
        found = self.columns["resps"]
        texts = [
            replies[0][0]
            for replies in found
            if type(replies) is list and replies
            if type(replies[0]) is list and len(replies[0]) == 1
        ]
        return texts if len(texts) == len(found) and _is_each(texts, str) else None

    def _values(self) -> list[list[float]] | None:
        """The values of each metric."""
        found = [self.columns.get(name, (None,)) for name in self.metrics]
        if not all(_is_each(one, float, int, bool) and _is_finite(one) for one in found):
            return None
        return [list(map(float, one)) for one in found]

    def _identities(self) -> list[Any]:
        found = [self.columns.get(name) or repeat(None) for name in IDENTITY]
        return list(zip(*found, strict=False))

    def _rests(self) -> list[dict[str, Any]] | None:
        """The other fields of each line; None if some are empty in a part of the lines."""
        kept: dict[str, Sequence[Any]] = {}
        for name, values in self.columns.items():
            if name in TRANSLATED or name in self.metrics:
                continue
            empty = sum(is_empty(value) for value in values)
            if not empty:
                kept[name] = values
            elif empty < len(values):
                return None
        kept["resps"], kept["target"] = self.columns["resps"], self.columns["target"]
        kept[f"filtered_resps,{self.applied}"] = self.columns["filtered_resps"]
        return [dict(zip(kept, values, strict=True)) for values in zip(*kept.values(), strict=True)]


def _expectations(target: Any) -> tuple[str, ...]:  # noqa: ANN401  any JSON
    return tuple(filter(None, texts_of(target)))
