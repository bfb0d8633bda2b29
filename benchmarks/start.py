"""What it costs to start: ``benchmaker --help`` against ``python -c pass``, and modules loaded."""

import statistics
import sys
from pathlib import Path

from figures import against, arguments, at_most, show
from process import took

BENCHMAKER = str(Path(sys.executable).parent / "benchmaker")
COUNT = "import sys; before = len(sys.modules); import benchmaker; print(len(sys.modules), before)"


def main() -> None:
    given = arguments(__doc__, pairs=21)
    nothing, helped = [], []
    for _ in range(given.pairs):
        nothing.append(took([sys.executable, "-c", "pass"]).cpu_s * 1000)
        helped.append(took([BENCHMAKER, "--help"]).cpu_s * 1000)
    modules = int(took([sys.executable, "-c", COUNT]).said.split()[0])
    same = {"unit": "ms CPU", "name": "python -c pass", "bar": 6}
    show(
        "python benchmarks/start.py",
        [
            against("benchmaker --help, minimum", min(helped), min(nothing), **same),
            against(
                "benchmaker --help, median",
                statistics.median(helped),
                statistics.median(nothing),
                **same,
            ),
            at_most("modules after import benchmaker", modules, 250, "modules"),
        ],
    )


if __name__ == "__main__":
    main()
