"""Live models through the whole engine, against a bare loop, start-up apart.

The model is a local server in another process that answers after 50 ms. Both sides ask it the
same questions through aiohttp, so many at once, and write a durable row for each answer. They
take turns. The wall begins with the first request at the server, since the launch has a figure of
its own; what each takes for a single sample is subtracted, from the processor's time, too. The bare
loop is shown in two manners: one goes on while its rows wait to be committed, the other holds a
place until its row is durable, as ours does, so that a kill costs no more than what was being
asked. Ours is the command line as a user types it, with every default on: stream, progress, prices,
rows, scores and the table at the end. A suite with 4 prompts and 2 efforts is measured, too, over
as many samples.
"""

import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import workload
from figures import Figure, against, arguments, at_most, show
from process import Took, took
from server import Server, served

HERE = Path(__file__).parent
BENCHMAKER = str(Path(sys.executable).parent / "benchmaker")
MODEL = "openai/gpt-4o-mini"
PROMPTS, EFFORTS = 4, ("low", "high")
SETUPS = PROMPTS * len(EFFORTS)
MOST_CPU, MOST_WALL, MOST_MB = 3.0, 1.10, 110
MOST_LAUNCH = 0.8 / 0.03
"""At most 0.8 s from launch to the first request where Python starts in 0.03 s."""
LIBRARIES = "aiohttp, click, msgspec, pydantic, rapidfuzz.distance, ruamel.yaml, sqlalchemy"
"""What a run has imported of others before it sends its first request."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a process took, and how many of its seconds had passed when its first request came."""

    took: Took
    launch_s: float


@dataclass(frozen=True, slots=True)
class Side:
    """What one side took for all samples from the first request on, beyond what it took for one."""

    cpu_s: float
    wall_s: float

    @classmethod
    def between(cls, whole: Done, single: Done) -> "Side":
        """The difference."""
        return cls(
            whole.took.cpu_s - single.took.cpu_s,
            (whole.took.wall_s - whole.launch_s) - (single.took.wall_s - single.launch_s),
        )


