"""The options of a run, from the options of a command."""

from collections.abc import Callable, Mapping
from typing import Any

from benchmaker.cli.context import Context
from benchmaker.cli.options.judge_options import judge_of, prepare_of
from benchmaker.cli.options.request_limits import timeouts_of, waits_of
from benchmaker.cli.options.sampling import sampling_parameters
from benchmaker.engine.requests.run_options import OPTIONS, RunOptions

_MADE_UP: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "parameters": sampling_parameters,
    "timeouts": timeouts_of,
    "limits": waits_of,
    "judge": judge_of,
    "prepare": prepare_of,
}
"""How several options of a command make up one of a run."""


def options_of(context: Context, options: Mapping[str, Any]) -> RunOptions:
    """Return the options of a run; absent ones have their defaults."""
    given = {name: options.get(name) for name in OPTIONS if options.get(name) is not None}
    made = {name: value for name, make in _MADE_UP.items() if (value := make(options)) is not None}
    return RunOptions(**{
        **given, **made, "store": context.store_url, "dotenv": context.dotenv
    })  # fmt: skip
