"""Whether converted suites decide as the tools that they come from, answer by answer.

    python -m benchmarks.conversion --python VENV/bin/python --promptfoo FOLDER [--write]

VENV has lm-evaluation-harness, and FOLDER promptfoo from npm (versions in requirements.txt and
peers.py). The tasks and configurations of tests/arenas/conversion are run by their tool and then,
converted, by this program, against the same scripted model server. A verdict is that of a document
and a filter, or of a test and a prompt. ``--write`` keeps the verdicts of the tools as facts for
the tests. No speed is measured.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmaker import Suite, export, run
from benchmarks.converted.ours import OwnCase, run_converted
from benchmarks.converted.scripted_server import Served, serving
from tests.arenas.conversion.harness_tasks import TASKS
from tests.arenas.conversion.promptfoo_configs import CONFIGURATIONS, PROVIDER_KEY, Configuration

DRIVER = Path(__file__).parent / "converted" / "drive_lm_eval.py"
FACTS = Path(__file__).parent.parent / "tests" / "arenas" / "conversion" / "facts"
READ_LOG = """
import sys
from inspect_ai.log import read_eval_log
log = read_eval_log(sys.argv[1])
assert log.status == "success" and len(log.samples) == 10, log
assert log.results.scores[0].metrics["mean"].value == 0.2, log.results
"""
ERROR = 2
"""The reason of a row of promptfoo that failed by no verdict."""


class Tally(NamedTuple):
    """The verdicts of one tool: equal ones, others, those without one here, unequal prompts."""

    equal: int
    unequal: int
    unscored: int
    prompts: int

    def line(self, name: str, number: int) -> str:
        """A row of the table."""
        figures = (number, self.equal, self.unequal, self.unscored, self.prompts)
        return f"| {name} | {' | '.join(map(str, figures))} |"


def main() -> int:
    """Run both tools and print a table; the exit code is 1 if a verdict differs."""
    given = _arguments()
    print("| Tool | Files | Equal verdicts | Unequal | Unscored here | Unequal prompts |")
    print("|---|---|---|---|---|---|")
    tallies = []
    with tempfile.TemporaryDirectory() as folder:
        if given.python:
            tallies.append(_lm_eval(given.python, Path(folder), write=given.write))
            print(tallies[-1].line("lm-eval", len(TASKS)))
        if given.promptfoo:
            tallies.append(_promptfoo(given.promptfoo, Path(folder), write=given.write))
            print(tallies[-1].line("promptfoo", len(CONFIGURATIONS)))
        unread = list(_unread_exports(given.python, given.promptfoo, Path(folder)))
    print(f"\nExports that a reader refuses: {', '.join(unread) or 'none'}.")
    return int(bool(unread) or any(it.unequal or it.prompts for it in tallies))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", help="the interpreter with lm-evaluation-harness")
    parser.add_argument("--promptfoo", type=Path, help="the folder with promptfoo from npm")
    parser.add_argument("--write", action="store_true", help="keep the verdicts for the tests")
    return parser.parse_args()


def _unread_exports(python: str | None, program: Path | None, folder: Path) -> Iterator[str]:
    """Yield the formats of a small run that the readers of their tools refuse."""
    cases = [{"id": str(it), "prompt": f"{it} + 1?", "expected": it + 1} for it in range(5)]
    suite = Suite("sums", cases, scorer="numeric", profile="robust")
    result = run(
        suite, provider=lambda _: "The answer is 3.", models=["a", "b"], home=folder / "own"
    )
    log, results = folder / "own.eval", folder / "own.json"
    export(result, log, form="inspect")
    export(result, results, form="promptfoo")
    commands: dict[str, list[str | Path]] = {}
    if python:
        commands["inspect"] = [python, "-c", READ_LOG, log]
    if program:
        commands["promptfoo"] = [program / "node_modules" / ".bin" / "promptfoo", "import", results]
    env = {**os.environ, "PROMPTFOO_CONFIG_DIR": str(folder / "imported")}
    for name, command in commands.items():
        if subprocess.run(command, env=env, check=False, capture_output=True).returncode:
            yield name


def _lm_eval(python: str, folder: Path, *, write: bool) -> Tally:
    answers = {mark: text for task in TASKS for mark, text in task.answers().items()}
    paths = {task.name: task.write(folder) for task in TASKS}
    with serving(answers) as served:
        theirs = _harness_verdicts(python, served.url, folder)
        ours = {name: run_converted(path, served.url, folder)[1] for name, path in paths.items()}
    if write:
        _keep("lm_eval.json", {name: _rows(documents) for name, documents in theirs.items()})
    pairs = list(_harness_pairs(theirs, ours))
    prompts = sum(
        one["prompt"] != ours[name][place][0].prompt
        for name, documents in theirs.items()
        for place, one in documents.items()
    )
    return _tally(pairs, prompts)


def _harness_verdicts(python: str, url: str, folder: Path) -> dict[str, dict]:
    command = [python, str(DRIVER), url, str(folder), *(task.name for task in TASKS)]
    env = {**os.environ, "HF_HOME": str(folder / "hf")}
    made = subprocess.run(command, cwd=folder, env=env, check=False, capture_output=True, text=True)
    found = [it for it in made.stdout.splitlines() if it.startswith("FOUND ")]
    if not found:
        sys.exit(made.stderr[-2000:])
    return json.loads(found[0].removeprefix("FOUND "))


def _harness_pairs(
    theirs: dict[str, dict], ours: dict[str, dict[str, list[OwnCase]]]
) -> Iterator[tuple[bool, bool | None]]:
    """The verdicts of both, by document and filter; ours on later filters are metrics."""
    for name, documents in theirs.items():
        for place, one in documents.items():
            own = ours[name][place][0]
            for number, (filtered, value) in enumerate(one["verdicts"].items()):
                metric = own.metrics.get(f"exact_match,{filtered}")
                mine = own.verdict if number == 0 else None if metric is None else metric == 1.0
                yield bool(value), mine


def _rows(documents: dict[str, dict]) -> list[list]:
    return [[place, digest(one["prompt"]), one["verdicts"]] for place, one in documents.items()]


def digest(prompt: str) -> str:
    """The beginning of the SHA-256 of a prompt."""
    return hashlib.sha256(prompt.encode()).hexdigest()[:12]


def _promptfoo(program: Path, folder: Path, *, write: bool) -> Tally:
    os.environ.setdefault("OPENAI_API_KEY", PROVIDER_KEY)
    facts, pairs, prompts = {}, [], 0
    for one in CONFIGURATIONS:
        with serving(one.answers) as served:
            theirs = _promptfoo_verdicts(program, one, served, folder)
            asked = _questions(served)
            served.bodies.clear()
            _, ours = run_converted(one.write(folder / one.name, served.url), served.url, folder)
            prompts += sum(((asked - _questions(served)) + (_questions(served) - asked)).values())
        facts[one.name] = theirs
        for verdicts, cases in zip(theirs, ours.values(), strict=True):
            pairs += zip(verdicts, [it.verdict for it in cases], strict=True)
    if write:
        _keep("promptfoo.json", facts)
    return _tally(pairs, prompts)


def _questions(served: Served) -> Counter[str]:
    """The conversations that the server was sent."""
    return Counter(json.dumps(body["messages"], sort_keys=True) for body in served.bodies)


def _promptfoo_verdicts(
    program: Path, one: Configuration, served: Served, folder: Path
) -> list[list[bool | None]]:
    """The verdict of each test under each prompt; None for an error."""
    path = one.write(folder / one.name, served.url)
    output = folder / one.name / "results.json"
    command = [program / "node_modules" / ".bin" / "promptfoo", "eval", "-c", path, "--no-cache",
               "--no-table", "-o", output]  # fmt: skip
    switches = ("TELEMETRY", "UPDATE", "REMOTE_GENERATION")
    env = {**os.environ, **{f"PROMPTFOO_DISABLE_{it}": "1" for it in switches},
           "PROMPTFOO_CONFIG_DIR": str(folder / "promptfoo")}  # fmt: skip
    # It ends with 100 where an assertion fails.
    subprocess.run(command, cwd=path.parent, env=env, check=False, capture_output=True)
    tests: dict[int, dict[int, bool | None]] = {}
    for row in json.loads(output.read_text())["results"]["results"]:
        verdict = None if row.get("failureReason") == ERROR else row["success"]
        tests.setdefault(row["testIdx"], {})[row["promptIdx"]] = verdict
    return [[it for _, it in sorted(tests[place].items())] for place in sorted(tests)]


def _tally(pairs: list[tuple[bool | None, bool | None]], prompts: int) -> Tally:
    equal = sum(theirs == ours for theirs, ours in pairs)
    unscored = sum(ours is None and theirs is not None for theirs, ours in pairs)
    return Tally(equal, len(pairs) - equal - unscored, unscored, prompts)


def _keep(name: str, facts: dict) -> None:
    FACTS.mkdir(exist_ok=True)
    lines = [f" {json.dumps(key)}: {json.dumps(it)}" for key, it in facts.items()]
    (FACTS / name).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
