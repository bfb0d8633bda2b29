from dataclasses import replace

from benchmaker.analysis.boards.agent_trends import AgentTrend, TrendWindow
from benchmaker.report.arenas.agent_trends import agent_trends_report

TOO_LITTLE = AgentTrend(
    system="cli",
    windows=(),
    slope=None,
    slope_reason="A trend needs three points.",
    change=None,
    change_reason="0 matched submissions, at least 20 are needed",
    tasks=1,
    matched=0,
    markers=(),
)


def windows(count):
    return tuple(TrendWindow(since_us=day * 86_400_000_000, mean=50.0, n=1) for day in range(count))


def followed(system, count):
    return replace(TOO_LITTLE, system=system, windows=windows(count))


def test_only_systems_with_two_windows_have_a_section_and_the_others_one_line():
    many = [followed(f"single-{at}", 1) for at in range(85)]
    told = agent_trends_report(
        [followed("a", 2), *many, followed("b", 3)],
        profile="classic/1",
        value="overall",
        window_days=7,
    )

    overview, *each = told.sections
    assert [row[0] for row in overview.table.rows] == ["a", "b"]
    assert [one.table.caption for one in each] == ["a", "b"]
    (note,) = told.notes
    assert note == (
        "No trend, since a trend needs two windows: 85 systems have fewer (single-0, single-1, "
        "single-2, single-3, single-4 and 80 more)."
    )
    assert [note.partition(":")[0] for note in overview.notes] == ["a, b"]


def test_why_there_is_no_trend_is_one_sentence():
    told = agent_trends_report(
        [followed("cli", 2)], profile="classic/1", value="overall", window_days=7
    )
    notes = [note for section in told.sections for note in section.notes]

    assert (
        "cli: A trend needs three points; 0 matched submissions, at least 20 are needed." in notes
    )
    assert not [note for note in notes if ".." in note or ".;" in note]


def test_where_no_change_was_looked_for_nothing_is_said_of_changes():
    told = agent_trends_report([TOO_LITTLE], profile="classic/1", value="overall", window_days=7)
    (said,) = told.verdict
    assert said == (
        "Too little data: a test needs 20 matched submissions of one system, 0 available."
    )
