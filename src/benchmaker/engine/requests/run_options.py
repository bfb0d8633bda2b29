"""The options of a run, each declared once: in Python, on the command line, the page, the API."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from benchmaker.engine.requests.option_declaration import (
    Calls,
    Option,
    OptionKind,
    Surfaces,
    declared_in,
    option,
)

if TYPE_CHECKING:
    from random import Random

    from benchmaker.engine.requests.limits import RunLimits
    from benchmaker.engine.trials.clock import Clock
    from benchmaker.providers.network.transport import HttpLimits
    from benchmaker.spec import JudgeNames, Parameters

_AGAIN = Calls.RUN | Calls.RESUME
_COMMAND = Surfaces.COMMAND
_OFFLINE = Surfaces.COMMAND | Surfaces.API
_MANY = 100_000_000
_LONG = 2_000
"""Maximum number of characters of a text that selects cases."""


@dataclass(frozen=True, kw_only=True)
class SelectionOptions:
    """Selection of cases, number of runs, and scoring."""

    runs: int | None = option(
        None, OptionKind.WHOLE,
        "Number of runs, one after another. Default: all recorded runs, else 1.",
        metavar="N", least=1, surfaces=_COMMAND, calls=_AGAIN,
    )  # fmt: skip
    repeat_where: Literal["uncertain"] | None = option(
        None, OptionKind.CHOICE,
        "Run every case twice, and only cases whose two scores differ up to --runs times. Default: "
        "every case in every run.",
        choices=("uncertain",), surfaces=_OFFLINE, recorded=True,
    )  # fmt: skip
    limit: int | None = option(
        None, OptionKind.WHOLE, "Only the first N cases that pass the other filters, "
        "expansions of one case counted as one.",
        metavar="N", least=1, online=(1, _MANY), label="First N cases", placeholder="all",
    )  # fmt: skip
    categories: Sequence[str] | str = option(
        (), OptionKind.WORDS, "Only cases in this category.",
        flag="--category", metavar="NAME",
        label="Categories", placeholder="all", longest=_LONG,
    )  # fmt: skip
    tags: Sequence[str] | str = option(
        (), OptionKind.WORDS, "Only cases with this tag.",
        flag="--tag", metavar="NAME",
        label="Tags", placeholder="all", longest=_LONG,
    )  # fmt: skip
    cases: Sequence[str] | str = option(
        (), OptionKind.WORDS,
        "Only cases whose id matches this pattern, such as 'law-*'. The id of a case with vars "
        "selects all its expansions.",
        flag="--case", metavar="GLOB",
        label="Case ids, with * for any text", placeholder="all", longest=_LONG,
    )  # fmt: skip
    filter: str | None = option(
        None, OptionKind.TEXT,
        "Only cases for which this Jinja2 expression is true, over id, tags, category, "
        "difficulty, group, vars and weight: 'category == \"law\" and vars.n > 3'.",
        metavar="EXPR",
        label="Filter expression", placeholder="none", longest=_LONG,
    )  # fmt: skip
    filter_of: str | None = option(
        None, OptionKind.TEXT,
        "Run or series whose trials --filter is evaluated on. The expression may then also use "
        "score (0 to 1, or none), outcome and setup. A case passes if one of its trials does.",
        metavar="RUN",
        label="Filter by the trials of run", placeholder="none",
    )  # fmt: skip
    failed_of: str | None = option(
        None, OptionKind.TEXT,
        "Only cases with a trial in this run or series that scored below 1, or has no score "
        "because of the model or infrastructure, such as truncated or timeout. "
        "Trials that lack only their scorer's verdict do not count: rescore them.",
        metavar="RUN",
        label="Only failed cases of run", placeholder="none",
    )  # fmt: skip
    sample: int | None = option(
        None, OptionKind.WHOLE,
        "Only a random sample of N cases that pass the other filters. Expansions of one case stay "
        "together.",
        metavar="N", least=1, online=(1, _MANY),
        label="Random sample of N cases", placeholder="all",
    )  # fmt: skip
    sample_seed: int | None = option(
        None, OptionKind.WHOLE,
        "Random seed of --sample. The same seed selects the same cases. Default: that of --seed, "
        "else 0.",
        metavar="S", online=(0, 2**63 - 1),
        label="Seed of the sample", placeholder="0",
    )  # fmt: skip
    prompts: Sequence[str] | str = option(
        (), OptionKind.WORDS, "Only this prompt of the suite, by its id. Default: all.",
        flag="--prompt", metavar="ID", surfaces=_OFFLINE, calls=_AGAIN, is_once=True,
    )  # fmt: skip
    efforts: Sequence[str] | str = option(
        (), OptionKind.WORDS,
        "Reasoning effort, instead of the suite's: none, minimal, low, medium, high or xhigh.",
        flag="--effort", metavar="LEVEL", surfaces=_OFFLINE, calls=_AGAIN, is_once=True,
    )  # fmt: skip
    profile: str | None = option(
        None, OptionKind.CHOICE, "Score under this profile instead of the suite's.",
        choices=("classic", "robust"), label="Scoring profile", placeholder="the suite's",
        calls=Calls.RUN | Calls.RESCORE,
    )  # fmt: skip
    metric: Literal["mean", "strict"] | None = option(
        None, OptionKind.CHOICE,
        "Use scores as they are, or count only exactly right answers. Default: the suite's "
        "metric.",
        choices=("mean", "strict"), label="Metric", placeholder="the suite's",
    )  # fmt: skip
    skip_unavailable: bool = option(
        False, OptionKind.SWITCH, "Skip models whose key or program is missing.",
        surfaces=_COMMAND, for_live=True,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class SamplingOptions:
    """Parameters sent with the question, and the mode of answers."""

    benchmark_mode: bool | None = option(
        None, OptionKind.SWITCH,
        "Lock temperature, frequency penalty and presence penalty to 0. Default: the suite's "
        "setting.",
        surfaces=_COMMAND, for_live=True,
    )  # fmt: skip
    parameters: "Parameters | Mapping[str, Any] | None" = option(
        None, OptionKind.OBJECT,
        "Values that replace the suite's temperature, top_p, max_tokens or penalties.",
        surfaces=Surfaces.NONE, for_live=True,
    )  # fmt: skip
    seed: int | None = option(
        None, OptionKind.WHOLE,
        "Random seed for endpoints that accept one, and for --sample. The second run of a series "
        "sends N + 1 and has the same cases.",
        metavar="N", online=(0, 2**63 - 1), label="Seed", placeholder="not sent", for_live=True,
    )  # fmt: skip
    stream: bool = option(
        True, OptionKind.SWITCH, "Request complete answers instead of streaming.",
        flag="--no-stream", surfaces=_COMMAND, recorded=True, for_live=True,
    )  # fmt: skip
    cache: bool = option(
        False, OptionKind.SWITCH,
        "Reuse stored answers to identical requests, and store new ones.",
        surfaces=_COMMAND, recorded=True, for_live=True,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class RequestOptions:
    """Concurrency, timeouts, and retries."""

    concurrency: int | None = option(
        None, OptionKind.WHOLE, "Maximum number of parallel requests over all models. Default: 5.",
        metavar="N", least=1, online=(1, 1_000), label="Parallel requests", placeholder="5",
        calls=_AGAIN,
    )  # fmt: skip
    timeouts: "HttpLimits | float | None" = option(
        None, OptionKind.OBJECT, "Timeout of each request in seconds, or the single timeouts.",
        surfaces=Surfaces.NONE, calls=Calls.ALL, recorded="timeout_s",
        for_live=True, for_judges=True,
    )  # fmt: skip
    retries: int | None = option(
        None, OptionKind.WHOLE, "Maximum number of retries per trial. Default: 2.",
        metavar="N", least=0, surfaces=_COMMAND, calls=_AGAIN, recorded=True,
        for_live=True, for_judges=True,
    )  # fmt: skip
    limits: "RunLimits | None" = option(
        None, OptionKind.OBJECT, "Waits, retries and pace in detail.",
        surfaces=Surfaces.NONE, calls=_AGAIN, for_live=True, for_judges=True,
    )  # fmt: skip
    retry_failed: bool = option(
        False, OptionKind.SWITCH,
        "Retry failed trials, and repeat judgments that failed. Earlier requests stay on record.",
        surfaces=_OFFLINE, calls=Calls.RESUME, is_once=True,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class JudgeOptions:
    """Judges, and their settings."""

    judge: "JudgeNames | None" = option(
        None, OptionKind.OBJECT,
        "Judge model, several, or a mapping as under judge: in a suite; overrides the suite's.",
        surfaces=Surfaces.NONE, calls=Calls.RUN | Calls.RESCORE,
    )  # fmt: skip
    recorded_judge: str | Path | None = option(
        None, OptionKind.FILE,
        "Recorded judge replies: a file with the fields model, id and output, and judge, repeat "
        "and order if there are several. No judge is queried.",
        metavar="FILE", surfaces=_COMMAND, calls=Calls.ALL,
    )  # fmt: skip
    judge_concurrency: int | None = option(
        None, OptionKind.WHOLE, "Maximum number of parallel judge requests. Default: 5.",
        metavar="N", least=1, online=(1, 1_000), surfaces=_OFFLINE, calls=Calls.ALL,
    )  # fmt: skip
    prepare: Mapping[str, Any] | None = option(
        None, OptionKind.OBJECT,
        "Preparation of answers for judging, such as {'mapping': False} for pages.",
        surfaces=Surfaces.NONE, calls=Calls.RUN | Calls.RESCORE,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class LimitOptions:
    """Budget, and the place of execution."""

    max_cost_usd: float | None = option(
        None, OptionKind.NUMBER,
        "Spending limit in dollars, earlier spending of a resumed run included. No request is "
        "sent that could exceed it.",
        flag="--max-cost", metavar="USD", least=0, online=(0, 1_000_000),
        label="Budget, $", placeholder="no limit",
        calls=Calls.ALL, recorded=True, for_live=True, for_judges=True,
    )  # fmt: skip
    executor: str | None = option(
        None, OptionKind.TEXT,
        "Executor: local (this process, the default), ray (a Ray cluster on this machine or at "
        "RAY_ADDRESS), or host:port (the head of a cluster).",
        metavar="NAME", surfaces=_COMMAND, calls=Calls.ALL,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class EnvironmentOptions:
    """The environment of a call, besides its data folder and variables."""

    store: str | None = option(
        None, OptionKind.OBJECT, "URL of the store, instead of the file in the data folder.",
        surfaces=Surfaces.NONE, calls=Calls.ALL,
    )  # fmt: skip
    dotenv: str | Path | None = option(
        None, OptionKind.OBJECT, "File with further variables; those of environ take precedence.",
        surfaces=Surfaces.NONE, calls=Calls.ALL,
    )  # fmt: skip
    clock: "Clock | None" = option(
        None, OptionKind.OBJECT, "Source of time.", surfaces=Surfaces.NONE, calls=_AGAIN
    )
    random: "Random | None" = option(
        None, OptionKind.OBJECT, "Source of new ids.", surfaces=Surfaces.NONE, calls=_AGAIN
    )


@dataclass(frozen=True, kw_only=True)
class RunOptions(
    EnvironmentOptions,
    LimitOptions,
    JudgeOptions,
    RequestOptions,
    SamplingOptions,
    SelectionOptions,
):
    """Options for running a suite, besides the source of answers: in groups, one class each.

    A resumed run keeps what the run recorded (streaming, cache, budget, retries, the total time of
    a request), unless overridden.

    >>> RunOptions(runs=5, max_cost_usd=2.0).overrides()
    {'runs': 5, 'max_cost_usd': 2.0}
    """

    def overrides(self) -> dict[str, Any]:
        """The options that are not as usual."""
        return {
            name: value
            for name, declared in OPTIONS.items()
            if not _is_usual(value := getattr(self, name), declared.default)
        }

    def with_overrides(self, other: "RunOptions") -> Self:
        """These options, with those of the other that are not as usual."""
        return replace(self, **other.overrides())

    def to_record(self) -> dict[str, Any]:
        """The options that a run records, where they are not as usual."""
        return {
            name: value
            for option_name, value in self.overrides().items()
            if (name := OPTIONS[option_name].record_name)
            and isinstance(value, str | bool | int | float)
        }

    @classmethod
    def of_record(cls, recorded: Mapping[str, Any]) -> Self:
        """Return the options recorded by a run; unknown ones are ignored."""
        known = {one.record_name: name for name, one in OPTIONS.items() if one.recorded}
        return cls(**{known[name]: value for name, value in recorded.items() if name in known})

    def to_job(self, *, is_next: bool = False) -> dict[str, Any]:
        """Return the options for a job; ``is_next``: those inherited by the next job."""
        return {
            name: value
            for name, value in self.overrides().items()
            if OPTIONS[name].is_in_jobs and not (is_next and OPTIONS[name].is_once)
        }

    @classmethod
    def of_job(cls, body: Mapping[str, Any]) -> Self:
        """Return the options in a job, of this or another version; other fields are ignored."""
        return cls(
            **{
                name: value
                for name, value in body.items()
                if name in OPTIONS and OPTIONS[name].is_in_jobs and value is not None
            }
        )


def recorded_words(recorded: Mapping[str, Any]) -> list[str]:
    """Return the recorded options that change answers, in words: ``characters per answer 200``."""
    return [
        one.title.lower() if value is True else f"{one.title.lower()} {value}"
        for one in OPTIONS.values()
        if one.changes_answers and (value := recorded.get(one.record_name)) is not None
    ]


def _is_usual(value: Any, default: Any) -> bool:  # noqa: ANN401  the value of any option
    """True for the default, and for any empty list of words where that is an empty one."""
    return value is default or value == default or (default == () and not value)


GROUPS = (
    SelectionOptions,
    SamplingOptions,
    RequestOptions,
    JudgeOptions,
    LimitOptions,
    EnvironmentOptions,
)
"""The groups of options, in display order."""

OPTIONS: Mapping[str, Option] = declared_in(GROUPS)
"""The declaration of every option, by the name of its field."""
