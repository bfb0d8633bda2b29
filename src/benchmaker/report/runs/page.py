"""The content of a report's page, as plain texts and ready-made plots."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchmaker.analysis import Comparison, ModelSummary, Summary
from benchmaker.analysis.effects.run_effects import RunEffects
from benchmaker.analysis.summary.named_metrics import MetricMean
from benchmaker.record import Outcome, Trial, failure_words, group_of
from benchmaker.record.counts import count
from benchmaker.record.outcome import outcome_count
from benchmaker.redact import Redactor
from benchmaker.report.plots import plots
from benchmaker.report.result_tables.means import MEANS
from benchmaker.report.result_tables.named_metrics import NAMED_METRICS, named_means
from benchmaker.report.runs.grid import ROWS, Grid
from benchmaker.report.runs.groups import groups_table
from benchmaker.report.runs.lowest import LowestTrials
from benchmaker.report.runs.verdict import interval_suffix, result_sentences
from benchmaker.report.sentences import missing_figures, notes
from benchmaker.report.sentences.figure_words import WORDS
from benchmaker.report.sentences.means_words import mean_head
from benchmaker.report.sentences.outcomes import GROUPS, NO_ANSWER, group_count, outcome_text
from benchmaker.report.sentences.request_costs import cost_gap, cost_parts
from benchmaker.report.sentences.transcript_words import call_lines
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import PageCell, PageHead, Surface
from benchmaker.report.tables.sanitize import sanitise, truncate
from benchmaker.report.tables.table import Table
from benchmaker.spec import Case, Suite
from benchmaker.spec.suites.rendering import case_with_prompt
from benchmaker.stats.means.bounded import MATCHED

SHOWN: Final = 200
"""Maximum number of trials shown."""

_MEANS = frozenset({"mean", "checks"})
_METRIC_COLUMNS = 3
"""Most named metrics that are columns of the page's table of means."""

_EXCERPT = 160
_SOME_CASES = "some cases"
"""In place of the figure of a run that repeats only uncertain cases."""

_OF_CHECKS = "share of checks passed"
_WHOLE = 4_000


