"""The judges, from options."""

from collections.abc import Mapping
from typing import Any


def judge_of(options: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the judges and repeats; None without such options."""
    named: dict[str, Any] = {}
    if options.get("judges"):
        named["models"] = list(options["judges"])
    if options.get("judge_repeats") is not None:
        named["repeats"] = options["judge_repeats"]
    if options.get("no_judge"):
        named["models"] = []
    return named or None


def prepare_of(options: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the options of rendering pages; None without any."""
    given = {
        "mapping": False if options.get("no_mapping") else None,
        "browser": options.get("browser"),
        "workers": options.get("workers"),
    }
    return {name: value for name, value in given.items() if value is not None} or None


def is_judged(options: Mapping[str, Any]) -> bool:
    """True if a judge or recorded replies are given."""
    return bool(options.get("judges") or options.get("recorded_judge"))
