"""Means by category, difficulty or tag, as text."""

from collections.abc import Mapping
from dataclasses import replace

from benchmaker.analysis import ModelSummary, Summary
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.notes import mean_head, name, summary_legend
from benchmaker.report.tables.table import WIDTH, Column, Table, wrap_paragraphs


def groups_text(
    groups: Mapping[str, Summary], by: str, *, width: int = WIDTH, styled: bool = False
) -> str:
    """Return a row for each group and model, best mean first, and the meaning of the columns."""
    hint = f"To test differences within each: benchmaker compare --by {by}"
    is_weighted = any(one.weighted for one in groups.values())
    meanings = summary_legend(replace(_representative_group(groups), weighted=is_weighted))
    table = groups_table(groups, by).text(width=width, styled=styled)
    return f"{table}\n{wrap_paragraphs([*meanings, hint], width)}"


def groups_table(groups: Mapping[str, Summary], by: str) -> Table:
    """Each group with its models."""
    shown = _representative_group(groups)
    heads = _heads_of_right_or_wrong(shown) if shown.is_right_or_wrong else _heads_of_grades(shown)
    columns = (Column(by.capitalize(), is_right=False), Column("Model", is_right=False), *heads)
    figures = _shares if shown.is_right_or_wrong else _grades
    rows = [
        (name(label) if label else f"no {by}", name(one.model), *figures(one))
        for label, summary in groups.items()
        for one in summary.models
    ]
    return Table(columns, tuple(row[: len(columns)] for row in rows))


def _representative_group(groups: Mapping[str, Summary]) -> Summary:
    """Return the group that defines the columns: the first with graded scores, else the first."""
    summaries = list(groups.values())
    return next((one for one in summaries if not one.is_right_or_wrong), summaries[0])


def _heads_of_right_or_wrong(summary: Summary) -> tuple[Column, ...]:
    """Of runs of a series, their spread as well: it is known where a group has a single case."""
    heads = Column("Accuracy"), Column("95% CI\ncases"), Column("Scored\ncases")
    return (*heads, _sd_over(summary)) if summary.is_series else heads


def _sd_over(summary: Summary) -> Column:
    return Column(f"SD\n{'runs' if summary.is_series else 'cases'}", gives_way=True)


def _shares(one: ModelSummary) -> tuple[str, ...]:
    return (
        missing_figures.optional_share(one.strict_accuracy),
        missing_figures.optional_interval(one.strict_ci95),
        f"{one.n_cases:,}",
        missing_figures.sd(one.sd),
    )


def _heads_of_grades(summary: Summary) -> tuple[Column, ...]:
    return (
        Column(f"{mean_head(summary)}\n0-100"),
        Column("95% CI\ncases"),
        Column("Strict"),
        Column("Scored\ncases"),
        _sd_over(summary),
    )


def _grades(one: ModelSummary) -> tuple[str, ...]:
    return (
        missing_figures.optional_score(one.mean),
        missing_figures.optional_interval(one.ci95),
        missing_figures.optional_share(one.strict_accuracy),
        f"{one.n_cases:,}",
        missing_figures.sd(one.sd),
    )
