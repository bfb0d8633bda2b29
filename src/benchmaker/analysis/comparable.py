"""Checks if runs are comparable, and which settings other than models may differ."""

from collections.abc import Sequence
from typing import Any

from benchmaker.errors import NotComparable
from benchmaker.record.run import Run


def check_comparable(runs: Sequence[Run]) -> None:
    """NotComparable where the runs do not share suite and profile."""
    for noun, values in (
        ("suite", {run.suite_hash for run in runs}),
        ("scoring profile", {f"{run.profile}/{run.profile_version}" for run in runs}),
    ):
        if len(values) > 1:
            raise NotComparable(
                f"These runs have {len(values)} different versions of the {noun}: "
                f"{', '.join(sorted(value[:12] for value in values))}.",
                hint="Analyse them one by one, or rescore them under one profile.",
            )


def judge_warnings(runs: Sequence[Run]) -> tuple[str, ...]:
    """A warning where the runs were judged by different judges, or some of them by none."""
    judges = {run.id: run.judge_model or "no judge" for run in runs}
    if len(set(judges.values())) < 2:  # noqa: PLR2004  more than one kind
        return ()
    named = ", ".join(f"{run} by {judge}" for run, judge in judges.items())
    return (f"different judging, which may explain differences: {named}",)


def reproducibility(run: Run) -> dict[str, Any]:
    """Return the settings needed to reproduce the numbers; None for unsent ones.

    ``options`` are those that the run records, which are not the default; absent without any.
    """
    seed = run.parameters.get("seed") if run.seed is None else run.seed
    sent = {"temperature": run.parameters.get("temperature"), "seed": seed}
    return {
        **(sent if run.sends_parameters else dict.fromkeys(sent)),
        "benchmark_mode": run.benchmark_mode,
        "judge_model": run.judge_model,
        "judge_repeats": sorted({int(it.get("repeats", 1)) for it in run.judge.get("scorers", ())}),
        "calibration_id": run.calibration_id,
        "provider": dict(run.provider),
        "package_version": run.package_version,
        "price_version": run.price_version,
        **({"options": dict(run.options)} if run.options else {}),
    }
