"""``timeout`` as pages use it: the signal comes once trials are stored, however slow the machine.

``timeout --foreground --preserve-status --signal NAME SECONDS COMMAND…``: the seconds are what a
reader's machine takes, and are not waited for here.
"""

import argparse
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

TRIALS = 30
_LOOK_S = 0.05


def main() -> int:
    """Run the command, send it the signal after :data:`TRIALS` more trials, return its status."""
    reader = argparse.ArgumentParser()
    reader.add_argument("--foreground", action="store_true")
    reader.add_argument("--preserve-status", action="store_true")
    reader.add_argument("--signal", required=True)
    reader.add_argument("seconds", type=float)
    reader.add_argument("command", nargs=argparse.REMAINDER)
    given = reader.parse_args()
    before = _stored()
    program = subprocess.Popen(given.command)
    while program.poll() is None and _stored() < before + TRIALS:
        time.sleep(_LOOK_S)
    if program.poll() is None:
        program.send_signal(getattr(signal, f"SIG{given.signal}"))
    return program.wait()


def _stored() -> int:
    """How many trials the data folder holds; 0 where there is none yet."""
    path = Path(os.environ["BENCHMAKER_HOME"]) / "benchmaker.db"
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as store:
            return int(store.execute("select count(*) from trials").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


if __name__ == "__main__":
    sys.exit(main())
