"""Notes for a table of scores, in sentences."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from benchmaker.analysis import ModelSummary, Summary
from benchmaker.analysis.summary.summary import LEAST_SCORED, reproducibility
from benchmaker.record import AWAITING_JUDGE, INFRASTRUCTURE, MODELS_DOING, Outcome, Run
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.figure_words import WORDS
from benchmaker.report.sentences.judging import (
    judges_line,
    judging_command,
    judging_notes,
    judging_warning,
)
from benchmaker.report.sentences.sent_parameters import changes_seen, refusals_seen, sent_words
from benchmaker.report.tables import numbers
from benchmaker.report.tables.sanitize import sanitise, truncate
from benchmaker.spec import Parameters

NAMED = 6
"""Maximum number of models named in one sentence; the others are counted."""

LISTED = 20
"""Maximum number of cases named in one sentence."""

_UNSCORED = (Outcome.UNSCORED, Outcome.SCORER_ERROR, Outcome.CANCELLED)


def summary_facts(summary: Summary) -> list[str]:
    """Return the basis of the numbers: suite, profile, runs, models, cases."""
    run = summary.run
    parts = [
        f"suite {run.suite_hash[:8]}" if run else "",
        f"profile {run.profile}/{run.profile_version}" if run else "",
        _which_runs(summary),
        numbers.count(len(summary.models), "model"),
        f"{_cases(summary)} scored",
    ]
    return [part for part in parts if part]


def suite_title(summary: Summary) -> str:
    """The name of the suite; "Scores" where nothing is stored."""
    return name(summary.run.suite_name) if summary.run else "Scores"


def summary_line(summary: Summary) -> str:
    """The suite, the runs, and the number of models and cases."""
    facts = (_which_runs(summary), numbers.count(len(summary.models), "model"), _cases(summary))
    return f"{suite_title(summary)}: {', '.join(facts)} scored."


def _cases(summary: Summary) -> str:
    """Return the number of scored cases, and of the stored ones if there are more."""
    scored = max((model.n_cases for model in summary.models), default=0)
    if scored == summary.stored_cases:
        return numbers.count(scored, "case")
    return f"{scored:,} of {numbers.count(summary.stored_cases, 'case')}"


def strict_head(summary: Summary) -> str:
    """The head of the strict accuracy: plainly Accuracy where every score is 0 or 1."""
    return WORDS["accuracy" if summary.is_right_or_wrong else "strict"].head


def mean_head(summary: Summary) -> str:
    """Return the heading of the column of means: the averaged quantity."""
    return WORDS["checks" if summary.measure == "checks" else "mean"].head


def strict_legend(summary: Summary) -> str:
    """The meaning of the column of strict accuracies."""
    if not summary.is_right_or_wrong:
        return "Strict: share of answers that score exactly 100."
    return f"Accuracy: share of right answers, {_averaging_words(summary)}."


def sd_legend(summary: Summary) -> str:
    """The meaning of the column of standard deviations."""
    return (
        "SD, runs: standard deviation of the mean across runs."
        if summary.is_series
        else "SD, cases: standard deviation of the scores across cases."
    )


def mean_legend(summary: Summary) -> str:
    """The meaning of the column of means."""
    if summary.measure == "checks":
        what = "Checks: share of page checks passed, 0 to 100 (no judge, so no total score)"
    else:
        what = "Mean: 0 to 100"
    return f"{what}, {_averaging_words(summary)}."


def _averaging_words(summary: Summary) -> str:
    """What is averaged with which weights."""
    over = "each with its mean over the runs, " if summary.is_series else ""
    weights = "weighted" if summary.weighted else "equal weights"
    return f"over cases, {over}{weights}"


def interval_legend(summary: Summary) -> str:
    """The meaning of intervals over cases, with the formulas that were used; empty without any."""
    formulas = dict.fromkeys(method.split(", ")[1] for method in summary.methods)
    if not formulas:
        return ""
    is_clustered = any("clustered" in method for method in summary.methods)
    taken = "clustered by group" if is_clustered else "independent cases"
    return f"95% CI over cases ({' or '.join(formulas)}, {taken})."


def summary_warnings(
    summary: Summary,
    stopped: Mapping[str, str] = MappingProxyType({}),
    causes: Sequence[str] = (),
) -> list[str]:
    """The reasons to doubt the table: trials that are missing, failed, or prove nothing.

    ``stopped`` has models and judges that were given up, with the reasons, where they are known;
    ``causes`` are sentences on failed and unscored trials.
    """
    sentences = [
        _unfinished_note(summary),
        _awaiting_note(summary),
        _not_run(summary),
        judging_warning(summary.judging, summary.run),
        judges_line(summary.judging),
        *(f"Stopped querying {name(it)}: {sanitise(why)}" for it, why in stopped.items()),
        _stopped_models_note([it for it in summary.models if it.model not in stopped]),
        _absent_trials(summary),
        _failed_requests(summary),
        _unscored_note(summary),
        *causes,
        _by_policy(summary),
        _auto_passes(summary.models),
        _provisional_note(summary.models),
    ]
    return [sentence for sentence in sentences if sentence]


def summary_details(summary: Summary) -> list[str]:
    """Judges, weights, missing figures and costs, which explain the table."""
    warned = judging_warning(summary.judging, summary.run), judges_line(summary.judging)
    sentences = [
        *(said for said in judging_notes(summary.judging, summary.run) if said not in warned),
        _partial_spread_note(summary),
        _zero_weights(summary),
        *_missing_intervals(summary),
        _costs(summary.models),
    ]
    return [sentence for sentence in sentences if sentence]


def summary_notes(summary: Summary) -> list[str]:
    """Return the notes a reader needs to interpret the table; empty if there are none."""
    return [*summary_warnings(summary), *summary_details(summary)]


def reproducibility_line(summary: Summary) -> str:
    """Return the settings needed to reproduce the numbers, in one line."""
    if summary.run is None:
        return ""
    known = reproducibility(summary.run)
    provider = known["provider"]
    if provider.get("kind") == "recorded":
        digest = str(provider.get("sha256", ""))[:8]
        source = f"recorded answers from {name(str(provider.get('path', 'file')))}"
        asked = f"{source} (sha256 {digest})" if digest else source
    elif source := provider.get("source"):
        asked = f"answers read from {name(str(source))}"
    elif provider.get("kind") == "scripted":
        asked = f"scripted answers{_from_cache(summary)}"
    elif provider.get("kind") == "function":
        function = name(str(provider.get("function", "")))
        asked = f"answers of the Python function {function}{_from_cache(summary)}"
    else:
        asked = (
            f"{', '.join(_sent_parameters(summary, summary.run))}, "
            f"Benchmark Mode {'on' if known['benchmark_mode'] else 'off'}{_from_cache(summary)}"
        )
    version = known["package_version"]
    judged = _judge_note(known)
    return f"Settings: {asked}{judged}{f', Benchmaker {version}' if version else ''}."


def _sent_parameters(summary: Summary, run: Run) -> list[str]:
    """Return the parameters sent with the questions."""
    if "temperature" not in run.parameters:
        return ["temperature unknown", "no seed" if run.seed is None else f"seed {run.seed}"]
    parameters = Parameters.of_record(run.parameters)
    return sent_words(parameters, run.seed, refusals_seen(summary), changes_seen(summary))


def _judge_note(known: Mapping[str, Any]) -> str:
    """Return the judges with their repeats, if there are any."""
    if not known["judge_model"]:
        return ""
    repeats = " or ".join(map(str, known["judge_repeats"])) or "1"
    return f", judge {name(known['judge_model'])} ({repeats} × each answer)"


def _from_cache(summary: Summary) -> str:
    """Return the number of answers from the cache, if the cache may have been used."""
    hits = sum(model.flags.get("cache_hit", 0) for model in summary.models)
    may_hit = summary.run is not None and summary.run.options.get("cache")
    return f", {numbers.count(hits, 'cache hit')}" if hits or may_hit else ""


def name(text: str) -> str:
    """A name from anybody, on one line and not too long."""
    return truncate(sanitise(text), 120)


def _which_runs(summary: Summary) -> str:
    if not summary.is_series:
        return f"run {name(summary.run_ids[0])}" if summary.run_ids else "no run"
    series = summary.run.series_id if summary.run else None
    counted = numbers.count(len(summary.run_ids), "run")
    return f"{counted}, series {name(series)}" if series else counted


def _unfinished_note(summary: Summary) -> str:
    if summary.is_complete:
        return ""
    done = sum(model.n_trials for model in summary.models)
    again = sum(model.n_trials - model.n_done for model in summary.models)
    planned = summary.n_planned
    if done == planned and not again and _n_awaiting(summary):
        return ""
    if done == planned and not again:
        trials = numbers.count(done, "trial")
        return f"Unfinished: {done:,} of {trials} stored, but the run was not closed."
    of = (
        f"{done:,} of {numbers.count(planned, 'trial')}"
        if planned
        else numbers.count(done, "trial")
    )
    asked = f", {again:,} of them to be retried" if again else ""
    return f"Unfinished: {of} stored so far{asked}."


def _awaiting_note(summary: Summary) -> str:
    """Return the number of answers waiting for a judge, and the command to judge them."""
    number = _n_awaiting(summary)
    if not number or summary.run is None:
        return ""
    verb = "waits" if number == 1 else "wait"
    return (
        f"{numbers.count(number, 'answer')} {verb} for a judge. "
        f"Judge them with: {judging_command(summary.run)}"
    )


def _n_awaiting(summary: Summary) -> int:
    return sum(model.flags.get(AWAITING_JUDGE, 0) for model in summary.models)


def _not_run(summary: Summary) -> str:
    """Return the cases of a corrected suite without a stored answer."""
    names = summary.not_run
    if not names:
        return ""
    listed = ", ".join(map(name, names[:LISTED]))
    more = f" and {len(names) - LISTED:,} more" if len(names) > LISTED else ""
    verb = "has" if len(names) == 1 else "have"
    return f"Not run: {numbers.count(len(names), 'case')} {verb} no stored answer: {listed}{more}."


def _stopped_models_note(models: Sequence[ModelSummary]) -> str:
    names = [name(model.model) for model in models if model.is_given_up]
    return f"Stopped early after a failure: {_join_models(names)}." if names else ""


def spread_basis(summary: Summary) -> list[str]:
    """Return the content of the columns of runs, and the cases behind SD and interval over runs."""
    spreads = [model.runs for model in summary.models if model.runs and model.runs.scores]
    counts = {spread.n_cases for spread in spreads}
    if not counts:
        return []
    cases = f"{min(counts):,}" if len(counts) == 1 else f"{min(counts):,} to {max(counts):,}"
    noun = "case" if counts == {1} else "cases"
    what = "accuracy" if summary.is_right_or_wrong else "mean"
    return [
        f"Run 1, 2, …: {what} of the run, over all cases scored in it.",
        f"SD, runs and 95% CI, runs: over the {cases} {noun} scored in every run.",
        f"A {what} after the interval is that of these cases, where it differs from the model's.",
        *(["Runs without a figure are excluded."] if any(it.partial for it in spreads) else []),
    ]


def _partial_spread_note(summary: Summary) -> str:
    """Over how many runs and cases the spread is, where some of them are left out of it."""
    runs = len(summary.run_ids)
    spreads = [
        f"{name(model.model)} {len(model.runs.scores):,} of {numbers.count(runs, 'run')}, "
        f"{model.runs.n_cases:,} of {numbers.count(model.n_cases, 'case')}"
        for model in summary.models
        if model.runs
        and model.n_cases
        and (len(model.runs.scores) < runs or model.runs.n_cases < model.n_cases)
    ]
    if not spreads:
        return ""
    return f"SD, runs uses only cases scored in every run: {_join_models(spreads)}."


def _absent_trials(summary: Summary) -> str:
    """The trials of a finished run that were not run; empty where other notes count them."""
    if not summary.is_complete or summary.not_run:
        return ""
    absent = [
        f"{name(model.model)} ({numbers.count(model.n_absent, 'trial')})"
        for model in summary.models
        if model.n_absent > 0
    ]
    return f"Not run: {_join_models(absent)}." if absent else ""


def _failed_requests(summary: Summary) -> str:
    """The trials that failed by infrastructure, by model and kind."""
    counted = _count_words(summary, INFRASTRUCTURE)
    if not counted:
        return ""
    total = sum(sum(kinds.values()) for kinds in counted.values())
    verb = "is" if total == 1 else "are"
    failed = numbers.count(total, "trial")
    if len(counted) == 1:
        ((model, kinds),) = counted.items()
        why = next(iter(kinds)) if len(kinds) == 1 else _kind_counts(kinds)
        return f"{failed} of {name(model)} failed ({why}) and {verb} excluded from the mean."
    return f"{failed} failed and are excluded from the mean: {_by_model(counted)}."


def _by_policy(summary: Summary) -> str:
    """The trials that the suite's policy decides on, and how many of them it scores 0."""
    counted = _count_words(summary, MODELS_DOING)
    if not counted:
        return ""
    total = sum(sum(kinds.values()) for kinds in counted.values())
    zeros = sum(model.counted_policy_zeros for model in summary.models)
    if zeros == total:
        return f"Scored 0 by the suite's policy: {_by_model(counted)}."
    some = f" ({zeros:,} scored 0)" if zeros else ""
    return f"Subject to the suite's policy{some}: {_by_model(counted)}."


