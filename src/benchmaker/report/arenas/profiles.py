"""Scoring profiles, and two of them compared; as text, Markdown, CSV and HTML."""

from collections.abc import Iterator, Sequence
from typing import TextIO

from benchmaker.analysis.boards.profile_comparison import ProfileComparison
from benchmaker.record.counts import count
from benchmaker.report.arenas.sections import ReportDocument, Section
from benchmaker.report.result_tables.scoring_profiles import (
    GAMING,
    MOVES,
    PROFILES,
    QUALITIES,
    WEIGHTS,
)
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers
from benchmaker.spec.tasks.agentic_profile import AgenticProfile


def profiles_report(listed: Sequence[tuple[AgenticProfile, str]]) -> ReportDocument:
    """Every profile with its state."""
    return ReportDocument(title="Scoring profiles", sections=(Section(PROFILES.table(listed)),))


def profile_report(document: AgenticProfile, state: str) -> ReportDocument:
    """One profile: its weights and its rules."""
    evidence = ", ".join(level.replace("_", "-") for level in document.evidence)
    return ReportDocument(
        title=document.id,
        facts=(document.family, state),
        verdict=(document.description,) if document.description else (),
        sections=(Section(WEIGHTS.table(document)),),
        legend=(
            f"Tokens: {document.tokens.replace('_', '-')}. Policy: {document.policy}.",
            *_missing_rule(document),
            f"Ranked evidence: {evidence}.",
            (
                f"Provisional: a system with fewer than {document.least_submissions} evaluated "
                f"submissions, a board with fewer than {document.least_systems} systems."
            ),
            "A task's own weights take precedence.",
        ),
    )


def _missing_rule(document: AgenticProfile) -> tuple[str, ...]:
    if document.family == "classic":
        return ()
    if document.missing == "left_out":
        return ("Missing figures are ignored.",)
    return ("A missing figure that counts on its task turns the score into a range.",)


def profile_comparison_report(made: ProfileComparison, submissions: int) -> ReportDocument:
    """Return the agreement of both, their quality, and the systems that move."""
    a, b = made.a.profile, made.b.profile
    return ReportDocument(
        title=f"{a} and {b}",
        facts=(
            count(submissions, "submission"),
            f"{count(made.common, 'system')} ranked by both",
        ),
        verdict=tuple(_agreement(made)),
        sections=tuple(
            Section(table)
            for table in (QUALITIES.table(made), GAMING.table(made), MOVES.table(made))
            if table.rows
        ),
        notes=tuple(_ranked_by_one(made)),
        legend=tuple(_legend(made)),
    )


def write_moves_csv(made: ProfileComparison, stream: TextIO) -> None:
    """A row for each system that moves beyond the rank intervals."""
    MOVES.write_csv(made, stream)


def _agreement(made: ProfileComparison) -> list[str]:
    if made.tau is None:
        return [f"The boards can't be compared ({made.reason})."]
    said = []
    if made.tau.value is not None:
        around = (
            f", {100 * made.tau.level:g}% CI "
            f"[{numbers.limit(made.tau.low, 2)}, {numbers.limit(made.tau.high, 2)}]"
            if made.tau.low is not None and made.tau.high is not None
            else ""
        )
        said.append(f"Kendall's τ-b {numbers.fixed_point(made.tau.value, 3)}{around}.")
    if made.overlap is not None:
        said.append(f"Rank-biased overlap {made.overlap.value:.3f} (p = {made.overlap.p:g}).")
    moved = len(made.moves)
    said.append(f"{count(moved, 'system')} moved beyond the rank intervals.")
    return said


def _legend(made: ProfileComparison) -> list[str]:
    said = [
        "Stability: mean τ-b between the board and boards of resampled tasks.",
        (
            "Gaming: four strategies at each task (fast fail, token-starved, one tool call, spam) "
            "as generated submissions that fail. Resisted: they score below the median of the real "
            "ones."
        ),
        (
            "Eight strategies alter the figures of the most expensive success at each task: cost, "
            "time or tokens omitted, 0 dollars, $0.000001, negative, absurdly small, absurdly "
            "large. Resisted: they gain neither score nor rank."
        ),
    ]
    if any(one.discrimination is None or one.stability is None for one in (made.a, made.b)):
        said.append(
            "Not tested: pairs that differ need 2 ranked systems, stability needs 3 systems and "
            "2 tasks."
        )
    return said


def _ranked_by_one(made: ProfileComparison) -> Iterator[str]:
    """The systems that one of both profiles does not rank."""
    for only, of in ((made.only_a, made.a.profile), (made.only_b, made.b.profile)):
        if only:
            yield f"Ranked only by {of}: {', '.join(name(one) for one in only)}."
