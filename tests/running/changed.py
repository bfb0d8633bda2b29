"""``make test-changed``: the tests that a change can break, the nearest first, in two minutes.

How near a test is says the graph of what files need (``graph.py``). Tests that changed themselves
always run, and so do the examples in docstrings of modules that changed. Then come the tests that
import what changed, those that import what imports it, and so on, until the time is used up, as
written down in ``seconds.json``. What was left out is named.
"""

import argparse
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.running.graph import PACKAGE, Graph, module_of
from tests.running.times import written

ROOT = Path(__file__).parents[2]
LEFT_OUT = ROOT / "build" / "tests-left-out.txt"
SECONDS = 120
CORES = 2
EXAMPLES = "tests/test_house.py", "test_every_example_in_a_docstring_is_true"
START_S = 15
"""What starting and collecting takes."""

_LEAST_S = 0.3
"""What a file takes that is not written down."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Files of tests: those to run, and those that the change can reach but are left out."""

    run: tuple[str, ...]
    left_out: tuple[str, ...]
    unreached: int
    seconds: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Choose, say what, and run pytest."""
    options, given = _parser().parse_known_args(arguments)
    changed = changed_files(options.base or _base())
    if not changed:
        print("Nothing changed.")
        return 0
    chosen = choose(changed, seconds=options.seconds)
    print(said(changed, chosen))
    LEFT_OUT.parent.mkdir(exist_ok=True)
    LEFT_OUT.write_text("".join(f"{path}\n" for path in chosen.left_out), encoding="utf-8")
    shown = examples(changed)
    run = [*chosen.run, *(test for test in shown if EXAMPLES[0] not in chosen.run)]
    if options.list or not run:
        print(*run, sep="\n")
        return 0
    whole = [*(path for path in chosen.run if path in changed), *shown]
    command = [sys.executable, "-m", "pytest", "--workers", "4", "-m", "not long"]
    command += [word for named in whole for word in ("--whole", named)]
    return subprocess.run([*command, *given, *run], cwd=ROOT, check=False).returncode


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make test-changed", description=__doc__)
    parser.add_argument("--base", help="what to compare with; else HEAD, or where nothing is")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long it may take")
    parser.add_argument("--list", action="store_true", help="list the files, and run none")
    return parser


def _base() -> str:
    """HEAD where there are changes that are not committed, else the commit before."""
    return "HEAD" if _git("status", "--porcelain") else "HEAD~1"


def changed_files(base: str) -> list[str]:
    """The files that differ from a commit, new ones too."""
    told = _git("diff", "--name-only", base), _git("ls-files", "--others", "--exclude-standard")
    return sorted({line for text in told for line in text.splitlines()})


def examples(changed: Sequence[str]) -> list[str]:
    """The tests of the examples in docstrings of the modules that changed."""
    modules = [path for path in changed if path.startswith(PACKAGE) and path.endswith(".py")]
    test = "::".join(EXAMPLES)
    return [f"{test}[{module_of(path)}]" for path in modules if _has_examples(ROOT / path)]


def _has_examples(path: Path) -> bool:
    return path.is_file() and ">>> " in path.read_text(encoding="utf-8")


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout


def choose(changed: Sequence[str], *, seconds: float = SECONDS) -> Chosen:
    """The tests that are nearest to what changed, as many as the time is enough for."""
    files = _git("ls-files", "-co", "--exclude-standard").splitlines()
    there = [path for path in files if (ROOT / path).is_file()]
    distances = Graph(ROOT, there).distances(changed)
    tests = [path for path in there if is_test(path)]
    near = sorted((distances[path], path) for path in tests if path in distances)
    return within(near, seconds - START_S, unreached=len(tests) - len(near))


def within(near: Sequence[tuple[float, str]], seconds: float, *, unreached: int) -> Chosen:
    took: Mapping[str, list[int]] = written().get("quick", {})
    run, left_out, used = [], [], 0.0
    for distance, path in near:
        takes = (took[path][0] if path in took else _LEAST_S) / CORES
        if distance and used + takes > seconds:
            left_out.append(path)
        else:
            run.append(path)
            used += takes
    return Chosen(tuple(run), tuple(left_out), unreached, used + START_S)


def is_test(path: str) -> bool:
    """Whether pytest collects tests from it."""
    if path.endswith(".md"):
        return path.startswith("docs/") or path in {"README.md", "CONTRIBUTING.md"}
    return path.startswith("tests/") and Path(path).name.startswith("test_")


def said(changed: Sequence[str], chosen: Chosen) -> str:
    """What is run and what is not, in words."""
    folders = Counter(str(Path(path).parent) for path in chosen.left_out)
    nearest = f"{len(chosen.run)} files of tests are run, the nearest to them"
    further = f"{len(chosen.left_out)} that are further away"
    lines = [f"{len(changed)} files changed. {nearest}: about {chosen.seconds:.0f} s."]
    lines += [f"Left out: {further}, {chosen.unreached} that the change does not reach."]
    lines += [f"  {count:4}  {folder}" for folder, count in folders.most_common()]
    if chosen.left_out:
        lines.append(f"They are named in {LEFT_OUT.relative_to(ROOT)}; make test runs them all.")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
