"""Statements of a file on the figure of one setup: its value, its error, its number of rows."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from benchmaker.arenas.standard.importers.evaluation import PrintedFigure
from benchmaker.arenas.standard.importers.headline import reducer_of
from benchmaker.arenas.standard.importers.inspect_logs import SUBMISSIONS
from benchmaker.record import Setup

PASS_RATE = "pass_rate"  # noqa: S105  a metric


def stated_value(
    metric: str, scorer: str, printed: Sequence[PrintedFigure], setup: Setup
) -> float | None:
    """The figure as the file states it; None if it does not."""
    if metric == PASS_RATE:
        counts = _pass_counts(printed, setup)
        total = sum(counts.values())
        return 100.0 * counts["passed"] / total if total else None
    for one in printed:
        if one.scorer == scorer and one.metric == metric and one.model in {"", setup.model}:
            return one.value
    return None


def stated_stderrs(scorer: str, printed: Sequence[PrintedFigure], setup: Setup) -> dict[str, float]:
    """The standard error that the file states for a setup, by its name; empty without one."""
    values = (
        one.value
        for one in printed
        if one.scorer == scorer
        and one.metric.partition("/")[0] == "stderr"
        and one.model in {"", setup.model}
    )
    stated = next(values, None)
    return {setup.name: stated} if stated else {}


def reducer_name(metric: str, scorer: str, printed: Sequence[PrintedFigure]) -> str:
    """The name of what makes one value of the repeats of a case; empty for their mean."""
    stated = next((one for one in printed if (one.scorer, one.metric) == (scorer, metric)), None)
    reducer = str(stated.method.get("reducer") or "") if stated else ""
    return reducer if reducer not in {"", "mean"} and reducer_of(reducer) else ""


def declared_rows(
    tool: str,
    rest: Mapping[str, Any],
    printed: Sequence[PrintedFigure],
    setup: Setup,
    *,
    is_only: bool,
) -> int | None:
    """The number of rows that the file says the setup has; None if it does not."""
    if tool == "promptfoo":
        if total := sum(_pass_counts(printed, setup).values()):
            return total
        stats = rest.get("stats") or {}
        counts = [int(stats.get(name) or 0) for name in ("successes", "failures", "errors")]
        return sum(counts) or None if is_only else None
    if tool == "inspect":
        samples = (rest.get("results") or {}).get("total_samples")
        return samples and samples - rest.get(SUBMISSIONS, 0)  # those belong to no run
    if tool == "lm_eval":
        return (rest.get("n-samples") or {}).get("effective")
    return None


def _pass_counts(printed: Sequence[PrintedFigure], setup: Setup) -> Counter[str]:
    return Counter(
        {
            one.metric: int(one.value or 0)
            for one in printed
            if (one.model, one.prompt) == (setup.model, setup.prompt_id)
            and one.metric in {"passed", "failed", "errors"}
        }
    )
