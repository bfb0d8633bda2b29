import pytest

from benchmaker.errors import SpecError
from benchmaker.record import Series
from benchmaker.store.runs.names import RunReference
from tests.store.filled import a_suite, add_run


@pytest.fixture
def filled(store):
    add_run(store, "20250101-abc")
    add_run(store, "20250102-abd")
    series = Series(
        id="s-20250103-xyz", suite_hash=a_suite().content_hash, runs=2, created_at="now"
    )
    store.add_series(series)
    for number in (2, 1):
        add_run(store, f"20250103-{number}", series_id=series.id, number=number)
    return store


def test_a_full_id_or_its_beginning_names_a_run(filled):
    assert filled.resolve("20250101-abc") == RunReference(("20250101-abc",))
    assert filled.resolve("20250102") == RunReference(("20250102-abd",))


def test_a_series_stands_for_its_runs_by_number(filled):
    runs = ("20250103-1", "20250103-2")
    assert filled.resolve("s-2025") == RunReference(runs, "s-20250103-xyz")


@pytest.mark.postgresql("no other test has its statements")
def test_latest_is_the_newest_run_with_its_series(filled):
    assert filled.resolve("latest").series_id == "s-20250103-xyz"
    add_run(filled, "20250104-new")
    assert filled.resolve("latest") == RunReference(("20250104-new",))


def test_a_full_id_wins_over_ids_that_begin_with_it(filled):
    add_run(filled, "20250101-abcdef")
    assert filled.resolve("20250101-abc") == RunReference(("20250101-abc",))


def test_an_ambiguous_beginning_shows_what_it_may_mean(filled):
    with pytest.raises(SpecError, match="20250101-abc, 20250102-abd"):
        filled.resolve("202501")


@pytest.mark.parametrize("text", ["x", "%", "_", "", "20250101-ABC", "\x00"])
def test_what_names_nothing_is_said_so(filled, text):
    with pytest.raises(SpecError, match="there is no run"):
        filled.resolve(text)


def test_a_prefix_may_hold_characters_that_are_stored_escaped(filled):
    add_run(filled, "odd\x00\ud800-run")
    assert filled.resolve("odd\x00\ud800").run_ids == ("odd\x00\ud800-run",)


def test_latest_needs_a_run(store):
    with pytest.raises(SpecError, match="no run yet"):
        store.resolve("latest")


def test_many_matches_are_not_all_shown(store):
    for number in range(8):
        add_run(store, f"run-{number}")
    with pytest.raises(SpecError, match="and 3 more"):
        store.resolve("run")
