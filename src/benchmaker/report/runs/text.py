"""The table in the terminal."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TextIO, TypeAlias

from benchmaker.analysis import Summary
from benchmaker.report.result_tables.means import MEANS
from benchmaker.report.result_tables.named_metrics import NAMED_METRICS, named_means
from benchmaker.report.runs.repeats import repeats_text
from benchmaker.report.runs.verdict import StoredResult, compare_models, result_sentences
from benchmaker.report.sentences import notes
from benchmaker.report.sentences.token_words import token_sentences
from benchmaker.report.tables.declaration import Surface
from benchmaker.report.tables.sanitize import make_encodable
from benchmaker.report.tables.table import Table, wrap_paragraphs
from benchmaker.report.tables.width import WIDTH, width_of

if TYPE_CHECKING:  # loaded where a run has dimensions
    from benchmaker.analysis.effects.run_effects import RunEffects

_LISTED = 6
"""The number of setups that are listed below their matrix without being asked for."""

Detail: TypeAlias = Literal["rows", "brief", "full"]
"""The table alone; with result and warnings above; with all that explains it, too."""


def write_text(
    summary: Summary,
    stream: TextIO,
    *,
    effects: "RunEffects | None" = None,
    result: Sequence[str] = (),
    stopped: Mapping[str, str] = MappingProxyType({}),
    detail: Detail = "brief",
    explained_by: str = "",
    complete: Callable[[str], str] = str,
    width: int | None = None,
    styled: bool | None = None,
) -> None:
    """Write the table of a run or series with its notes.

    Args:
        summary: the summary.
        stream: the target; signs outside its encoding are written in plain ASCII.
        effects: those of prompts, models and efforts, for the matrix.
        result: sentences above the table, before the warnings; empty for the best model's.
        stopped: reasons why models are no longer queried, among the warnings.
        detail: the level of detail besides the table.
        explained_by: the command that writes all; empty for the usual one.
        complete: adds what a command at the end of a warning lacks, such as the data folder.
        width: width in columns; None for ``COLUMNS``, else the terminal's, or 80 without one.
        styled: bold headings; None to use them on terminals.
    """
    text = summary_text(
        summary,
        effects=effects,
        result=result,
        stopped=stopped,
        detail=detail,
        explained_by=explained_by,
        complete=complete,
        width=width or width_of(stream),
        styled=stream.isatty() if styled is None else styled,
    )
    stream.write(make_encodable(text, stream.encoding))


def summary_text(
    made: Summary | StoredResult,
    *,
    effects: "RunEffects | None" = None,
    result: Sequence[str] = (),
    stopped: Mapping[str, str] = MappingProxyType({}),
    detail: Detail = "brief",
    explained_by: str = "",
    complete: Callable[[str], str] = str,
    width: int = WIDTH,
    styled: bool = False,
) -> str:
    """The result, warnings, then the table of a run or series; every line ends with a line feed.

    ``made`` is the result of a run, whose models are compared; or its summary, for the best one.
    The other arguments are those of :func:`write_text`.
    """
    summary = made if isinstance(made, Summary) else made.summary
    means = MEANS.table(summary)
    if detail == "rows":
        return means.text(width=width, styled=styled)
    table = means.text(width=width, styled=styled)
    if not result:
        comparison = None if isinstance(made, Summary) else compare_models(made)
        result = result_sentences(summary, comparison)
    if named_means(summary):
        table += f"\n{NAMED_METRICS.table(summary).text(width=width, styled=styled)}"
    repeats = repeats_text(
        summary,
        width=width,
        styled=styled,
        is_full=detail == "full",
        explained_by=explained_by or _explained_by(summary),
    )
    table += f"\n{repeats}" if repeats else ""
    matrix = _matrix(effects, width, styled=styled) if effects else ""
    if matrix:
        is_listed = detail == "full" or len(means.rows) <= _LISTED
        table = f"{matrix}\n{table}" if is_listed else matrix
    warnings = map(complete, notes.summary_warnings(summary, stopped))
    above = wrap_paragraphs([*result, *warnings], width)
    below = _details(summary, means, width) if detail == "full" else [notes.summary_line(summary)]
    if effects and detail == "full":
        below += _matrix_notes(effects)
    hint = "" if detail == "full" else _explanation_hint(summary, explained_by)
    corrected = _corrected_means(summary, width, styled=styled)
    return f"{above}\n{table}\n{wrap_paragraphs([*below, hint], width)}{corrected}".lstrip("\n")


def _matrix(effects: "RunEffects", width: int, *, styled: bool) -> str:
    from benchmaker.report.runs.dimensions import matrix_text  # noqa: PLC0415  see above

    return matrix_text(effects, width=width, styled=styled)


def _matrix_notes(effects: "RunEffects") -> list[str]:
    from benchmaker.report.runs.dimensions import matrix_notes  # noqa: PLC0415  see above

    return matrix_notes(effects)


def _details(summary: Summary, means: Table, width: int) -> list[str]:
    """Facts, notes, the meaning of the columns, and the settings of the run."""
    return [
        f"{notes.suite_title(summary)}: {', '.join(notes.summary_facts(summary))}.",
        *notes.summary_details(summary),
        *token_sentences(summary),
        *MEANS.legend(summary, Surface.TERMINAL, places=means.fitting_columns(width)),
        notes.reproducibility_line(summary),
    ]


def _explanation_hint(summary: Summary, explained_by: str) -> str:
    """The command that explains the table; empty without stored scores."""
    if not summary.run_ids or not any(model.n_scored for model in summary.models):
        return ""
    return f"Methods, settings and costs: {explained_by or _explained_by(summary)}"


def _explained_by(summary: Summary) -> str:
    """The command that prints everything; empty without a stored run."""
    series = summary.run.series_id if summary.run and len(summary.run_ids) > 1 else None
    return f"benchmaker results {series or summary.run_ids[0]} --explain" if summary.run_ids else ""


def _corrected_means(summary: Summary, width: int, *, styled: bool) -> str:
    if summary.corrected is None:
        return ""
    from benchmaker.report.runs.correction import corrected_text  # noqa: PLC0415  few runs have labels

    text = corrected_text(summary.corrected, noun=summary.noun, width=width, styled=styled)
    return f"\n{text}"
