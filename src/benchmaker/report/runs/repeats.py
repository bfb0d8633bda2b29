"""The section on repeats: shares over cases, flaky cases, and their meaning."""

from dataclasses import replace

from benchmaker.analysis import Summary
from benchmaker.record.counts import count
from benchmaker.record.run import FULL_RUNS
from benchmaker.report.result_tables.repeats import (
    FLAKY_CASES,
    REPEATS,
    flaky_rows,
    model_repeats,
)
from benchmaker.report.tables.declaration import Surface
from benchmaker.report.tables.table import Table, wrap_paragraphs

TITLE = "Repeats"

LISTED = 5
"""Number of flaky cases listed without being asked for."""

LEGEND = (
    "pass@k: probability that at least one of k runs of a case is right; pass^k: that all are.",
    "A run is right if it has the full score.",
    "Majority: share of cases of which most runs are right; a tie counts one half.",
    "Flaky: the runs of the case differ in score. Share: right runs, with Wilson's interval.",
)


def repeats_text(
    summary: Summary, *, width: int, styled: bool, is_full: bool, explained_by: str = ""
) -> str:
    """Return the section for the terminal; empty without repeats.

    Without flaky cases it is one sentence, unless ``is_full``.
    """
    if not model_repeats(summary):
        return ""
    if not flaky_rows(summary) and not is_full:
        return wrap_paragraphs([_equal_scores(summary)], width)
    shares = REPEATS.table(summary).text(width=width, styled=styled)
    flaky = flaky_table(summary, is_full=is_full)
    cases = f"\n{flaky.grid_text(width=width, styled=styled)}\n" if flaky.rows else ""
    said = [*(LEGEND if is_full else ()), *repeats_notes(summary)]
    more = "" if is_full else _more(summary, explained_by)
    return f"{TITLE}\n{shares}{cases}{wrap_paragraphs([*said, more], width)}"


def repeats_markdown(summary: Summary) -> str:
    """Return the section in Markdown; empty without repeats."""
    if not model_repeats(summary):
        return ""
    tables = [REPEATS.table(summary, Surface.MARKDOWN).markdown()]
    flaky = flaky_table(summary, surface=Surface.MARKDOWN)
    tables += [flaky.markdown()] if flaky.rows else []
    said = [f"- {it}" for it in (*LEGEND, *repeats_notes(summary), _more(summary, "")) if it]
    return "\n".join([f"## {TITLE}\n", *tables, *said, ""])


def flaky_table(
    summary: Summary, *, surface: Surface = Surface.TERMINAL, is_full: bool = False
) -> Table:
    """Return the most undecided of the flaky cases, or all of them."""
    table = FLAKY_CASES.table(summary, surface)
    return table if is_full else replace(table, rows=table.rows[:LISTED])


def repeats_notes(summary: Summary) -> list[str]:
    """Return the runs behind the figures, where later runs repeat uncertain cases only."""
    if not summary.repeat_runs:
        return []
    last = len(summary.run_ids)
    first = FULL_RUNS + 1
    which = f"Run {first} repeats" if last == first else f"Runs {first} to {last} repeat"
    return [
        f"{which} only the cases whose first two scores differ.",
        "Means, intervals, SD, pass@k and pass^k are those of the first two runs.",
        "Over all runs they would be biased. Majority and flaky cases count all runs.",
    ]


def _equal_scores(summary: Summary) -> str:
    made = [row.repeats.counts.first_n for row in model_repeats(summary)]
    most = max(int(counts.max()) for counts in made)
    up_to = "" if min(int(counts.min()) for counts in made) == most else "up to "
    return f"{TITLE}: no case differs in score over {up_to}{count(most, 'run')}."


def _more(summary: Summary, explained_by: str) -> str:
    """The number of flaky cases that are not listed; the last line names the command for all."""
    left = len(flaky_rows(summary)) - LISTED
    if left <= 0:
        return ""
    verb = "is" if left == 1 else "are"
    how = f": {explained_by}" if explained_by else "."
    return f"{count(left, 'more flaky case')} {verb} not listed{how}"
