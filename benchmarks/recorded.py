"""Recorded trials scored and stored, against a bare loop that inserts the same rows.

Both read the same file of answers, write to SQLite in WAL mode and commit every 50 ms. The bare
loop compares text, writes one row and keeps nothing else. The two take turns, each in a process
of its own; what each takes for a single trial, its start-up, is subtracted.
"""

import json
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import workload
from figures import Figure, against, arguments, show
from process import Took, took

COMMIT_EVERY_S = 0.05
Pair = tuple[Took, Took]
ROW = "INSERT INTO trial VALUES (?, ?, ?, ?, ?)"


def bare(answers: Path, store: Path) -> None:
    """The least that keeps an answer: one row each, committed in groups."""
    connection = sqlite3.connect(store, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute(
        "CREATE TABLE trial (run TEXT, model TEXT, case_id TEXT, output TEXT, score REAL,"
        " PRIMARY KEY (run, model, case_id))"
    )
    connection.execute("BEGIN")
    committed = time.monotonic()
    with answers.open(encoding="utf-8") as file:
        for text in file:
            line = json.loads(text)
            right = line["output"].endswith(f" {int(line['id'][5:]) + 1}.")
            row = ("r", line["model"], line["id"], line["output"], float(right))
            connection.execute(ROW, row)
            if time.monotonic() - committed > COMMIT_EVERY_S:
                connection.execute("COMMIT")
                connection.execute("BEGIN")
                committed = time.monotonic()
    connection.execute("COMMIT")


def ours(suite: Path, answers: Path, home: Path) -> None:
    """The same through the public function."""
    from benchmaker import run  # noqa: PLC0415  the bare loop must not pay for it

    run(suite, recorded=answers, home=home)


def main() -> None:
    given = arguments(__doc__, cases=20_000, models=5, pairs=3)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        starts = [_pair(_made(folder / f"start-{it}", 1, 1)) for it in range(given.pairs)]
        pairs = []
        for number in range(given.pairs):
            work = _made(folder / f"work-{number}", given.cases, given.models)
            pairs.append(_pair(work))
            shutil.rmtree(work)
    show("python benchmarks/recorded.py", list(_figures(given.cases * given.models, starts, pairs)))


def _figures(trials: int, starts: Sequence[Pair], pairs: Sequence[Pair]) -> Iterator[Figure]:
    for what in ("wall_s", "cpu_s"):
        mine, other = (_beyond(side, what, starts, pairs) for side in (0, 1))
        kind = "of the clock" if what == "wall_s" else "of the processor"
        name = f"{trials:,} trials, seconds {kind}"
        yield against(name, mine, other, unit="s", name="bare loop")
        yield against(
            f"rows a second {kind}",
            trials / mine,
            trials / other,
            unit="a second",
            name="bare loop",
        )
    yield Figure("start-up, seconds of the clock", _median(0, "wall_s", starts), "s")
    yield Figure("peak memory", _median(0, "peak_mb", pairs), "MB")


def _beyond(side: int, what: str, starts: Sequence[Pair], pairs: Sequence[Pair]) -> float:
    """The median over the pairs, without start-up."""
    return _median(side, what, pairs) - _median(side, what, starts)


def _median(side: int, what: str, pairs: Sequence[Pair]) -> float:
    return statistics.median(getattr(pair[side], what) for pair in pairs)


def _made(folder: Path, cases: int, models: int) -> Path:
    folder.mkdir()
    workload.write(folder, cases=cases, models=models)
    return folder


def _pair(folder: Path) -> Pair:
    """Ours, then the bare loop, over the work in the folder."""
    script, suite, answers = (
        [sys.executable, __file__],
        folder / "suite.yaml",
        folder / "answers.jsonl",
    )
    mine = took([*script, "ours", str(suite), str(answers), str(folder / "home")])
    other = took([*script, "bare", str(answers), str(folder / "bare.db")])
    return mine, other


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["bare", answers, store]:
            bare(Path(answers), Path(store))
        case ["ours", suite, answers, home]:
            ours(Path(suite), Path(answers), Path(home))
        case _:
            main()
