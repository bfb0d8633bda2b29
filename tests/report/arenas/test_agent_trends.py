from benchmaker.analysis.boards.agent_trends import AgentTrend
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


def test_why_there_is_no_trend_is_one_sentence():
    told = agent_trends_report([TOO_LITTLE], profile="classic/1", value="overall", window_days=7)
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
