import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from benchmaker.errors import StoreError
from benchmaker.record.label import Label
from benchmaker.store import Store
from tests.draws import draws
from tests.store.filled import add_run
from tests.store.strategies import every_field_of, reals, shares, texts


@pytest.fixture
def store(address):
    with Store.open(address) as opened:
        add_run(opened)
        yield opened


def a_label(**fields):
    defaults = {
        "run_id": "run-1",
        "case_id": "case-0",
        "model": "model-a",
        "blind_id": "a" * 12,
        "source": "random",
        "score": 0.5,
        "raw_score": 5.0,
        "scale": (0.0, 10.0),
        "actor": "ann",
    }
    return Label(**{**defaults, **fields})


def test_a_label_is_read_as_it_was_kept(store):
    (kept,) = store.add_labels([a_label()])
    assert kept.version == 1
    assert kept.created_at
    assert store.labels(["run-1"]) == (kept,)


@pytest.mark.postgresql("no other test has its statements")
def test_a_changed_mind_is_a_further_version_and_the_old_one_stays(store):
    first, second = (store.add_labels([a_label(score=score)])[0] for score in (0.5, 0.75))
    assert second.version == 2
    assert store.labels(["run-1"]) == (second,)
    assert store.labels(["run-1"], every_version=True) == (first, second)


def test_the_same_word_twice_is_kept_once(store):
    store.add_labels([a_label()])
    assert store.add_labels([a_label()]) == ()
    assert len(store.labels(["run-1"], every_version=True)) == 1


@pytest.mark.postgresql("no other test has its statements")
def test_several_people_label_one_answer(store):
    store.add_labels([a_label(), a_label(actor="bob", score=1.0)])
    assert [it.actor for it in store.labels(["run-1"])] == ["ann", "bob"]
    assert [it.score for it in store.labels(["run-1"], actor="bob")] == [1.0]


def test_what_was_taken_back_is_not_among_the_last_words(store):
    store.add_labels([a_label()])
    store.add_labels([a_label(score=None, raw_score=None)])
    assert store.labels(["run-1"]) == ()
    (again,) = store.add_labels([a_label()])
    assert again.version == 3
    assert store.labels(["run-1"]) == (again,)


def test_a_label_of_an_unknown_run_is_refused_with_all_that_came_along(store):
    with pytest.raises(StoreError, match="no run"):
        store.add_labels([a_label(), a_label(run_id="gone")])
    assert store.labels(["run-1"]) == ()


def test_labels_go_with_their_run(store):
    store.add_labels([a_label()])
    store.delete_run("run-1")
    add_run(store)
    assert store.labels(["run-1"]) == ()


@pytest.mark.postgresql("no other test has its statements")
def test_labels_of_other_runs_are_not_read(store):
    add_run(store, "run-2")
    store.add_labels([a_label(), a_label(run_id="run-2")])
    assert [it.run_id for it in store.labels(["run-2"])] == ["run-2"]
    assert len(store.labels(["run-1", "run-2"])) == 2


labels = every_field_of(
    Label,
    run_id=st.just("run-1"),
    case_id=texts,
    model=texts,
    submission_id=st.none() | texts,
    blind_id=texts,
    source=st.sampled_from(["random", "targeted", "trap"]),
    score=shares,
    raw_score=st.none() | reals,
    scale=st.tuples(reals, reals),
    known=st.none() | shares,
    actor=texts,
    version=st.just(1),
    created_at=texts.map(lambda text: f"2025{text}"),
    note=texts,
)


@settings(max_examples=draws(10, 25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(label=labels)
def test_any_label_comes_back_as_it_was(lasting_store, label):
    lasting_store.delete_run("run-1") if lasting_store.runs() else None
    add_run(lasting_store)
    lasting_store.add_labels([label])
    (found,) = lasting_store.labels(["run-1"])
    assert found == label
    changed = replace(label, note=label.note + "!")
    assert lasting_store.add_labels([changed]) == (replace(changed, version=2),)
