"""Checks if scores look like those of another scale than the declared one."""

from collections.abc import Iterator, Sequence

from benchmaker.record.calibration import Calibration

Ends = tuple[float, float]

_FEW = 3
_ROUNDING = 1e-6


def likelier_scale(values: Sequence[float], scale: Ends) -> Ends | None:
    """The usual scale that scores fit better than their own; None where theirs may well be right.

    Known are 0 to 1 (fractions among them), 1 to 5 (whole numbers alone) and, where the scale
    reaches 100, 0 to 10. All values must lie within, differ, and be three or more.

    >>> likelier_scale([1, 4, 5, 3], (0, 10))
    (1.0, 5.0)
    >>> likelier_scale([1, 4, 8, 3], (0, 10)) is None
    True
    """
    low, high = min(values, default=0.0), max(values, default=0.0)
    if len(values) < _FEW or low == high:
        return None
    is_whole = all(abs(value - round(value)) < _ROUNDING for value in values)
    if scale[1] >= 10 and low >= 0 and high <= 1 and not is_whole:  # noqa: PLR2004  past 1 to 5
        return 0.0, 1.0
    if scale[1] >= 10 and low >= 1 and high <= 5 and is_whole:  # noqa: PLR2004  marks of 1 to 5
        return 1.0, 5.0
    if scale[1] >= 100 and low >= 0 and high <= 10:  # noqa: PLR2004  percent and marks of 10
        return 0.0, 10.0
    return None


def scale_warnings(calibration: Calibration) -> Iterator[str]:
    """Yield warnings about replies or human scores that look like those of another scale.

    Empty for calibrations stored without their scales.
    """
    samples = calibration.of_role("sample")
    if calibration.judge_scale is not None:
        units = [unit for item in samples for unit in item.units]
        yield from _scale_warnings("judge scores", units, calibration.judge_scale, "--judge-scale")
    if calibration.label_scale is not None:
        units = [unit for item in samples for unit in item.ratings]
        yield from _scale_warnings("human scores", units, calibration.label_scale, "--label-scale")


def _scale_warnings(
    what: str, units: Sequence[float | None], scale: Ends, option: str
) -> Iterator[str]:
    low, high = scale
    values = [low + unit * (high - low) for unit in units if unit is not None]
    likely = likelier_scale(values, scale)
    if likely is None:
        return
    whole = "whole numbers" if likely == (1.0, 5.0) else "numbers"
    yield (
        f"all {len(values):,} {what} are {whole} from {likely[0]:g} to {likely[1]:g}, "
        f"but were read on a scale from {low:g} to {high:g}; if that is not the scale they were "
        f"given on, calibrate again with {option} {likely[0]:g} {likely[1]:g}"
    )
