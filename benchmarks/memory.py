"""Peak memory of a run over recorded answers, at three sizes."""

import sys
import tempfile
from pathlib import Path

import workload
from figures import against, arguments, at_most, show
from process import Took, took

RUN = "import sys, benchmaker;benchmaker.run(sys.argv[1], recorded=sys.argv[2], home=sys.argv[3])"


def run(cases: int) -> Took:
    """One run over that many cases and one model, in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        suite, answers = workload.write(folder, cases=cases, models=1, reply_bytes=1000)
        return took([sys.executable, "-c", RUN, str(suite), str(answers), str(folder / "home")])


def main() -> None:
    given = arguments(__doc__, small=2_000, medium=10_000, large=100_000)
    small, medium, large = (run(it).peak_mb for it in (given.small, given.medium, given.large))
    show(
        "python benchmarks/memory.py",
        [
            at_most(f"peak at {given.small:,} cases", small, 110, "MB"),
            against(
                f"peak at {given.large:,} cases",
                large,
                medium,
                unit="MB",
                name=f"{given.medium:,} cases",
                bar=1.3,
            ),
        ],
    )


if __name__ == "__main__":
    main()
