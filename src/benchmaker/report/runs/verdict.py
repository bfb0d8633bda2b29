"""The result of a run in sentences: who is ahead, by how much, how sure, and at what cost."""

from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from benchmaker.analysis import Summary
from benchmaker.errors import AnalysisError
from benchmaker.record import Run
from benchmaker.record.counts import count
from benchmaker.record.label import Label
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.report.sentences import notes
from benchmaker.report.sentences.figure_words import WORDS, figure_text
from benchmaker.report.sentences.unknown_costs import unknown_cost_advice, unknown_cost_reason
from benchmaker.report.tables import numbers

if TYPE_CHECKING:  # loaded where models are compared, or a run has dimensions
    from benchmaker.analysis.comparison.results import Comparison
    from benchmaker.analysis.effects.run_effects import RunEffects


class StoredResult(Protocol):
    """The result of runs: their summary, and what their models are compared from."""

    @property
    def summary(self) -> Summary:
        """The models with their figures."""
        ...

    @property
    def runs(self) -> tuple[Run, ...]:
        """The records of the runs."""
        ...

    def columns(self) -> ScoreColumns:
        """The scores."""
        ...

    def labels(self) -> tuple[Label, ...]:
        """The labels of the answers by people."""
        ...


def compare_models(result: StoredResult) -> "Comparison | None":
    """The comparison of the models, warned by labels; None where there is nothing to compare."""
    if sum(model.mean is not None for model in result.summary.models) < 2:  # noqa: PLR2004  a pair
        return None
    from benchmaker.analysis.comparison.comparison import compare  # noqa: PLC0415  loads numpy
    from benchmaker.analysis.comparison.contradictions import (  # noqa: PLC0415  see above
        compared_with_labels,
    )

    columns = result.columns()
    with suppress(AnalysisError):
        return compared_with_labels(compare(columns, result.runs), columns, result.labels())
    return None


def effects_of(result: StoredResult) -> "RunEffects | None":
    """The effects of prompts, models and efforts; None for a run without these dimensions."""
    if not any(run.has_dimensions for run in result.runs):
        return None
    from benchmaker.analysis.effects.run_effects import run_effects  # noqa: PLC0415  for few runs

    return run_effects(result.columns(), result.runs)


def result_sentences(
    summary: Summary, comparison: "Comparison | None", effects: "RunEffects | None" = None
) -> list[str]:
    """The verdict, then the cost of the models that it names.

    Args:
        summary: the models with their figures, best first.
        comparison: of the same models; None where nothing can be compared.
        effects: those of prompts, models and efforts, which come first; None without dimensions.
            Where the setups differ in one of them alone, the verdict on the setups is enough.
    """
    is_apart = effects and not (comparison and _differ_in_one(effects, comparison))
    first = _verdicts_on_levels(effects) if effects and is_apart else []
    said = _verdicts_on_models(comparison) if comparison else [_verdict_on_best(summary)]
    return [sentence for sentence in (*first, *said, _costs(summary, comparison)) if sentence]


def _differ_in_one(effects: "RunEffects", comparison: "Comparison") -> bool:
    """True if each setup is another level of one dimension."""
    levels = [len(one.levels) for one in effects.comparisons]
    return levels == [len(comparison.models)]


def _verdicts_on_levels(effects: "RunEffects") -> list[str]:
    from benchmaker.report.runs.dimensions import effect_sentences  # noqa: PLC0415  see above

    return effect_sentences(effects)


def _verdicts_on_models(comparison: "Comparison") -> list[str]:
    from benchmaker.report.runs.comparison import (  # noqa: PLC0415  see above
        comparison_verdict,
        too_few_note,
    )

    return [*comparison_verdict(comparison), too_few_note(comparison)]


def _costs(summary: Summary, comparison: "Comparison | None") -> str:
    """The cost of the best two models, and of all if there are more; the reason if unknown."""
    best = comparison.headline if comparison else None
    names = [best.model_a, best.model_b] if best else [one.model for one in summary.models[:1]]
    models = [one for name in names for one in summary.models if one.model == name]
    if not any(one.cost_known_trials for one in models):
        return _unknown_cost(summary)
    each = ", ".join(f"{notes.name(it.model)} {notes.model_cost(it)}" for it in models)
    others = [one for one in summary.models if one not in models]
    is_all = any(one.n_scored or one.cost_known_trials for one in others)
    return f"Cost: {each}{_cost_of_all(summary) if is_all else ''}."


def _cost_of_all(summary: Summary) -> str:
    """The cost of all models, after that of some."""
    is_whole = all(model.cost_usd is not None for model in summary.models)
    spent = notes.cost_text(summary.spending.models_usd, is_whole=is_whole)
    return f"; all {count(len(summary.models), summary.noun)} {spent}"


def _unknown_cost(summary: Summary) -> str:
    """Why no model of a live run has a cost, with the remedy; else empty."""
    kind = summary.run.provider.get("kind") if summary.run else None
    if kind != "live" or any(one.cost_known_trials for one in summary.models):
        return ""
    if not any(one.n_scored for one in summary.models):
        return ""
    advice = unknown_cost_advice(summary)
    return f"Cost unknown ({unknown_cost_reason(summary)}).{f' {advice}' if advice else ''}"


def _verdict_on_best(summary: Summary) -> str:
    """The best model with its figure, where models are not compared."""
    best = summary.models[0] if summary.models else None
    figure = summary.figure(best) if best else None
    if best is None or figure is None:
        return "No scores."
    value = f"{figure_text(figure, summary.figure_name)}{interval_suffix(summary.interval(best))}"
    name, what = notes.name(best.model), WORDS[summary.figure_name].noun
    if len(summary.models) == 1:
        cases = notes.scored_cases(summary)
        part = f", on {cases}" if " of " in cases else ""
        return f"{name} has {_article(what)} {what} of {value}{part}."
    if sum(summary.figure(model) is not None for model in summary.models) == 1:
        return f"Only {name} has scores: {what} {value}."
    tied = sum(summary.figure(model) == figure for model in summary.models) - 1
    if tied:
        shared = figure_text(figure, summary.figure_name)
        others = count(tied, f"other {summary.noun}")
        return f"{name} and {others} share the highest {what}, {shared}."
    untested = f"Differences between {summary.noun}s are not tested."
    return f"{name} has the highest {what}, {value}. {untested}"


def _article(noun: str) -> str:
    return "an" if noun[0] in "aeiou" else "a"


def interval_suffix(ends: tuple[float, float] | None) -> str:
    """An interval behind a figure, after a comma."""
    return f", 95% CI {numbers.interval(ends)}" if ends else ", no interval"
