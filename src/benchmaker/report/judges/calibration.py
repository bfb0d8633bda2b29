"""A calibration as text, and as data for JSON."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from benchmaker.analysis.judges.calibration import CalibrationResult
from benchmaker.analysis.judges.calibration_effects import Effect
from benchmaker.analysis.judges.calibration_rating import Interpretation, interpret_calibration
from benchmaker.report.result_tables.calibration_figures import (
    CALIBRATION_EFFECTS,
    CALIBRATION_FIGURES,
    MISSED_SAMPLES,
    CalibrationView,
    HasInterval,
    interval_ends,
    three_digit_interval,
    three_digits,
)
from benchmaker.report.tables.numbers import money
from benchmaker.report.tables.sanitize import sanitise
from benchmaker.report.tables.table import wrap_paragraphs
from benchmaker.report.tables.width import WIDTH, wrap_whole


def calibration_text(result: CalibrationResult, *, width: int = WIDTH) -> str:
    """Return the rating, the published figures with intervals, the effects, and the misses."""
    said, view = interpret_calibration(result), CalibrationView(result)
    parts = [
        wrap_paragraphs(list(_head(result, said)), width),
        CALIBRATION_FIGURES.table(view).text(width=width),
    ]
    if CALIBRATION_EFFECTS.rows(view):
        parts.append(CALIBRATION_EFFECTS.table(view).text(width=width))
    if result.failures:
        parts.append(_failure_list(result, width))
    if MISSED_SAMPLES.rows(view):
        parts.append(MISSED_SAMPLES.table(view).text(width=width))
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
            "pass_rate": _listed_ends(at.pass_rate),
            "mean_absolute_error": _listed_ends(at.mean_absolute_error),
            "bias": _listed_ends(at.bias),
            "correlation": _listed_ends(at.correlation),
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
            "confidence95": _listed_ends(it.expected),
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


def _drift_notes(result: CalibrationResult) -> Iterator[str]:
    found = result.drift
    if found is None:
        return
    ends = three_digit_interval(interval_ends(found.bias))
    by = f"{three_digits(found.bias.mean, signed=True)} {ends}".strip()
    told = "scores have drifted" if found.has_drifted else "no significant drift"
    yield f"since {found.since[:16].replace('T', ' ')} UTC: {told} (change of bias {by})"


def _repeated_data(result: CalibrationResult) -> dict[str, Any] | None:
    again = result.repeat_agreement
    if again is None:
        return None
    return {
        "repeats": again.repeats,
        "within_sd": again.within_sd,
        "icc_1_1": {"value": again.one.value, "confidence95": _listed_ends(again.one)},
        "icc_1_k": {"value": again.mean.value, "confidence95": _listed_ends(again.mean)},
        "flip_rate": {"value": again.flips.share, "confidence95": _listed_ends(again.flips)},
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
            "confidence95": _listed_ends(place.first),
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
            "confidence95": _listed_ends(null.rewarded),
            "highest": null.highest,
            "worst": null.worst,
            "failed": null.failed,
        },
    }


def _effect_data(effect: Effect) -> dict[str, Any]:
    return {
        "difference": effect.mean and effect.mean.mean,
        "confidence95": _listed_ends(effect.mean),
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
        "confidence95": _listed_ends(found.bias),
        "passed_p_value": found.passed.p_value,
        "has_drifted": found.has_drifted,
        "left_out": found.left_out,
    }


def _listed_ends(found: HasInterval | None) -> list[float] | None:
    ends = interval_ends(found)
    return list(ends) if ends else None


def _bullet_list(head: str, items: list[str], width: int) -> str:
    lines = (wrap_whole(f"- {sanitise(item)}", width, subsequent_indent="  ") for item in items)
    return "\n".join([head, *chain.from_iterable(lines), ""])
