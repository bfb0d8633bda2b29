"""Options that several commands share, in groups that are put on with one line each."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from benchmaker.cli.base_command import FILE
from benchmaker.cli.options.numbers import DOLLARS, SECONDS, Sampled, Threshold

C = TypeVar("C", bound=Callable[..., Any])
Decorator = Callable[[C], C]

LIVE_MODELS = "endpoint/model, https://host/v1#model, command:PROGRAM or python:MODULE:FUNCTION"


def together(options: Sequence[Decorator[C]]) -> Decorator[C]:
    """One decorator for all of them; help lists them in this order."""

    def decorate(function: C) -> C:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


selection_options: Decorator[Any] = together(
    [
        click.option("--limit", metavar="N", type=click.IntRange(1), help="The first N cases."),
        click.option(
            "--category",
            "categories",
            metavar="NAME",
            multiple=True,
            help="Only cases of this category; repeatable.",
        ),
        click.option(
            "--tag",
            "tags",
            metavar="NAME",
            multiple=True,
            help="Only cases with this tag; repeatable.",
        ),
    ]
)
"""Which cases: ``limit``, ``categories``, ``tags``."""

max_tokens_option = click.option(
    "--max-tokens",
    metavar="N",
    type=click.IntRange(1),
    help="The most tokens of an answer, instead of the suite's; 2048 where it says nothing.",
)

sampling_options: Decorator[Any] = together(
    [
        click.option(
            "--benchmark-mode",
            is_flag=True,
            help="Lock temperature, frequency and presence penalty to 0.",
        ),
        click.option(
            "--temperature",
            metavar="X",
            type=Sampled(0, 2),
            help="Instead of the suite's; 0.7 where it says nothing; none sends none.",
        ),
        click.option(
            "--top-p",
            metavar="X",
            type=Sampled(0, 1, min_open=True),
            help="Instead of the suite's; a 1 is sent where it is written; none sends none.",
        ),
        max_tokens_option,
        click.option(
            "--frequency-penalty",
            metavar="X",
            type=Sampled(-2, 2),
            help="Instead of the suite's; a 0 is sent where it is written; none sends none.",
        ),
        click.option(
            "--presence-penalty",
            metavar="X",
            type=Sampled(-2, 2),
            help="Instead of the suite's; a 0 is sent where it is written; none sends none.",
        ),
        click.option(
            "--seed",
            metavar="N",
            type=int,
            help="Sent where an endpoint takes one; the second run of a series sends N + 1.",
        ),
    ]
)
"""What is sent beside the question; see :mod:`benchmaker.cli.options.sampling`."""

patience_options: Decorator[Any] = together(
    [
        click.option(
            "--timeout",
            metavar="S",
            type=SECONDS,
            help="Seconds for each request, counted from the send; default 120.",
        ),
        click.option(
            "--connect-timeout", metavar="S", type=SECONDS, help="Seconds to connect; default 10."
        ),
        click.option(
            "--first-byte-timeout",
            metavar="S",
            type=SECONDS,
            help="Seconds until a streamed answer begins; default 60.",
        ),
        click.option(
            "--idle-timeout",
            metavar="S",
            type=SECONDS,
            help="Seconds of silence within an answer; default 60.",
        ),
        click.option(
            "--retries",
            metavar="N",
            type=click.IntRange(0),
            help="Further requests that a trial may make; default 2.",
        ),
        click.option(
            "--max-wait",
            metavar="S",
            type=SECONDS,
            help="Seconds that an endpoint may ask to wait; asked for more, its models are "
            "parked; default 300.",
        ),
        click.option(
            "--max-cost",
            metavar="USD",
            type=DOLLARS,
            help="Make no request that could lead beyond this; what was spent before counts.",
        ),
    ]
)
"""How long to wait, how often to try, what to pay.

See :mod:`benchmaker.cli.options.request_limits`.
"""

_gate = [
    click.option(
        "--threshold",
        metavar="MEAN",
        type=Threshold(),
        help="Exit with 1 when a model's mean is below this: .8, 80 or 80% (up to 1 is a share).",
    ),
    click.option(
        "--gate",
        type=click.Choice(["mean", "sure"]),
        help="How the threshold decides: by the mean (default), or only where exact 95% limits "
        "leave no doubt, else exit with 5 and the number of cases it takes.",
    ),
]

gate_options: Decorator[Any] = together(_gate)
"""When a pipeline fails: ``threshold``, ``gate``; see :mod:`benchmaker.cli.actions.gate`."""

verdict_options: Decorator[Any] = together(
    [
        *_gate,
        click.option(
            "--concurrency",
            metavar="N",
            type=click.IntRange(1),
            help="Requests at the same time, of all models together; default 5.",
        ),
        click.option("--quiet", is_flag=True, help="Show neither progress nor hints."),
    ]
)
"""How the work is done and judged: ``threshold``, ``gate``, ``concurrency``, ``quiet``."""

recorded_options: Decorator[Any] = together(
    [
        click.option(
            "--recorded",
            metavar="FILE",
            type=FILE,
            help="Answers recorded before: a file (.jsonl, .csv, also gzipped) whose lines have "
            "model, id, output.",
        ),
        click.option(
            "--fields",
            "--field",
            "fields",
            metavar="NAME=PATH",
            multiple=True,
            help="Where a value stands in such a line: output=answer.text, id={task}-{i}, "
            "models.NAME=PATH.",
        ),
        click.option(
            "--fields-file",
            metavar="FILE",
            type=FILE,
            help="The same mapping, written in a YAML file.",
        ),
    ]
)
"""Answers that are there already: ``recorded``, ``fields``, ``fields_file``."""

metric_option: Decorator[Any] = click.option(
    "--metric",
    type=click.Choice(["mean", "strict"]),
    help="Count scores as they are, or exactly right ones alone; default as the suite says.",
)

executor_option: Decorator[Any] = click.option(
    "--executor",
    metavar="NAME",
    help="Where the work is done: local (this process, the default), ray (a Ray cluster on this "
    "machine, or that of RAY_ADDRESS), or host:port, the address of a cluster's head.",
)

moved_judge_option: Decorator[Any] = click.option(
    "--recorded-judge",
    metavar="FILE",
    type=FILE,
    help="Replies of judges recorded before: a file whose lines have model, id, output, and "
    "judge, repeat, order where there are several. No judge is asked.",
)

judge_options: Decorator[Any] = together(
    [
        click.option(
            "--judge",
            "judges",
            metavar="MODEL",
            multiple=True,
            help="A model that judges, before those of the suite; repeatable: a panel.",
        ),
        moved_judge_option,
        click.option(
            "--judge-repeats",
            metavar="N",
            type=click.IntRange(1, 100),
            help="Ask each judge N times; the median counts.",
        ),
        click.option(
            "--judge-concurrency",
            metavar="N",
            type=click.IntRange(1),
            help="Questions to judges at the same time; default 5.",
        ),
    ]
)
"""Who judges; see :mod:`benchmaker.cli.options.judge_options`."""
