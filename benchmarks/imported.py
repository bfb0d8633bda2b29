"""Rows of another tool's results read and stored as a run, against a bare loop that inserts them.

Both read the same file, samples of lm-eval with a document a line, and write to SQLite in WAL mode.
The bare loop parses a line, writes one row and keeps nothing else. The two take turns, each in a
process of its own; what each takes for a single row, its start-up, is subtracted.
"""

import json
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from figures import Figure, against, arguments, show
from process import Took, took

COMMIT_EVERY_S = 0.05
NAME = "samples_sums_2026-11-22T19-26-19.874402.jsonl"
ROW = "INSERT INTO trial VALUES (?, ?, ?)"


def bare(samples: Path, store: Path) -> None:
    """The least that keeps a row: one each, committed in groups."""
    connection = sqlite3.connect(store, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE trial (doc TEXT PRIMARY KEY, output TEXT, score REAL)")
    connection.execute("BEGIN")
    committed = time.monotonic()
    with samples.open(encoding="utf-8") as file:
        for text in file:
            line = json.loads(text)
            connection.execute(ROW, (line["doc_id"], line["resps"][0][0], line["exact_match"]))
            if time.monotonic() - committed > COMMIT_EVERY_S:
                connection.execute("COMMIT")
                connection.execute("BEGIN")
                committed = time.monotonic()
    connection.execute("COMMIT")


def ours(samples: Path, home: Path) -> None:
    """The same as ``benchmaker import`` does it."""
    from benchmaker.arenas.standard.importers.importing import import_evaluations  # noqa: PLC0415
    from benchmaker.arenas.standard.importers.recognising import find_sources  # noqa: PLC0415
    from benchmaker.store import Store  # noqa: PLC0415  the bare loop must not pay for them

    with Store.open(home / "benchmaker.db") as store:
        for _ in import_evaluations(store, find_sources([samples])):
            pass


def write(folder: Path, rows: int) -> Path:
    """Write a file of samples."""
    folder.mkdir()
    path = folder / NAME
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(_sample(at))}\n" for at in range(rows))
    return path


def _sample(at: int) -> dict[str, object]:
    return {
        "doc_id": at,
        "doc": {"question": f"What is {at} + 1?"},
        "target": str(at + 1),
        "arguments": {"gen_args_0": {"arg_0": f"Q: What is {at} + 1?\nA:", "arg_1": {}}},
        "resps": [[f"The answer is {at + 1}."]],
        "filtered_resps": [str(at + 1)],
        "filter": "none",
        "metrics": ["exact_match"],
        "doc_hash": f"d{at}",
        "exact_match": float(at % 3 > 0),
    }


def main() -> None:
    given = arguments(__doc__, rows=100_000, pairs=3)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        starts = [_pair(write(folder / f"start-{it}", 1)) for it in range(given.pairs)]
        pairs = [_pair(write(folder / f"work-{it}", given.rows)) for it in range(given.pairs)]
    figures = [
        against(
            f"{given.rows:,} rows, seconds of the {word}",
            _median(0, what, pairs) - _median(0, what, starts),
            _median(1, what, pairs) - _median(1, what, starts),
            unit="s",
            name="bare loop",
            bar=bar,
        )
        for what, word, bar in (("wall_s", "clock", None), ("cpu_s", "processor", 5.0))
    ]
    show(
        "python benchmarks/imported.py",
        [*figures, Figure("peak memory", _median(0, "peak_mb", pairs), "MB")],
    )


def _median(side: int, what: str, pairs: Sequence[tuple[Took, Took]]) -> float:
    return statistics.median(getattr(pair[side], what) for pair in pairs)


def _pair(samples: Path) -> tuple[Took, Took]:
    """Ours, then the bare loop, over the same file."""
    script, folder = [sys.executable, __file__], samples.parent
    (folder / "home").mkdir()
    mine = took([*script, "ours", str(samples), str(folder / "home")])
    other = took([*script, "bare", str(samples), str(folder / "bare.db")])
    return mine, other


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["bare", samples, store]:
            bare(Path(samples), Path(store))
        case ["ours", samples, home]:
            ours(Path(samples), Path(home))
        case _:
            main()
