"""Converted suites, run on recorded answers."""

import hashlib
import json
from pathlib import Path

from benchmaker import run
from benchmaker.arenas.standard.conversion.converting import convert_file
from benchmaker.scoring.check import load_checked

FACTS = Path(__file__).parent / "facts"


def facts(name):
    """The verdicts of a tool, written by ``python -m benchmarks.conversion --write``."""
    return json.loads((FACTS / name).read_text("utf-8"))


def suite_of(path):
    """The suite of a file of another tool, and what is not carried over."""
    made = convert_file(path)
    target = path.parent / f"{path.stem}.suite.yaml"
    target.write_text(made.text, encoding="utf-8")
    return load_checked(target), made


def scored(suite, rows, home, *, by_model=False):
    """The scores of recorded answers: lists by case, or one by case and model."""
    recorded = home / "answers.jsonl"
    home.mkdir(exist_ok=True)
    recorded.write_text("".join(f"{json.dumps(it)}\n" for it in rows), encoding="utf-8")
    result = run(suite, recorded=recorded, home=home / "store")
    if by_model:
        return {(it.case_id, it.model.split(" ")[0]): it.score for it in result.trials()}
    found = {}
    for trial in result.trials():
        found.setdefault(trial.case_id, []).append(trial.score)
    return found


def verdict_of(score):
    """The verdict of a score; None without one."""
    if score is None or score.score is None:
        return None
    passed = score.detail.get("passed")
    return score.score == 1.0 if passed is None else passed


def digest(prompt):
    """The beginning of the SHA-256 of a prompt, as in the facts."""
    return hashlib.sha256(prompt.encode()).hexdigest()[:12]
