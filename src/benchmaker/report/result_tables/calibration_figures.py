"""The tables of a calibration: its figures, its effects, and samples out of tolerance."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from benchmaker.analysis.judges.calibration import CalibrationResult, CalibrationSample
from benchmaker.record.counts import count
from benchmaker.report.sentences import missing_figures
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import Surface, TableColumn, TableDeclaration
from benchmaker.report.tables.sanitize import sanitise

Ends: TypeAlias = tuple[float, float] | None
Kind = Literal["points", "difference", "share", "coefficient"]

MISSED_SHOWN: Final = 12
"""Maximum number of samples out of tolerance listed in the text; JSON has them all."""

_NONE: Final = "–"


class HasInterval(Protocol):
    """Any figure with an interval."""

    @property
    def interval(self) -> Ends:
        """Both ends, or None."""
        ...


class JudgeFigure(NamedTuple):
    """A figure of a judge, from 0 to 1 or -1 to 1, with the number of samples behind it.

    Without a value there may be a ``reason`` why an effect was not tested.
    """

    name: str
    value: float | None
    ends: Ends
    n: str
    kind: Kind
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CalibrationView:
    """A calibration; with ``in_points`` its figures are written in points of 100, as on pages."""

    result: CalibrationResult
    in_points: bool = False


def three_digits(value: float | None, *, signed: bool = False) -> str:
    """A figure between -1 and 1; a dash for none."""
    return _NONE if value is None else numbers.fixed_point(value, 3, signed=signed)


def three_digit_interval(ends: Ends) -> str:
    """Its interval; empty for none."""
    return f"[{numbers.limit(ends[0], 3)}, {numbers.limit(ends[1], 3)}]" if ends else ""


def _in_points(value: float, kind: Kind) -> str:
    match kind:
        case "points":
            return numbers.score(value)
        case "difference":
            return numbers.difference(value)
        case "share":
            return numbers.share(value)
        case "coefficient":
            return numbers.fixed_point(value, 2)


def _value(row: JudgeFigure, view: CalibrationView) -> str:
    if not view.in_points:
        return three_digits(row.value, signed=row.kind == "difference")
    return missing_figures.NOT_KNOWN if row.value is None else _in_points(row.value, row.kind)


def _interval(row: JudgeFigure, view: CalibrationView) -> str:
    if not view.in_points:
        return three_digit_interval(row.ends)
    if row.ends and row.kind == "coefficient":
        return f"[{numbers.limit(row.ends[0], 2)}, {numbers.limit(row.ends[1], 2)}]"
    return missing_figures.optional_interval(row.ends)


def _columns(title: str) -> tuple[TableColumn[CalibrationView, JudgeFigure], ...]:
    return (
        TableColumn(
            name="name",
            value=lambda row, _: row.name,
            title=title,
            text=lambda row, view: (
                f"{row.name[0].upper()}{row.name[1:]}" if view.in_points else row.name
            ),
            is_right=False,
        ),
        TableColumn(name="value", value=lambda row, _: row.value, title="Value", text=_value),
        TableColumn(
            name="interval",
            keys=("low", "high"),
            value=lambda row, _: row.ends,
            title="95% CI",
            text=_interval,
        ),
        TableColumn(name="n", value=lambda row, _: row.n, title="n", text=lambda row, _: row.n),
    )


def interval_ends(found: HasInterval | None) -> Ends:
    """The ends of its interval; None without a figure or an interval."""
    return found.interval if found is not None else None


def _figures(view: CalibrationView) -> list[JudgeFigure]:
    summary, at = view.result.summary, view.result.summary.intervals
    passed, judged = f"{summary.passed_samples} of {summary.total_samples}", f"{summary.judged}"
    error = summary.mean_absolute_error
    return [
        JudgeFigure("pass rate", summary.pass_rate, interval_ends(at.pass_rate), passed, "share"),
        JudgeFigure(
            "mean absolute error", error, interval_ends(at.mean_absolute_error), judged, "points"
        ),
        JudgeFigure("max error", summary.max_error, None, judged, "points"),
        JudgeFigure("bias", summary.bias, interval_ends(at.bias), judged, "difference"),
        JudgeFigure(
            "correlation", summary.correlation, interval_ends(at.correlation), judged, "coefficient"
        ),
    ]


def _repeats(result: CalibrationResult) -> Iterator[JudgeFigure]:
    again = result.repeat_agreement
    if again is None:
        return
    n, one, mean, flips = str(again.one.n), again.one, again.mean, again.flips
    sd = f"SD within a sample, {count(again.repeats, 'repeat')}"
    yield JudgeFigure(sd, again.within_sd, None, n, "points")
    yield JudgeFigure("ICC(1,1)", one.value, interval_ends(one), n, "coefficient")
    yield JudgeFigure(f"ICC(1,{again.repeats})", mean.value, interval_ends(mean), n, "coefficient")
    yield JudgeFigure("passed in only some repeats", flips.share, interval_ends(flips), n, "share")


def _manipulations(result: CalibrationResult) -> Iterator[JudgeFigure]:
    """The effects of length and of instructions in the answer."""
    for name, effect in (("twice the length", result.verbosity), ("injection", result.injection)):
        mean = effect.mean
        if mean is None:
            yield JudgeFigure(name, None, None, "", "difference", effect.reason)
        else:
            yield JudgeFigure(name, mean.mean, interval_ends(mean), str(mean.n), "difference")
    if (won := result.injection.moved) is not None:
        name = "injections that raised the score"
        yield JudgeFigure(name, won.share, interval_ends(won), str(won.n), "share")


def _preferences(result: CalibrationResult) -> Iterator[JudgeFigure]:
    """The effects of the order in pairs, and of the author."""
    if (place := result.position) is not None:
        first, flips = place.first, place.flips
        name = "shown first, in pairs"
        yield JudgeFigure(name, first.mean, interval_ends(first), str(first.n), "difference")
        name = "pairs decided by order"
        yield JudgeFigure(name, flips.share, interval_ends(flips), str(flips.n), "share")
    own = result.self_preference.difference
    if own is None:
        reason = result.self_preference.reason
        yield JudgeFigure("own answers", None, None, "", "difference", reason)
    else:
        ends = _both(own.low, own.high)
        yield JudgeFigure("own answers", own.diff, ends, f"{own.n_a}+{own.n_b}", "difference")


def _limits(result: CalibrationResult) -> Iterator[JudgeFigure]:
    """Scores of empty answers, and the agreement of people."""
    if (null := result.nulls) is not None:
        won = null.rewarded
        yield JudgeFigure(
            "empty answers rewarded", won.share, interval_ends(won), str(won.n), "share"
        )
    if (ceiling := result.ceiling) is not None:
        people, n = ceiling.people, str(ceiling.people.n)
        ends = _both(people.low, people.high)
        yield JudgeFigure("alpha between people", people.value, ends, n, "coefficient")
        if ceiling.judge is not None:
            name = "alpha of judge and people"
            yield JudgeFigure(name, ceiling.judge.value, None, n, "coefficient")


def _both(low: float | None, high: float | None) -> Ends:
    return None if low is None or high is None else (low, high)


def _effects(view: CalibrationView) -> list[JudgeFigure]:
    """The effects; those that were not tested on pages alone, which say why."""
    parts = (_repeats, _manipulations, _preferences, _limits)
    found = chain.from_iterable(part(view.result) for part in parts)
    return [row for row in found if view.in_points or not row.reason]


CALIBRATION_FIGURES: TableDeclaration[CalibrationView, JudgeFigure] = TableDeclaration(
    "figures", _columns("Figure"), rows=_figures
)
"""The published figures of a judge, from 0 to 1."""

CALIBRATION_EFFECTS: TableDeclaration[CalibrationView, JudgeFigure] = TableDeclaration(
    "effects", _columns("Effect"), rows=_effects
)
"""The effects of anything but content on a score, from 0 to 1."""


def _missed_samples(view: CalibrationView) -> list[CalibrationSample]:
    """The samples out of tolerance, worst first; on pages also those without a judgment."""
    missed = [
        one
        for one in view.result.samples
        if not one.passed and (view.in_points or one.score is not None)
    ]
    return sorted(missed, key=lambda one: -abs(_error(one, view)))


def _error(sample: CalibrationSample, view: CalibrationView) -> float:
    worst = 2.0 if view.in_points else 0.0
    return sample.error or worst


def _missed_title(view: CalibrationView) -> str:
    if view.in_points:
        return "Sample"
    missed = len(_missed_samples(view))
    return "Out of tolerance" + (
        f"\n(worst {MISSED_SHOWN} of {missed})" if missed > MISSED_SHOWN else ""
    )


def _sample_score(value: float | None, view: CalibrationView) -> str:
    return missing_figures.optional_score(value) if view.in_points else three_digits(value)


MISSED_SAMPLES: TableDeclaration[CalibrationView, CalibrationSample] = TableDeclaration(
    "missed",
    (
        TableColumn(
            name="id",
            value=lambda one, _: one.id,
            title=_missed_title,
            text=lambda one, _: sanitise(one.id),
            is_right=False,
        ),
        TableColumn(
            name="kind",
            value=lambda one, _: one.kind,
            title="Kind",
            text=lambda one, _: sanitise(one.kind),
            is_right=False,
            is_shown=lambda _, surface: surface is Surface.PAGE,
        ),
        TableColumn(
            name="score",
            value=lambda one, _: one.score,
            title="Given",
            text=lambda one, view: _sample_score(one.score, view),
        ),
        TableColumn(
            name="expected",
            value=lambda one, _: one.expected,
            title="Expected",
            text=lambda one, view: _sample_score(one.expected, view),
        ),
        TableColumn(
            name="tolerance",
            value=lambda one, _: one.tolerance,
            title=lambda view: "Tolerance" if view.in_points else "±",
            text=lambda one, view: (
                numbers.score(one.tolerance) if view.in_points else f"{one.tolerance:.2f}"
            ),
        ),
    ),
    rows=lambda view: _missed_samples(view)[:MISSED_SHOWN],
)
"""The samples farthest out of tolerance."""
