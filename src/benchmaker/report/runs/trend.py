"""A trend as text, Markdown and CSV."""

from dataclasses import replace
from typing import TextIO

from benchmaker.analysis.trends.points import SCORED_AGAIN
from benchmaker.analysis.trends.trend_results import ModelTrend, Trend
from benchmaker.redact import Redactor
from benchmaker.report.result_tables.trend_points import TREND_POINTS, ModelView
from benchmaker.report.sentences.notes import name
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.report.tables.sanitize import sanitise
from benchmaker.report.tables.table import Table, bullets, wrap_paragraphs, write_rows
from benchmaker.report.tables.width import WIDTH


def trend_text(
    trend: Trend, *, explain: bool = False, width: int = WIDTH, styled: bool = False
) -> str:
    """Return the changes with warnings, and the points of each model with their steps.

    With ``explain`` also why steps are not tested, and the methods.
    """
    tables = [
        points_table(trend, model).text(width=width, styled=styled)
        for model in trend.models
        if model.points
    ]
    verdict = [sanitise(sentence) for sentence in trend_verdict(trend)]
    explained = [*_reasons(trend), *trend_legend(trend)]
    below = explained if explain else ["Methods and notes: add --explain."]
    return "\n".join(
        [
            wrap_paragraphs([*verdict, *_warnings(trend)], width),
            *tables,
            wrap_paragraphs(below, width),
        ]
    )


def trend_markdown(trend: Trend) -> str:
    """The same for pull requests."""
    tables = [points_table(trend, model).markdown() for model in trend.models if model.points]
    return "\n".join(
        [
            bullets(sanitise(sentence) for sentence in trend_verdict(trend)),
            *tables,
            bullets([*trend_notes(trend), *trend_legend(trend)]),
        ]
    )


def write_trend_csv(trend: Trend, stream: TextIO, *, redactor: Redactor | None = None) -> None:
    """A row for each point with every figure in full, scores from 0 to 1; secrets taken out."""
    rows = (row for model in trend.models for row in TREND_POINTS.records(ModelView(trend, model)))
    write_rows(stream, TREND_POINTS.keys, rows, redactor=redactor)


def trend_verdict(trend: Trend) -> list[str]:
    """In one sentence, and each change in one more."""
    changes = [model.sentence(step) for model in trend.models for step in model.changes]
    return [trend.sentence, *changes]


def points_table(trend: Trend, model: ModelTrend) -> Table:
    """One model's means over time, each with its step."""
    return replace(TREND_POINTS.table(ModelView(trend, model)), caption=name(model.model))


def trend_notes(trend: Trend) -> list[str]:
    """Return warnings, other changes from point to point, and reasons for untested steps."""
    return [*_warnings(trend), *_reasons(trend)]


def _warnings(trend: Trend) -> list[str]:
    names = [model.model for model in trend.models]
    said = [sanitise(f"{capitalise(text, names)}.") for text in trend.warnings]
    for when, markers in _markers(trend).items():
        said.append(f"Changed with {when}: {', '.join(markers)}.")
    return said


def _reasons(trend: Trend) -> list[str]:
    """Why steps were not tested; a reason that more than a few models share is given once."""
    models: dict[str, list[str]] = {}
    for model in trend.models:
        for step in model.steps:
            if step.reason:
                why = f"{model.points[step.after].name}: {step.reason}"
                models.setdefault(why, []).append(model.model)
    said: list[str] = []
    for why, names in models.items():
        if len(names) > _FEW:
            said.append(f"{why}, for {names[0]} and {len(names) - 1} more.")
        else:
            said += [f"{one}, {why}." for one in names]
    return list(dict.fromkeys(map(sanitise, said)))


def trend_legend(trend: Trend) -> list[str]:
    """Return the points compared, and the method."""
    against = (
        f"from the baseline {name(trend.baseline[0])}"
        if trend.baseline
        else f"from the model's previous run{_FINISHED if _has_gaps(trend) else ''}"
    )
    return [
        f"Change: points (0–100) {against}, over the cases that both have.",
        *([_ORDER] if _has_rescored(trend) else []),
        f"Method: {trend.method}.",
    ]


_FEW = 3
"""Number of models that are named one by one with a shared reason."""

_FINISHED = " that is finished, if possible of the same version of the suite"

_ORDER = "Order: by start of the run; rescored answers follow their first scores."


def _has_gaps(trend: Trend) -> bool:
    """True if some points are compared with a point other than the previous one."""
    return any(step.after - step.before > 1 for model in trend.models for step in model.steps)


def _has_rescored(trend: Trend) -> bool:
    markers = (said for model in trend.models for one in model.points for said in one.markers)
    return any(said.endswith(SCORED_AGAIN) for said in markers)


def _markers(trend: Trend) -> dict[str, list[str]]:
    """Return the changes with each run, once for all models."""
    found: dict[str, list[str]] = {}
    for model in trend.models:
        for point in model.points:
            known = found.setdefault(name(point.name), [])
            known += [sanitise(marker) for marker in point.markers if sanitise(marker) not in known]
    return {when: markers for when, markers in found.items() if markers}
