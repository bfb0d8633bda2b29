"""Runs whose answers a judge and people scored."""

import numpy as np

from benchmaker.record.label import Label
from tests.analysis.conftest import make_trial


def a_judged_run(number=60, models=("a", "b"), *, seed=0, **more):
    """Trials, and by (model, place) what people would say; the judge is lenient and noisy."""
    generator = np.random.Generator(np.random.PCG64(seed))
    trials, truth = [], {}
    for at in range(number):
        hard = generator.uniform(0.2, 0.6)
        for rank, model in enumerate(models):
            people = float(np.clip(hard + 0.1 * rank + generator.normal(0, 0.1), 0, 1))
            judge = float(np.clip(people + 0.1 + generator.normal(0, 0.05), 0, 1))
            trials.append(make_trial(at, judge, model=model, **more))
            truth[model, at] = people
    return trials, truth


def a_label(model, at, score, *, source="random", actor="ann", run="r1", **more):
    return Label(
        run_id=run,
        case_id=more.pop("case_id", f"c{at}"),
        model=model,
        blind_id=f"{run}-{model}-{at}",
        source=source,
        score=score,
        actor=actor,
        **more,
    )


def labels_of(truth, places, models=("a", "b"), **more):
    return [a_label(model, at, truth[model, at], **more) for at in places for model in models]