class ReportPage:
    """Converts a summary and its trials into the template's values."""

    def __init__(self, summary: Summary, redactor: Redactor, first: Sequence[str] = ()) -> None:
        """``first`` are the models that get the first markers, in their order."""
        self.summary = summary
        self._hide = redactor.text
        self._colours = dict(
            zip(
                dict.fromkeys((*first, *(model.model for model in summary.models))),
                plots.colours(len(summary.models)),
                strict=True,
            )
        )

    def clean(self, text: str, *, lines: bool = False) -> str:
        """Text without secrets and without anything that acts."""
        return sanitise(self._hide(text), lines=lines)

    def head(
        self,
        suite: Suite | None,
        comparison: Comparison | None = None,
        effects: RunEffects | None = None,
    ) -> dict[str, Any]:
        """Title, facts, verdict, notes and tiles."""
        summary, run = self.summary, self.summary.run
        sentences = [self.clean(one) for one in result_sentences(summary, comparison, effects)]
        return {
            "noun": summary.noun,
            "title": self._name(run.suite_name) if run else "Scores",
            "facts": [self.clean(fact) for fact in notes.summary_facts(summary)],
            "description": self.clean(truncate(suite.description, _WHOLE)) if suite else "",
            "verdict": " ".join(sentences),
            "sentences": sentences,
            "notes": [self.clean(note) for note in notes.summary_notes(summary)],
            "tiles": [self._tile(*tile) for tile in _tiles(summary)],
            "times": _times(summary),
        }

    def tables(self, surface: Surface = Surface.REPORT) -> dict[str, Any]:
        """The interval plot with its figures, the spread over runs, and how the trials ended."""
        axis = plots.interval_axis(self.summary)
        first, last = plots.tick_label(axis.ticks[0]), plots.tick_label(axis.ticks[-1])
        scale = "" if axis.ticks[0] == 0 else f" Axis from {first} to {last}."
        legend = " ".join(MEANS.legend(self.summary, surface))
        return {
            "axis": plots.axis_svg(axis),
            "models": [self._model(model, axis, surface) for model in self.summary.models],
            "runs": self.summary.run_ids if self.summary.is_series else (),
            "forest_title": WORDS[self.summary.figure_name].title,
            "head": WORDS[self.summary.figure_name].head,
            "heads": [*MEANS.page_heads(self.summary, surface), *self._metric_heads(surface)],
            "below": {name: self._name(name) for name in self._metric_names(surface)},
            "metrics": None if self._metric_names(surface) else self._metrics(surface),
            "over_runs": MATCHED,
            "figure_noun": WORDS[self.summary.figure_name].noun,
            "spread_note": " ".join(notes.spread_basis(self.summary)),
            "method": legend + scale + _dots(self.summary),
        }

    def _metric_names(self, surface: Surface) -> tuple[str, ...]:
        """The named metrics that are columns of the means; more have a table of their own."""
        names = dict.fromkeys(name for model in self.summary.models for name in model.metrics)
        are_columns = surface is Surface.PAGE and len(names) <= _METRIC_COLUMNS
        return tuple(names) if are_columns else ()

    def _metric_heads(self, surface: Surface) -> list[PageHead]:
        return [
            PageHead(name, f"{self._name(name)}, 95% CI", is_right=True, is_wide=True)
            for name in self._metric_names(surface)
        ]

    def _metric_cells(self, model: ModelSummary, surface: Surface) -> list[PageCell]:
        """The mean of each metric with its interval."""
        return [
            PageCell(name, _metric_text(model.metrics.get(name)), True, True, "", is_first=False)
            for name in self._metric_names(surface)
        ]

    def _metrics(self, surface: Surface) -> dict[str, Any] | None:
        """The table of the named metrics of checks; None without any."""
        if not named_means(self.summary):
            return None
        return self.lines(NAMED_METRICS.table(self.summary, surface))

    def lines(self, table: Table) -> dict[str, Any]:
        """A table of texts for the template's macro."""
        sides = [column.is_right for column in table.columns]
        return {
            "caption": "",
            "heads": [(column.label, column.is_right) for column in table.columns],
            "rows": [
                [([self.clean(cell)], is_right) for cell, is_right in zip(row, sides, strict=True)]
                for row in table.rows
            ],
        }

    def categories(self, groups: Mapping[str, Summary]) -> dict[str, Any]:
        """The models within each category, as ``results --by category`` shows them."""
        table = groups_table(groups, "category")
        return {
            "heads": [(column.label, column.is_right) for column in table.columns],
            "rows": [[self.clean(cell) for cell in row] for row in table.rows],
        }

    def heat_map(self, grid: Grid) -> dict[str, Any]:
        """The hardest cases against the models."""
        hardest = grid.hardest_cases(ROWS) if len(grid.columns) > 1 else []
        return {
            "caption": f"{count(len(hardest), 'case')} of {len(grid.names):,}, hardest first",
            "rows": [
                {
                    "name": self._name(grid.names[at]),
                    "cells": grid.cells(at),
                }
                for at in hardest
            ],
        }

    def answers(self, lowest: LowestTrials, suite: Suite | None) -> dict[str, Any]:
        """The lowest-scored trials with question and answer."""
        wanted = {trial.case_id for trial in lowest.trials}
        cases = {case.id: case for case in suite or () if case.id in wanted}
        return {
            "shown": f"{count(len(lowest.trials), 'trial')} of {lowest.total:,}",
            "trials": [
                self._trial(trial, self._sent_case(trial, cases, suite)) for trial in lowest.trials
            ],
        }

    def _name(self, text: str) -> str:
        return notes.name(self._hide(text))

    def _tile(self, name: str, value: str, context: str) -> dict[str, str]:
        return {"name": name, "value": value, "context": self.clean(context)}

    def colour(self, model: str) -> str:
        """The class of the model's marker, the same everywhere on the page."""
        return self._colours.get(model, "mx")

    def identity(self, model: str) -> dict[str, str]:
        """A model's name and its marker."""
        return {
            "name": self._name(model),
            "key": plots.key_svg(self.colour(model)),
        }

    def _model(self, model: ModelSummary, axis: plots.Axis, surface: Surface) -> dict[str, Any]:
        runs = model.runs
        of_run = dict(zip(runs.run_ids, runs.scores, strict=True)) if runs else {}
        return {
            **self.identity(model.model),
            "plot": plots.interval_svg(axis, self.summary, model, self._colours[model.model]),
            "cells": [
                *MEANS.page_cells(model, self.summary, surface),
                *self._metric_cells(model, surface),
            ],
            "ci": missing_figures.optional_interval(self.summary.interval(model)),
            "sd": missing_figures.sd(model.sd),
            "run_scores": [
                _SOME_CASES
                if run in self.summary.repeat_runs
                else missing_figures.optional_score(of_run.get(run))
                for run in self.summary.run_ids
            ],
            "runs_ci": _around_runs(model, self.summary),
            "outcomes": [
                (group_of(Outcome(kind)), outcome_count(kind, count))
                for kind, count in model.outcomes.items()
            ],
            "latency": "unknown"
            if model.median_latency_s is None
            else numbers.duration(model.median_latency_s),
            "tokens": _tokens(model),
            "cost": notes.model_cost(model),
        }

    def _sent_case(
        self, trial: Trial, cases: Mapping[str, Case], suite: Suite | None
    ) -> Case | None:
        """The case of a trial, with the messages of its prompt."""
        case = cases.get(trial.case_id)
        run = next((one for one in self.summary.runs if one.id == trial.run_id), None)
        if case is None or suite is None or run is None:
            return case
        return case_with_prompt(suite, case, run.setup(trial.model).prompt_id)

    def _trial(self, trial: Trial, case: Case | None) -> dict[str, Any]:
        score = trial.score
        expected = score.expectation if score else None
        answer, answered = _answer_or_error(trial)
        taken = score.extraction if score else None
        excerpt = taken.text if taken else answer
        return {
            **self.identity(trial.model),
            "case": self._name(trial.case_id),
            "run": self._run_number(trial),
            "score": missing_figures.optional_score(score.score if score else None),
            "kind": mark_of(trial),
            "outcome": self.clean(mark_words(trial)),
            "expected": None if expected is None else self.clean(truncate(expected, _EXCERPT)),
            "found": answered if excerpt == answer else "Extracted",
            "excerpt": self.clean(truncate(excerpt, _EXCERPT)),
            "is_empty": taken is not None and not excerpt.strip(),
            "texts": [
                (self._name(name), self.clean(truncate(text, _WHOLE), lines=True))
                for name, text in _texts(trial, case)
            ],
        }

    def _run_number(self, trial: Trial) -> int | None:
        if not self.summary.is_series or trial.run_id not in self.summary.run_ids:
            return None
        return self.summary.run_ids.index(trial.run_id) + 1


