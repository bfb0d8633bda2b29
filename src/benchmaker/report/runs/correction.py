"""Means and differences corrected by human labels, as tables."""

from dataclasses import replace

from benchmaker.analysis.judges.correction import CorrectedEstimate, CorrectedMeans
from benchmaker.record.counts import count
from benchmaker.report.result_tables.corrections import (
    CORRECTED_DIFFERENCES,
    CORRECTED_MEANS,
    TITLE,
    Corrected,
    DifferencesView,
    MeansView,
    estimates_of,
)
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import Surface
from benchmaker.report.tables.table import Table, bullets, wrap_paragraphs
from benchmaker.report.tables.width import WIDTH

_SHOWN = 5
_LEFT_OUT = {
    "targeted": "of targeted answers",
    "trap": "of traps",
    "unscored": "of answers without a score",
    "zero_weight": "of answers to cases of weight 0",
}


def corrected_text(
    made: Corrected, *, noun: str = "model", width: int = WIDTH, styled: bool = False
) -> str:
    """Return the table with its notes; every line ends with a line feed.

    ``noun`` is the word for what is compared: model or setup.
    """
    table = corrected_table(made, noun=noun)
    body = "" if made.is_empty else f"{table.text(width=width, styled=styled)}\n"
    head = f"{TITLE}\n" if made.is_empty else ""
    return f"{head}{body}{wrap_paragraphs(correction_notes(made, noun=noun), width)}"


def corrected_markdown(made: Corrected, *, noun: str = "model") -> str:
    """The same for pull requests."""
    table = replace(corrected_table(made, Surface.MARKDOWN, noun=noun), caption="")
    body = "" if made.is_empty else f"{table.markdown()}\n"
    return f"## {TITLE}\n\n{body}{bullets(correction_notes(made, noun=noun))}"


def corrected_table(
    made: Corrected, surface: Surface = Surface.TERMINAL, *, noun: str = "model"
) -> Table:
    """The figures by judge, by labels and by both; means from 0 to 100, differences in points."""
    if isinstance(made, CorrectedMeans):
        return CORRECTED_MEANS.table(MeansView(made, noun), surface)
    return CORRECTED_DIFFERENCES.table(DifferencesView(made), surface)


def correction_notes(made: Corrected, *, noun: str = "model") -> list[str]:
    """Return the labels' authors, the method, the exclusions, and the objections."""
    estimates = estimates_of(made)
    methods = dict.fromkeys(it.method for _, it in estimates if it.method)
    said = [_basis(made, noun), f"Method: {'; '.join(methods)}." if methods else ""]
    if isinstance(made, CorrectedMeans):
        said.append(_map(made))
    elif methods:
        said.append("Each interval is individual, without adjustment for the number of pairs.")
    return [sentence for sentence in (*said, *_by_row(estimates)) if sentence]


def _basis(made: Corrected, noun: str) -> str:
    basis = made.basis
    people = count(len(basis.people), "person") if len(basis.people) == 1 else (
        f"{len(basis.people):,} people"
    )  # fmt: skip
    left = [f"{count:,} {_LEFT_OUT[kind]}" for kind, count in basis.left_out.items() if count]
    out = f"; excluded: {', '.join(left)}" if left else ""
    return (
        f"Based on {count(basis.n_labels, 'label')} by {people} on randomly drawn "
        f"answers{out}. {_uses_of_labels(made, noun)}"
    ).rstrip()


def _uses_of_labels(made: Corrected, noun: str) -> str:
    if isinstance(made, CorrectedMeans):
        return ""
    return f"A difference uses the cases that are labelled for both {noun}s, counted in its row."


def _map(made: CorrectedMeans) -> str:
    found = made.label_map
    if found is None:
        return ""
    return (
        f"Scores were mapped first ({found.method}, {count(found.n, 'label')}): on "
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
