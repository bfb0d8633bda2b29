"""Places within a task, computed under the stored baseline, beside a plain ranking."""

from itertools import groupby

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmaker.arenas.agentic.evaluation.profile import ProfileAtWork
from benchmaker.arenas.agentic.evaluation.task_places import place_in_task, places_in_task
from benchmaker.arenas.agentic.settling.settling import settle_tasks
from benchmaker.spec.tasks.agentic_profile import BUILT_IN
from benchmaker.store import Store
from tests.analysis.submissions import SEEDS, a_row, random_rows
from tests.arenas.agentic.current_evaluations import evaluations_of_task
from tests.draws import draws


def put(store, profile, rows):
    at_work = ProfileAtWork(profile)
    changed = store.agentic.put_metrics((row, at_work.input_hash(row)) for row in rows)
    settle_tasks(store, at_work, changed)


@settings(
    max_examples=draws(6, 40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.sampled_from(["classic", "robust"]), SEEDS, st.integers(0, 60))
def test_places_are_those_of_the_evaluations_that_count(tmp_path_factory, name, seed, count):
    profile = BUILT_IN[name]
    rows = random_rows(seed, count)
    with Store.open(tmp_path_factory.mktemp("places") / "store.db") as store:
        put(store, profile, rows[: count // 2])
        put(store, profile, rows)
        for task_id in store.agentic.metric_tasks():
            found = list(evaluations_of_task(store, profile, task_id))
            expected = plain_ranks(found, rows, profile)
            for one in found:
                place = place_in_task(store, profile, one)
                plain = expected.get(one.submission_id)
                assert (place.rank or 0) >= (plain or 0) if one.upper else place.rank == plain
                assert place.ranked == len(expected)
                if place.rank:
                    assert place.interval[0] <= place.rank <= place.interval[1]


def plain_ranks(evaluations, rows, profile):
    """Ranks by score, equal ones sharing the best."""
    by_id = {row.submission_id: row for row in rows}
    ranked = sorted(
        (-one.overall_score, one.submission_id)
        for one in evaluations
        if one.overall_score is not None
        and not by_id[one.submission_id].quarantined
        and one.evidence_level in profile.evidence
    )
    found, rank = {}, 1
    for _, group in groupby(ranked, key=lambda it: it[0]):
        names = [name for _, name in group]
        found |= dict.fromkeys(names, rank)
        rank += len(names)
    return found


def test_a_task_of_too_many_has_no_places_for_a_page(tmp_path):
    profile = BUILT_IN["classic"]
    with Store.open(tmp_path / "store.db") as store:
        put(store, profile, [a_row(number) for number in range(4)])

        assert places_in_task(store, profile, "t1", most=3) is None
        assert places_in_task(store, profile, "t1", most=4).ranked == 4
