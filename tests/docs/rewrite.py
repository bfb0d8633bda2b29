"""Writes what was printed into a page."""

import re
from collections.abc import Sequence

from tests.docs.runner import ANYTHING, Printed, matches

CHANGING = re.compile(
    r"""
      \bs?-?\d{8}-[0-9a-z]{6,}\b                  # ids of runs and series
    | \b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00)?   # times
    | \b[0-9a-f]{12,64}\b | (?<=(?:uite|a256)\ )[0-9a-f]{8}\b   # hashes
    | \b\d+(\.\d+)?\ ?(ms|s)\b                    # durations
    | \b\d+\ k?B\b                                # sizes
    | (?<=127\.0\.0\.1:)\d+                       # ports
    | ^.*\ of\ [\d,]+\ trials\ ·.*$               # progress
    """,
    re.VERBOSE | re.MULTILINE,
)


LEGEND = re.compile(
    r"^(?:Mean: 0|Checks: share|Accuracy: share)(?:.*\n)+?"
    r"(?:.*\bBenchmaker\s\d\S*\.\n|(?=\n|\Z))",
    re.MULTILINE,
)
"""What stands below every table of results; it is said once, in the tutorial."""

GAPS = re.compile(rf"^(?:{ANYTHING}\n){{2,}}", re.MULTILINE)
"""Lines that all change; one ``…`` stands for any number."""


def rewritten(text: str, printed: Sequence[Printed]) -> str:
    """The page's text with each output that differs replaced, ids and times by ``…``."""
    lines = text.splitlines()
    for line, written, got in sorted(printed, reverse=True):
        if not matches(written, got):
            start = line - 1
            lines[start : start + len(written.splitlines())] = _masked(got)
    return "\n".join(lines) + "\n"


def _masked(got: str) -> list[str]:
    """The lines that were printed, without what differs from one time to the next."""
    short = LEGEND.sub(f"{ANYTHING}\n", f"{got.rstrip()}\n")
    masked = [CHANGING.sub(ANYTHING, line.rstrip()) for line in short.rstrip().splitlines()]
    return GAPS.sub(f"{ANYTHING}\n", "".join(f"{line}\n" for line in masked)).splitlines()
