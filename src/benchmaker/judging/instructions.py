"""The judging instructions of a suite, so that a calibration applies to its judges."""

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from benchmaker.engine.judges.judge_makers import JUDGE, asking_scorers, load_scorers
from benchmaker.engine.runs.judge_calibrations import variants_of
from benchmaker.engine.trials.scoring import with_judge_prompt
from benchmaker.errors import SpecError
from benchmaker.judging.samples import KINDS
from benchmaker.scoring.build import build
from benchmaker.scoring.check import load_checked
from benchmaker.scoring.judged.llm_judge import LLMJudge
from benchmaker.spec import Suite
from benchmaker.spec import profile as profile_named


def scorer_of(
    suite: Suite | Mapping[str, Any] | str | Path, *, has_labels: bool = False
) -> LLMJudge:
    """Return the suite's judging scorer: instructions, scale, criteria, and use of a reference.

    A scorer with bundled answers of its own, such as ``rubric``, needs answers rated by people
    (``has_labels``), since the other bundled answers have no rubric.

    Raises:
        SpecError: the suite is unreadable, has no judging scorer, or judges pairs, by a context or
            by lists that differ from case to case.
    """
    read = suite if isinstance(suite, Suite) else load_checked(suite, scorer=JUDGE)
    where = read.source or read.name
    built: list[object] = [
        build(with_judge_prompt(spec, read), profile_named(read.profile))
        for spec in asking_scorers(load_scorers(read), None)
    ]
    found = [scorer for scorer in built if isinstance(scorer, LLMJudge)]
    if not found:
        raise SpecError("the suite uses no judge.", where=where, hint="Remove the suite.")
    scorer = found[0]
    if scorer.prompt_hash(with_reference=True) is None or scorer.mode == "pairwise":
        raise SpecError(
            "pairwise judging and per-case checklists can't be calibrated on single answers.",
            where=where,
            hint="Remove the suite to calibrate the judge on a scale.",
        )
    name = str(getattr(scorer, "id", ""))
    if name in KINDS and (scorer.shows_context or not has_labels):
        raise SpecError(
            f"{name} can't be calibrated on these answers.",
            where=where,
            hint=f"Use: benchmaker calibrate --judge MODEL --scorer {name}",
        )
    is_shown = scorer.reference == "own" or (scorer.reference == "expected" and _expects(read))
    known = {field.name for field in fields(scorer) if field.init}
    changed: dict[str, Any] = {
        "reference": "expected" if is_shown else "none",
        "cascade": False,
        "abstain": None,
        "counterfactual": False,
    }
    return replace(scorer, **{name: it for name, it in changed.items() if name in known})


def _expects(suite: Suite) -> bool:
    """True if cases have an expected answer to compare with."""
    return True in variants_of(suite)
