"""Output of series of agent trials: proposals, results, and lists."""

from collections import Counter
from typing import TYPE_CHECKING

from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output.output import say, say_json, say_wrapped, tell
from benchmaker.cli.output.table import format_table, window_width
from benchmaker.record.counts import count
from benchmaker.record.dollars import dollars

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmaker.arenas.agentic.series.api import SeriesProposal
    from benchmaker.arenas.agentic.series.plan import AgentSeriesPlan
    from benchmaker.arenas.agentic.series.series_results import AgentSeriesResult
    from benchmaker.arenas.agentic.series.series_run import SeriesProgress
    from benchmaker.record.agent_trial import AgentSeries
    from benchmaker.store import Store

_NAMED = 5


class SeriesRelay:
    """Forwards the start of a series and its snapshots to the display."""

    def __init__(self) -> None:
        self.show: Callable[[SeriesProgress], None] | None = None
        self.series = ""
        self.running = 0

    def on_begin(self, series: str) -> None:
        """A series begins."""
        self.series = series

    def __call__(self, progress: "SeriesProgress") -> None:
        """Show the snapshot."""
        self.running = progress.running
        if self.show is not None:
            self.show(progress)

    def tell_stop(self) -> None:
        """Explain the consequences of the first Ctrl-C."""
        from benchmaker.arenas.agentic.series.attempt import SeriesLimits

        running = count(self.running, "running trial")
        wait = f" after {running}, up to {SeriesLimits().drain_s:g} s" if self.running else ""
        tell(f"Stopping{wait}. Press Ctrl-C again to stop immediately.")


def say_proposal(context: Context, made: "SeriesProposal") -> ExitCode:
    """Print the trials of a plan, their maximum cost, and what is missing."""
    plan = made.plan
    code = ExitCode.PREREQUISITE if made.missing else ExitCode.OK
    if context.use_json:
        missing = [{"message": it.message, "hint": it.hint or None} for it in made.missing]
        known = {"planned": plan.trial_count, "most_usd": plan.most_usd, "missing": missing}
        notes = {"unknown": list(made.unknown), "hints": list(made.hints)}
        say_json({"plan": plan.to_dict(), "isolation": made.isolation, **known, **notes})
        return code
    say(f"{plan.sentence()}.")
    heads = ("system", "version", "model")
    rows = [[it.id, it.version or "–", it.model or "–"] for it in plan.systems]
    for line in format_table(heads, rows):
        say(line)
    say(f"Tasks: {', '.join(it.id for it in plan.tasks)}")
    if plan.network != "off":
        say_wrapped(f"Allowed hosts: {plan.network}")
    say(bound_sentence(plan))
    for it in made.missing:
        say_wrapped(f"Missing: {it}")
    for sentence in (*made.unknown, *made.hints):
        say_wrapped(sentence)
    if note := jobs_note(plan.jobs, plan.budget_usd, plan.trial_budget_usd):
        say_wrapped(note)
    return code


def jobs_note(jobs: int, budget: float | None, trial_budget: float | None) -> str:
    """The advice for more parallel trials than the budget pays in full; empty if it pays them."""
    if not budget or not trial_budget or jobs == 1 or jobs * trial_budget <= budget:
        return ""
    most = max(1, int(budget / trial_budget))
    return (
        f"The budget of {dollars(budget)} may cut off {jobs} parallel trials of up to "
        f"{dollars(trial_budget)} each, without a score. Use --jobs {most}, or a larger --budget."
    )


def bound_sentence(plan: "AgentSeriesPlan") -> str:
    """The maximum cost of a plan in words."""
    if not plan.models:
        return "No model is queried."
    if plan.budget_usd == 0:
        return "A budget of $0.00 admits no request. Trials with a model are not started."
    if plan.trial_budget_usd == 0:
        return "A trial budget of $0.00 admits no request. Trials end at their first one."
    if plan.most_usd is None:
        return "The cost has no limit. Set one with --budget or --trial-budget."
    return f"Maximum cost: {dollars(plan.most_usd)}, and the requests in progress then."


def say_result(context: Context, made: "AgentSeriesResult") -> None:
    """Print the figures of a series, or all of it as JSON."""
    if context.use_json:
        say_json(made.to_dict())
        return
    from benchmaker.report.result_tables.agent_systems import AGENT_SYSTEMS

    say(AGENT_SYSTEMS.table(made).text(width=window_width()).rstrip("\n"))
    if cost := made.judge_cost:
        counted = ", counted in the budget" if made.plan.get("budget_usd") is not None else ""
        say(f"Judges: {cost}{counted}.")
    for line in (*_crash_lines(made), *_unscored_lines(made)):
        say_wrapped(line)


