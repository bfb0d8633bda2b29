"""Options that several commands share, in groups that are put on with one line each."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar, assert_never

import click

from benchmaker.cli.base_command import FILE
from benchmaker.cli.options.numbers import SECONDS, Number, NumberOrNone, ThresholdType, WholeNumber
from benchmaker.engine.requests.option_declaration import Calls, OptionKind, Surfaces
from benchmaker.engine.requests.run_options import OPTIONS

C = TypeVar("C", bound=Callable[..., Any])
Decorator = Callable[[C], C]

LIVE_MODELS = (
    "endpoint/model, https://host/v1#model, command:PROGRAM, python:MODULE:FUNCTION, or the id of "
    "a registered provider"
)


def combine(options: Sequence[Decorator[C]]) -> Decorator[C]:
    """One decorator for all of them; help lists them in this order."""

    def decorate(function: C) -> C:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def declared_option(name: str, help_text: str = "") -> Decorator[Any]:
    """The option of a run that is declared under this name; ``help_text`` instead of its help."""
    declared = OPTIONS[name]
    how: dict[str, Any] = {"help": help_text or declared.help, "metavar": declared.metavar or None}
    match declared.kind:
        case OptionKind.WHOLE:
            how["type"] = int if declared.least is None else WholeNumber(int(declared.least))
        case OptionKind.NUMBER:
            how["type"] = Number(min=declared.least)
        case OptionKind.CHOICE:
            how |= {"type": click.Choice(declared.choices), "metavar": None}
        case OptionKind.SWITCH:
            how |= {"is_flag": True, "flag_value": not declared.default, "default": None}
        case OptionKind.WORDS:
            how |= {"multiple": True, "help": f"{how['help']} Repeatable."}
        case OptionKind.FILE:
            how["type"] = FILE
        case OptionKind.TEXT | OptionKind.OBJECT:
            pass
        case _ as never:
            assert_never(never)
    return click.option(declared.command_flag, name, **how)


SELECTION = (
    "limit", "categories", "tags", "cases", "filter", "filter_of", "failed_of", "sample",
    "sample_seed",
)  # fmt: skip
"""The options that select cases."""

_SEED_OF_SAMPLE = "Random seed of --sample. The same seed selects the same cases. Default: 0."
"""The help of ``--sample-seed`` for a command without ``--seed``."""

selection_options: Decorator[Any] = combine(
    [declared_option(name, _SEED_OF_SAMPLE if name == "sample_seed" else "") for name in SELECTION]
)
"""The options of ``SELECTION``, for a command without ``--seed``."""

max_tokens_option = click.option(
    "--max-tokens",
    metavar="N",
    type=WholeNumber(1),
    help="Maximum number of tokens per answer. Default: the suite's value, else 2048.",
)

_several: Mapping[str, Sequence[Decorator[Any]]] = {
    "parameters": [
        click.option(
            "--temperature",
            metavar="X",
            type=NumberOrNone(0, 2),
            help="Sampling temperature, or none to send no value. Default: the suite's value, "
            "else 0.7.",
        ),
        click.option(
            "--top-p",
            metavar="X",
            type=NumberOrNone(0, 1, min_open=True),
            help="Nucleus sampling threshold, or none to send no value. Default: the suite's "
            "value. A value of 1 is sent only if given.",
        ),
        max_tokens_option,
        click.option(
            "--frequency-penalty",
            metavar="X",
            type=NumberOrNone(-2, 2),
            help="Penalty, or none to send no value. Default: the suite's value. A value of 0 is "
            "sent only if given.",
        ),
        click.option(
            "--presence-penalty",
            metavar="X",
            type=NumberOrNone(-2, 2),
            help="Penalty, or none to send no value. Default: the suite's value. A value of 0 is "
            "sent only if given.",
        ),
    ],
    "timeouts": [
        click.option(
            "--timeout",
            metavar="S",
            type=SECONDS,
            help="Timeout in seconds for each request, from sending. Default: 120.",
        ),
        click.option(
            "--connect-timeout",
            metavar="S",
            type=SECONDS,
            help="Timeout in seconds for connecting. Default: 10.",
        ),
        click.option(
            "--first-byte-timeout",
            metavar="S",
            type=SECONDS,
            help="Timeout in seconds for the start of a streamed answer. Default: 60.",
        ),
        click.option(
            "--idle-timeout",
            metavar="S",
            type=SECONDS,
            help="Timeout in seconds for silence within an answer. Default: 60.",
        ),
    ],
    "limits": [
        click.option(
            "--max-wait",
            metavar="S",
            type=SECONDS,
            help="Longest wait in seconds that an endpoint may request. Longer waits park its "
            "models until you resume. Default: 300.",
        ),
    ],
    "judge": [
        click.option(
            "--judge",
            "judges",
            metavar="MODEL",
            multiple=True,
            help="Judge model; overrides the suite's judges. Repeatable, for a panel.",
        ),
        click.option(
            "--judge-repeats",
            metavar="N",
            type=WholeNumber(1, 100),
            help="Number of judgments per answer from each judge; the median counts.",
        ),
    ],
}
"""Options of a run that several options of a command make up: ``run_options.options_of``."""


def run_options(call: Calls, *, without: Collection[str] = (), **help_texts: str) -> Decorator[Any]:
    """Declare the options of a run for this call, with alternative help texts if given."""
    made: list[Decorator[Any]] = []
    for name, declared in OPTIONS.items():
        if call not in declared.calls or name in without:
            continue
        if name in _several:
            made += _several[name]
        elif Surfaces.COMMAND in declared.surfaces:
            made.append(declared_option(name, help_texts.get(name, "")))
    return combine(made)


_gate = [
    click.option(
        "--threshold",
        metavar="MEAN",
        type=ThresholdType(),
        help="Exit with 1 if a model's mean is below this: .8, 80 or 80%. Values up to 1 are "
        "shares: 1 is 100%. Values above 1 and below 5 need a % sign.",
    ),
    click.option(
        "--gate",
        type=click.Choice(["mean", "sure"]),
        help="Rule for --threshold: the mean decides (default), or exact 95% limits, which must "
        "lie on one side of it. If undecided, exit with 5 and print the number of cases needed. "
        "To compare with a baseline instead, use: benchmaker gate.",
    ),
]

gate_options: Decorator[Any] = combine(_gate)
"""Options for failing a pipeline: ``threshold``, ``gate``; see :mod:`benchmaker.cli.actions.gate`.
"""

verdict_options: Decorator[Any] = combine(
    [
        *_gate,
        click.option("--quiet", is_flag=True, help="Hide progress and hints."),
    ]
)
"""Options for progress and verdict: ``threshold``, ``gate``, ``quiet``."""

recorded_options: Decorator[Any] = combine(
    [
        click.option(
            "--recorded",
            metavar="FILE",
            type=FILE,
            help="Recorded answers: a .jsonl, .csv (both optionally gzipped), .parquet or .xlsx "
            "file with the fields model, id and output.",
        ),
        click.option(
            "--fields",
            "--field",
            "fields",
            metavar="NAME=PATH",
            multiple=True,
            help="Location of a field in each record: output=answer.text, id={task}-{i}, "
            "models.NAME=PATH.",
        ),
        click.option(
            "--fields-file",
            metavar="FILE",
            type=FILE,
            help="YAML file with the same mapping.",
        ),
    ]
)
"""Options for recorded answers: ``recorded``, ``fields``, ``fields_file``."""

gate_metric_option = click.option(
    "--gate-metric",
    metavar="NAME",
    help="The metric of checks whose mean --threshold decides on. Default: the mean of the run.",
)
"""The metric of a gate."""

metric_option = click.option(
    "--metric",
    metavar="NAME",
    help="Metric: mean, strict (exactly right), or a metric of checks. Default: the suite's "
    "metric.",
)
"""The metric of a comparison or a ranking."""
executor_option = declared_option("executor")
moved_judge_option = declared_option("recorded_judge")

judge_options: Decorator[Any] = combine(
    [*_several["judge"], moved_judge_option, declared_option("judge_concurrency")]
)
"""Options for choosing judges; see :mod:`benchmaker.cli.options.judge_options`."""