def _metric_text(metric: MetricMean | None) -> str:
    """The mean of a metric with its interval, or why there is none."""
    if metric is None or metric.mean is None:
        return missing_figures.optional_score(None)
    return f"{numbers.score(metric.mean)} {missing_figures.optional_interval(metric.ci95)}"


def mark_of(trial: Trial) -> str:
    """Return the mark of a trial; right and wrong answers have different ones.

    ``ok`` full marks, ``part`` some of them, ``bad`` none or the model's own failure, ``infra``
    the request failed, ``none`` unscored.
    """
    return sign_of(trial.outcome, trial.score.score if trial.score else None)


def mark_words(trial: Trial) -> str:
    """The words beside the mark: right, wrong, the score of a graded answer, else the outcome."""
    score = trial.score.score if trial.score else None
    if trial.outcome is not Outcome.SCORED or score is None:
        return outcome_text(trial)
    return {1.0: "right", 0.0: "wrong"}.get(score) or f"score {numbers.score(score)}"


def sign_of(outcome: Outcome, score: float | None) -> str:
    """The same for an outcome and a score; a truncated answer is marked by its score."""
    if outcome not in {Outcome.SCORED, Outcome.TRUNCATED}:
        return group_of(outcome)
    if score is None:
        return "none" if outcome is Outcome.SCORED else group_of(outcome)
    return "ok" if score == 1 else "bad" if score == 0 else "part"


def _answer_or_error(trial: Trial) -> tuple[str, str]:
    """The answer, or the error of a trial without one, and its label."""
    if trial.completion:
        return trial.text, "Answer"
    error = failure_words(trial.error_type, trial.error)
    return (error, "Error") if error else (NO_ANSWER, "Answer")


def _texts(trial: Trial, case: Case | None) -> Iterator[tuple[str, str]]:
    if case is not None and (case.prompt is not None or case.messages):
        turns = case.conversation()
        asked = (
            turns[0].content
            if len(turns) == 1
            else "\n".join(f"{turn.role}: {turn.content}" for turn in turns)
        )
        yield "Question", asked
    score = trial.score
    if score and score.expectation is not None:
        yield "Expected", score.expectation
    if trial.transcript is not None:
        yield "Tool calls", "\n".join(call_lines(trial))
    text, label = _answer_or_error(trial)
    yield label, text or "(empty)"
    if score and score.extraction:
        yield (
            f"Extracted by rule {score.extraction.rule}",
            score.extraction.text or "(nothing extracted)",
        )
    if score and score.notes:
        yield "Scorer notes", score.notes


def _tiles(summary: Summary) -> Iterator[tuple[str, str, str]]:
    models = summary.models
    tiles = [_highest_mean(summary), _highest_share(summary)]
    yield from filter(None, tiles if summary.figure_name in _MEANS else reversed(tiles))
    yield "Trials", notes.trials(summary), _outcome_groups(models)
    yield "Cost", *_total_cost(summary)


