"""The current calibrations of a run's judges."""

from collections.abc import Mapping
from typing import Any

from benchmaker.analysis.judges.run_calibrations import (
    JudgeStatus,
    RunCalibration,
    newer_than,
    panel_shares,
)
from benchmaker.record import Run
from benchmaker.store import Store

_OLDER = "its calibration was not recorded"


def judge_statuses(
    store: Store, run: Run, replied_as: Mapping[str, str]
) -> tuple[JudgeStatus, ...]:
    """Return each judge with its recorded calibration, and later changes.

    Args:
        store: the store of later calibrations.
        run: the run of the judges.
        replied_as: the providers' names of the judges that replied.
    """
    judge: dict[str, Any] = run.judge
    models = tuple(judge.get("asked", ()))
    share = panel_shares(models, judge.get("weights", {}))
    return tuple(
        _judge_status(store, judge, model, replied_as.get(model, ""), share.get(model))
        for model in models
    )


def _judge_status(
    store: Store, judge: Mapping[str, Any], model: str, replied_as: str, share: float | None
) -> JudgeStatus:
    recorded = judge.get("calibrations", {}).get(model)
    if recorded is None:
        reason = judge.get("uncalibrated", {}).get(model, _OLDER)
        return JudgeStatus(model, None, reason, replied_as, share=share)
    basis = RunCalibration.read(recorded)
    known = store.calibrations(judge=model, prompt_hash=basis.prompt_hash)
    return JudgeStatus(model, basis, "", replied_as, newer_than(basis, known), share)
