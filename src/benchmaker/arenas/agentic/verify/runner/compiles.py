"""Parses the Python files that are named on stdin, and runs none of them."""

import json
import sys
import warnings
from pathlib import Path


def main() -> int:
    """Print the files that do not parse; exit with 1 if there are any."""
    warnings.simplefilter("ignore")
    faults = 0
    for name in json.load(sys.stdin.buffer):
        try:
            compile(Path(name).read_bytes(), name, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OSError) as exc:
            print(f"{name}: {type(exc).__name__}: {exc}")  # noqa: T201  what we are for
            faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
