"""Means by category, difficulty or tag, as text."""

from collections.abc import Mapping

from benchmaker.analysis import ModelSummary, Summary
from benchmaker.report import absent
from benchmaker.report.notes import legend, name
from benchmaker.report.table import WIDTH, Column, Table, wrapped


def groups_text(
    groups: Mapping[str, Summary], by: str, *, width: int = WIDTH, styled: bool = False
) -> str:
    """A row for each group and model, best mean first, and what the columns mean."""
    hint = f"To test differences within each: benchmaker compare --by {by}"
    meanings = legend(next(iter(groups.values())))
    table = groups_table(groups, by).text(width=width, styled=styled)
    return f"{table}\n{wrapped([*meanings, hint], width)}"


def groups_table(groups: Mapping[str, Summary], by: str) -> Table:
    """Each group with its models."""
    columns = (
        Column(by.capitalize(), is_right=False),
        Column("Model", is_right=False),
        Column("Mean\n0-100"),
        Column("95% CI\ncases"),
        Column("Strict"),
        Column("Scored\ncases"),
        Column("SD", gives_way=True),
    )
    rows = [
        (name(label) if label else f"no {by}", name(one.model), *_figures(one))
        for label, summary in groups.items()
        for one in summary.models
    ]
    return Table(columns, tuple(rows))


def _figures(one: ModelSummary) -> tuple[str, ...]:
    return (
        absent.score(one.mean),
        absent.interval(one.ci95),
        absent.share(one.strict_accuracy),
        f"{one.n_cases:,}",
        absent.sd(one.sd),
    )
