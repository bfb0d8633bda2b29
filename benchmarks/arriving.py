"""One submission into a large task, from its file to its place and the boards that it touches.

What ``benchmaker submit FILE --task TASK`` does, in this process: the file read and stored, its
figures kept, its evaluation written, the task settled, outliers flagged, its place among all others
looked up, boards written. Beside it stands the least that any way over all figures must do: read
the figures of the task and decode them.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec
from crowd import fill_task, submission_of
from leaderboard import drawn

from benchmaker import submit
from benchmaker.arenas.agentic.evaluation import evaluate
from benchmaker.arenas.agentic.evaluation.pipeline import Pipeline
from benchmaker.record.submissions.submission import TaskRef
from benchmaker.store import Store

PROFILES = ("classic", "robust")
TASK = "room-calendar"
RATIO, RATIO_AT = 2.0, 100_000
STEPS = {"settle": "settle the task", "flag": "look for outliers", "rows": "its place"}
BOARDS = {"settle_boards_of_tasks": "the task's board", "settle_all_boards": "the other boards"}
ROW, WHOLE = "from the file to its row on the task's board", "from the file to all boards"


@dataclass(frozen=True, slots=True)
class Line:
    """What one more submission took; ``ratio`` is that of the processor times."""

    what: str
    profile: str
    rows: int
    seconds: float
    cpu_s: float
    ratio: float
    met: bool | None = None


def main() -> None:
    """Print the table, or JSON; ends with 1 where the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    lines = [line for rows in given.rows for name in PROFILES for line in measured(name, rows)]
    print(json.dumps([asdict(line) for line in lines]) if given.json else table(lines))
    sys.exit(any(line.met is False for line in lines))


def measured(profile: str, rows: int) -> list[Line]:
    """One more submission into a task of so many."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        home.mkdir()
        fill_task(home, rows, TASK, profile)
        path = written(Path(folder) / "one.jsonl")
        bare = timed(lambda: decoded(home))
        with steps() as taken:
            whole = timed(lambda: submit(path, task=TASK, profile=profile, home=home))
    taken[WHOLE] = whole
    return [
        Line(
            what,
            profile,
            rows,
            *took,
            ratio=took[1] / bare[1],
            met=took[1] <= RATIO * bare[1] if what == ROW and rows == RATIO_AT else None,
        )
        for what, took in taken.items()
    ]


def written(path: Path) -> Path:
    """A file with one session of the task."""
    (row,) = drawn(1).rows()
    one = msgspec.structs.replace(submission_of(row), id=f"cli-{0:020x}", task=TaskRef(id=TASK))
    path.write_bytes(msgspec.json.encode(one) + b"\n")
    return path


def decoded(home: Path) -> int:
    """Read and decode all figures of the task."""
    with Store.open(home / "benchmaker.db") as store:
        return sum(1 for _ in store.agentic.metrics(TASK))


@contextmanager
def steps() -> Iterator[dict[str, tuple[float, float]]]:
    """What the steps of the pipeline and the boards take meanwhile, each by itself."""
    taken: dict[str, tuple[float, float]] = {}
    began, cpu = time.perf_counter(), time.process_time()

    def on_row() -> None:
        taken[ROW] = time.perf_counter() - began, time.process_time() - cpu

    with ExitStack() as watched:
        for name, what in STEPS.items():
            watched.enter_context(_watching(Pipeline, name, what, taken))
        first, *others = BOARDS.items()
        watched.enter_context(_watching(evaluate, *first, taken, then=on_row))
        for name, what in others:
            watched.enter_context(_watching(evaluate, name, what, taken))
        yield taken


@contextmanager
def _watching(
    owner: object,
    name: str,
    what: str,
    taken: dict[str, tuple[float, float]],
    *,
    then: Callable[[], None] = lambda: None,
) -> Iterator[None]:
    """Time the function of that name meanwhile."""
    known = getattr(owner, name)
    setattr(owner, name, _watched(known, what, taken, then))
    try:
        yield
    finally:
        setattr(owner, name, known)


def _watched(
    work: Callable[..., object],
    what: str,
    taken: dict[str, tuple[float, float]],
    then: Callable[[], None],
) -> Callable[..., object]:
    def watched(*given: object, **named: object) -> object:
        began, cpu = time.perf_counter(), time.process_time()
        made = work(*given, **named)
        made = list(made) if isinstance(made, Iterator) else made
        taken[what] = time.perf_counter() - began, time.process_time() - cpu
        then()
        return made

    return watched


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock and of the processor."""
    began, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - began, time.process_time() - cpu


def table(lines: list[Line]) -> str:
    """As Markdown."""
    head = "| measurement | profile | rows | seconds | processor | of reading | ≤ 2 × |"
    rows = [
        f"| {line.what} | {line.profile} | {line.rows:,} | {line.seconds:.3f} s "
        f"| {line.cpu_s:.3f} s | {line.ratio:.1f} × "
        f"| {'' if line.met is None else 'yes' if line.met else 'no'} |"
        for line in lines
    ]
    return "\n".join([head, "|---|---|--:|--:|--:|--:|---|", *rows])


if __name__ == "__main__":
    main()
