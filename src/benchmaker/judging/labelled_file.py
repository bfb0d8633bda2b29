"""Answers rated by people, as a set of samples."""

import math
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmaker.errors import Finding, SpecError
from benchmaker.judging.samples import Sample, SampleSet
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.rows import DataRow, read_rows

_ANSWERS = ("answer", "output", "response")
_QUESTIONS = ("question", "prompt", "input")
_REFERENCES = ("reference", "expected")
_AUTHORS = ("author", "model")
_RATERS = ("score", "human", "rating")
"""A column of one of these names, or that begins with one and an underscore, is a rater."""

_FORM = "Give each line id, answer and score; question, reference and author are optional."


def read_labels(
    path: str | Path,
    *,
    scale: tuple[float, float] = (0.0, 1.0),
    tolerance: float = 0.1,
    limits: Limits | None = None,
) -> SampleSet:
    """Read the samples of a file of JSON lines, a JSON array, or CSV, plain or gzipped.

    A line holds ``id``, ``answer`` and ``score``; and optionally ``question``, ``reference`` and
    ``author``. Scores of several people are a list in ``scores``, or columns such as ``human_ann``
    and ``score_2``; their mean is expected. The first question, if any, also gets the answers
    without content.

    Args:
        path: the file.
        scale: the lowest and the highest score that people could give.
        tolerance: permitted distance of the judge, as a share of the scale.
        limits: limits of the file's size.

    Raises:
        SpecError: all faults together: a line with a missing field, a score outside the
            scale, an id that occurs twice.
    """
    _check(scale, tolerance)
    limits = limits or Limits()
    findings = Findings(limits.findings)
    samples: dict[str, Sample] = {}
    for row in read_rows(Path(path), limits=limits, report=findings.take):
        try:
            sample = _sample(row, scale, tolerance)
            _refuse_second(sample, samples)
            samples[sample.id] = sample
        except SpecError as exc:
            findings.put(Finding(str(path), row.number, 1, exc.message, exc.hint))
    findings.raise_if_any()
    if not samples:
        raise SpecError("the file has no rated answers.", where=str(path), hint=_FORM)
    with_question = [sample for sample in samples.values() if sample.question]
    return SampleSet(
        tier="human", samples=tuple(samples.values()), nulls=tuple(with_question[:1]), scale=scale
    )


def _check(scale: tuple[float, float], tolerance: float) -> None:
    if not (all(map(math.isfinite, scale)) and scale[0] < scale[1]):
        raise SpecError(f"a scale must go from a lower to a higher number, not {scale}.")
    if not 0 < tolerance <= 1:
        raise SpecError(f"a tolerance must be a share of the scale, not {tolerance:g}.")


def _refuse_second(sample: Sample, samples: dict[str, Sample]) -> None:
    if sample.id in samples:
        raise SpecError(f"duplicate id {sample.id!r}.", hint="Give each answer a unique id.")


def _sample(row: DataRow, scale: tuple[float, float], tolerance: float) -> Sample:
    values = row.values
    answer = _text(values, _ANSWERS)
    name = values.get("id")
    if answer is None or name in (None, ""):
        raise SpecError(f"missing {'answer' if answer is None else 'id'}.", hint=_FORM)
    ratings = tuple(_unit(it, scale) for it in _ratings(values))
    known = [it for it in ratings if it is not None]
    if not known:
        raise SpecError("this answer has no rating.", hint=_FORM)
    return Sample(
        id=str(name),
        kind=str(values.get("kind") or ""),
        question=_text(values, _QUESTIONS) or "",
        reference=_text(values, _REFERENCES),
        text=answer,
        expected=fmean(known),
        tolerance=tolerance,
        author=_text(values, _AUTHORS) or "",
        ratings=ratings,
    )


def _text(values: dict[str, Any], names: tuple[str, ...]) -> str | None:
    """The first that is there."""
    for name in names:
        value = values.get(name)
        if value is not None:
            return value if isinstance(value, str) else str(value)
    return None


def _ratings(values: dict[str, Any]) -> Iterator[object]:
    several = values.get("scores")
    if isinstance(several, list):
        yield from several
    for name, value in values.items():
        if name.partition("_")[0] in _RATERS:
            yield value


def _unit(value: object, scale: tuple[float, float]) -> float | None:
    """From 0 to 1; None for a gap."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    try:
        number = float(str(value)) if not isinstance(value, bool) else math.nan
    except ValueError:
        number = math.nan
    low, high = scale
    if not low <= number <= high:
        raise SpecError(
            f"the score {value!r} is not a number from {low:g} to {high:g}.",
            hint="Set the scale of the scores with: --label-scale LOW HIGH",
        )
    return (number - low) / (high - low)
