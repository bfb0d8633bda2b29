"""A trend as text, Markdown and CSV."""

from typing import TextIO

from benchmaker.analysis.metric import FigureName
from benchmaker.analysis.trends.points import SCORED_AGAIN
from benchmaker.analysis.trends.trend_results import ModelTrend, Trend, TrendPoint, TrendStep
from benchmaker.report.result_tables.comparisons import SHORT, difference_interval
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.figure_words import WORDS, figure_text
from benchmaker.report.sentences.notes import name
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.report.tables import numbers
from benchmaker.report.tables.sanitize import sanitise
from benchmaker.report.tables.table import Column, Table, bullets, wrap_paragraphs, write_rows
from benchmaker.report.tables.width import WIDTH

CSV_COLUMNS = (
    "model", "figure", "run_ids", "at", "mean", "low", "high", "n_cases", "markers",
    "compared_with", "diff", "diff_low", "diff_high", "p_value", "p_adjusted", "test", "change",
    "reason",
)  # fmt: skip

_WITHOUT_STEPS = 5
_WORDS = {
    "higher": "higher",
    "lower": "lower",
    "not_told_apart": "not significant",
    "not_tested": "not tested",
}


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


def write_trend_csv(trend: Trend, stream: TextIO) -> None:
    """A row for each point with every figure in full, scores from 0 to 1."""
    rows = (
        _csv_row(model, point, at) | {"figure": trend.figure}
        for model in trend.models
        for at, point in enumerate(model.points)
    )
    write_rows(stream, CSV_COLUMNS, rows)


def trend_verdict(trend: Trend) -> list[str]:
    """In one sentence, and each change in one more."""
    changes = [model.sentence(step) for model in trend.models for step in model.changes]
    return [trend.sentence, *changes]


def points_table(trend: Trend, model: ModelTrend) -> Table:
    """One model's means over time, each with its step."""
    level = f"{100 * trend.level:g}% CI"
    columns = (
        Column("Run", is_right=False),
        Column("Started", is_right=False, gives_way=2),
        Column(WORDS[trend.figure].narrow_column),
        Column(f"{level}\ncases"),
        Column("Cases", gives_way=3),
        Column("Change"),
        Column("p\nadjusted", gives_way=4),
        Column("Verdict", is_right=False, gives_way_last=True),
        Column(f"Change\n{trend.ci_name}"),
        Column("Test", is_right=False, gives_way=1),
    )
    shown = columns if model.steps else columns[:_WITHOUT_STEPS]
    rows = tuple(
        _row(model, point, at, trend.figure)[: len(shown)] for at, point in enumerate(model.points)
    )
    return Table(shown, rows, caption=name(model.model))


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
    reasons = dict.fromkeys(
        sanitise(f"{model.model}, {model.points[step.after].run_ids[0]}: {step.reason}.")
        for model in trend.models
        for step in model.steps
        if step.reason
    )
    return list(reasons)


def trend_legend(trend: Trend) -> list[str]:
    """Return the points compared, and the method."""
    against = (
        f"from the baseline {name(trend.baseline[0])}"
        if trend.baseline
        else f"from the model's previous run{_ALIKE if _has_gaps(trend) else ''}"
    )
    return [
        f"Change: points (0–100) {against}, over the cases that both have.",
        *([_ORDER] if _has_rescored(trend) else []),
        f"Method: {trend.method}.",
    ]


_ALIKE = " with the same version of the suite and of the profile"

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
            known = found.setdefault(name(point.run_ids[0]), [])
            known += [sanitise(marker) for marker in point.markers if sanitise(marker) not in known]
    return {when: markers for when, markers in found.items() if markers}


def step_to(model: ModelTrend, at: int) -> TrendStep | None:
    """The step that leads to this point, if any."""
    return next((step for step in model.steps if step.after == at), None)


def _row(model: ModelTrend, point: TrendPoint, at: int, figure: FigureName) -> tuple[str, ...]:
    return (
        f"{name(point.run_ids[0])}{_more_runs(point)}",
        point.at[:16].replace("T", " "),
        figure_text(point.mean, figure),
        difference_interval(point.low, point.high),
        f"{point.n_cases:,}",
        *_step_cells(step_to(model, at)),
    )


def _more_runs(point: TrendPoint) -> str:
    rest = len(point.run_ids) - 1
    return f" and {rest} more" if rest else ""


def _step_cells(step: TrendStep | None) -> tuple[str, ...]:
    if step is None:
        return ("", "", "", "", "")
    return (
        missing_figures.NOT_TESTED if step.diff is None else numbers.difference(step.diff),
        missing_figures.optional_p_value(step.p_adjusted),
        _WORDS[step.change],
        difference_interval(step.low, step.high),
        SHORT.get(step.test, missing_figures.NOT_TESTED),
    )


def _csv_row(model: ModelTrend, point: TrendPoint, at: int) -> dict[str, object]:
    step = step_to(model, at)
    return {
        "model": model.model,
        "run_ids": point.run_ids,
        "at": point.at,
        "mean": point.mean,
        "low": point.low,
        "high": point.high,
        "n_cases": point.n_cases,
        "markers": point.markers,
        "compared_with": model.points[step.before].run_ids if step else None,
        "diff": step.diff if step else None,
        "diff_low": step.low if step else None,
        "diff_high": step.high if step else None,
        "p_value": step.p_value if step else None,
        "p_adjusted": step.p_adjusted if step else None,
        "test": step.test if step else None,
        "change": step.change if step else None,
        "reason": step.reason if step else point.reason,
    }
