"""The requests to live models, reviewed before anything is sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from benchmaker.cli.context import Context

if TYPE_CHECKING:
    from benchmaker.arenas.standard.estimating import OutputLimit
    from benchmaker.engine.requests.run_options import RunOptions
    from benchmaker.engine.runs.estimate import Estimate
    from benchmaker.engine.runs.judge_estimate import JudgingPlan
    from benchmaker.providers.live import Live
    from benchmaker.providers.prices.rates import RateCard
    from benchmaker.record import Selection, Setup
    from benchmaker.spec import Parameters, Suite


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A suite, the selected cases, the number of runs, the parameters, and the setups."""

    suite: "Suite"
    selection: "Selection"
    parameters: "Parameters"
    runs: int
    judged: "JudgingPlan | None" = None
    setups: "Sequence[Setup]" = ()
    repeat_where: str | None = None

    def wanted_models(self, models: Sequence[str]) -> Sequence[str] | Mapping[str, str]:
        """Return the models to open: by setup, where there are setups."""
        return {one.name: one.model for one in self.setups} or models

    def estimate(
        self,
        cards: "Mapping[str, RateCard | None]",
        *,
        limits: "Mapping[str, OutputLimit]" = MappingProxyType({}),
        sample: int | None = None,
    ) -> "Estimate":
        """Estimate tokens and cost for models with these rates and limits, or from a sample."""
        from benchmaker.arenas.standard.estimating import estimate_cases

        return estimate_cases(
            self.suite,
            self.selection,
            cards,
            parameters=self.parameters,
            runs=self.runs,
            sample=sample,
            judged=self.judged,
            setups=self.setups,
            limits=limits,
            repeat_where=self.repeat_where,
        )


def run_request_of(
    context: Context, suite: "Suite | Path", options: "RunOptions", *, judged: bool
) -> RunRequest:
    """Return the request by the options; the suite is read and checked.

    ``judged``: a judge or recorded replies are given.

    Raises:
        SpecError: an invalid suite or option.
    """
    from benchmaker.arenas.standard.request import (
        parameters_of,
        runnable_suite,
        selection_of,
    )
    from benchmaker.cli.database import home_of
    from benchmaker.spec import effective_parameters

    read = runnable_suite(suite, profile=options.profile, judged=judged)
    wanted = parameters_of(read, options.parameters, benchmark_mode=options.benchmark_mode)
    return RunRequest(
        read,
        selection_of(read, options, home_of(context).open_store),
        effective_parameters(wanted),
        options.runs or 1,
        _judge_plan(context, read, options),
        repeat_where=options.repeat_where,
    )


def _judge_plan(context: Context, suite: "Suite", options: "RunOptions") -> "JudgingPlan | None":
    """Return the judges and embedding models with their prices; recorded replies cost nothing."""
    from benchmaker.arenas.standard.estimating import judged_of
    from benchmaker.cli.database import home_of

    recorded = options.recorded_judge is not None
    return judged_of(suite, options.judge, home_of(context), recorded=recorded)


def opened_models(
    context: Context, models: Sequence[str] | Mapping[str, str], options: "RunOptions"
) -> "Live":
    """Open the models, each with its key; nothing is sent.

    Raises:
        SpecError: an invalid model name or user file.
        PrerequisiteError: a key or a program is missing; each one is named.
    """
    from benchmaker.arenas.standard.live import LiveOptions, open_live

    live = LiveOptions.of(options, environ=context.environ, home=context.home)
    return open_live(models, live)  # type: ignore[return-value]  # it opens no other
