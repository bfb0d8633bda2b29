import pytest

from benchmaker.record import Series
from benchmaker.store.database.schema import REVISIONS
from tests.store.filled import a_suite, add_run, all_trials, put


def test_a_sound_store_has_no_problems_and_known_counts(store):
    add_run(store)
    put(store, *all_trials(3))
    check = store.check()
    assert check.is_ok
    assert check.problems == ()
    assert check.revision == REVISIONS[-1]
    assert check.size_bytes > 0
    counts = {name: number for name, number in check.counts.items() if number}
    assert counts == {
        "counters": 1,
        "suites": 1,
        "suite_cases": 3,
        "runs": 1,
        "run_models": 2,
        "trials": 6,
        "scores": 6,
    }
    assert store.check(quick=True) == check


@pytest.mark.postgresql("no other test has its statements")
def test_a_score_that_is_missing_is_found(store):
    add_run(store)
    put(store, *all_trials(3))
    with store.database.write() as connection:
        two = "SELECT seq FROM trials ORDER BY seq LIMIT 2"
        connection.exec_driver_sql(f"DELETE FROM scores WHERE trial_seq IN ({two})")  # noqa: S608  our own words
    assert store.check().problems == ("2 trials name a score that is missing",)


def test_rows_that_hang_on_nothing_are_found(file_store):
    add_run(file_store)
    put(file_store, *all_trials(3))
    with file_store.database.autocommit() as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        connection.exec_driver_sql("DELETE FROM trials WHERE seq = 1")
        connection.exec_driver_sql("PRAGMA foreign_keys = ON")
    assert any("scores" in problem for problem in file_store.check().problems)


def test_vacuuming_drops_suites_that_nothing_uses(store):
    used = add_run(store, "run-1", cases=3).suite_hash
    for_series = store.put_suite(a_suite(4))
    store.add_series(Series(id="s-1", suite_hash=for_series, runs=2, created_at="now"))
    store.put_suite(a_suite(5))
    assert store.vacuum().suites == 1
    assert {found.hash for found in store.find_suites()} == {used, for_series}
    assert store.check().counts["suite_cases"] == 7


def test_vacuuming_gives_space_back(file_store, path):
    run = add_run(file_store, cases=2000)
    put(file_store, *all_trials(2000))
    file_store.delete_run(run.id)
    vacuumed = file_store.vacuum()
    assert vacuumed.suites == 1
    assert vacuumed.bytes_after < vacuumed.bytes_before / 2
    assert path.stat().st_size == vacuumed.bytes_after
    assert file_store.check().is_ok
