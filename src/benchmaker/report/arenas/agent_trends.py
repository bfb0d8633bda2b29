"""Changes of systems over time: text, Markdown, CSV and HTML."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, TextIO

from benchmaker.analysis.boards.agent_trends import LEAST_MATCHED, AgentTrend
from benchmaker.report.arenas.sections import ReportDocument, Section
from benchmaker.report.plots import plots
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.board_words import VALUE_NAMES, board_figure_text, day
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers
from benchmaker.report.tables.table import Column, Table, write_rows

CSV_COLUMNS: Final = (
    "system", "since", "mean", "n", "tasks", "slope_a_day", "slope_low", "slope_high", "change_at",
    "before", "after", "p_value", "alarm", "marker", "reason",
)  # fmt: skip


def agent_trends_report(
    made: Sequence[AgentTrend], *, profile: str, value: str, window_days: int
) -> ReportDocument:
    """Return the changes, and each system's windows over the common tasks."""
    return ReportDocument(
        title=f"{VALUE_NAMES[value]} over time",
        facts=(profile, f"windows of {numbers.count(window_days, 'day')}"),
        verdict=tuple(_verdict(made, value)),
        sections=(_overview(made, value), *(_windows(one, value) for one in made if one.windows)),
        legend=(
            (
                "Means and slope use only tasks that occur in every window of a system, with equal "
                "weights. Slope: Theil–Sen, per week."
            ),
            (
                "Change: the largest drift of residuals from each task's mean, tested by "
                "permutation; needs 20 matched submissions."
            ),
            "Submissions without an end time are excluded.",
        ),
    )


def write_agent_trends_csv(made: Sequence[AgentTrend], stream: TextIO) -> None:
    """A row for each window of every system."""
    write_rows(stream, CSV_COLUMNS, (row for one in made for row in _csv_rows(one)))


def _verdict(made: Sequence[AgentTrend], value: str) -> list[str]:
    said = [
        f"{name(one.system)} changed on {day(one.change.at_us)}: "
        f"{_difference(value, one.change.after - one.change.before)}"
        f"{f', after {name(one.change.marker)}' if one.change.marker else ''}."
        for one in made
        if one.change is not None and one.change.is_alarm
    ]
    return said or [_no_alarm_sentence(made)]


def _no_alarm_sentence(made: Sequence[AgentTrend]) -> str:
    """Return the sentence for no alarm, which covers only tested systems."""
    if not made:
        return "No submissions with an end time."
    tested = sum(one.change is not None for one in made)
    if not tested:
        most = max(one.matched for one in made)
        return (
            f"Too little data: a test needs {LEAST_MATCHED} matched submissions of one system, "
            f"{most} available."
        )
    if tested == len(made):
        return "No significant change."
    systems = numbers.count(len(made), "system")
    return f"No significant change in {tested} of {systems}; the others have too little data."


def _overview(made: Sequence[AgentTrend], value: str) -> Section:
    columns = (
        Column("System", is_right=False),
        Column("Windows"),
        Column("Tasks"),
        Column("Slope\na week"),
        Column("95% CI"),
        Column("Change", is_right=False),
        Column("p"),
        Column("Version markers", is_right=False, gives_way=True),
    )
    rows = tuple(
        (
            name(one.system),
            f"{len(one.windows)}",
            f"{one.tasks}",
            _difference(value, 7 * one.slope.slope) if one.slope else "no slope",
            _slope_interval(one, value),
            _change(one, value),
            missing_figures.optional_p_value(one.change.p_value if one.change else None),
            "; ".join(f"{day(it.at_us)} {name(it.text)}" for it in one.markers),
        )
        for one in made
    )
    reasons = tuple(
        f"{name(one.system)}: {'; '.join(why)}." for one in made if (why := _reasons(one))
    )
    return Section(Table(columns, rows), notes=reasons)


def _reasons(one: AgentTrend) -> list[str]:
    """Return the reasons for a missing slope or change, without full stops."""
    return [why.rstrip(".") for why in (one.slope_reason, one.change_reason) if why]


def _windows(one: AgentTrend, value: str) -> Section:
    columns = (
        Column("From", is_right=False),
        Column(VALUE_NAMES[value]),
        Column("n"),
        Column("Marker", is_right=False),
    )
    edges = [*(window.since_us for window in one.windows[1:]), None]
    rows = tuple(
        (
            day(window.since_us),
            board_figure_text(value, window.mean),
            f"{window.n:,}",
            "; ".join(
                name(it.text)
                for it in one.markers
                if window.since_us <= it.at_us and (end is None or it.at_us < end)
            ),
        )
        for window, end in zip(one.windows, edges, strict=True)
    )
    axis = plots.axis_over([window.mean for window in one.windows])
    drawn = tuple(plots.range_svg(axis, window.mean, None, "m1") for window in one.windows)
    return Section(
        Table(columns, rows, caption=name(one.system)), plots=drawn, axis=plots.axis_svg(axis)
    )


def _change(one: AgentTrend, value: str) -> str:
    if one.change is None:
        return "not tested"
    words = _difference(value, one.change.after - one.change.before)
    return f"{words} on {day(one.change.at_us)}" if one.change.is_alarm else "no change"


def _slope_interval(one: AgentTrend, value: str) -> str:
    if one.slope is None or one.slope.low is None or one.slope.high is None:
        return missing_figures.NO_INTERVAL
    low, high = _difference(value, 7 * one.slope.low), _difference(value, 7 * one.slope.high)
    return f"[{low}, {high}]"


def _difference(value: str, difference: float) -> str:
    sign = "+" if difference > 0 else numbers.MINUS if difference < 0 else ""
    return f"{sign}{board_figure_text(value, abs(difference))}"


def _csv_rows(one: AgentTrend) -> Iterator[dict[str, Any]]:
    change, slope = one.change, one.slope
    for window in one.windows:
        yield {
            "system": one.system,
            "since": day(window.since_us),
            "mean": window.mean,
            "n": window.n,
            "tasks": one.tasks,
            "slope_a_day": slope.slope if slope else None,
            "slope_low": slope.low if slope else None,
            "slope_high": slope.high if slope else None,
            "change_at": day(change.at_us) if change else None,
            "before": change.before if change else None,
            "after": change.after if change else None,
            "p_value": change.p_value if change else None,
            "alarm": change.is_alarm if change else None,
            "marker": change.marker if change else None,
            "reason": one.change_reason or one.slope_reason,
        }