def _crash_lines(made: "AgentSeriesResult") -> list[str]:
    """The crashes of agents by system and reason, most frequent first."""
    every = made.crashes
    lines = [
        f"{count(it.number, 'crash', 'crashes')} of {it.system}: {it.reason}"
        for it in every[:_NAMED]
    ]
    more = sum(it.number for it in every[_NAMED:])
    return [*lines, *([f"{count(more, 'more crash', 'more crashes')}."] if more else [])]


def _unscored_lines(made: "AgentSeriesResult") -> list[str]:
    """The trials without an outcome that counts, by outcome and reason, most frequent first."""
    found = Counter(
        (str(it.outcome or made.state).replace("_", " "), it.detail)
        for it in made.trials
        if it.reward is None
    )
    lines = [
        f"{count(number, 'trial')} without a score ({name})" + (f": {why}" if why else ".")
        for (name, why), number in found.most_common(_NAMED)
    ]
    more = found.total() - sum(number for _, number in found.most_common(_NAMED))
    return [*lines, *([f"{count(more, 'more trial')} without a score."] if more else [])]


def end_code(made: "AgentSeriesResult", *, was_stopped: bool) -> ExitCode:
    """The exit code of a call; it was stopped by a signal, or ended by itself."""
    if was_stopped and made.open:
        return ExitCode.INTERRUPTED
    return ExitCode.PARTIAL if made.open or made.capped_trials else ExitCode.OK


def tell_end(
    context: Context,
    made: "AgentSeriesResult",
    *,
    was_stopped: bool,
    options: "Sequence[str]" = (),
) -> None:
    """Print how a call ended, and the next step; ``options`` are kept in a command to resume."""
    tell_stops(made)
    if made.removed_workspaces:
        number = count(made.removed_workspaces, "oldest kept workspace")
        tell(f"Removed the {number}: they exceeded the size limit.")
    if made.unevaluated:
        waiting = count(made.unevaluated, "submission")
        tell(f"{waiting} not evaluated yet. Evaluate with: {context.line('evaluate')}")
    resume = context.line("agents", "resume", made.series, *options)
    if was_stopped and made.open:
        tell(f"Interrupted; finished trials are kept. Resume with: {resume}")
    elif made.open:
        raised = " with a larger --budget" if made.halted else ""
        them = "it" if made.open == 1 else "them"
        tell(f"{count(made.open, 'trial')} left. Run {them}{raised}: {resume}")
    else:
        tell(f"Trials: {context.line('agents', 'show', made.series, '--json')}")
        tell(f"Board:  {context.line('leaderboard')}")


def _capped_sentence(made: "AgentSeriesResult") -> str:
    """The trials that can't be run again, in words."""
    trials = count(len(made.capped_trials), "trial")
    return f"{trials} can't be run again: the cap of the trial is used up."


def tell_stops(made: "AgentSeriesResult") -> None:
    """Print why systems or the whole series were stopped, and what was not started for that."""
    for system, reason in (made.stopped or {}).items():
        tell(f"Stopped {system}: {reason.removesuffix('.')}.")
    if made.halted:
        tell(f"Stopped: {made.halted}")
    if made.not_started:
        tell(f"Not started: {_names_of(made)}.")
    if made.capped_trials:
        tell(_capped_sentence(made))


def _names_of(made: "AgentSeriesResult") -> str:
    first = [
        f"{it['system']} at {it['task']}, attempt {it['attempt']}"
        for it in made.not_started[:_NAMED]
    ]
    more = len(made.not_started) - len(first)
    return "; ".join([*first, *([f"and {more:,} more"] if more > 0 else [])])


def say_list(context: Context, store: "Store", every: "Sequence[AgentSeries]") -> None:
    """Print stored series, newest first."""
    from benchmaker.arenas.agentic.series.plan import AgentSeriesPlan
    from benchmaker.arenas.agentic.series.series_results import series_word

    if context.use_json:
        say_json({"series": list(every)})
        return
    if not every:
        say("No series of agent trials.")
        return
    rows = [
        [it.id, it.created_at[:16].replace("T", " "), series_word(store, it),
         AgentSeriesPlan.of(it).sentence()]
        for it in every
    ]  # fmt: skip
    for line in format_table(("series", "created", "state", "trials"), rows):
        say(line)