def _unscored_note(summary: Summary) -> str:
    counted = _count_words(summary, _UNSCORED)
    return f"Unscored, excluded from the mean: {_by_model(counted)}." if counted else ""


def _count_words(summary: Summary, outcomes: Iterable[Outcome]) -> dict[str, dict[str, int]]:
    """The number of trials by model and by outcome in words; models without any are omitted."""
    wanted = [outcome.value for outcome in Outcome if outcome in frozenset(outcomes)]
    found = {
        model.model: {kind.replace("_", " "): ended[kind] for kind in wanted if kind in ended}
        for model, ended in ((one, one.counted_outcomes) for one in summary.models)
    }
    return {model: kinds for model, kinds in found.items() if kinds}


def _by_model(counted: Mapping[str, Mapping[str, int]]) -> str:
    return _join_models(
        [f"{name(model)} ({_kind_counts(kinds)})" for model, kinds in counted.items()]
    )


def _kind_counts(kinds: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {kind}" for kind, number in kinds.items())


def _auto_passes(models: Sequence[ModelSummary]) -> str:
    total = sum(model.auto_pass for model in models)
    if not total:
        return ""
    return f"{numbers.count(total, 'trial')} passed without an expected answer (auto-pass)."


def _zero_weights(summary: Summary) -> str:
    if not summary.zero_weight_cases:
        return ""
    one = summary.zero_weight_cases == 1
    return (
        f"{numbers.count(summary.zero_weight_cases, 'case')} of weight 0 "
        f"{'is' if one else 'are'} excluded from the mean."
    )


def _missing_intervals(summary: Summary) -> list[str]:
    has_sd = summary.is_series or not summary.is_right_or_wrong
    by_reason: dict[str, list[str]] = {}
    for model in summary.models:
        for missing in _missing_reasons(model, has_sd=has_sd):
            by_reason.setdefault(missing, []).append(name(model.model))
    return [f"{missing} ({_join_models(names)})." for missing, names in by_reason.items()]


def _missing_reasons(model: ModelSummary, *, has_sd: bool) -> Iterator[str]:
    if model.ci95 is None:
        yield f"No interval: {model.ci95_reason}"
    if not has_sd or model.sd is not None or not model.n_cases:
        return
    if model.runs:
        yield f"No SD: over runs, {model.runs.reason}"
    elif model.n_cases == 1:
        yield "No SD: 1 scored case, at least 2 are needed"
    else:
        yield "No SD: one case has all the weight"


def _provisional_note(models: Sequence[ModelSummary]) -> str:
    few = [
        f"{name(model.model)} {model.n_cases} of {LEAST_SCORED}"
        for model in models
        if model.is_provisional and model.n_cases
    ]
    return f"Provisional (too few scored cases): {_join_models(few)}." if few else ""


def _costs(models: Sequence[ModelSummary]) -> str:
    if all(not model.cost_known_trials for model in models):
        refused = sum(map(_dropped_costs, models))
        why = f"{_figures(refused)}: negative, too large or not a number"
        return f"Cost: unknown ({why if refused else 'no cost was reported'})."
    return (
        f"Cost: {_join_models([f'{name(model.model)} {model_cost(model)}' for model in models])}."
    )


def trials(summary: Summary) -> str:
    """Return the number of recorded trials, and the planned total if known."""
    done = sum(model.n_trials for model in summary.models)
    planned = summary.n_planned
    return f"{done:,}" if planned is None else f"{done:,} of {planned:,}"


def cost_text(usd: float, *, is_whole: bool) -> str:
    """Return the dollars for all requests, or the known part."""
    if is_whole:
        return numbers.money(usd)
    return f"at least {numbers.money(usd)}" if usd else missing_figures.NOT_KNOWN


def model_cost(model: ModelSummary) -> str:
    """Return the cost of the model's trials, or the known part."""
    if model.cost_usd is not None:
        return numbers.money(model.cost_usd)
    refused = _figures(_dropped_costs(model)) if _dropped_costs(model) else ""
    if not model.cost_usd_at_least:
        return f"unknown ({refused})" if refused else missing_figures.NOT_KNOWN
    known = f"{model.cost_known_trials:,} of {numbers.count(model.n_trials, 'trial')} known"
    told = f"{known}, {refused}" if refused else known
    return f"at least {numbers.money(model.cost_usd_at_least)} ({told})"


def _dropped_costs(model: ModelSummary) -> int:
    """Of how many trials a cost is recorded that can't be true."""
    return model.flags.get("cost_dropped", 0)


def _figures(refused: int) -> str:
    return numbers.count(refused, "rejected figure")


def _join_models(parts: Sequence[str]) -> str:
    if len(parts) <= NAMED:
        return "; ".join(parts)
    return f"{'; '.join(parts[:NAMED])}; and {len(parts) - NAMED} more models"
