"""The calibrations of a run's judges, looked up before anything is judged."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from benchmaker.engine.judges.judge_makers import Judges
from benchmaker.engine.trials.scoring import with_judge_prompt
from benchmaker.record.calibration import Calibration
from benchmaker.scoring.build import build
from benchmaker.scoring.judged.code_judge import CodeJudge
from benchmaker.scoring.judged.llm_judge import LLMJudge
from benchmaker.spec import ScorerSpec, Suite
from benchmaker.spec import profile as profile_named
from benchmaker.store import Store

if TYPE_CHECKING:
    from benchmaker.analysis.judges.run_calibrations import RunCalibration

LOOKED_AT = 200
"""Number of cases checked for a reference beside the answers."""

_NEVER = "never calibrated"
_OTHERWISE = "calibrated only with other instructions"
_NO_PROMPT = "instructions differ between cases"


def with_calibrations(store: Store, judges: Judges, suite: Suite, models: Sequence[str]) -> Judges:
    """Return the judges with their latest calibrations, by name and prompts.

    A judge with several prompts must be calibrated under each; the first one's is recorded. If all
    judges of a run are calibrated, and one of them orders answers better than chance, each gets the
    weight of its calibration.

    Args:
        store: the store of calibrations.
        judges: the judges with their scorers.
        suite: the judged suite.
        models: the judges' models.
    """
    prompts = _prompts(judges.scorers, suite)
    calibrations: dict[str, RunCalibration] = {}
    without: dict[str, str] = {}
    for model in models:
        found = _find_calibration(store, model, prompts.get(model, ()))
        if isinstance(found, str):
            without[model] = found
        else:
            calibrations[model] = found
    weights = {model: it.weight for model, it in calibrations.items() if it.weight is not None}
    is_usable = len(weights) == len(models) and sum(weights.values()) > 0
    return replace(
        judges,
        calibrations={model: it.to_dict() for model, it in calibrations.items()},
        uncalibrated=without,
        weights=weights if is_usable else {},
    )


def _find_calibration(
    store: Store, judge: str, hashes: Sequence[str | None]
) -> "RunCalibration | str":
    """Return the judge's calibration, or the reason for lacking one."""
    from benchmaker.analysis.judges.run_calibrations import RunCalibration  # noqa: PLC0415  numbers load for judges alone

    found: list[Calibration] = []
    for prompt_hash in hashes:
        if prompt_hash is None:
            return _NO_PROMPT
        found += store.calibrations(judge=judge, prompt_hash=prompt_hash, limit=1)
    if hashes and len(found) == len(hashes):
        return RunCalibration.of(found[0])
    return _OTHERWISE if store.calibrations(judge=judge, limit=1) else _NEVER


def _prompts(scorers: Iterable[ScorerSpec], suite: Suite) -> dict[str, tuple[str | None, ...]]:
    """Return the hashes of each judge's prompts; None for a prompt without a hash."""
    variants = variants_of(suite)
    hashes: dict[str, dict[str | None, None]] = {}
    for spec in scorers:
        scorer = build(with_judge_prompt(spec, suite), profile_named(suite.profile))
        for juror in getattr(scorer, "models", ()):
            own = hashes.setdefault(juror.model, {})
            own |= dict.fromkeys(_hashes(scorer, variants))
    return {model: tuple(own) for model, own in hashes.items()}


def _hashes(scorer: object, variants: Iterable[bool]) -> Iterable[str | None]:
    if not isinstance(scorer, (LLMJudge, CodeJudge)):
        return (None,)
    hashes = [scorer.prompt_hash(with_reference=variant) for variant in variants]
    return list(dict.fromkeys(hashes))


def variants_of(suite: Suite) -> tuple[bool, ...]:
    """Return if the first cases have expected answers, none, or a mixture."""
    cases = islice(suite.cases, LOOKED_AT)
    return tuple(dict.fromkeys(case.expected is not None for case in cases))
