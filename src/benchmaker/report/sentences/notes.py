"""Notes for a table of scores, in sentences."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from benchmaker.analysis import ModelSummary, Summary
from benchmaker.analysis.comparable import reproducibility
from benchmaker.analysis.summary.model_summary import LEAST_SCORED
from benchmaker.engine.requests.run_options import recorded_words
from benchmaker.record import AWAITING_JUDGE, JUDGE_FAILED, NO_CODE, POLICY_ZERO, Outcome, Run
from benchmaker.record.counts import count
from benchmaker.record.outcome import outcome_count
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.budget_ends import budget_words
from benchmaker.report.sentences.choice_ways import choice_way, mixed_choices
from benchmaker.report.sentences.failures import (
    failed_tool_sentences,
    failure_sentences,
    unscored_causes,
)
from benchmaker.report.sentences.figure_words import WORDS
from benchmaker.report.sentences.judging import (
    judges_line,
    judging_command,
    judging_notes,
    judging_warning,
    mixed_judges_note,
    needs_embeddings_alone,
    needs_renders_alone,
)
from benchmaker.report.sentences.request_costs import embedding_notes, embedding_warning
from benchmaker.report.sentences.sent_parameters import changes_seen, refusals_seen, sent_words
from benchmaker.report.sentences.unknown_costs import (
    dropped_costs,
    known_part,
    rejected_figures,
    unknown_cost_reason,
)
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
        count(len(summary.models), summary.noun),
        f"{scored_cases(summary)} scored",
    ]
    return [part for part in parts if part]


def suite_title(summary: Summary) -> str:
    """The name of the suite; "Scores" where nothing is stored."""
    return name(summary.run.suite_name) if summary.run else "Scores"


def summary_line(summary: Summary) -> str:
    """The suite, the runs, and the number of models or setups and of cases."""
    facts = (
        _which_runs(summary),
        count(len(summary.models), summary.noun),
        scored_cases(summary),
    )
    return f"{suite_title(summary)}: {', '.join(facts)} scored."


def scored_cases(summary: Summary) -> str:
    """Return the number of cases with a score of any model, and of all selected ones if more."""
    scored, of = summary.scored_cases, summary.selected_cases
    return count(scored, "case") if scored == of else f"{scored:,} of {count(of, 'case')}"


def summary_warnings(
    summary: Summary, stopped: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """The reasons to doubt the table: trials that are missing, failed, or prove nothing.

    ``stopped`` are the models and judges that an execution has just stopped, with the reasons.
    """
    sentences = [
        _unfinished_note(summary),
        _awaiting_note(summary),
        _not_run(summary),
        judging_warning(summary.judging, summary.run),
        embedding_warning(summary),
        judges_line(summary.judging),
        mixed_judges_note(summary.judging),
        *failure_sentences(summary, stopped),
        _absent_trials(summary, stopped),
        _unscored_note(summary),
        _lone_failures(summary),
        *unscored_causes(summary),
        *failed_tool_sentences(summary),
        _by_policy(summary),
        _auto_passes(summary.models),
        mixed_choices(summary.models),
        _provisional_note(summary),
    ]
    return [sentence for sentence in sentences if sentence]


def summary_details(summary: Summary) -> list[str]:
    """Judges, weights, missing figures and costs, which explain the table."""
    judging = summary.judging
    warned = (
        judging_warning(judging, summary.run),
        judges_line(judging),
        mixed_judges_note(judging),
    )
    sentences = [
        *(said for said in judging_notes(judging, summary.run) if said not in warned),
        _partial_spread_note(summary),
        _zero_weights(summary),
        choice_way(summary.models),
        *_missing_intervals(summary),
        *embedding_notes(summary.embedding_totals),
        _costs(summary),
    ]
    return [sentence for sentence in sentences if sentence]


def summary_notes(summary: Summary) -> list[str]:
    """Return the notes a reader needs to interpret the table; empty if there are none."""
    return [*summary_warnings(summary), *summary_details(summary)]


def reproducibility_line(summary: Summary, *, has_folders: bool = True) -> str:
    """Return the settings needed to reproduce the numbers, in one line.

    Setups with other settings are grouped. Without ``has_folders``, files have no paths, for pages
    that are read on other machines.
    """
    if summary.run is None:
        return ""
    known = reproducibility(summary.run)
    provider = known["provider"]
    if provider.get("kind") == "recorded":
        digest = str(provider.get("sha256", ""))[:8]
        path = str(provider.get("path", "file"))
        source = f"recorded answers from {name(path if has_folders else _file_name(path))}"
        asked = f"{source} (sha256 {digest})" if digest else source
    elif source := provider.get("source"):
        path = str(source)
        asked = f"answers read from {name(path if has_folders else _file_name(path))}"
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
    options = "".join(f", {words}" for words in recorded_words(summary.run.options))
    return f"Settings: {asked}{options}{judged}{f', Benchmaker {version}' if version else ''}."


def _file_name(path: str) -> str:
    """The last part of a path, of any system.

    >>> _file_name("/srv/data/answers.jsonl"), _file_name("answers.jsonl")
    ('answers.jsonl', 'answers.jsonl')
    """
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _sent_parameters(summary: Summary, run: Run) -> list[str]:
    """Return the parameters sent with the questions."""
    if "temperature" not in run.parameters:
        return ["temperature unknown", "no seed" if run.seed is None else f"seed {run.seed}"]
    parameters = Parameters.of_record(run.parameters)
    return sent_words(
        parameters,
        run.seed,
        refusals_seen(summary),
        changes_seen(summary),
        setups=[run.setup(name) for name in run.models] if run.setups else (),
    )


def _judge_note(known: Mapping[str, Any]) -> str:
    """Return the judges with their repeats, if there are any."""
    if not known["judge_model"]:
        return ""
    repeats = " or ".join(map(str, known["judge_repeats"])) or "1"
    return f", judge {name(known['judge_model'])} ({repeats} × each answer)"


def _from_cache(summary: Summary) -> str:
    """Return the number of answers from the cache, if the cache may have been used."""
    hits = sum(model.n_reused for model in summary.models)
    may_hit = summary.run is not None and summary.run.options.get("cache")
    return f", {count(hits, 'cache hit')}" if hits or may_hit else ""


def name(text: str) -> str:
    """A name from anybody, on one line and not too long."""
    return truncate(sanitise(text), 120)


def _which_runs(summary: Summary) -> str:
    if not summary.is_series:
        return f"run {name(summary.run_ids[0])}" if summary.run_ids else "no run"
    series = summary.run.series_id if summary.run else None
    counted = count(len(summary.run_ids), "run")
    return f"{counted}, series {name(series)}" if series else counted


def _unfinished_note(summary: Summary) -> str:
    if summary.is_complete:
        return ""
    done = sum(model.n_ended for model in summary.models)
    again = sum(model.n_ended - model.n_done for model in summary.models)
    planned = summary.n_planned
    if done == planned and not again and _n_awaiting(summary):
        return ""
    if done == planned and not again:
        trials = count(done, "trial")
        return f"Unfinished: {done:,} of {trials} stored, but the run was not closed."
    of = f"{done:,} of {count(planned, 'trial')}" if planned else count(done, "trial")
    asked = f", {again:,} of them to be retried" if again else ""
    begun = sum(model.n_unfinished for model in summary.models)
    going = f", {outcome_count(Outcome.UNFINISHED, begun)}" if begun else ""
    ended = budget_words(summary.runs)
    return f"{f'{ended}.' if ended else 'Unfinished:'} {of} stored so far{asked}{going}."


def _awaiting_note(summary: Summary) -> str:
    """Return the number of answers waiting for a score, and the command that gives them one."""
    number = _n_awaiting(summary)
    if not number or summary.run is None:
        return ""
    verb = "waits" if number == 1 else "wait"
    words, action = f"{count(number, 'answer')} {verb} for a judge", "Judge"
    if needs_renders_alone(summary.run):
        is_or_are = "is" if number == 1 else "are"
        words, action = f"{count(number, 'page')} {is_or_are} not rendered yet", "Render"
    elif needs_embeddings_alone(summary.run):
        words, action = f"{count(number, 'answer')} {verb} for embeddings", "Score"
    return f"{words}. {action} them with: {judging_command(summary.run)}"


def _n_awaiting(summary: Summary) -> int:
    return sum(model.flags.get(AWAITING_JUDGE, 0) for model in summary.models)


def _not_run(summary: Summary) -> str:
    """Return the cases of a corrected suite without a stored answer."""
    known = {case_id for run in summary.runs for case_id in run.not_run}
    names = [case_id for case_id in summary.not_run if case_id in known]
    if not names:
        return ""
    listed = ", ".join(map(name, names[:LISTED]))
    more = f" and {len(names) - LISTED:,} more" if len(names) > LISTED else ""
    verb = "has" if len(names) == 1 else "have"
    return f"Not run: {count(len(names), 'case')} {verb} no stored answer: {listed}{more}."


def _is_corrected(summary: Summary) -> bool:
    """True if cases of a corrected suite had no answer when it was scored."""
    return any(run.not_run for run in summary.runs)


def spread_basis(summary: Summary) -> list[str]:
    """Return the content of the columns of runs, and the cases behind SD and interval over runs."""
    spreads = [model.runs for model in summary.models if model.runs and model.runs.scores]
    counts = {spread.n_cases for spread in spreads}
    if not counts:
        return []
    cases = f"{min(counts):,}" if len(counts) == 1 else f"{min(counts):,} to {max(counts):,}"
    noun = "case" if counts == {1} else "cases"
    what = WORDS[summary.figure_name].noun
    return [
        f"Run 1, 2, …: {what} of the run, over all cases scored in it.",
        f"SD, runs and 95% CI, runs: over the {cases} {noun} scored in every run.",
        f"The {what} after an interval is that of these cases, where it differs from the model's.",
        *(["Runs without a figure are excluded."] if any(it.partial for it in spreads) else []),
    ]


def _partial_spread_note(summary: Summary) -> str:
    """Over how many runs and cases the spread is, where some of them are left out of it."""
    runs = summary.n_full_runs
    spreads = [
        f"{name(model.model)} {len(model.runs.scores):,} of {count(runs, 'run')}, "
        f"{model.runs.n_cases:,} of {count(model.n_cases, 'case')}"
        for model in summary.models
        if model.runs
        and model.n_cases
        and (len(model.runs.scores) < runs or model.runs.n_cases < model.n_cases)
    ]
    if not spreads:
        return ""
    return f"SD, runs uses only cases scored in every run: {_join_models(spreads, summary.noun)}."


def _absent_trials(summary: Summary, stopped: Mapping[str, str]) -> str:
    """The trials of a finished run that were not run; empty where other notes count them."""
    counted = {*summary.stopped, *stopped}
    if not summary.is_complete or _is_corrected(summary):
        return ""
    absent = [
        f"{name(model.model)} ({count(model.n_absent, 'trial')})"
        for model in summary.models
        if model.n_absent > 0 and model.model not in counted and not model.is_given_up
    ]
    return f"Not run: {_join_models(absent, summary.noun)}." if absent else ""


def _by_policy(summary: Summary) -> str:
    """The incomplete answers: those scored 0, excluded, and scored as received."""
    ways = {
        "Scored 0 by the suite's policy": {it.model: it.treatments.zero for it in summary.models},
        "Excluded from the mean by the suite's policy": {
            it.model: it.treatments.excluded for it in summary.models
        },
        "Scored as received": {it.model: it.treatments.scored for it in summary.models},
        "No score without a judge or checks": {
            it.model: it.treatments.unscorable for it in summary.models
        },
    }
    used = {way: {model: it for model, it in made.items() if it} for way, made in ways.items()}
    return " ".join(
        f"{way}: {_by_model(made, summary.noun)}." for way, made in used.items() if made
    )


def _unscored_note(summary: Summary) -> str:
    counted = _count_words(summary, _UNSCORED)
    return (
        f"Unscored, excluded from the mean: {_by_model(counted, summary.noun)}." if counted else ""
    )


def _lone_failures(summary: Summary) -> str:
    """The setups without a mean: answers with 0 without a judge, who decided on no other."""
    if not summary.judging:
        return ""
    found = [
        name(it.model)
        for it in summary.models
        if it.mean is None
        and (it.flags.get(JUDGE_FAILED) or it.flags.get(AWAITING_JUDGE))
        and (it.flags.get(NO_CODE) or it.flags.get(POLICY_ZERO))
    ]
    if not found:
        return ""
    return (
        f"No mean, because the judge decided on none of their answers: "
        f"{_join_models(found, summary.noun)}. Those that are empty or have no page do not count."
    )


def _count_words(summary: Summary, outcomes: Iterable[Outcome]) -> dict[str, dict[str, int]]:
    """The number of trials by model and by outcome; models without any are omitted."""
    wanted = [outcome.value for outcome in Outcome if outcome in frozenset(outcomes)]
    found = {
        model.model: {kind: ended[kind] for kind in wanted if kind in ended}
        for model, ended in ((one, one.counted_outcomes) for one in summary.models)
    }
    return {model: kinds for model, kinds in found.items() if kinds}


def _by_model(counted: Mapping[str, Mapping[str, int]], noun: str) -> str:
    return _join_models(
        [f"{name(model)} ({_kind_counts(kinds)})" for model, kinds in counted.items()], noun
    )


def _kind_counts(kinds: Mapping[str, int]) -> str:
    return ", ".join(outcome_count(kind, number) for kind, number in kinds.items())


def _auto_passes(models: Sequence[ModelSummary]) -> str:
    total = sum(model.auto_pass for model in models)
    if not total:
        return ""
    return f"{count(total, 'trial')} passed without an expected answer (auto-pass)."


def _zero_weights(summary: Summary) -> str:
    if not summary.zero_weight_cases:
        return ""
    one = summary.zero_weight_cases == 1
    return (
        f"{count(summary.zero_weight_cases, 'case')} of weight 0 "
        f"{'is' if one else 'are'} excluded from the mean."
    )


def _missing_intervals(summary: Summary) -> list[str]:
    has_sd = summary.is_series or not summary.is_right_or_wrong
    by_reason: dict[str, list[str]] = {}
    for model in summary.models:
        for missing in _missing_reasons(model, has_sd=has_sd):
            by_reason.setdefault(missing, []).append(name(model.model))
    return [
        f"{missing} ({_join_models(names, summary.noun)})." for missing, names in by_reason.items()
    ]


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


def _provisional_note(summary: Summary) -> str:
    few = [
        f"{name(model.model)} ({count(model.n_cases, 'case')} scored)"
        for model in summary.models
        if model.is_provisional and model.n_cases
    ]
    if not few:
        return ""
    return f"Provisional: {_join_models(few, summary.noun)}. At least {LEAST_SCORED} are needed."


def _costs(summary: Summary) -> str:
    models = summary.models
    if not any(model.cost_known_trials or model.cost_usd_at_least for model in models):
        return f"Cost: unknown ({unknown_cost_reason(summary)})."
    each = [f"{name(model.model)} {model_cost(model)}" for model in models]
    return f"Cost: {_join_models(each, summary.noun)}{_reuse_note(summary)}."


def _reuse_note(summary: Summary) -> str:
    """Say that the cost is what was spent, if answers are from other runs."""
    reused = sum(model.n_reused for model in summary.models)
    if not reused:
        return ""
    answers = count(reused, "answer")
    return f" spent; {answers} from the cache or an earlier run (included in costs per case)"


def trials(summary: Summary) -> str:
    """Return the number of recorded trials, and the planned total if known."""
    done = sum(model.n_ended for model in summary.models)
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
    if not model.cost_usd_at_least:
        refused = dropped_costs(model)
        return f"unknown ({rejected_figures(refused)})" if refused else missing_figures.NOT_KNOWN
    return f"at least {numbers.money(model.cost_usd_at_least)} ({known_part(model)})"


def _join_models(parts: Sequence[str], noun: str) -> str:
    if len(parts) <= NAMED:
        return "; ".join(parts)
    return f"{'; '.join(parts[:NAMED])}; and {count(len(parts) - NAMED, f'more {noun}')}"
