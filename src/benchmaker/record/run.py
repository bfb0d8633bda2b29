"""One pass over suite × models, and runs made together."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from benchmaker.record.imports.imported import TOOL_NAMES
from benchmaker.record.setup import Setup
from benchmaker.spec.suites.profile import Metric

_WITHOUT_PARAMETERS = frozenset({"function", "imported", "recorded", "scripted"})
"""Kinds of providers that send no request: answers are imported, recorded or made by a function."""


IMPORTED = "imported"
"""The kind of provider of a run that was read from another tool's results."""

UNCERTAIN = "uncertain"
"""The value of the option ``repeat_where`` that repeats only cases whose scores differ."""

FULL_RUNS = 2
"""Number of runs in which every case runs, if later runs repeat only uncertain cases."""


class RunState(StrEnum):
    """The state of a run; if its process died, it is ``running`` with an expired lease.

    ``finished`` is a run with no trials left except those of stopped models. ``paused`` is a run
    that sends no requests until a person resumes it, whether a process holds it or not.
    """

    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    INTERRUPTED = "interrupted"


class Selection(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The selected cases of the suite: the first ``limit`` of those that pass the filters.

    ``cases`` are shell patterns of ids, and ``filter`` is an expression over cases, or over the
    trials of the earlier run ``filter_of``. ``failed_of`` is a run whose failed cases are selected,
    and ``sample`` the size of a random sample with its ``sample_seed``. A filter that depends on
    an earlier run or on chance is applied once, before the start: ``ids`` are then the cases that
    passed all filters. ``limit`` and ``sample`` count cases before the expansion of their ``vars``.
    ``ids_by_setup`` are the cases of each setup in a run that repeats uncertain cases only; a setup
    without an entry has none.
    """

    limit: int | None = None
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    filter: str | None = None
    filter_of: str | None = None
    failed_of: str | None = None
    sample: int | None = None
    sample_seed: int | None = None
    ids: tuple[str, ...] | None = None
    ids_by_setup: dict[str, tuple[str, ...]] | None = None

    def includes(self, setup: str, case_id: str) -> bool:
        """True for a selected case, unless the run repeats only other cases with this setup."""
        return self.ids_by_setup is None or case_id in self.ids_by_setup.get(setup, ())


class BudgetEnd(msgspec.Struct, frozen=True, kw_only=True):
    """The budget in dollars that ended a run, and why it covered no further request."""

    usd: float
    reason: str


class Series(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Runs made together to measure spread."""

    id: str
    suite_hash: str
    runs: int
    created_at: str
    actor: str = "local"


class Run(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One pass over suite × setups: everything needed to repeat it.

    ``models`` are the names of the setups, in the order of tables. ``setups`` describes those that
    are more than a model; where none is recorded, each name is a model. ``overrides`` are the
    parameters of the call, which take precedence over the suite's.
    ``number`` counts from 1 within its series; recorded answers and caches are kept separate by it.
    ``provider`` is how the answers are obtained, without any key: ``{"kind": "recorded", …}``.
    ``options`` are the run's options that are not the default, such as streaming, cache and budget;
    JSON and the store call them ``manner``.
    ``judge_model`` names the judges, and ``judge`` holds their settings: ``models`` with their
    parameters, ``provider`` and ``concurrency``. Times are UTC, ISO 8601. ``planned`` is the number
    of trials. ``metric`` is the default metric of its scores. ``rescored_from`` is the run whose
    answers a corrected suite scored here, at ``rescored_at``; ``started_at`` is then the start of
    that run, and ``not_run`` names the cases of the corrected suite without an answer.
    ``dismissed_at`` is the time at which a person took it off the list of runs that need action.
    ``dropped`` are the setups that a command excluded; their remaining trials are not run.
    ``budget_end`` is the budget that an interrupted run ended at; None for any other end.
    """

    id: str
    suite_hash: str
    suite_name: str
    models: tuple[str, ...]
    profile: str
    profile_version: str
    number: int = 1
    series_id: str | None = None
    metric: Metric = "mean"
    selection: Selection = Selection()
    parameters: dict[str, Any] = {}
    system_prompt: str | None = None
    judge_prompt: str | None = None
    judge_model: str | None = None
    judge: dict[str, Any] = {}
    calibration_id: str | None = None
    benchmark_mode: bool = False
    provider: dict[str, Any] = {}
    options: dict[str, Any] = msgspec.field(default={}, name="manner")
    seed: int | None = None
    planned: int = 0
    state: RunState = RunState.RUNNING
    started_at: str = ""
    finished_at: str | None = None
    package_version: str = ""
    price_version: str | None = None
    imported_from: str | None = None
    rescored_from: str | None = None
    rescored_at: str | None = None
    not_run: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    actor: str = "local"
    setups: tuple[Setup, ...] = ()
    overrides: dict[str, Any] = {}
    dismissed_at: str | None = None
    dropped: tuple[str, ...] = ()
    budget_end: BudgetEnd | None = None

    def setup(self, name: str) -> Setup:
        """Return the setup of that name; where none is recorded, the name is the model's."""
        known = (one for one in self.setups if one.name == name)
        return next(known, None) or Setup(name=name, model=name)

    @property
    def is_partial_repeat(self) -> bool:
        """True if it repeats only the cases whose first two scores differ."""
        return self.options.get("repeat_where") == UNCERTAIN and self.number > FULL_RUNS

    def planned_of(self, setup: str) -> int:
        """Return the number of planned trials of a setup; 0 for one that the run does not have."""
        if setup not in self.models:
            return 0
        if self.selection.ids_by_setup is not None:
            return len(self.selection.ids_by_setup.get(setup, ()))
        return self.planned // len(self.models)

    @property
    def has_dimensions(self) -> bool:
        """True if a setup has a prompt or an effort, and not only a model."""
        return any(one.prompt_id is not None or one.effort is not None for one in self.setups)

    @property
    def is_dismissed(self) -> bool:
        """True if it was dismissed and has not been resumed since."""
        return self.dismissed_at is not None and (self.finished_at or "") <= self.dismissed_at

    @property
    def order(self) -> tuple[str, str, str]:
        """By the time of its answers, then by that of their re-scoring, then by name."""
        return self.started_at, self.rescored_at or "", self.id

    @property
    def sends_parameters(self) -> bool:
        """True if sampling parameters such as the temperature were sent to a provider."""
        return self.provider.get("kind") not in _WITHOUT_PARAMETERS and not self.provider.get(
            "source"
        )

    @property
    def tool(self) -> str | None:
        """The id of the evaluation tool whose results these are; None for our own runs."""
        return self.provider.get("tool") if self.provider.get("kind") == IMPORTED else None

    @property
    def tool_name(self) -> str | None:
        """The name of that tool, such as ``Inspect``; None for our own runs."""
        return None if self.tool is None else TOOL_NAMES.get(self.tool, self.tool)

    @property
    def profile_id(self) -> str:
        """The scoring profile with its version, as scores are stamped: ``robust/2``."""
        return f"{self.profile}/{self.profile_version}"


def began_at(runs: Iterable[Run]) -> str:
    """Return when a series or run began: the start of its first run that started; else empty.

    >>> began_at([])
    ''
    """
    return min((run.started_at for run in runs if run.started_at), default="")


def start_order(runs: Iterable[Run]) -> tuple[bool, tuple[str, str, str]]:
    """Return the sort key of a series or run by when it began; without a start it comes last.

    Runs of a series that never started, for instance after its budget ended, do not count.
    """
    every = [run.order for run in runs]
    begun = [order for order in every if order[0]]
    return not begun, min(begun or every)


def setup_noun(runs: Iterable[Run]) -> str:
    """Return the word for a setup of these runs: "model" where none has a prompt or an effort.

    >>> setup_noun([])
    'model'
    """
    return "setup" if any(run.has_dimensions for run in runs) else "model"


def setups_named(
    runs: Iterable[Run], names: Sequence[str], chosen: Sequence[str]
) -> tuple[str, ...]:
    """Return the setups among the names that are chosen by their own name or by their model's.

    A name that fits none is returned as it is, and a setup that is chosen twice twice, for the
    analysis to refuse.
    """
    labels = {one.name: one.model_label for run in runs for one in run.setups}
    found = [[name for name in names if one in (name, labels.get(name))] or [one] for one in chosen]
    return tuple(name for each in found for name in each)