def _outcome_groups(models: Sequence[ModelSummary]) -> str:
    """Return the numbers of stored trials by group of outcomes; those out of means separately."""
    found = Counter[str]()
    for model in models:
        for outcome, number in model.counted_outcomes.items():
            begun = outcome == Outcome.UNFINISHED
            found[outcome if begun else group_of(Outcome(outcome))] += number
    repeats = sum(model.zero_weight.n_repeats for model in models)
    zero = sum(model.zero_weight.n_trials for model in models) - repeats
    counts = [group_count(it, found[it]) for it in GROUPS if it == "ok" or found[it]]
    counts += [outcome_count(it, found[it]) for it in (Outcome.UNFINISHED,) if found[it]]
    counts += [f"{zero:,} of weight 0"] if zero else []
    counts += [f"{repeats:,} repeats of uncertain cases"] if repeats else []
    return ", ".join(counts)


def _highest_mean(summary: Summary) -> tuple[str, str, str] | None:
    """The best by its mean, where there are grades."""
    best = max(summary.models, key=lambda model: model.mean or 0.0, default=None)
    if best is None or best.mean is None or summary.is_right_or_wrong:
        return None
    return (
        f"Highest {_OF_CHECKS if summary.measure == 'checks' else mean_head(summary).lower()}",
        numbers.score(best.mean),
        f"{notes.name(best.model)}{interval_suffix(best.ci95)}",
    )


def _highest_share(summary: Summary) -> tuple[str, str, str] | None:
    """The best by the share of answers that are exactly right."""
    best = max(summary.models, key=lambda model: model.strict_accuracy or 0.0, default=None)
    highest = best.strict_accuracy if best else None
    if best is None or highest is None or (highest == 0 and summary.figure_name == "mean"):
        return None
    of = WORDS["accuracy" if summary.is_right_or_wrong else "strict"].noun
    within = f"{notes.name(best.model)}{interval_suffix(best.strict_ci95)}"
    context = f"{within}, {_strict_count(best, summary)}"
    return f"Highest {of}", numbers.share(highest), context


def _strict_count(model: ModelSummary, summary: Summary) -> str:
    """Return the number of answers that score 1; with the reason if the share of cases differs."""
    counted = f"{model.n_strict:,} of {count(model.n_scored, 'answer')}"
    share = model.n_strict / model.n_scored
    if numbers.share(share) == numbers.share(model.strict_accuracy or 0.0):
        return counted
    return f"{_averaging(model, summary)}; {counted}, {numbers.share(share)}"


def _averaging(model: ModelSummary, summary: Summary) -> str:
    """Return the reason why cases count otherwise than answers: weights, uneven runs, or both."""
    weights = " by weight" if summary.weighted else ""
    is_even = model.n_scored in {model.n_cases, model.n_cases * summary.n_full_runs}
    return f"over cases{weights}{'' if is_even else ', each with its mean over runs'}"


def _total_cost(summary: Summary) -> tuple[str, str]:
    spent = summary.spending
    basis = cost_parts(spent) or ("all requests" if spent.is_whole else "")
    gap = "" if spent.is_whole else _cost_gap(summary)
    return notes.cost_text(spent.usd, is_whole=spent.is_whole), "; ".join(
        filter(None, (basis, gap))
    )


def _cost_gap(summary: Summary) -> str:
    """Return the trials of unknown cost; if all are known, judgments are missing."""
    missing = {
        model.model: model.n_trials - model.cost_known_trials
        for model in summary.models
        if model.cost_known_trials < model.n_trials
    }
    if not missing and summary.spending.usd:
        return "unknown for some judgments or embeddings"
    return cost_gap(
        summary.spending.usd, sum(missing.values()), models=list(missing), noun=summary.noun
    )


def _times(summary: Summary) -> str:
    started = [run.started_at for run in summary.runs if run.started_at]
    finished = [run.finished_at for run in summary.runs if run.finished_at]
    if not started:
        return ""
    end = f", ended {max(finished)}" if finished and summary.is_complete else ""
    return f"Started {min(started)}{end}, UTC."


def _dots(summary: Summary) -> str:
    return " Small dots: single runs." if summary.is_series else ""


def _around_runs(model: ModelSummary, summary: Summary) -> str:
    """The interval over runs, with the figure it belongs to where that is not the model's."""
    runs = model.runs
    shown = missing_figures.optional_interval(runs.ci95 if runs else None)
    if runs is None or runs.ci95 is None or runs.common_mean is None:
        return shown
    mean = numbers.score(runs.common_mean)
    is_models = mean == missing_figures.optional_score(summary.figure(model))
    return shown if is_models else f"{shown} of {mean}"


def _tokens(model: ModelSummary) -> str:
    if model.input_tokens is None or model.output_tokens is None:
        return "unknown"
    return f"{numbers.tokens(model.input_tokens)}, {numbers.tokens(model.output_tokens)}"
