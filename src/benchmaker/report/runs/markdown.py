"""A report in Markdown, for pull requests and chats."""

from collections.abc import Callable, Iterable
from typing import TextIO

from benchmaker.analysis import ModelSummary, Summary
from benchmaker.record import Trial
from benchmaker.redact import Redactor
from benchmaker.report.runs.correction import corrected_markdown
from benchmaker.report.runs.gate import gate_sentences
from benchmaker.report.runs.lowest import lowest_trials
from benchmaker.report.runs.text import scored_count
from benchmaker.report.sentences import missing_figures, notes
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.report.tables import numbers
from benchmaker.report.tables.markdown_escaping import escape_markdown
from benchmaker.report.tables.sanitize import sanitise, truncate

SHOWN = 20
"""Maximum number of trials listed."""

_CELL = 200


def write_markdown(
    summary: Summary,
    stream: TextIO,
    *,
    trials: Iterable[Trial] = (),
    redactor: Redactor | None = None,
) -> None:
    """Write the table of a run or series, its notes, and the lowest trials.

    Texts of models and suites are escaped: no markup, link, mention or HTML in them works.

    Args:
        summary: the summary.
        stream: text, written as UTF-8.
        trials: trials of the same runs; the 20 with the lowest scores are listed.
        redactor: removes further secrets; texts that look like keys are always removed.
    """
    hide = redactor or Redactor()
    stream.write(hide.text(_table(summary)))
    if summary.corrected is not None:
        stream.write(hide.text(f"\n{corrected_markdown(summary.corrected)}"))
    stream.write(hide.text(_lowest_section(trials, hide)))


def _table(summary: Summary) -> str:
    title = notes.name(summary.run.suite_name) if summary.run else "Scores"
    heads = [head for head, _ in _columns(summary)]
    facts = escape_markdown(", ".join(notes.summary_facts(summary)))
    gate = gate_sentences(summary.gate) if summary.gate else []
    said = [
        *gate,
        *notes.summary_notes(summary),
        *notes.summary_legend(summary),
        notes.reproducibility_line(summary),
    ]
    return "\n".join(
        [
            f"# {escape_markdown(title)}",
            "",
            f"{capitalise(facts)}.",
            "",
            _line(["Model", *heads, "Scored trials"]),
            _line(["---", *["---:"] * (len(heads) + 1)]),
            *(_line(_cells(model, summary)) for model in summary.models),
            "",
            *(f"- {escape_markdown(sentence)}" for sentence in said if sentence),
            "",
        ]
    )


_Cell = Callable[[ModelSummary], str]


def _columns(summary: Summary) -> list[tuple[str, _Cell]]:
    """The columns of figures with their cells: accuracy alone where every score is 0 or 1."""
    over = "runs" if summary.is_series else "cases"
    sd: tuple[str, _Cell] = (f"SD, {over}", _sd)
    strict: list[tuple[str, _Cell]] = [
        (notes.strict_head(summary), _strict_cell),
        ("95% CI, cases", lambda model: _interval(model.strict_ci95)),
    ]
    mean: list[tuple[str, _Cell]] = [
        (f"{notes.mean_head(summary)}, 0-100", _mean),
        ("95% CI, cases", lambda model: _interval(model.ci95)),
        sd,
    ]
    if summary.is_right_or_wrong:
        return [*strict, sd] if summary.is_series else strict
    return [*mean, *strict] if summary.metric == "mean" else [*strict, *mean]


def _cells(model: ModelSummary, summary: Summary) -> list[str]:
    first, *others = (cell(model) for _, cell in _columns(summary))
    headline = first if first in missing_figures.ABSENT else f"**{first}**"
    return [escape_markdown(notes.name(model.model)), headline, *others, scored_count(model)]


def _mean(model: ModelSummary) -> str:
    return missing_figures.optional_score(model.mean)


def _sd(model: ModelSummary) -> str:
    return missing_figures.sd(model.sd)


def _strict_cell(model: ModelSummary) -> str:
    return missing_figures.optional_share(model.strict_accuracy)


def _interval(ends: tuple[float, float] | None) -> str:
    return missing_figures.optional_interval(ends)


def _lowest_section(trials: Iterable[Trial], hide: Redactor) -> str:
    lowest, total = lowest_trials(trials, SHOWN)
    lowest = tuple(trial for trial in lowest if trial.score is None or trial.score.score != 1.0)
    if not lowest:
        return ""
    return "\n".join(
        [
            "",
            "## Lowest scores",
            "",
            f"{numbers.count(len(lowest), 'trial')} of {total:,}, lowest first.",
            "",
            _line(["Case", "Model", "Score", "Outcome", "Expected", "Answer"]),
            _line(["---", "---", "---:", "---", "---", "---"]),
            *(_line(_trial_cells(trial, hide)) for trial in lowest),
            "",
        ]
    )


def _trial_cells(trial: Trial, hide: Redactor) -> list[str]:
    score = trial.score.score if trial.score else None
    expected = trial.score.expectation if trial.score else None
    return [
        _cell(trial.case_id, hide),
        _cell(trial.model, hide),
        missing_figures.optional_score(score),
        escape_markdown(trial.outcome.value),
        "" if expected is None else _cell(expected, hide),
        _cell(trial.text if trial.completion else trial.error or "", hide),
    ]


def _cell(text: str, hide: Redactor) -> str:
    return escape_markdown(sanitise(truncate(hide.text(text), _CELL)))


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
