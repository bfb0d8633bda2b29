"""The cheapest setup within a margin of the best, as sentences, text and Markdown."""

from benchmaker.analysis.comparison.within_margin import WithinMargin
from benchmaker.record.counts import count
from benchmaker.report.result_tables.levels import WITHIN_MARGIN
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import Surface
from benchmaker.report.tables.sanitize import sanitise
from benchmaker.report.tables.table import Table, bullets


def within_margin_sentence(made: WithinMargin | None) -> list[str]:
    """The cheapest within the margin, which answers the question of a margin; empty without one."""
    return [numbers.with_minus(sanitise(made.sentence))] if made else []


def within_margin_tables(made: WithinMargin | None) -> list[Table]:
    """Every setup with cost and score; empty without a margin."""
    return [] if made is None else [WITHIN_MARGIN.table(made)]


def within_margin_markdown(made: WithinMargin | None) -> list[str]:
    """Sentence, table and notes for pull requests, above the pairs; empty without a margin."""
    if made is None:
        return []
    return [
        f"**{bullets(within_margin_sentence(made))[2:].rstrip()}**\n",
        WITHIN_MARGIN.table(made, Surface.MARKDOWN).markdown(),
        bullets(within_margin_notes(made)),
    ]


def within_margin_claim(made: WithinMargin | None) -> list[str]:
    """The meaning of "within" and its error rate; empty if nothing is shown to be within."""
    if made is None or not made.within:
        return []
    meaning = "shown not to be worse than the best by that much"
    error = f"a probability of error of {100 * (1 - made.level):g}% over all {made.noun}s"
    return [f"Within {100 * made.margin:g} points: {meaning}, with {error}."]


def within_margin_notes(made: WithinMargin | None) -> list[str]:
    """The claim, the cases, the method, and why setups are not tested; empty without a margin."""
    if made is None:
        return []
    untested = {one.reason for one in made.setups if one.reason}
    return [
        *within_margin_claim(made),
        *WITHIN_MARGIN.legend(made, Surface.TERMINAL),
        f"Over {count(made.n_cases, 'case')} scored for all. Method: {made.method}.",
        *(f"Not tested: {reason}." for reason in sorted(untested)),
    ]
