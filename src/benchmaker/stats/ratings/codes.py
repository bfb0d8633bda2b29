"""Labels as small whole numbers: of models, of outcomes, of clusters."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from operator import itemgetter
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from benchmaker.errors import AnalysisError, SpecError

Codes = NDArray[np.int32]

WON: Final = 2
TIED: Final = 1
LOST: Final = 0
UNKNOWN: Final = -1

_OUTCOMES: Mapping[Hashable, int] = {"a": WON, "b": LOST, "tie": TIED, 1: WON, 0: LOST, 0.5: TIED}
_OUTCOME_HINT = 'An outcome is "a", "b" or "tie" (or 1, 0, 0.5); translate others with labels=.'
_SHOWN = 5
_AT_ONCE = 1 << 16
_BYTE = 256
_MOST_NAMES = 5_000
_Label = TypeVar("_Label")


def model_codes(
    a: Sequence[str], b: Sequence[str], names: Sequence[str] | None
) -> tuple[tuple[str, ...], Codes, Codes]:
    """The sorted names, and for each battle the place of both models among them.

    Raises:
        AnalysisError: a name that is not text, is empty, or is not among ``names``; with its rows.
    """
    first, second = as_list(a), as_list(b)
    seen = _distinct_labels(first, "a") | _distinct_labels(second, "b")
    bad = [label for label in seen if not isinstance(label, str) or not label.strip()]
    if bad:
        raise _fault_error(first, second, bad.__contains__, "is no model's name")
    if len(seen) > _MOST_NAMES:
        raise AnalysisError(
            f"The battles name {len(seen):,} models; at most {_MOST_NAMES:,} are rated together.",
            hint="Look for a column of texts or ids where the models' names should be.",
        )
    known = sorted(seen if names is None else set(names))
    place = {name: i for i, name in enumerate(known)}
    if not seen <= place.keys():
        raise _fault_error(
            first, second, (seen - place.keys()).__contains__, "is not among the names given"
        )
    return tuple(known), _look_up(first, place), _look_up(second, place)


def outcome_codes(
    outcome: Sequence[object] | NDArray[np.generic], labels: Mapping[str, str] | None
) -> NDArray[np.int8]:
    """2 where ``a`` won, 1 for a tie, 0 where ``b`` won; AnalysisError with rows for all else."""
    known = dict(_OUTCOMES)
    for label, meaning in (labels or {}).items():
        if meaning not in ("a", "b", "tie"):
            raise SpecError(f"The label {label!r} stands for {meaning!r}; say a, b or tie.")
        known[label] = _OUTCOMES[meaning]
    listed = as_list(outcome)
    try:
        return _look_up(listed, known).astype(np.int8)
    except TypeError as exc:
        raise AnalysisError(f"An outcome can't be read: {exc}.", hint=_OUTCOME_HINT) from exc
    except KeyError as exc:
        wrong = np.flatnonzero([one not in known for one in listed])
        what = f"An outcome can't be read, first {listed[wrong[0]]!r}: {describe_rows(wrong)}."
        raise AnalysisError(what, hint=_OUTCOME_HINT) from exc


def cluster_codes(clusters: Sequence[Hashable], n: int, counted: NDArray[np.bool_] | None) -> Codes:
    """Return each battle's cluster number, -1 for battles that do not count.

    Clusters are numbered in the order of their labels, so that the order of the battles does not
    matter.

    Raises:
        SpecError: not one label per battle.
        AnalysisError: a missing label (None, NaN, empty), with its rows.
    """
    if len(clusters) != n:
        raise SpecError(f"There are {n:,} battles and {len(clusters):,} cluster labels.")
    listed: Sequence[Hashable] = as_list(clusters)
    seen = _distinct_labels(listed, "cluster")
    if any(map(_is_missing, seen)):
        found = describe_rows(np.flatnonzero([_is_missing(label) for label in listed]))
        hint = "Leave such battles out, or give each a label of its own."
        raise AnalysisError(f"A cluster label is missing: {found}.", hint=hint)
    number = {label: i for i, label in enumerate(sorted(seen, key=_sort_key))}
    codes = _look_up(listed, number)
    if counted is None:
        return codes
    codes[~counted] = UNKNOWN
    used, kept = np.unique(codes, return_inverse=True)
    return np.asarray(kept - int(used[0] == UNKNOWN), np.int32)


def intersect_clusters(one: Codes, two: Codes) -> Codes:
    """Return the number of each battle's pair of clusters, -1 for battles that do not count."""
    both = np.where(one < 0, np.int64(-1), one.astype(np.int64) * (int(two.max()) + 1) + two)
    known, cells = np.unique(both, return_inverse=True)
    return np.asarray(cells - int(known[0] < 0), np.int32)


