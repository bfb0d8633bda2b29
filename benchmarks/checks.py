"""Ten deterministic checks on each of many recorded answers, beside each check alone and promptfoo.

First the scoring of a trial by all ten against ten trials of one each, in one process. Then runs
that read, score and store the answers; what a run of one answer takes, its start-up, is subtracted.
promptfoo scores such answers with the same assertions, its model an echo of them; ``--folder`` says
where it is, or is installed with npm. Without it, the row is left out.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import workload
from figures import Figure, against, show
from peers import PROMPTFOO
from process import Took, took

CHECKS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("contains", {"type": "contains", "value": "answer"}),
    ("icontains", {"type": "contains", "value": "THE ANSWER IS", "ignore_case": True}),
    ("not-icontains", {"type": "contains", "value": "as an ai", "ignore_case": True, "not": True}),
    ("contains-any", {"type": "contains_any", "value": ["found", "given"]}),
    ("contains-all", {"type": "contains_all", "value": ["So", "answer"]}),
    ("icontains-all", {"type": "contains_all", "value": ["so", "the"], "ignore_case": True}),
    ("not-starts-with", {"type": "starts_with", "value": "Sorry", "not": True}),
    ("not-equals", {"type": "equals", "value": "I do not know.", "not": True}),
    ("not-is-json", {"type": "json", "not": True}),
    ("word-count", {"type": "word_count", "min": 10, "max": 500}),
)
"""Each type of promptfoo's assertions, with the check that is the same."""

RATIO = 1.3


def ours(suite: Path, answers: Path, home: Path) -> None:
    """A run over recorded answers through the public function."""
    from benchmaker import run  # noqa: PLC0415  a process of its own

    run(suite, recorded=answers, home=home)


def main() -> None:
    given = _arguments()
    with tempfile.TemporaryDirectory() as name:
        figures = list(_figures(given, Path(name)))
    show("python benchmarks/checks.py", figures)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON instead of Markdown")
    parser.add_argument("--answers", type=int, default=100_000, help="default 100,000")
    parser.add_argument("--texts", type=int, default=2_000, help="texts scored in one process")
    parser.add_argument("--folder", type=Path, help="where promptfoo is, or is installed")
    parser.add_argument("--samples", type=int, default=2_000, help="answers for promptfoo")
    return parser.parse_args()


def _figures(given: argparse.Namespace, folder: Path) -> Iterator[Figure]:
    apart, together = asyncio.run(_in_process(given.texts))
    yield against(
        "ten checks on a trial, processor time",
        together * 1e6,
        apart * 1e6,
        unit="µs",
        name="ten trials of one check",
        bar=RATIO,
    )
    start, whole = (_run(folder / f"of-{size}", size) for size in (1, given.answers))
    cpu_s, wall_s = whole.cpu_s - start.cpu_s, whole.wall_s - start.wall_s
    yield Figure(f"{given.answers:,} answers, seconds of the processor", cpu_s, "s")
    yield Figure("answers a second of the clock", given.answers / wall_s, "a second")
    yield Figure("peak memory", whole.peak_mb, "MB")
    if given.folder:
        mine = cpu_s * 1000 / given.answers
        other = _promptfoo(given.folder.resolve(), folder, given.samples)
        name, unit = "an answer, processor time", "ms"
        yield against(name, mine, other, unit=unit, name=f"{PROMPTFOO} ({given.samples:,})")


async def _in_process(texts: int) -> tuple[float, float]:
    """Seconds of processor time to score a text by each check on its own, and by all together."""
    each = [_scorer_of([check]) for _, check in CHECKS]
    everything = [_scorer_of([check for _, check in CHECKS])]
    return await _seconds(each, texts), await _seconds(everything, texts)


def _scorer_of(checks: list[dict[str, Any]]) -> tuple[Any, Any]:
    """The scorer of trials for a suite with these checks, and its case; one as plain scorer."""
    from benchmaker.engine.trials.scoring import TrialScorer  # noqa: PLC0415  not for other processes
    from benchmaker.spec import CheckSpec, Suite, profile  # noqa: PLC0415

    (first, *more) = checks
    single = CheckSpec.model_validate(first).scorer
    scoring: Any = {"checks": checks} if more else {"scorer": single}
    suite = Suite("checks", [{"id": "c", "prompt": "?"}], **scoring)
    (case,) = suite.cases
    return TrialScorer(suite, profile("robust")), case


