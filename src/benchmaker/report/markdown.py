"""A report in Markdown, for pull requests and chats."""

from collections.abc import Iterable
from typing import TextIO

from benchmaker.analysis import ModelSummary, Summary
from benchmaker.record import Trial
from benchmaker.redact import Redactor
from benchmaker.report import notes, numbers
from benchmaker.report.correction import corrected_markdown
from benchmaker.report.inert import clamped, inert
from benchmaker.report.plain import plain
from benchmaker.report.text import scored
from benchmaker.report.worst import worst

SHOWN = 20
"""So many trials are listed."""

_CELL = 200


def write_markdown(
    summary: Summary,
    stream: TextIO,
    *,
    trials: Iterable[Trial] = (),
    redactor: Redactor | None = None,
) -> None:
    """Writes the table of a run or series, what must be said beside it, and the lowest trials.

    Texts of models and suites stand there as text: no markup, link, mention or HTML in them works.

    Args:
        summary: what to show.
        stream: text, written as UTF-8.
        trials: of the same runs; of these the 20 with the lowest scores are listed.
        redactor: knows further secrets; what looks like a key is always taken out.
    """
    hide = redactor or Redactor()
    stream.write(hide.text(_table(summary)))
    if summary.corrected is not None:
        stream.write(hide.text(f"\n{corrected_markdown(summary.corrected)}"))
    stream.write(hide.text(_lowest(trials, hide)))


def _table(summary: Summary) -> str:
    title = notes.name(summary.run.suite_name) if summary.run else "Scores"
    over = "runs" if summary.is_series else "cases"
    heads = ["Model", "Mean, 0-100", "95% CI, cases", f"SD, {over}", "Strict", "95% CI, cases"]
    facts = plain(", ".join(notes.facts(summary)))
    said = [*notes.notes(summary), *notes.legend(summary), notes.repeatable(summary)]
    return "\n".join(
        [
            f"# {plain(title)}",
            "",
            f"{facts[:1].upper()}{facts[1:]}.",
            "",
            _line([*heads, "Scored trials"]),
            _line(["---", *["---:"] * 6]),
            *(_line(_cells(model)) for model in summary.models),
            "",
            *(f"- {plain(sentence)}" for sentence in said if sentence),
            "",
        ]
    )


def _cells(model: ModelSummary) -> list[str]:
    strict, around = model.strict_accuracy, model.strict_ci95
    return [
        plain(notes.name(model.model)),
        "none" if model.mean is None else f"**{numbers.score(model.mean)}**",
        numbers.interval(model.ci95) if model.ci95 else "none",
        "none" if model.sd is None else numbers.score(model.sd),
        "none" if strict is None else numbers.share(strict),
        numbers.interval(around) if around else "none",
        scored(model),
    ]


def _lowest(trials: Iterable[Trial], hide: Redactor) -> str:
    lowest, total = worst(trials, SHOWN)
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
    expected = trial.score.expected if trial.score else None
    return [
        _cell(trial.case_id, hide),
        _cell(trial.model, hide),
        "none" if score is None else numbers.score(score),
        plain(trial.outcome.value),
        "" if expected is None else _cell(expected, hide),
        _cell(trial.text if trial.completion else trial.error or "", hide),
    ]


def _cell(text: str, hide: Redactor) -> str:
    return plain(inert(clamped(hide.text(text), _CELL)))


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
