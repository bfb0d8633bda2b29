"""The place that the database counts is the one that placing every submission of a task gives."""

from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmaker.analysis.composed import Reason
from benchmaker.arenas.agentic.placing import placed
from benchmaker.record.evaluation import BaselineSnapshot, Evaluation
from benchmaker.record.metrics import EVIDENCE_LEVELS, Metrics
from benchmaker.spec.agentic_profile import BUILT_IN
from benchmaker.store.task_places import place_in_task
from tests.draws import draws

TASKS = count()
ROWS = st.lists(
    st.tuples(
        st.none() | st.sampled_from([0.0, 12.5, 50.0, 100.0]),
        st.sampled_from(list(EVIDENCE_LEVELS)),
        st.booleans(),
    ),
    max_size=12,
)


def settled(store, profile, rows, *, task="t", snapshot="h1"):
    """Figures and evaluations of a task, as settling leaves them."""
    figures = [
        Metrics(
            submission_id=f'{task}-{n} "quarantined":true',
            task_id=task,
            system="a · b",
            evidence_level=level,
            quarantined=is_quarantined,
        )
        for n, (_, level, is_quarantined) in enumerate(rows)
    ]
    made = [
        Evaluation(
            submission_id=row.submission_id,
            task_id=task,
            system="a · b",
            profile=profile.id,
            snapshot=snapshot,
            input_hash="i",
            overall_score=score,
            reason="" if score is not None else str(Reason.UNVERIFIED),
        )
        for row, (score, *_) in zip(figures, rows, strict=True)
    ]
    store.agentic.put_metrics((row, f"{row.submission_id} {snapshot}") for row in figures)
    baseline = BaselineSnapshot(
        profile=profile.id, task_id=task, hash=snapshot, number=0, n=len(rows), body={}
    )
    store.agentic.settle(baseline, made)
    return figures, {one.submission_id: one for one in made}


@pytest.mark.postgresql("no other test has its statements")
@settings(max_examples=draws(12, 40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(["classic", "robust"]), ROWS, ROWS)
def test_a_place_is_the_one_among_all_places_of_the_task(store, name, before, rows):
    profile, task = BUILT_IN[name], f"t{next(TASKS)}"
    settled(store, profile, before, task=task, snapshot="h0")
    settled(store, profile, [(99.0, EVIDENCE_LEVELS[-1], False)] * 3, task=f"{task}, another")
    figures, made = settled(store, profile, rows, task=task)
    if len(before) > len(rows):  # the older ones that nobody evaluated again count as they are
        figures = list(store.agentic.metrics(task))
        made = {it.submission_id: it for it in store.agentic.evaluations(profile.id, task_id=task)}

    every = placed(figures, made, profile=profile, snapshot=1, flags={}, reviews={})

    ranked = sum(one.rank is not None for one in every)
    for one in every:
        found = store.agentic.place(one.submission_id, profile.id, task, evidence=profile.evidence)
        assert found == (one.rank, ranked)


def test_in_a_task_of_too_many_no_place_is_counted(store):
    profile = BUILT_IN["classic"]
    figures, _ = settled(store, profile, [(1.0, EVIDENCE_LEVELS[0], False)] * 4)
    words = (store.database, figures[0].submission_id, profile.id, "t")

    assert place_in_task(*words, evidence=profile.evidence, most=3) is None
    assert place_in_task(*words, evidence=profile.evidence, most=4) is not None
