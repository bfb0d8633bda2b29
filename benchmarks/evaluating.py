"""A table of submissions from a CSV file to evaluations as JSON, a row of the table at a time.

What ``benchmaker evaluate FILE --json`` does, in this process: rows read and stored, figures kept
and looked at by the rules, tasks settled, outliers flagged, places given, every board written, and
the JSON made. Each size has a store of its own, thirty rows a task as in the table of a benchmark.
Twice the rows take twice the time where it is linear; a column says how far that holds. The bar is
0.4 ms of processor time a row on a machine that reads and decodes the figures of a stored row in
5 µs; on any other it is as many times what that takes there, measured in the same run.
"""

import argparse
import csv
import json
import random
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmaker import evaluate
from benchmaker.store import Store

PROFILES = ("classic", "robust")
ROWS_A_TASK = 30
LIMIT = 80
"""The bar: so many times reading and decoding a row's figures, 0.4 ms where that takes 5 µs."""
READS = 20
SUCCESS = 0.7
COLUMNS = (
    "id", "task_id", "tool", "model", "total_tokens", "input_tokens", "output_tokens", "tool_calls",
    "iterations", "execution_time", "estimated_cost", "success", "finished_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """What so many rows took under a profile.

    ``growth`` is against the size before, a row; ``ratio`` is against the limit of this run.
    """

    profile: str
    rows: int
    seconds: float
    cpu_s: float
    cpu_ms_a_row: float
    growth: float | None
    limit_ms: float
    ratio: float
    met: bool


def main() -> None:
    """Print the table, or JSON; ends with 1 where the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[4_800, 9_600])
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    lines: list[Line] = []
    for profile in PROFILES:
        before: Line | None = None
        for rows in given.rows:
            before = measured(profile, rows, before)
            lines.append(before)
    print(json.dumps([asdict(line) for line in lines]) if given.json else table(lines))
    sys.exit(any(not line.met for line in lines))


def measured(profile: str, rows: int, before: Line | None) -> Line:
    """From the file to the text, in a fresh store."""
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder) / "table.csv", rows)
        began, cpu = time.perf_counter(), time.process_time()
        made = evaluate(path, profile=profile, home=Path(folder) / "home")
        text = json.dumps(made.to_dict())
        took, cpu = time.perf_counter() - began, time.process_time() - cpu
        limit = LIMIT * read_ms(Path(folder) / "home", rows)
    assert len(made.rows) == rows  # noqa: S101  else it did not do its work
    assert len(text) > 100 * rows  # noqa: S101  as above
    each = cpu * 1e3 / rows
    growth = None if before is None else each / before.cpu_ms_a_row
    return Line(profile, rows, took, cpu, each, growth, limit, each / limit, each <= limit)


def read_ms(home: Path, rows: int) -> float:
    """Milliseconds of the processor to read and decode the figures of a row: a median.

    The processor's speed differs from moment to moment where others use the machine, too.
    """
    took = []
    with Store.open(home / "benchmaker.db") as store:
        for _ in range(READS):
            cpu = time.process_time()
            assert sum(1 for _ in store.agentic.metrics()) == rows  # noqa: S101  all of them
            took.append(time.process_time() - cpu)
    return sorted(took)[READS // 2] * 1e3 / rows


def written(path: Path, rows: int) -> Path:
    """A table of made-up figures."""
    draw = random.Random(5)  # noqa: S311  a benchmark's dice
    with path.open("w", newline="") as stream:
        lines = csv.writer(stream)
        lines.writerow(COLUMNS)
        for number in range(rows):
            sent, answered = draw.randrange(1_000, 90_000), draw.randrange(100, 9_000)
            minute, second = divmod(number % 3_600, 60)
            lines.writerow((
                f"row-{number:06d}", f"task-{number // ROWS_A_TASK:04d}", f"tool-{number % 6}",
                f"model-{number % 6}", sent + answered, sent, answered, draw.randrange(1, 60),
                draw.randrange(1, 6), round(draw.uniform(10, 900), 2),
                round(draw.uniform(0.01, 2), 4), draw.random() < SUCCESS,
                f"2026-02-{1 + number // 3_600 % 28:02d}T10:{minute:02d}:{second:02d}Z",
            ))  # fmt: skip
    return path


def table(lines: list[Line]) -> str:
    """As Markdown."""
    head = (
        "| profile | rows | seconds | CPU | CPU ms a row | against the size before "
        "| limit, ms | of the limit | met |"
    )
    rows = [
        f"| {line.profile} | {line.rows:,} | {line.seconds:.2f} | {line.cpu_s:.2f} s "
        f"| {line.cpu_ms_a_row:.3f} | {'' if line.growth is None else f'{line.growth:.2f}'} "
        f"| {line.limit_ms:.3f} | {line.ratio:.2f} | {'yes' if line.met else 'no'} |"
        for line in lines
    ]
    return "\n".join([head, "|---|--:|--:|--:|--:|--:|--:|--:|---|", *rows])


if __name__ == "__main__":
    main()
