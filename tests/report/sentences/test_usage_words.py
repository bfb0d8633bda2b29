"""What is said about sums of usage."""

from benchmaker.analysis.usage.session_usage import ExcludedUsage, UsageRow, UsageTable
from benchmaker.report.sentences.usage_words import cost_sums, outside_window, sessions_in_several
from benchmaker.report.tables.numbers import money


def test_the_parts_of_the_sum_in_the_table_add_up_to_it():
    row = UsageRow("total", cost_usd=6.33, reported_usd=5.30, computed_usd=6.36)
    said = cost_sums(row, money)
    assert said.startswith("Of the $6.33, $5.30 is reported by the tools; $1.03 is computed")


def test_one_sum_alone_needs_no_words():
    assert not cost_sums(UsageRow("total", cost_usd=6.36, computed_usd=6.36), money)
    both = UsageRow("total", cost_usd=6.30, reported_usd=6.30, computed_usd=6.36)
    assert not cost_sums(both, money)


def test_usage_without_a_time_is_counted():
    left_out = ExcludedUsage(sessions_without_time=2, tokens_without_time=3310)
    said = outside_window(left_out, money)
    assert said.endswith(": 2 sessions without a time (3,310 tokens, cost unknown).")
    assert not outside_window(ExcludedUsage(), money)


def test_sessions_of_several_groups_are_noted():
    rows = (UsageRow("a", sessions=2), UsageRow("b", sessions=1))
    split = UsageTable("day", rows, UsageRow("total", sessions=2), {})
    note = "A session over several days counts in each of them, and once in the total."
    assert sessions_in_several(split) == note
    assert sessions_in_several(UsageTable("day", rows, UsageRow("total", sessions=3), {})) == ""
