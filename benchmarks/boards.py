"""From figures in the store to stored boards, and one submission into a large task.

The first table begins with rows in SQLite and ends with every board written; beside it stands the
least that any way to boards must do: read the same rows and decode them. The second table sends
one submission into a task that has many: its figures kept, the task settled, the boards that it
touches written, and beside these the same boards all made anew. Preparing takes longer than
measuring: 1 M rows about four minutes.
"""

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from leaderboard import drawn
from msgspec.structs import replace

from benchmaker.arenas.agentic.evaluation.profile import ProfileAtWork
from benchmaker.arenas.agentic.evaluation.profile_columns import ProfileRanking
from benchmaker.arenas.agentic.settling.board_keys import BoardKey
from benchmaker.arenas.agentic.settling.settling import settle_tasks
from benchmaker.arenas.agentic.settling.stored_boards import board_of, write_boards
from benchmaker.record.submissions.metrics import Metrics
from benchmaker.spec.tasks.agentic_profile import BUILT_IN
from benchmaker.store import Store

PROFILES = ("classic", "robust")


@dataclass(frozen=True, slots=True)
class Line:
    """One figure; ``ratio`` is against reading and decoding the same rows."""

    what: str
    profile: str
    rows: int
    seconds: float
    ratio: float | None
    peak_mb: int


def main() -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--task", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    lines = [line for rows in given.submissions for line in boards(rows)]
    lines += [line for rows in given.task for line in one_more(rows)]
    print(json.dumps([asdict(line) for line in lines]) if given.json else table(lines))


def boards(rows: int) -> list[Line]:
    """All boards out of so many rows of all tasks."""
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "store.db") as store:
        store.agentic.put_metrics((row, "") for row in drawn(rows).rows())
        bare = timed(lambda: sum(1 for _ in store.agentic.metrics()))
        lines = [Line("read and decode the rows", "", rows, bare, None, peak_mb())]
        for name in PROFILES:
            ranking = ProfileRanking(BUILT_IN[name])
            took = timed(lambda ranking=ranking: write_boards(store, ranking))  # type: ignore[misc]
            lines.append(Line("write all boards", name, rows, took, took / bare, peak_mb()))
            again = timed(lambda ranking=ranking: board_of(store, ranking, BoardKey()))  # type: ignore[misc]
            lines.append(Line("read a stored board", name, rows, again, None, peak_mb()))
    return lines


def one_more(rows: int) -> list[Line]:
    """One submission into a task that has so many."""
    all_rows = [as_one_task(row) for row in drawn(rows + 1).rows()]
    return [line for name in PROFILES for line in _one_more(name, all_rows[:-1], all_rows[-1])]


def _one_more(name: str, before: list[Metrics], last: Metrics) -> list[Line]:
    rows, lines = len(before), []
    at_work, ranking = ProfileAtWork(BUILT_IN[name]), ProfileRanking(BUILT_IN[name])
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "store.db") as store:
        put(store, at_work, before)
        settle_tasks(store, at_work, ["task"])
        write_boards(store, ranking)
        bare = timed(lambda: sum(1 for _ in store.agentic.metrics()))
        steps: tuple[tuple[str, Callable[[], object]], ...] = (
            ("one more: keep its figures", lambda: put(store, at_work, [last])),
            ("one more: settle the task", lambda: settle_tasks(store, at_work, ["task"])),
            ("one more: boards it touches", lambda: write_boards(store, ranking)),
            ("every board rebuilt", lambda: write_boards(store, ranking, rebuild=True)),
        )
        for what, work in steps:
            took = timed(work)
            lines.append(Line(what, name, rows, took, took / bare, peak_mb()))
    return lines


def as_one_task(row: Metrics) -> Metrics:
    """The row as if it were of the one task."""
    return replace(row, task_id="task", category="debugging")


def put(store: Store, at_work: ProfileAtWork, rows: list[Metrics]) -> None:
    store.agentic.put_metrics((row, at_work.input_hash(row)) for row in rows)


def timed(work: Callable[[], object]) -> float:
    """Seconds of the processor; the disk is not waited for, other programs don't count."""
    start = time.process_time()
    work()
    return time.process_time() - start


def peak_mb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def table(lines: list[Line]) -> str:
    head = (
        "| measurement | profile | rows | processor | of reading | peak |\n"
        "|---|---|--:|--:|--:|--:|"
    )
    rows = [
        f"| {line.what} | {line.profile} | {line.rows:,} | {line.seconds:.3f} s "
        f"| {'' if line.ratio is None else f'{line.ratio:.1f} ×'} | {line.peak_mb:,} MB |"
        for line in lines
    ]
    return "\n".join([head, *rows])


if __name__ == "__main__":
    main()
