"""Scoring profiles, and two of them compared; as text, Markdown, CSV and HTML."""

from collections.abc import Iterable, Iterator
from typing import Any, Final, TextIO

from benchmaker.analysis.boards.profile_comparison import (
    ProfileComparison,
    ProfileQuality,
    StrategyResult,
)
from benchmaker.report.arenas.sections import ReportDocument, Section
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers
from benchmaker.report.tables.table import Column, Table, write_rows
from benchmaker.spec.tasks.agentic_profile import AgenticProfile
from benchmaker.spec.tasks.task import TaskWeights

MOVE_COLUMNS: Final = (
    "system", "rank_a", "low_a", "high_a", "rank_b", "low_b", "high_b",
)  # fmt: skip

_STRATEGIES: Final = {
    "fast_fail": "fast fail",
    "token_starved": "token-starved",
    "one_tool_call": "one tool call",
    "spam": "spam",
    "no_cost": "cost omitted",
    "no_time": "time omitted",
    "no_tokens": "tokens omitted",
    "zero_dollars": "0 dollars",
    "tiny_dollars": "$0.000001",
    "negative_figures": "negative figures",
    "absurd_figures": "absurdly small figures",
    "huge_figures": "absurdly large figures",
}


def profiles_report(listed: Iterable[tuple[AgenticProfile, str]]) -> ReportDocument:
    """Every profile with its state."""
    columns = (
        Column("Profile", is_right=False),
        Column("Family", is_right=False),
        Column("State", is_right=False),
        Column("Description", is_right=False),
    )
    rows = tuple(
        (one.id, one.family, state, name(one.description) if one.description else "")
        for one, state in listed
    )
    return ReportDocument(title="Scoring profiles", sections=(Section(Table(columns, rows)),))


def profile_report(document: AgenticProfile, state: str) -> ReportDocument:
    """One profile: its weights and its rules."""
    columns = (
        Column("Weights", is_right=False),
        *(Column(part) for part in ("Efficiency", "Speed", "Cost", "Correctness")),
    )
    rows = [("otherwise", *_weights(document.weights))]
    rows += [(of, *_weights(one)) for of, one in document.by_category.items()]
    evidence = ", ".join(level.replace("_", "-") for level in document.evidence)
    return ReportDocument(
        title=document.id,
        facts=(document.family, state),
        verdict=(document.description,) if document.description else (),
        sections=(Section(Table(columns, tuple(rows))),),
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
            numbers.count(submissions, "submission"),
            f"{numbers.count(made.common, 'system')} ranked by both",
        ),
        verdict=tuple(_agreement(made)),
        sections=tuple(
            one for one in (_qualities(made), _gaming_section(made), _moves(made)) if one.table.rows
        ),
        notes=tuple(_ranked_by_one(made)),
        legend=tuple(_legend(made)),
    )


def write_moves_csv(made: ProfileComparison, stream: TextIO) -> None:
    """A row for each system that moves beyond the rank intervals."""
    rows: list[dict[str, Any]] = [
        {
            "system": one.system,
            "rank_a": one.rank_a,
            "low_a": one.interval_a[0],
            "high_a": one.interval_a[1],
            "rank_b": one.rank_b,
            "low_b": one.interval_b[0],
            "high_b": one.interval_b[1],
        }
        for one in made.moves
    ]
    write_rows(stream, MOVE_COLUMNS, rows)


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
    said.append(f"{numbers.count(moved, 'system')} moved beyond the rank intervals.")
    return said


def _qualities(made: ProfileComparison) -> Section:
    columns = (
        Column("Profile", is_right=False),
        Column("Evaluated"),
        Column("Systems\nranked"),
        Column("Pairs that\ndiffer"),
        Column("Stability\nτ-b"),
        Column("Gaming\nresisted"),
    )
    return Section(Table(columns, tuple(_quality(one) for one in (made.a, made.b))))


def _quality(one: ProfileQuality) -> tuple[str, ...]:
    return (
        one.profile,
        f"{one.evaluated:,}",
        f"{one.systems:,}",
        missing_figures.NOT_TESTED
        if one.discrimination is None
        else numbers.share(one.discrimination),
        missing_figures.NOT_TESTED if one.stability is None else f"{one.stability:.3f}",
        _gaming_cell(one),
    )


def _gaming_cell(one: ProfileQuality) -> str:
    if one.gamed is None:
        return "not tried"
    zero = f", {one.at_zero:,} not: median also 0" if one.at_zero else ""
    return f"{one.kept_below:,} of {one.gamed:,}{zero}"


def _gaming_section(made: ProfileComparison) -> Section:
    columns = (
        Column("Strategy", is_right=False),
        Column(f"Resisted\n{made.a.profile}"),
        Column(f"Resisted\n{made.b.profile}"),
    )
    sides = [{it.strategy: it for it in one.gaming} for one in (made.a, made.b)]
    rows = tuple(
        (_STRATEGIES.get(strategy, strategy), *(_kept_cell(side.get(strategy)) for side in sides))
        for strategy in dict.fromkeys(name for side in sides for name in side)
    )
    return Section(Table(columns, rows, caption="Gaming by strategy"))


def _kept_cell(one: StrategyResult | None) -> str:
    return "not tried" if one is None else f"{one.kept_below:,} of {one.tried:,}"


def _moves(made: ProfileComparison) -> Section:
    columns = (
        Column("System", is_right=False),
        Column(f"Rank\n{made.a.profile}"),
        Column(f"Rank\n{made.b.profile}"),
    )
    rows = tuple(
        (
            name(one.system),
            f"{one.rank_a} [{one.interval_a[0]}–{one.interval_a[1]}]",
            f"{one.rank_b} [{one.interval_b[0]}–{one.interval_b[1]}]",
        )
        for one in made.moves
    )
    return Section(Table(columns, rows, caption="Moves beyond the rank intervals"))


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


def _weights(given: TaskWeights) -> tuple[str, ...]:
    return tuple(f"{value:g}" for value in given.model_dump().values())
