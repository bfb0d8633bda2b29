"""Changes of systems over time: text, Markdown, CSV and HTML."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, TextIO

from benchmaker.analysis.boards.agent_trends import LEAST_MATCHED, AgentTrend
from benchmaker.record.counts import count
from benchmaker.report.arenas.sections import ReportDocument, Section
from benchmaker.report.plots import plots
from benchmaker.report.result_tables.agent_trends import (
    AGENT_TRENDS,
    TREND_WINDOWS,
    TrendsView,
    difference_text,
)
from benchmaker.report.sentences.board_words import VALUE_NAMES, day
from benchmaker.report.sentences.notes import name

_LEAST_WINDOWS: Final = 2
_MOST_NAMED: Final = 5


def agent_trends_report(
    made: Sequence[AgentTrend], *, profile: str, value: str, window_days: int
) -> ReportDocument:
    """Return the changes, and the windows of each system with at least two.

    A system with one window is in the overview if it was tested for a change. A note counts the
    systems with neither, and names the first ones.
    """
    followed = [one for one in made if _has_windows(one) or one.change is not None]
    sections = [_overview(followed, value)] if followed else []
    return ReportDocument(
        title=f"{VALUE_NAMES[value]} over time",
        facts=(profile, f"windows of {count(window_days, 'day')}"),
        verdict=tuple(_verdict(made, value)),
        sections=(*sections, *(_windows(one, value) for one in followed if _has_windows(one))),
        notes=_without_trend([one for one in made if one not in followed]),
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
    TREND_WINDOWS.write_csv(TrendsView(made), stream)


def _verdict(made: Sequence[AgentTrend], value: str) -> list[str]:
    said = [
        f"{name(one.system)} changed on {day(one.change.at_us)}: "
        f"{difference_text(value, one.change.after - one.change.before)}"
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
    systems = count(len(made), "system")
    return f"No significant change in {tested} of {systems}; the others have too little data."


def _overview(made: Sequence[AgentTrend], value: str) -> Section:
    by_reason = defaultdict[str, list[str]](list)
    for one in made:
        if why := _reasons(one):
            by_reason["; ".join(why)].append(one.system)
    reasons = tuple(f"{_few_names(systems)}: {why}." for why, systems in by_reason.items())
    return Section(AGENT_TRENDS.table(TrendsView(made, value)), notes=reasons)


def _has_windows(one: AgentTrend) -> bool:
    return len(one.windows) >= _LEAST_WINDOWS


def _without_trend(made: Sequence[AgentTrend]) -> tuple[str, ...]:
    """Return the note on the systems whose submissions are all in one window."""
    if not made:
        return ()
    systems = count(len(made), "system")
    verb = "has" if len(made) == 1 else "have"
    named = _few_names([one.system for one in made])
    return (f"No trend, since a trend needs two windows: {systems} {verb} fewer ({named}).",)


def _few_names(systems: Sequence[str]) -> str:
    """Return the first names, and the number of the others."""
    named = ", ".join(map(name, systems[:_MOST_NAMED]))
    more = len(systems) - _MOST_NAMED
    return f"{named} and {more:,} more" if more > 0 else named


def _reasons(one: AgentTrend) -> list[str]:
    """Return the reasons for a missing slope or change, without full stops."""
    return [why.rstrip(".") for why in (one.slope_reason, one.change_reason) if why]


def _windows(one: AgentTrend, value: str) -> Section:
    axis = plots.axis_over([window.mean for window in one.windows])
    return Section(
        TREND_WINDOWS.table(TrendsView((one,), value)),
        plots=tuple(plots.range_svg(axis, window.mean, None, "m1") for window in one.windows),
        axis=plots.axis_svg(axis),
    )
