"""The table of a gate: each model with its difference from the baseline."""

from benchmaker.analysis.gates.gate_results import BaselineGate, CaseChange, GatedModel
from benchmaker.analysis.summary.decisions import GateVerdict
from benchmaker.report.result_tables.comparisons import difference_interval
from benchmaker.report.sentences.figure_words import WORDS, figure_text
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import Surface, TableColumn, TableDeclaration

VERDICTS = {
    GateVerdict.PASSED: "pass",
    GateVerdict.FAILED: "fail",
    GateVerdict.UNDECIDED: "undecided",
}
_BEFORE, _CASES, _CHANGED = 3, 2, 1
"""What gives way first on a narrow terminal."""


def _cases(one: GatedModel, made: BaselineGate) -> str:
    return f"{one.n:,}" if one.n == made.n_baseline else f"{one.n:,}/{made.n_baseline:,}"


GATED_MODELS: TableDeclaration[BaselineGate, GatedModel] = TableDeclaration(
    "gate",
    (
        TableColumn(
            name="model",
            title=lambda made: made.noun.capitalize(),
            text=lambda one, _: name(one.model),
            is_right=False,
        ),
        TableColumn(name="baseline_model"),
        TableColumn(
            name="verdict",
            title="Gate",
            text=lambda one, _: VERDICTS[one.verdict],
            is_right=False,
        ),
        TableColumn(
            name="diff",
            title="Difference",
            unit="points",
            text=lambda one, _: numbers.difference(one.diff),
            is_wide=False,
        ),
        TableColumn(
            name="interval",
            keys=("low", "high"),
            value=lambda one, _: (one.low, one.high),
            title=lambda made: f"{100 * made.level:g}% CI",
            unit="cases",
            text=lambda one, _: difference_interval(one.low, one.high),
            beside="diff",
        ),
        TableColumn(
            name="mean",
            title=lambda made: WORDS[made.figure].head,
            unit=lambda made: WORDS[made.figure].unit,
            text=lambda one, made: figure_text(one.mean, made.figure),
        ),
        TableColumn(
            name="baseline_mean",
            title="Baseline",
            unit=lambda made: WORDS[made.figure].unit,
            text=lambda one, made: figure_text(one.baseline_mean, made.figure),
            gives_way=_BEFORE,
        ),
        TableColumn(name="n", title="Cases", text=_cases, gives_way=_CASES),
        TableColumn(
            name="changed_answers",
            title="Changed\nanswers",
            text=lambda one, _: f"{one.changed_answers:,}",
            is_shown=lambda _, surface: surface is not Surface.TERMINAL,
        ),
        TableColumn(
            name="changed_scores",
            title="Changed\nscores",
            text=lambda one, _: f"{one.changed_scores:,}",
            gives_way=_CHANGED,
        ),
    ),
    rows=lambda made: made.models,
)
"""Verdict, difference with interval, both figures, and the changed cases of each model."""


CHANGED_CASES: TableDeclaration[BaselineGate, CaseChange] = TableDeclaration(
    "changed",
    tuple(
        TableColumn(name=name)
        for name in ("case_id", "model", "before", "after", "answer_before", "answer_after")
    ),
    rows=lambda made: made.changed,
)
"""The cases whose score changed, with both scores and answers; for files alone."""
