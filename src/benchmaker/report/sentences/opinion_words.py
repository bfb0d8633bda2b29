"""A second opinion in words: the figure, ours, and each finding with its remedy."""

from typing import Final

from benchmaker.analysis.opinion.evidence import OpinionFinding
from benchmaker.analysis.opinion.opinion import SecondOpinion
from benchmaker.record.counts import count
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers

TITLES: Final = {
    "stated_figure_differs": "Stated figure differs",
    "rows_left_out": "Rows left out",
    "failed_requests": "Failed requests",
    "errors_scored_zero": "Errors scored 0",
    "repeats_counted_as_cases": "Repeats counted as cases",
    "filters_counted_as_cases": "Filters counted as cases",
    "unequal_subtasks": "Unequal sub-tasks",
    "duplicate_cases": "Duplicate cases",
    "dated_cases": "Cases of a certain day",
    "key_in_prompt": "Key in the prompt",
    "unbalanced_keys": "Unbalanced keys",
    "truncated_answers": "Truncated answers",
    "empty_answers": "Empty answers",
    "extraction_miss": "Right answers scored wrong",
    "extraction_hit": "Wrong answers scored right",
    "judge_unreadable": "Judge's reply without a grade",
    "self_judged": "Judged by itself",
    "related_judge": "Judge of the same maker",
    "key_in_doubt": "Key in doubt",
    "tie_called_win": "Lead may be chance",
    "unpaired": "Unpaired comparison",
    "too_few_cases": "Too few cases",
}
"""The name of each kind of finding."""

_MEANINGS: Final = {
    "stated_figure_differs": "The file states a figure that is not that of its {rows}. The effect "
    "is the stated figure less that of the rows.",
    "rows_left_out": "{rows} without a score or missing from the file. The effect counts each as "
    "wrong, unless the stated figure includes them.",
    "failed_requests": "{rows} failed before an answer. Both means exclude failed requests.",
    "errors_scored_zero": "{rows} failed before an answer. The figure counts failed requests as 0; "
    "without them, it is that of the answers.",
    "repeats_counted_as_cases": "{rows} for cases that have a row already. Each counts like a "
    "further case, which makes the interval too narrow.",
    "filters_counted_as_cases": "The stated figure is the mean over several filters of {rows}.",
    "unequal_subtasks": "The stated figure is the mean of the means of unequal parts of {rows}.",
    "duplicate_cases": "{rows} with the question and the key of another case.",
    "dated_cases": "{rows} with a question that depends on the day, such as one of today. Some "
    "lost points. Exclude or update the cases.",
    "key_in_prompt": "{rows} whose prompt has the same question with its key. Remove the example.",
    "unbalanced_keys": "{rows} with the same key, the share of all that is right without reading "
    "the question. The effect is the figure less the mean over the keys.",
    "truncated_answers": "{rows} ended at the token limit and lost points. Raise the limit.",
    "empty_answers": "{rows} without any text, counted as wrong. Check the token limit and the "
    "provider's filter.",
    "extraction_miss": "{rows} with the key in the answer, but scored wrong.",
    "extraction_hit": "{rows} with another answer than the key, but scored right.",
    "judge_unreadable": "{rows} with a score although the judge's reply has no grade.",
    "self_judged": "{rows} judged by the model that wrote the answer.",
    "related_judge": "{rows} judged by a model of the maker of the judged one.",
    "key_in_doubt": "{rows} with a key that every model misses, most with the same answer. Check "
    "the key.",
    "tie_called_win": "The lead over the next model rests on {rows}; a paired test finds no "
    "significant difference.",
    "unpaired": "Error bars of two models and a paired test disagree on the lead; the models "
    "differ in {rows}. The effect is the change of half the interval's width.",
    "too_few_cases": "The interval extends {effect} points on each side. Add {further}.",
}
"""What each kind of finding means."""


def opinion_sentences(made: SecondOpinion) -> list[str]:
    """The tool's figure, and ours with its interval."""
    head, unit = made.headline, "%" if made.headline.metric == "pass_rate" else ""
    values = count(head.n, "value")
    value = "no value" if head.value is None else f"{head.value:.6g}{unit}"
    stated = f"{name(made.model)}: {head.scorer} {head.metric} is {value}, from {values}."
    if len(head.scorers) > 1:
        each = ", ".join(f"{number:,} of {one}" for one, number in head.scorers.items())
        stated = f"{name(made.model)}: {head.metric} is {value}, from {values}: {each}."
    if head.reducer:
        stated += f" Each combines the repeats of a case by {head.reducer}; ours averages them."
    if any(one.kind == "stated_figure_differs" for one in made.findings):
        stated += f" The rows of the file give {head.computed:.6g}{unit}."
    notes = [f"{opinion_finding_sentence(one)} Effect: 0.0 points." for one in made.notes]
    if made.ours is None:
        return [
            stated,
            "There is no mean of ours: it needs scores from 0 to 1.",
            *notes,
        ]
    cases = count(made.ours.n, "case")
    ends = made.ours.interval
    between = "" if ends is None else f" (95% CI {numbers.end(ends[0])} to {numbers.end(ends[1])})"
    return [stated, f"Ours: {numbers.score(made.ours.mean)}{between}, from {cases}.", *notes]


def opinion_finding_sentence(found: OpinionFinding) -> str:
    """The meaning of a finding, with its numbers."""
    said = _MEANINGS[found.kind].format(
        rows=count(found.rows, "row"),
        effect=numbers.fixed_point(found.effect_points, 1),
        further=count(found.further or 0, "case"),
    )
    return f"{TITLES[found.kind]}: {said}"


def opinion_example(found: OpinionFinding) -> str:
    """The case of the first row of a finding; empty without rows in the file."""
    return str(found.examples[0]["case_id"]) if found.examples else ""