def cluster_labels(clusters: Sequence[Hashable], codes: Codes) -> tuple[Hashable, ...]:
    """The label behind each number of ``codes``."""
    listed: Sequence[Hashable] = as_list(clusters)
    first = np.zeros(int(codes.max(initial=UNKNOWN)) + 1, np.int64)
    kept = np.flatnonzero(codes >= 0)
    first[codes[kept]] = kept
    return tuple(listed[i] for i in first.tolist())


def describe_rows(at: NDArray[np.int64]) -> str:
    """'rows 2, 5, 9 and 12 more', counted from 1."""
    shown = ", ".join(f"{i + 1}" for i in at[:_SHOWN])
    more = f" and {len(at) - _SHOWN:,} more" if len(at) > _SHOWN else ""
    return f"row{'s' if len(at) > 1 else ''} {shown}{more}"


def as_list(column: Sequence[_Label] | NDArray[np.generic]) -> Sequence[_Label]:
    """A column that iterates quickly: arrays and columns of frames become lists."""
    listed = getattr(column, "tolist", None) or getattr(column, "to_list", None)
    return listed() if listed is not None else column  # type: ignore[return-value]  # numpy's, pandas' and polars' words for one thing


def _distinct_labels(labels: Sequence[_Label], what: str) -> set[_Label]:
    try:
        return set(labels)
    except TypeError as exc:
        raise AnalysisError(f"A label in column {what!r} can't be used: {exc}.") from exc


def _look_up(labels: Sequence[object], number: Mapping[_Label, int]) -> Codes:
    """The number of each label, a stretch at a time.

    itemgetter over a plain dict is the quickest loop there is, and bytes the quickest way out of
    it for numbers below 256.
    """
    codes = np.empty(len(labels), np.int32)
    for start in range(0, len(labels), _AT_ONCE):
        part = labels[start : start + _AT_ONCE]
        found = itemgetter(*part)(number) if len(part) > 1 else (number[part[0]],)  # type: ignore[index]  # any label may be asked for
        small = len(number) <= _BYTE
        codes[start : start + len(part)] = np.frombuffer(bytes(found), np.uint8) if small else found
    return codes


def _fault_error(
    first: Sequence[object],
    second: Sequence[object],
    is_bad: Callable[[object], bool],
    fault: str,
) -> AnalysisError:
    """The rows in which either model's name has this fault."""
    wrong = np.flatnonzero(
        [is_bad(one) or is_bad(two) for one, two in zip(first, second, strict=True)]
    )
    row = int(wrong[0])
    label = first[row] if is_bad(first[row]) else second[row]
    return AnalysisError(f"{label!r} {fault}: {describe_rows(wrong)}.")


def _is_missing(label: object) -> bool:
    return label is None or label == "" or label != label  # noqa: PLR0124  NaN differs from itself


def _sort_key(label: Hashable) -> tuple[int, float, str]:
    """Numbers before everything else, which is ordered as text."""
    if isinstance(label, int | float | np.number):
        return 0, float(label), ""
    return 1, 0.0, str(label)
