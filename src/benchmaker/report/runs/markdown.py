"""A report in Markdown, for pull requests and chats."""

from collections.abc import Iterable
from typing import TextIO

from benchmaker.analysis import Summary
from benchmaker.analysis.effects.run_effects import RunEffects
from benchmaker.record import Trial
from benchmaker.record.counts import count
from benchmaker.redact import Redactor
from benchmaker.report.result_tables.means import MEANS
from benchmaker.report.result_tables.named_metrics import NAMED_METRICS, named_means
from benchmaker.report.runs.correction import corrected_markdown
from benchmaker.report.runs.dimensions import effects_markdown
from benchmaker.report.runs.gate import gate_sentences
from benchmaker.report.runs.lowest import lowest_trials
from benchmaker.report.runs.repeats import repeats_markdown
from benchmaker.report.sentences import missing_figures, notes
from benchmaker.report.sentences.outcomes import NO_ANSWER, outcome_text
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.report.tables.declaration import Surface
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
    effects: RunEffects | None = None,
    redactor: Redactor | None = None,
) -> None:
    """Write the table of a run or series, its notes, and the lowest trials.

    Texts of models and suites are escaped: no markup, link, mention or HTML in them works.

    Args:
        summary: the summary.
        stream: text, written as UTF-8.
        trials: trials of the same runs; the 20 with the lowest scores are listed.
        effects: those of prompts, models and efforts, for runs that have these dimensions.
        redactor: removes further secrets; texts that look like keys are always removed.
    """
    hide = redactor or Redactor()
    stream.write(hide.text(_table(summary)))
    if named_means(summary):
        metrics = NAMED_METRICS.table(summary, Surface.MARKDOWN)
        stream.write(hide.text(f"\n{metrics.markdown()}"))
    if repeats := repeats_markdown(summary):
        stream.write(hide.text(f"\n{repeats}"))
    if effects is not None:
        stream.write(hide.text(f"\n{effects_markdown(effects)}"))
    if summary.corrected is not None:
        corrected = corrected_markdown(summary.corrected, noun=summary.noun)
        stream.write(hide.text(f"\n{corrected}"))
    stream.write(hide.text(_lowest_section(trials, hide, summary.noun)))


def _table(summary: Summary) -> str:
    title = notes.name(summary.run.suite_name) if summary.run else "Scores"
    means = MEANS.table(summary, Surface.MARKDOWN)
    facts = escape_markdown(", ".join(notes.summary_facts(summary)))
    gate = gate_sentences(summary.gate) if summary.gate else []
    said = [
        *gate,
        *notes.summary_notes(summary),
        *MEANS.legend(summary, Surface.MARKDOWN),
        notes.reproducibility_line(summary),
    ]
    return "\n".join(
        [
            f"# {escape_markdown(title)}",
            "",
            f"{capitalise(facts)}.",
            "",
            means.markdown(plain=missing_figures.ABSENT),
            *(f"- {escape_markdown(sentence)}" for sentence in said if sentence),
            "",
        ]
    )


def _lowest_section(trials: Iterable[Trial], hide: Redactor, noun: str) -> str:
    lowest, total = lowest_trials(trials, SHOWN)
    lowest = tuple(trial for trial in lowest if trial.score is None or trial.score.score != 1.0)
    if not lowest:
        return ""
    return "\n".join(
        [
            "",
            "## Lowest scores",
            "",
            f"{count(len(lowest), 'trial')} of {total:,}, lowest first.",
            "",
            _line(["Case", noun.capitalize(), "Score", "Outcome", "Expected", "Answer"]),
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
        _cell(outcome_text(trial), hide),
        "" if expected is None else _cell(expected, hide),
        _cell(trial.text if trial.completion else NO_ANSWER, hide),
    ]


def _cell(text: str, hide: Redactor) -> str:
    return escape_markdown(sanitise(truncate(hide.text(text), _CELL)))


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
