"""Gates of runs against the baselines of other runs."""

from typing import Annotated, Any

from fastapi import Query

from benchmaker.analysis.gates.baseline_gate import decide_gate
from benchmaker.analysis.gates.gate_results import BaselineGate
from benchmaker.engine.runs.run_baselines import baseline_of_runs
from benchmaker.redact import Redactor
from benchmaker.web.api.comparing import MetricName
from benchmaker.web.api.name_lookup import RunName, resolve_runs
from benchmaker.web.api.paging import QueryModel
from benchmaker.web.api.routes import Api
from benchmaker.web.workbench import Bench

api = Api("comparison")
router = api.router


class GateQuery(QueryModel):
    """The baseline, a run or a series; `max_drop` is in points (0–100)."""

    baseline: Annotated[str, Query(min_length=1, max_length=200)]
    max_drop: Annotated[float, Query(ge=0, le=100)] = 2.0
    model: Annotated[tuple[str, ...], Query(max_length=100)] = ()
    metric: MetricName | None = None


@api.get("/runs/{run}/gate", BaselineGate, name="gate")
def gate_of_run(bench: Bench, run: RunName, query: Annotated[GateQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """The decision on a run against a baseline, as `gate --json` prints it."""
    clean = Redactor().text
    sides = [
        baseline_of_runs(bench.store, resolve_runs(bench.store, name).run_ids, clean=clean)
        for name in (run, query.baseline)
    ]
    made = decide_gate(
        *sides, max_drop=query.max_drop / 100, metric=query.metric, models=query.model
    )
    return made.to_dict()
