"""Means and differences corrected by human labels, as tables."""

from benchmaker.analysis.judges.correction import (
    CorrectedDifferences,
    CorrectedEstimate,
    CorrectedMeans,
)
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.notes import name
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.report.tables import numbers
from benchmaker.report.tables.table import Column, Table, bullets, wrap_paragraphs
from benchmaker.report.tables.width import WIDTH

TITLE = "Corrected by human labels"

_SHOWN = 5
_LEFT_OUT = {
    "targeted": "of targeted answers",
    "trap": "of traps",
    "unscored": "of answers without a score",
    "zero_weight": "of answers to cases of weight 0",
}


def corrected_text(
    made: CorrectedMeans | CorrectedDifferences, *, width: int = WIDTH, styled: bool = False
) -> str:
    """Return the table with its notes; every line ends with a line feed."""
    table = corrected_table(made)
    body = "" if made.is_empty else f"{table.text(width=width, styled=styled)}\n"
    head = f"{TITLE}\n" if made.is_empty else ""
    return f"{head}{body}{wrap_paragraphs(correction_notes(made), width)}"


def corrected_markdown(made: CorrectedMeans | CorrectedDifferences) -> str:
    """The same for pull requests."""
    table = "" if made.is_empty else f"{corrected_table(made, caption='').markdown()}\n"
    return f"## {TITLE}\n\n{table}{bullets(correction_notes(made))}"


def corrected_table(made: CorrectedMeans | CorrectedDifferences, *, caption: str = TITLE) -> Table:
    """The figures by judge, by labels and by both; means from 0 to 100, differences in points."""
    level = _level(made)
    if isinstance(made, CorrectedMeans):
        first, show = "Model", numbers.score
        rows = [(name(one.model), one.estimate) for one in made.models]
    else:
        first, show = "Higher\n− lower", numbers.difference
        rows = [(f"{name(one.model_a)}\n− {name(one.model_b)}", one.estimate) for one in made.pairs]
    columns = (
        Column(first, is_right=False),
        Column("By the\njudge"),
        Column("Corrected"),
        Column(f"{level}\nCI"),
        Column(f"Labels\nalone, {level}", gives_way=True),
        Column("Narrower\nby"),
        Column("Labelled"),
    )
    cells = tuple(
        (
            told,
            missing_figures.NOT_KNOWN if it.raw is None else show(it.raw),
            missing_figures.NOT_KNOWN if it.value is None else show(it.value),
            missing_figures.optional_interval(it.ci),
            missing_figures.optional_interval(it.labels_only_ci),
            missing_figures.NOT_KNOWN if it.narrower is None else f"{numbers.share(it.narrower)}",
            f"{it.n_labelled:,} of {it.n_judged:,}",
        )
        for told, it in rows
    )
    return Table(columns, cells, caption)


def correction_notes(made: CorrectedMeans | CorrectedDifferences) -> list[str]:
    """Return the labels' authors, the method, the exclusions, and the objections."""
    estimates = _estimates(made)
    methods = dict.fromkeys(it.method for _, it in estimates if it.method)
    said = [_basis(made), f"Method: {'; '.join(methods)}." if methods else ""]
    if isinstance(made, CorrectedMeans):
        said.append(_map(made))
    elif methods:
        said.append("Each interval is individual, without adjustment for the number of pairs.")
    return [sentence for sentence in (*said, *_by_row(estimates)) if sentence]


def _level(made: CorrectedMeans | CorrectedDifferences) -> str:
    estimates = _estimates(made)
    return f"{100 * (estimates[0][1].level if estimates else 0.95):g}%"


def _estimates(made: CorrectedMeans | CorrectedDifferences) -> list[tuple[str, CorrectedEstimate]]:
    if isinstance(made, CorrectedMeans):
        return [(name(one.model), one.estimate) for one in made.models]
    return [(f"{name(one.model_a)} − {name(one.model_b)}", one.estimate) for one in made.pairs]


def _basis(made: CorrectedMeans | CorrectedDifferences) -> str:
    basis = made.basis
    people = numbers.count(len(basis.people), "person") if len(basis.people) == 1 else (
        f"{len(basis.people):,} people"
    )  # fmt: skip
    left = [f"{count:,} {_LEFT_OUT[kind]}" for kind, count in basis.left_out.items() if count]
    out = f"; excluded: {', '.join(left)}" if left else ""
    return (
        f"Based on {numbers.count(basis.n_labels, 'label')} by {people} on randomly drawn "
        f"answers{out}. {_uses_of_labels(made)}"
    ).rstrip()


def _uses_of_labels(made: CorrectedMeans | CorrectedDifferences) -> str:
    if isinstance(made, CorrectedMeans):
        return ""
    return "A difference uses the cases that are labelled for both models, counted in its row."


def _map(made: CorrectedMeans) -> str:
    found = made.label_map
    if found is None:
        return ""
    return (
        f"Scores were mapped first ({found.method}, {numbers.count(found.n, 'label')}): on "
        "held-out labels, the judge's mean absolute error goes from "
        f"{numbers.score(found.error_before)} to {numbers.score(found.error_after)} points."
    )


def _by_row(estimates: list[tuple[str, CorrectedEstimate]]) -> list[str]:
    """Return remarks on single rows, each once with its rows."""
    by: dict[str, list[str]] = {}
    for told, it in estimates:
        for said in dict.fromkeys((it.reason, *it.warnings)):
            if said:
                by.setdefault(said, []).append(told)
    return [f"{capitalise(said)} ({_join_rows(rows)})." for said, rows in by.items()]


def _join_rows(rows: list[str]) -> str:
    rest = len(rows) - _SHOWN
    return "; ".join(rows[:_SHOWN]) + (f"; and {rest:,} more" if rest > 0 else "")
