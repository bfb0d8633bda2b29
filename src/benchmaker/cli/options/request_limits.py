"""Timeouts, from options."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmaker.engine.requests.limits import RunLimits
    from benchmaker.providers.network.transport import HttpLimits

LIMITS = {
    "timeout": "total_s",
    "connect_timeout": "connect_s",
    "first_byte_timeout": "first_byte_s",
    "idle_timeout": "idle_s",
}
"""The options that limit requests, with the limited quantity of each."""


def timeouts_of(options: Mapping[str, Any]) -> "HttpLimits | float | None":
    """Return the limits of each request: its total, or all if others are given.

    If only the total is given, it is recorded with the run, so that a resumed one keeps it.
    """
    given = {name: options[name] for name in LIMITS if options.get(name) is not None}
    if set(given) <= {"timeout"}:
        return given.get("timeout")
    from benchmaker.providers.network.transport import HttpLimits

    return HttpLimits(**{LIMITS[name]: seconds for name, seconds in given.items()})


def waits_of(options: Mapping[str, Any]) -> "RunLimits | None":
    """The engine's limits where waits are longer or shorter than usual; else None."""
    if options.get("max_wait") is None:
        return None
    from benchmaker.engine.requests.limits import RunLimits
    from benchmaker.engine.requests.retry import Retry

    return RunLimits(retry=Retry(max_wait_s=options["max_wait"]))
