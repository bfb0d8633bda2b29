"""Which adapters of the installed Harbor can be run, and why the others can't.

    python -m benchmarks.harbor_agents --python VENV/bin/python

VENV has Harbor (see benchmarks/requirements.txt); it needs Python 3.12 or newer. The run of each
adapter is planned as for a trial; nothing is installed or executed.
"""

import argparse
import sys

from benchmaker.arenas.agentic.running.harbor.library import ask_library

EXPECTED = {"claude-code", "codex", "gemini-cli", "mini-swe-agent", "opencode", "qwen-coder"}
MOST_S = 900.0


def main() -> int:
    """Print a line for each adapter; exit with 1 if an expected one can't be run."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", required=True, help="the Python that has Harbor")
    found = ask_library(parser.parse_args().python, "names", seconds=MOST_S)
    can_run = {name for name, it in found.items() if "error" not in it}
    for name, it in found.items():
        print(f"{name}: {it['wire']}" if name in can_run else f"{name}: not run, {it['error']}")
    print(f"{len(can_run)} of {len(found)} can be run.")
    if lacking := sorted(EXPECTED - can_run):
        print(f"Expected, but not run: {', '.join(lacking)}")
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
