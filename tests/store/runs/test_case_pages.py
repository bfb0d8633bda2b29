import msgspec
import pytest

from benchmaker.errors import StoreError
from benchmaker.record import Completion, Outcome, Run, RunState, Score, Trial
from benchmaker.spec import Case, ScorerSpec, Suite
from benchmaker.store import Writer

pytestmark = pytest.mark.postgresql("pagination")

AT = "2026-11-20T14:02:00.000Z"
NAMES = ("one\x00", "Two%", "three_", "four")


@pytest.fixture
def kept(store):
    """A store with a run of two models over three of four cases; one trial was lost."""
    suite = Suite("s", [Case(id=name, prompt="?") for name in NAMES], scorer=ScorerSpec(id="exact"))
    run = Run(
        id="r",
        suite_hash=store.put_suite(suite),
        suite_name="s",
        models=("b", "a"),
        profile="robust",
        profile_version="1",
        started_at=AT,
    )
    store.add_run(run)
    with Writer(store) as writer:
        for at in (0, 1, 3):
            for model in run.models:
                writer.put(made(at, model))
    return store


def made(at, model):
    is_lost = at == 3 and model == "a"
    return Trial(
        run_id="r",
        case_id=NAMES[at],
        model=model,
        position=at,
        outcome=Outcome.TIMEOUT if is_lost else Outcome.SCORED,
        completion=None if is_lost else Completion(text=f"{at} {model}"),
        score=None if is_lost else Score(score=1.0),
        error_type="Timeout\x00" if is_lost else None,
        error="late\x00" if is_lost else None,
        finished_at=AT,
    )


def suite_hash(kept):
    return kept.run("r").suite_hash


def test_names_come_back_as_they_were(kept):
    assert kept.case_pages.names(suite_hash(kept), [0, 3, 9]) == {0: NAMES[0], 3: NAMES[3]}


@pytest.mark.parametrize(
    ("text", "places"), [("O", [0, 1, 3]), ("%", [1]), ("_", [2]), ("\x00", [0]), ("zz", [])]
)
def test_names_are_found_by_their_letters_alone(kept, text, places):
    assert kept.case_pages.positions_like(suite_hash(kept), text) == places


def test_the_cases_beside_one_are_those_that_were_asked(kept):
    assert kept.case_pages.neighbours("r", 1) == (0, 3)
    assert kept.case_pages.neighbours("r", 0) == (None, 1)
    assert kept.case_pages.neighbours("r", 3) == (1, None)


def test_the_trials_of_a_case_come_in_the_order_of_the_models(kept):
    found = kept.trials_at("r", 1)

    assert [(one.model, one.text) for one in found] == [("b", "1 b"), ("a", "1 a")]
    assert kept.trials_at("r", 2) == []


def test_failures_are_counted_by_kind(kept):
    (only,) = kept.case_pages.failures(["r"])

    assert only == ("r", "a", Outcome.TIMEOUT, "Timeout\x00", 1, 3, "late\x00")


def test_versions_of_a_score_come_newest_first(kept):
    with Writer(kept) as writer:
        writer.put_score(made(0, "b").key, Score(score=0.5))
    found = kept.case_pages.score_versions_at("r", 0, 0)

    assert [(one.version, one.score.score) for one in found] == [(2, 0.5), (1, 1.0)]


def test_a_run_that_is_not_there_is_an_error(kept):
    with pytest.raises(StoreError, match="no run"):
        kept.case_pages.neighbours("nobody", 0)


def test_a_stamp_tells_what_came_of_these_runs_alone(kept):
    run = kept.run("r")
    kept.add_run(msgspec.structs.replace(run, id="other"))
    before = kept.run_changes.stamp_of(["r"])
    with Writer(kept) as writer:
        writer.put(msgspec.structs.replace(made(0, "b"), run_id="other"))
    between = kept.run_changes.stamp_of(["r"])
    assert before.number < between.number
    assert not kept.run_changes.has_changed(before, between)

    with Writer(kept) as writer:
        writer.put_score(made(0, "b").key, Score(score=0.5))
    assert kept.run_changes.has_changed(before, kept.run_changes.stamp_of(["r"]))


def test_a_stamp_knows_the_record_of_a_run(kept):
    before = kept.run_changes.stamp_of(["r"])
    kept.set_run_state("r", RunState.FINISHED, finished_at=AT)

    assert kept.run_changes.has_changed(before, kept.run_changes.stamp_of(["r"]))
