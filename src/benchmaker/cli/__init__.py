"""The command line: one module per command, loaded on demand."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # our matrices are small; threads only wait

from benchmaker.cli.main import main  # numpy reads the line above

__all__ = ["main"]
