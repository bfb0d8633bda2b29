"""The same setups in earlier and later runs, each compared with itself."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchmaker.analysis.comparison.comparison import compare
from benchmaker.analysis.comparison.reference import adjust_pairs
from benchmaker.analysis.comparison.results import ComparedPair, Comparison
from benchmaker.errors import AnalysisError
from benchmaker.record import Run
from benchmaker.record.score_columns import ScoreColumns


@dataclass(frozen=True, slots=True)
class SetupPair:
    """A setup, with the names that its earlier and its later scores have in the columns."""

    setup: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class SetupChange:
    """The change of one setup; ``pair`` is None if it can't be compared, with the ``reason``."""

    names: SetupPair
    pair: ComparedPair | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """The changes of all setups; ``comparison`` has their pairs, or is None without any."""

    changes: tuple[SetupChange, ...]
    comparison: Comparison | None


def compare_before_after(
    columns: ScoreColumns,
    runs: Sequence[Run],
    pairs: Sequence[SetupPair],
    *,
    metric: str | None = None,
) -> BeforeAfter:
    """Compare each setup with itself, over the cases that both of its sides have.

    The tests are those of :func:`~benchmaker.analysis.comparison.comparison.compare`; the p-values
    are adjusted by Holm for the number of setups.

    Raises:
        NotComparable: the runs do not share suite and profile.
        SpecError: an unknown metric.
    """
    made: list[Comparison | str] = []
    for one in pairs:
        names = (one.before, one.after)
        try:
            made.append(compare(columns, runs, models=names, correction=None, metric=metric))
        except AnalysisError as exc:
            made.append(exc.message)
    compared = [one for one in made if isinstance(one, Comparison)]
    adjusted = iter(adjust_pairs([one.pairs[0] for one in compared], "holm"))
    changes = tuple(
        SetupChange(names, next(adjusted))
        if isinstance(one, Comparison)
        else SetupChange(names, None, one)
        for names, one in zip(pairs, made, strict=True)
    )
    return BeforeAfter(changes, _together(changes, compared))


def _together(changes: Sequence[SetupChange], compared: Sequence[Comparison]) -> Comparison | None:
    """The pairs as one comparison, without letters, which need all pairs."""
    if not compared:
        return None
    pairs = tuple(one.pair for one in changes if one.pair is not None)
    warnings = dict.fromkeys(said for one in compared for said in one.warnings)
    return replace(
        compared[0],
        models=tuple(replace(model, letters="") for one in compared for model in one.models),
        pairs=pairs,
        n_common=min(one.n_common for one in compared),
        correction="holm",
        method=_method(pairs, compared[0].method),
        warnings=tuple(warnings),
    )


def _method(pairs: Sequence[ComparedPair], test: str) -> str:
    by = pairs[0].adjustment
    return f"{test}; {by}" if by and len(pairs) > 1 else test
