"""Runs converted suites against the scripted server."""

import asyncio
from pathlib import Path
from typing import Any, NamedTuple

from benchmaker import RunOptions, arun
from benchmaker.arenas.standard.conversion.converting import Conversion, convert_file
from benchmaker.record import Trial
from benchmaker.scoring.check import load_checked

MODEL = "m"


class OwnCase(NamedTuple):
    """A case of a converted suite after its run."""

    prompt: str
    verdict: bool | None
    metrics: dict[str, float]


def run_converted(
    path: Path, url: str, folder: Path
) -> tuple[Conversion, dict[str, list[OwnCase]]]:
    """Convert a file and run its suite; returns the cases by id, one for each prompt."""
    made = convert_file(path)
    file = folder / f"{path.stem}.suite.yaml"
    file.write_text(made.text, encoding="utf-8")
    suite = load_checked(file)
    result = asyncio.run(
        arun(
            suite,
            models=[f"{url}#{MODEL}"],
            home=folder / "home",
            options=RunOptions(stream=False),
        )
    )
    prompts = {case.id: case.conversation()[-1].content for case in suite}
    found: dict[str, list[OwnCase]] = {}
    for trial in result.trials():
        found.setdefault(trial.case_id, []).append(_case(trial, prompts.get(trial.case_id, "")))
    return made, found


def _case(trial: Trial, prompt: str) -> OwnCase:
    score: Any = trial.score
    metrics = dict(score.metrics) if score else {}
    if score is None or score.score is None:
        return OwnCase(prompt, None, metrics)
    verdict = score.detail.get("passed")
    return OwnCase(prompt, bool(score.score == 1.0) if verdict is None else verdict, metrics)