async def _seconds(scorers: Sequence[tuple[Any, Any]], texts: int) -> float:
    """The least processor time of three passes, for a text by all the scorers."""
    from benchmaker.testing import a_trial  # noqa: PLC0415  as above

    rng = random.Random(7)  # noqa: S311  not a secret
    made = [workload.reply(rng, 500, "So the answer is 4.") for _ in range(texts)]
    trials = [a_trial(text=text, case_id="c") for text in made]
    took_s = []
    for _ in range(3):
        began = time.process_time()
        for trial in trials:
            for scorer, case in scorers:
                await scorer.score(trial, case)
        took_s.append(time.process_time() - began)
    return min(took_s) / texts


def _run(folder: Path, answers: int) -> Took:
    """A whole run over so many answers."""
    folder.mkdir()
    _, recorded = workload.write(folder, cases=answers, models=1)
    suite = folder / "suite.yaml"
    suite.write_text(json.dumps(_suite()), encoding="utf-8")
    command = [sys.executable, __file__, "ours", str(suite), str(recorded), str(folder / "home")]
    return took(command)


def _suite() -> dict[str, Any]:
    return {
        "name": "Checks",
        "profile": "robust",
        "checks": [check for _, check in CHECKS],
        "cases": {"file": "cases.jsonl"},
    }


def _promptfoo(place: Path, folder: Path, samples: int) -> float:
    """Milliseconds of processor time that promptfoo takes for an answer."""
    if not (place / "node_modules").exists():
        place.mkdir(parents=True, exist_ok=True)
        install = ["npm", "install", "--no-audit", "--no-fund", PROMPTFOO]
        subprocess.run(install, cwd=place, check=True, capture_output=True, env=os.environ.copy())
    start, whole = (_echo(place, folder / f"echo-{size}", size) for size in (1, samples))
    return (whole.cpu_s - start.cpu_s) * 1000 / (samples - 1)


def _echo(place: Path, folder: Path, samples: int) -> Took:
    """Run promptfoo over so many answers; a failed assertion is no failure of the command.

    Without its log files, which it can close while it still writes: then it ends with status 1.
    """
    folder.mkdir()
    path = folder / "promptfooconfig.json"
    path.write_text(json.dumps(_configuration(samples)), encoding="utf-8")
    command = [str(place / "node_modules" / ".bin" / "promptfoo"), "eval", "--config", str(path)]
    quiet = ["--no-cache", "--no-progress-bar", "--no-table", "--output", str(folder / "out.json")]
    environment = {
        "PROMPTFOO_CONFIG_DIR": str(folder),
        "PROMPTFOO_DISABLE_DEBUG_LOG": "1",
        "PROMPTFOO_DISABLE_ERROR_LOG": "1",
        "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_FAILED_TEST_EXIT_CODE": "0",
    }
    return took([*command, *quiet], environment=environment, folder=folder, quiet=True)


def _configuration(samples: int) -> dict[str, Any]:
    rng = random.Random(7)  # noqa: S311  not a secret
    texts = [workload.reply(rng, 500, "So the answer is 4.") for _ in range(samples)]
    return {
        "prompts": ["{{text}}"],
        "providers": ["echo"],
        "defaultTest": {"assert": [_assertion(name, check) for name, check in CHECKS]},
        "tests": [{"vars": {"text": text}} for text in texts],
    }


def _assertion(name: str, check: dict[str, Any]) -> dict[str, Any]:
    if name == "word-count":
        return {"type": name, "value": {"min": check["min"], "max": check["max"]}}
    return {"type": name, **{key: check[key] for key in ("value",) if key in check}}


def _dispatch(words: Sequence[str]) -> None:
    match words:
        case ["ours", suite, answers, home]:
            ours(Path(suite), Path(answers), Path(home))
        case _:
            main()


if __name__ == "__main__":
    _dispatch(sys.argv[1:])
