"""What a benchmark found: one line per figure, as a Markdown table or JSON."""

import argparse
import json
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value.

    ``ratio`` is the value against its reference, or against its bar where there is none.
    ``met`` is None where no bar is set.
    """

    what: str
    value: float
    unit: str
    reference: str = ""
    ratio: float | None = None
    bar: str = ""
    met: bool | None = None


def at_least(what: str, value: float, bar: float, unit: str) -> Figure:
    """A figure that should not be smaller than its bar."""
    return Figure(what, value, unit, "", value / bar, f"≥ {bar:,.0f} {unit}", met=value >= bar)


def at_most(what: str, value: float, bar: float, unit: str) -> Figure:
    """A figure that should not be larger than its bar."""
    return Figure(what, value, unit, "", value / bar, f"≤ {bar:,.0f} {unit}", met=value <= bar)


def against(
    what: str, value: float, reference: float, *, unit: str, name: str, bar: float | None = None
) -> Figure:
    """A figure against another one of the same run; the bar, if any, is on the ratio."""
    ratio = value / reference
    said = f"{name}: {_number(reference)} {unit}"
    if bar is None:
        return Figure(what, value, unit, said, ratio)
    return Figure(what, value, unit, said, ratio, f"ratio ≤ {bar:g}", met=ratio <= bar)


def show(command: str, figures: Sequence[Figure]) -> None:
    """Print the figures; ``--json`` on the command line chooses the form."""
    machine = {
        "command": command,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    }
    if "--json" in sys.argv[1:]:
        print(json.dumps({**machine, "figures": [asdict(it) for it in figures]}, indent=2))
        return
    print(f"`{command}` · Python {machine['python']} · {machine['system']}\n")
    print("| measurement | measured | against | ratio | bar | met |\n|---|--:|---|--:|---|---|")
    for it in figures:
        ratio = "" if it.ratio is None else f"{it.ratio:.2f}"
        met = {None: "", True: "yes", False: "no"}[it.met]
        value = f"{_number(it.value)} {it.unit}"
        print(f"| {it.what} | {value} | {it.reference} | {ratio} | {it.bar} | {met} |")


def arguments(description: str, **numbers: int) -> argparse.Namespace:
    """The command line: ``--json`` and one whole number per keyword, with its default."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", action="store_true", help="print JSON instead of Markdown")
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default {default:,}")
    return parser.parse_args()


def _number(value: float) -> str:
    if value >= 100:  # noqa: PLR2004
        return f"{value:,.0f}"
    return f"{value:.3g}"
