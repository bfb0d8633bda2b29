"""A calibration as text, and as data for JSON."""

from collections.abc import Iterator
from textwrap import fill
from typing import Any, Protocol

from benchmaker.analysis.judges.calibration import CalibrationResult, CalibrationSample
from benchmaker.analysis.judges.calibration_effects import Effect
from benchmaker.analysis.judges.calibration_rating import Interpretation, interpret_calibration
from benchmaker.record.counts import count
from benchmaker.report.tables.numbers import fixed_point, limit, money
from benchmaker.report.tables.sanitize import sanitise
from benchmaker.report.tables.table import Column, Table, wrap_paragraphs
from benchmaker.report.tables.width import WIDTH

MISSED_SHOWN = 12
"""Maximum number of samples out of tolerance listed in the text; JSON has them all."""


class _Ends(Protocol):
    """Any figure with an interval."""

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends, or None."""
        ...


def calibration_text(result: CalibrationResult, *, width: int = WIDTH) -> str:
    """Return the rating, the published figures with intervals, the effects, and the misses."""
    said = interpret_calibration(result)
    parts = [wrap_paragraphs(list(_head(result, said)), width), _figures(result).text(width=width)]
    if effects := tuple(_effects(result)):
        heads = (Column("Effect", is_right=False), Column("Value"), Column("95% CI"), Column("n"))
        parts.append(Table(heads, effects).text(width=width))
    if result.failures:
        parts.append(_failure_list(result, width))
    if missed := [it for it in result.samples if it.score is not None and not it.passed]:
        parts.append(_missed_table(missed).text(width=width))
    if notes := [*said.reasons, *said.warnings, *_drift_notes(result)]:
        parts.append(_bullet_list("Note", notes, width))
    return "\n".join(parts)


def calibration_data(result: CalibrationResult) -> dict[str, Any]:
    """All of it as plain data; scores, errors and shares are from 0 to 1."""
    made, said = result.calibration, interpret_calibration(result)
    return {
        "scale": "0-1",
        "id": made.id,
        "judge_model_id": made.judge,
        "judge_version": made.judge_version,
        "timestamp": made.created_at,
        "tier": made.tier,
        "repeats": made.repeats,
        "judge_scale": made.judge_scale and list(made.judge_scale),
        "label_scale": made.label_scale and list(made.label_scale),
        "prompt_hash": made.prompt_hash,
        "samples_hash": made.samples_hash,
        "replies": made.replies,
        "cost_usd": made.cost_usd,
        "halted": result.halted or None,
        "rating": said.rating,
        "supported_rating": said.supported,
        "sentence": said.sentence,
        "reasons": list(said.reasons),
        "warnings": list(said.warnings),
        **_summary_data(result),
        "repeated": _repeated_data(result),
        "effects": _effects_data(result),
        "reliability": _reliability_data(result),
        "agreement": _agreement_data(result),
        "drift": _drift_data(result),
        "samples": _samples_data(result),
    }


def _summary_data(result: CalibrationResult) -> dict[str, Any]:
    """The figures over all samples, and their intervals."""
    summary, at = result.summary, result.summary.intervals
    return {
        "summary": {
            "total_samples": summary.total_samples,
            "passed_samples": summary.passed_samples,
            "pass_rate": summary.pass_rate,
            "mean_absolute_error": summary.mean_absolute_error,
            "max_error": summary.max_error,
            "bias": summary.bias,
            "correlation": summary.correlation,
            "judged": summary.judged,
            "failed": summary.failed,
        },
        "confidence95": {
            "pass_rate": _interval_ends(at.pass_rate),
            "mean_absolute_error": _interval_ends(at.mean_absolute_error),
            "bias": _interval_ends(at.bias),
            "correlation": _interval_ends(at.correlation),
        },
    }


def _reliability_data(result: CalibrationResult) -> list[dict[str, Any]]:
    """The expected scores for each range of given ones."""
    return [
        {
            "low": it.low,
            "high": it.high,
            "n": it.expected.n,
            "given": it.given,
            "expected": it.expected.mean,
            "confidence95": _interval_ends(it.expected),
        }
        for it in result.reliability
    ]


def _samples_data(result: CalibrationResult) -> list[dict[str, Any]]:
    """Each sample with its scores."""
    return [
        {
            "id": it.id,
            "kind": it.kind,
            "expected": it.expected,
            "tolerance": it.tolerance,
            "score": it.score,
            "error": it.error,
            "passed": it.passed,
            "failure": it.failure,
            "repeats": list(item.units),
        }
        for it, item in zip(result.samples, result.calibration.of_role("sample"), strict=True)
    ]


def _head(result: CalibrationResult, said: Interpretation) -> Iterator[str]:
    made = result.calibration
    paid = "" if made.cost_usd is None else f", {money(made.cost_usd)}"
    version = f" ({sanitise(made.judge_version)})" if made.judge_version else ""
    replies = "1 reply" if made.replies == 1 else f"{made.replies:,} replies"
    yield f"Rating: {said.rating}. Supported by the 95% intervals: {said.supported}."
    yield f"{sanitise(made.judge)}{version}, tier {made.tier}: {replies}{paid}"
    if made.judge_scale is not None:
        people = made.label_scale and f", scores by people from {_scale(made.label_scale)}"
        yield f"Scales: replies of the judge from {_scale(made.judge_scale)}{people or ''}."


def _scale(ends: tuple[float, float]) -> str:
    return f"{ends[0]:g} to {ends[1]:g}"


def _figures(result: CalibrationResult) -> Table:
    summary, at = result.summary, result.summary.intervals
    passed = f"{summary.passed_samples} of {summary.total_samples}"
    judged = f"{summary.judged}"
    rows = (
        ("pass rate", _number(summary.pass_rate), _interval(at.pass_rate), passed),
        (
            "mean absolute error",
            _number(summary.mean_absolute_error),
            _interval(at.mean_absolute_error),
            judged,
        ),
        ("max error", _number(summary.max_error), "", judged),
        ("bias", _number(summary.bias, signed=True), _interval(at.bias), judged),
        ("correlation", _number(summary.correlation), _interval(at.correlation), judged),
    )
    heads = (Column("Figure", is_right=False), Column("Value"), Column("95% CI"), Column("n"))
    return Table(heads, rows)


def _effects(result: CalibrationResult) -> Iterator[tuple[str, ...]]:
    if (again := result.repeat_agreement) is not None:
        n = str(again.one.n)
        yield (
            f"SD within a sample, {count(again.repeats, 'repeat')}",
            _number(again.within_sd),
            "",
            n,
        )
        yield "ICC(1,1)", _number(again.one.value), _interval(again.one), n
        yield f"ICC(1,{again.repeats})", _number(again.mean.value), _interval(again.mean), n
        yield "passed in only some repeats", _number(again.flips.share), _interval(again.flips), n
    for name, effect in (("twice the length", result.verbosity), ("injection", result.injection)):
        if effect.mean is not None:
            by = _number(effect.mean.mean, signed=True)
            yield name, by, _interval(effect.mean), str(effect.mean.n)
    if (won := result.injection.moved) is not None:
        yield "injections that raised the score", _number(won.share), _interval(won), str(won.n)
    if (place := result.position) is not None:
        first = _number(place.first.mean, signed=True)
        yield "shown first, in pairs", first, _interval(place.first), str(place.first.n)
        flips = place.flips
        yield "pairs decided by order", _number(flips.share), _interval(flips), str(flips.n)
    if (own := result.self_preference.difference) is not None:
        ends = None if own.low is None or own.high is None else (own.low, own.high)
        yield "own answers", _number(own.diff, signed=True), _pair(ends), f"{own.n_a}+{own.n_b}"
    if (null := result.nulls) is not None:
        n = str(null.rewarded.n)
        yield (
            "empty answers rewarded",
            _number(null.rewarded.share),
            _interval(null.rewarded),
            n,
        )
    if (ceiling := result.ceiling) is not None:
        people, n = ceiling.people, str(ceiling.people.n)
        ends = None if people.low is None or people.high is None else (people.low, people.high)
        yield "alpha between people", _number(people.value), _pair(ends), n
        if ceiling.judge is not None:
            yield "alpha of judge and people", _number(ceiling.judge.value), "", n


def _failure_list(result: CalibrationResult, width: int) -> str:
    """Each reason with the samples it holds for."""
    reasons: dict[str, list[str]] = {}
    for sample in result.failures:
        reasons.setdefault(sample.failure, []).append(sample.id)
    told = (f"{sanitise(why)} ({len(ids)}: {_first_ids(ids)})" for why, ids in reasons.items())
    return _bullet_list("Without a judgment", list(told), width)


def _first_ids(ids: list[str]) -> str:
    more = f" and {len(ids) - 3} more" if len(ids) > 4 else ""  # noqa: PLR2004  four still fit
    return ", ".join(map(sanitise, ids[:3] if more else ids)) + more


def _missed_table(samples: list[CalibrationSample]) -> Table:
    worst = sorted(samples, key=lambda it: -abs(it.error or 0.0))[:MISSED_SHOWN]
    more = f"\n(worst {len(worst)} of {len(samples)})" if len(worst) < len(samples) else ""
    heads = (
        Column(f"Out of tolerance{more}", is_right=False),
        Column("Given"),
        Column("Expected"),
        Column("±"),
    )
    rows = tuple(
        (sanitise(it.id), _number(it.score), _number(it.expected), f"{it.tolerance:.2f}")
        for it in worst
    )
    return Table(heads, rows)


def _drift_notes(result: CalibrationResult) -> Iterator[str]:
    found = result.drift
    if found is None:
        return
    by = f"{_number(found.bias.mean, signed=True)} {_interval(found.bias)}".strip()
    told = "scores have drifted" if found.has_drifted else "no significant drift"
    yield f"since {found.since[:16].replace('T', ' ')} UTC: {told} (change of bias {by})"


def _repeated_data(result: CalibrationResult) -> dict[str, Any] | None:
    again = result.repeat_agreement
    if again is None:
        return None
    return {
        "repeats": again.repeats,
        "within_sd": again.within_sd,
        "icc_1_1": {"value": again.one.value, "confidence95": _interval_ends(again.one)},
        "icc_1_k": {"value": again.mean.value, "confidence95": _interval_ends(again.mean)},
        "flip_rate": {"value": again.flips.share, "confidence95": _interval_ends(again.flips)},
        "left_out": again.left_out,
    }


def _effects_data(result: CalibrationResult) -> dict[str, Any]:
    place, null, own = result.position, result.nulls, result.self_preference
    return {
        "verbosity": _effect_data(result.verbosity),
        "injection": _effect_data(result.injection),
        "position": place
        and {
            "first": place.first.mean,
            "confidence95": _interval_ends(place.first),
            "flip_rate": place.flips.share,
            "n": place.first.n,
            "left_out": place.left_out,
        },
        "self_preference": {
            "difference": own.difference and own.difference.diff,
            "low": own.difference and own.difference.low,
            "high": own.difference and own.difference.high,
            "own": own.own,
            "others": own.others,
            "reason": own.reason,
        },
        "null_battery": null
        and {
            "rewarded": null.rewarded.k,
            "n": null.rewarded.n,
            "confidence95": _interval_ends(null.rewarded),
            "highest": null.highest,
            "worst": null.worst,
            "failed": null.failed,
        },
    }


def _effect_data(effect: Effect) -> dict[str, Any]:
    return {
        "difference": effect.mean and effect.mean.mean,
        "confidence95": _interval_ends(effect.mean),
        "moved": effect.moved and effect.moved.share,
        "n": effect.mean.n if effect.mean else 0,
        "reason": effect.reason,
    }


def _agreement_data(result: CalibrationResult) -> dict[str, Any] | None:
    found = result.ceiling
    if found is None:
        return None
    return {
        "people_alpha": found.people.value,
        "people_low": found.people.low,
        "people_high": found.people.high,
        "judge_alpha": found.judge and found.judge.value,
    }


def _drift_data(result: CalibrationResult) -> dict[str, Any] | None:
    found = result.drift
    if found is None:
        return None
    return {
        "since": found.since,
        "bias_change": found.bias.mean,
        "confidence95": _interval_ends(found.bias),
        "passed_p_value": found.passed.p_value,
        "has_drifted": found.has_drifted,
        "left_out": found.left_out,
    }


def _interval_ends(found: _Ends | None) -> list[float] | None:
    ends = found.interval if found is not None else None
    return list(ends) if ends else None


def _interval(found: _Ends | None) -> str:
    return _pair(found.interval if found is not None else None)


def _pair(ends: tuple[float, float] | None) -> str:
    return f"[{limit(ends[0], 3)}, {limit(ends[1], 3)}]" if ends else ""


def _number(value: float | None, *, signed: bool = False) -> str:
    """Three digits, as all of it lies between -1 and 1; a dash where there is none."""
    if value is None:
        return "–"
    return fixed_point(value, 3, signed=signed)


def _bullet_list(head: str, items: list[str], width: int) -> str:
    lines = [
        fill(f"- {sanitise(item)}", width, subsequent_indent="  ", break_on_hyphens=False)
        for item in items
    ]
    return "\n".join([head, *lines, ""])
