"""The table of a second opinion: each finding with its rows and its effect."""

from benchmaker.analysis.opinion.evidence import OpinionFinding
from benchmaker.analysis.opinion.opinion import SecondOpinion
from benchmaker.report.sentences.opinion_words import TITLES, opinion_example
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import TableColumn, TableDeclaration


def effect_text(found: OpinionFinding) -> str:
    """Return the effect in points with its sign; for too few cases, half the interval's width."""
    if found.kind == "too_few_cases":
        return f"±{numbers.fixed_point(found.effect_points, 1)}"
    return numbers.difference(found.effect_points / 100)


OPINION_FINDINGS: TableDeclaration[SecondOpinion, OpinionFinding] = TableDeclaration(
    "findings",
    (
        TableColumn(name="task", value=lambda _, made: made.task),
        TableColumn(name="model", value=lambda _, made: made.model),
        TableColumn(
            name="kind", title="Finding", text=lambda one, _: TITLES[one.kind], is_right=False
        ),
        TableColumn(name="rows", title="Rows", text=lambda one, _: f"{one.rows:,}"),
        TableColumn(
            name="effect_points",
            title="Effect",
            unit="points",
            text=lambda one, _: effect_text(one),
            help="Effect: the tool's figure less the figure with the fault corrected. For too few "
            "cases, half the width of the interval.",
        ),
        TableColumn(
            name="example",
            value=lambda one, _: opinion_example(one),
            title="First case",
            text=lambda one, _: opinion_example(one)[:40],
            is_right=False,
            gives_way=1,
        ),
    ),
    rows=lambda made: made.findings,
)
"""The findings, the largest effect first."""
