"""The live page shows of each model what the metric of its suite counts."""

import pytest

from benchmaker import Case, Suite, run
from benchmaker.store import Store
from benchmaker.web.arena.fragments import so_far

ANSWERS = {"a": "Quito", "b": "Quitos"}


def answer(request):
    """Answer as if by a model."""
    return ANSWERS[request.case_id]


@pytest.mark.parametrize(
    ("grades", "metric", "shown"),
    [(True, "mean", "mean"), (True, "strict", "strict accuracy"), (False, "mean", "accuracy")],
)
def test_the_figure_is_that_of_the_metric(tmp_path, grades, metric, shown):
    cases = [Case(id=name, prompt=name, expected="Quito") for name in ANSWERS]
    suite = Suite(
        name="cities", scorer="exact", profile="robust", grades=grades, metric=metric, cases=cases
    )
    done = run(suite, models=[answer], home=tmp_path)

    with Store.open(tmp_path / "benchmaker.db", read_only=True) as store:
        (it,) = so_far(store, store.run(done.run_ids[0]))

    scores = [trial.score.score for trial in done.trials()]
    strict = sum(score == 1 for score in scores) / 2
    assert it.noun == shown
    assert it.value == (sum(scores) / 2 if metric == "mean" else strict)
    assert it.text == (f"{100 * it.value:.1f}" + ("" if shown == "mean" else "%"))
