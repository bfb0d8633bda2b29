"""Bradley-Terry ratings of battles given as text, beside other tools and beside bare polars.

``python benchmarks/ratings.py FOLDER`` makes an environment for each tool in FOLDER, with the
versions of ``benchmarks/requirements.txt``, unless it is there, and says what did not install.
Every tool gets the same battles in a process of its own and rates them some times over: the first
time shows what it takes to warm up, the quickest of the others is compared. Memory is the peak of
the whole process, battles included.
"""

import argparse
import json
import os
import subprocess
import sys
import venv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).parent
PINNED = HERE / "requirements.txt"
RATIO, RATIO_AT = 1.5, 1_000_000
OURS = "Benchmaker"
LARGEST_MB, LARGEST = 2_048, 10_000_000
REFERENCES = {
    "columns": "polars grouping + Newton, from polars columns",
    "lists": "polars grouping + Newton, from lists",
}


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its driver, what is installed for it (empty: this environment), what it yields."""

    name: str
    driver: str
    packages: tuple[str, ...] = ()
    manner: str = "lists"
    intervals: str = "95 % sandwich"


TOOLS = (
    Tool("Benchmaker, from polars columns", "benchmaker", manner="columns"),
    Tool(REFERENCES["columns"], "polars", manner="columns"),
    Tool("Benchmaker, from lists", "benchmaker", manner="lists"),
    Tool(REFERENCES["lists"], "polars", manner="lists"),
    Tool("evalica, from lists", "evalica", ("evalica",), manner="lists", intervals="none"),
    Tool("arena-rank, from lists", "arena_rank", ("arena-rank",), manner="lists"),
)


@dataclass(frozen=True, slots=True)
class Line:
    """What one tool took for so many battles; ``failed`` says why there is nothing.

    ``off`` is the largest difference of its log odds from Benchmaker's. ``ratio`` is its time over
    that of the polars reference of the same run that started from the same kind of columns.
    """

    tool: str
    battles: int
    intervals: str
    first_s: float | None = None
    best_s: float | None = None
    cpu_s: float | None = None
    ratio: float | None = None
    peak_mb: float | None = None
    grown_mb: float | None = None
    off: float | None = None
    met: bool | None = None
    failed: str = ""


def main() -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the environments are, or are made")
    parser.add_argument("--battles", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--models", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=4, help="at 10 million always 2")
    parser.add_argument("--only", metavar="TOOL", action="append", default=[])
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    tools = [tool for tool in TOOLS if not given.only or tool.name in given.only]
    lines: list[Line] = []
    for battles in given.battles:
        repeats = given.repeats if battles < LARGEST else 2
        said = {
            tool: _said(tool, given.folder.resolve(), (battles, given.models, repeats))
            for tool in tools
        }
        lines.extend(_lines(said, battles))
    if given.json:
        print(json.dumps([asdict(line) for line in lines], indent=2))
    else:
        print("\n".join(_table(lines)))


def _said(tool: Tool, folder: Path, numbers: Sequence[int]) -> dict[str, object] | str:
    """What the driver printed, or why it did not."""
    try:
        python = _installed(tool, folder)
        driver = HERE / "peers" / f"rate_{tool.driver}.py"
        command = [str(python), str(driver), *map(str, numbers), tool.manner]
        quiet = {**os.environ, "JAX_PLATFORMS": "cpu"}
        done = subprocess.run(command, check=True, capture_output=True, env=quiet)
        return dict(json.loads(done.stdout))
    except subprocess.CalledProcessError as exc:
        words = (exc.stderr or exc.output or b"").decode("utf-8", "replace").strip().splitlines()
        return words[-1][:200] if words else f"ended with {exc.returncode}"
    except (OSError, ValueError) as exc:
        return str(exc)


def _installed(tool: Tool, folder: Path) -> Path:
    """The interpreter that has the tool."""
    if not tool.packages:
        return Path(sys.executable)
    python = folder / tool.driver / "bin" / "python"
    if not python.exists():
        venv.create(folder / tool.driver, with_pip=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--constraint", str(PINNED)]
        subprocess.run([*pip, *tool.packages], check=True, capture_output=True)
    return python


def _lines(said: Mapping[Tool, dict[str, object] | str], battles: int) -> Iterator[Line]:
    figures = {tool.name: one for tool, one in said.items() if isinstance(one, dict)}
    ours = next((one for name, one in figures.items() if name.startswith(OURS)), None)
    for tool, one in said.items():
        if isinstance(one, str):
            yield Line(tool.name, battles, tool.intervals, failed=one)
            continue
        reference = figures.get(REFERENCES[tool.manner])
        best, peak = _best(one), float(one["peak_mb"])
        ratio = best / _best(reference) if reference else None
        yield Line(
            tool=tool.name,
            battles=battles,
            intervals=tool.intervals,
            first_s=one["seconds"][0],
            best_s=best,
            cpu_s=_best(one, "cpu_s"),
            ratio=ratio,
            peak_mb=peak,
            grown_mb=peak - one["before_mb"],
            off=_off(one["theta"], ours["theta"]) if ours else None,
            met=_met(battles, ratio, peak) if tool.name.startswith(OURS) else None,
        )


def _met(battles: int, ratio: float | None, peak_mb: float) -> bool | None:
    """Whether the bar for so many battles is met; None where there is none."""
    if battles == RATIO_AT:
        return None if ratio is None else ratio <= RATIO
    return peak_mb <= LARGEST_MB if battles == LARGEST else None


def _best(figures: Mapping[str, object], kind: str = "seconds") -> float:
    """The quickest after the first."""
    seconds = figures[kind]
    return min(seconds[1:] or seconds)


def _off(theta: Mapping[str, float], ours: Mapping[str, float]) -> float:
    """The largest difference in log odds, both around their averages."""
    away = {name: theta[name] - ours[name] for name in ours}
    middle = sum(away.values()) / len(away)
    return max(abs(one - middle) for one in away.values())


def _table(lines: Sequence[Line]) -> Iterator[str]:
    yield "| battles | tool | intervals | first s | best s | CPU s | against polars | peak MB | of that rating | log odds off | bar met |"  # fmt: skip  # noqa: E501
    yield "|--:|---|---|--:|--:|--:|--:|--:|--:|--:|---|"
    for it in lines:
        if it.failed or it.best_s is None:
            yield f"| {it.battles:,} | {it.tool} | did not run: {it.failed} | | | | | | | | |"
            continue
        ratio = "" if it.ratio is None else f"{it.ratio:.2f} ×"
        off = "" if it.off is None else f"{it.off:.0e}"
        met = {None: "", True: "yes", False: "no"}[it.met]
        yield (
            f"| {it.battles:,} | {it.tool} | {it.intervals} | {it.first_s:.3f} | {it.best_s:.3f} "
            f"| {it.cpu_s:.3f} | {ratio} | {it.peak_mb:,.0f} | {it.grown_mb:,.0f} | {off} | {met} |"
        )
    yield f"\nBars: 1 million in ≤ {RATIO} × polars grouping + Newton from the same columns;"
    yield "10 million in ≤ 2 GiB."


if __name__ == "__main__":
    main()