@dataclass(frozen=True, slots=True)
class Bench:
    """The server, and a folder for suites and stores."""

    server: Server
    folder: Path
    concurrency: int

    def ours(self, cases: int, *options: str) -> Done:
        """The command line over so many cases; it fails unless each was asked once."""
        return self._ours(cases, self._suite(cases), *options)

    def ours_with_setups(self, samples: int, *options: str) -> Done:
        """The command line over so many samples: cases × prompts × efforts, a multiple of 8."""
        return self._ours(samples, self._suite(samples // SETUPS, with_setups=True), *options)

    def _ours(self, samples: int, suite: Path, *options: str) -> Done:
        most = str(self.concurrency)
        command = [BENCHMAKER, "run", str(suite), "--model", MODEL, "--concurrency", most,
                   "--home", self._new(), *options]  # fmt: skip
        return self._done(samples, command, environment(self.server))

    def bare(self, cases: int, *options: str) -> Done:
        """The bare loop over the same cases."""
        file = str(self._suite(cases).with_name("cases.jsonl"))
        command = [sys.executable, str(HERE / "bare.py"), self.server.base_url, file,
                   f"{self._new()}.db", str(cases), str(self.concurrency), *options]  # fmt: skip
        return self._done(cases, command)

    def _done(
        self, cases: int, command: Sequence[str], environ: Mapping[str, str] | None = None
    ) -> Done:
        """Run it; SystemExit unless each case was asked once."""
        self.server.forget()
        began = time.monotonic()
        done = took(command, environment=environ)
        saw = self.server.saw()
        if saw.requests != cases:
            raise SystemExit(f"{saw.requests} requests came for {cases} cases")
        return Done(done, saw.first_at - began)

    def _suite(self, cases: int, *, with_setups: bool = False) -> Path:
        folder = self.folder / f"{'setups' if with_setups else 'cases'}-{cases}"
        if not folder.exists():
            folder.mkdir()
            more = workload.setups(PROMPTS, EFFORTS) if with_setups else ""
            workload.write_suite(folder, cases=cases, more=more)
        return folder / "suite.yaml"

    def _new(self) -> str:
        return tempfile.mktemp(dir=self.folder)  # noqa: S306  a folder of our own


def environment(server: Server) -> Mapping[str, str]:
    """What leads the command line to the server."""
    return {"OPENAI_API_KEY": "sk-of-nobody", "OPENAI_BASE_URL": server.base_url}


def main() -> None:
    given = arguments(__doc__, samples=2_000, concurrency=100, pairs=5, large=20_000)
    with tempfile.TemporaryDirectory() as name, served() as server:
        bench = Bench(server, Path(name), given.concurrency)
        figures = [
            *compared(bench, "streamed", [], ["stream"], given),
            *compared(bench, "in one piece", ["--no-stream"], [], given),
            *compared_with_setups(bench, given),
            *launched(bench, given),
            *remembered(bench, given),
        ]
    show("python benchmarks/engine.py", figures)


def compared(
    bench: Bench, how: str, ours: Sequence[str], bare: Sequence[str], given
) -> Iterator[Figure]:
    """Processor time and wall of ours and of both manners of the bare loop, taken in turns."""
    rounds = [_round(bench, ours, bare, given.samples) for _ in range(given.pairs)]
    cpu = [(mine.cpu_s, free.cpu_s) for mine, free, _ in rounds]
    each = 1000 / given.samples
    yield _ratio(f"CPU per sample, {how}", cpu, MOST_CPU, unit="ms", times=each)
    what = f"wall of {given.samples:,} samples, {how}"
    free_wall = [(mine.wall_s, free.wall_s) for mine, free, _ in rounds]
    yield _ratio(f"{what}, against the loop that does not wait", free_wall, MOST_WALL, unit="s")
    held_wall = [(mine.wall_s, held.wall_s) for mine, _, held in rounds]
    yield _ratio(f"{what}, against one that holds", held_wall, MOST_WALL, unit="s")


def _round(
    bench: Bench, ours: Sequence[str], bare: Sequence[str], samples: int
) -> tuple[Side, Side, Side]:
    """Ours, the bare loop that goes on, and the one that holds."""
    return (
        Side.between(bench.ours(samples, *ours), bench.ours(1, *ours)),
        Side.between(bench.bare(samples, *bare), bench.bare(1, *bare)),
        Side.between(bench.bare(samples, *bare, "held"), bench.bare(1, *bare, "held")),
    )


def compared_with_setups(bench: Bench, given) -> Iterator[Figure]:
    """The same for 4 prompts × 2 efforts, streamed, against a loop of as many samples."""
    samples = given.samples // SETUPS * SETUPS
    rounds = []
    for _ in range(given.pairs):
        mine = Side.between(bench.ours_with_setups(samples), bench.ours_with_setups(SETUPS))
        held = Side.between(
            bench.bare(samples, "stream", "held"), bench.bare(SETUPS, "stream", "held")
        )
        rounds.append((mine, held))
    cpu = [(mine.cpu_s, held.cpu_s) for mine, held in rounds]
    wall = [(mine.wall_s, held.wall_s) for mine, held in rounds]
    how = f"{PROMPTS} prompts × {len(EFFORTS)} efforts"
    yield _ratio(f"CPU per sample, {how}", cpu, MOST_CPU, unit="ms", times=1000 / samples)
    yield _ratio(f"wall of {samples:,} samples, {how}", wall, MOST_WALL, unit="s")


def launched(bench: Bench, given) -> Iterator[Figure]:
    """Launch to the first request, beside Python's own start and the import of its libraries."""
    python, parts, first = [], [], []
    for _ in range(given.pairs):
        python.append(took([sys.executable, "-c", "pass"]).wall_s)
        parts.append(took([sys.executable, "-c", f"import {LIBRARIES}"]).wall_s)
        first.append(bench.ours(given.samples).launch_s)
    seconds, least, floor = median(first), median(python), median(parts)
    unit = {"unit": "s", "bar": MOST_LAUNCH}
    yield against("launch to first request", seconds, least, name="python -c pass", **unit)
    yield against("its libraries imported, no more", floor, least, name="python -c pass", **unit)


def remembered(bench: Bench, given) -> Iterator[Figure]:
    """Peak memory at both sizes."""
    small, large = (bench.ours(cases).took.peak_mb for cases in (given.samples, given.large))
    yield at_most(f"peak memory at {given.samples:,} cases", small, MOST_MB, "MB")
    yield against(
        f"peak memory at {given.large:,} cases", large, small, unit="MB", name=f"{given.samples:,}"
    )


def _ratio(
    what: str, pairs: Sequence[tuple[float, float]], bar: float, *, unit: str, times: float = 1.0
) -> Figure:
    """The medians of both sides, and the median of the pairs' ratios."""
    mine, other = (median(pair[side] for pair in pairs) * times for side in (0, 1))
    ratio = median(first / second for first, second in pairs)
    said = f"bare loop: {other:.3g} {unit}"
    return Figure(what, mine, unit, said, ratio, f"ratio ≤ {bar:g}", met=ratio <= bar)


if __name__ == "__main__":
    main()
