import asyncio
from dataclasses import replace

import pytest

from benchmaker.analysis.summary.summary import summarise
from benchmaker.engine.runs.rescore import refuse_in_force, rescore, with_cases
from benchmaker.errors import Conflict, NotComparable, ProviderError, SpecError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Outcome
from benchmaker.spec import Policies, ScorerSpec
from benchmaker.testing import a_case, a_trial
from tests.engine.run_data import begun, executed, opened, sums


@pytest.fixture
def store(tmp_path):
    with opened(tmp_path) as opened_store:
        yield opened_store


def a_finished_run(store, answers, suite=None):
    def answer(request):
        return answers[int(request.case_id.removeprefix("c"))]

    run = begun(store, suite or sums(len(answers)), models=("a",))
    executed(store, run, Scripted(answer))
    return run


def scored(store, run, **how):
    return asyncio.run(rescore(store, run.id, **how))


def test_a_further_version_counts_and_the_earlier_stays(store):
    run = a_finished_run(store, ["0", "It is 1."])
    scored(store, run, scorer=ScorerSpec(id="boolean"))
    versions = store.scores.versions(run.id, "a", "c1")
    trial = store.trial(run.id, "a", "c1")

    assert [version.scorer for version in versions] == ["exact", "boolean"]
    assert (trial.score_version, trial.score) == (2, versions[1])


def test_it_is_told_how_many_changed(store):
    run = a_finished_run(store, ["0", "It is 1."])
    done = scored(store, run, scorer=ScorerSpec(id="boolean"))

    assert (done.scored, done.changed, done.untouched) == (2, 1, 0)


def test_scoring_anew_alike_changes_nothing(store):
    run = a_finished_run(store, ["0", "wrong", ""])
    before = [trial.score for trial in store.trials(run.id)]
    done = scored(store, run)

    assert done.changed == 0
    assert [trial.score for trial in store.trials(run.id)] == before


def test_a_default_scorer_that_no_case_uses_is_refused_and_writes_nothing(store):
    run = a_finished_run(store, ["0", "It is 1."], own_scorers(2))
    with pytest.raises(SpecError, match=r"each of the 2 cases .* has its own scorer \(exact"):
        scored(store, run, scorer=ScorerSpec(id="numeric", curve="step"))
    assert store.trial(run.id, "a", "c1").score_version == 1


def test_the_scorer_that_made_the_scores_is_refused(store):
    run = a_finished_run(store, ["0", "wrong", ""])
    with pytest.raises(SpecError, match="--scorer exact has no effect"):
        refuse_in_force(store, [run.id], ScorerSpec(id="exact"))


@pytest.mark.parametrize(
    ("scorer", "profile"),
    [
        ({"id": "boolean"}, None),
        ({"id": "exact", "grades": True}, "robust"),
        ({"id": "exact"}, "robust"),
    ],
)
def test_another_scorer_option_or_profile_is_none_in_force(store, scorer, profile):
    run = a_finished_run(store, ["0", "wrong"])
    refuse_in_force(store, [run.id], ScorerSpec(**scorer), profile=profile)


def test_a_scorer_that_failed_may_be_tried_again(store):
    broken = ScorerSpec(id="tests.engine.runs.test_rescore:Broken")
    run = a_finished_run(store, ["0"], sums(1, scorer=broken))
    refuse_in_force(store, [run.id], broken)


def test_a_default_scorer_leaves_cases_with_a_scorer_of_their_own_as_they_are(store):
    run = a_finished_run(store, ["0", "It is 1."], own_scorers(1))
    done = scored(store, run, scorer=ScorerSpec(id="boolean"))
    assert (done.scored, done.changed) == (1, 1)
    versions = [store.trial(run.id, "a", name).score_version for name in ("c0", "c1")]
    assert versions == [1, 2]


def own_scorers(number):
    """Two cases, of which the first so many name their scorer."""
    suite = sums(2)
    exact = ScorerSpec(id="exact")
    named = [
        case.model_copy(update={"scorer": exact}) if at < number else case
        for at, case in enumerate(suite.cases)
    ]
    return replace(suite, cases=tuple(named))


def test_another_profile_becomes_the_runs(store):
    run = a_finished_run(store, ["0"])
    scored(store, run, profile="robust")
    stored = store.run(run.id)

    assert (stored.profile, stored.profile_version) == ("robust", "2")
    assert store.trial(run.id, "a", "c0").score.profile == "robust/2"
    assert "robust/2" in stored.notes[0]


def test_scores_of_an_earlier_version_stay_until_they_are_brought_over(store):
    run = a_finished_run(store, ["It is 0."])
    scored(store, run, profile="robust/1")
    assert store.run(run.id).profile_id == "robust/1"
    assert 0 < store.trial(run.id, "a", "c0").score.score < 1

    scored(store, run)
    assert store.trial(run.id, "a", "c0").score.profile == "robust/1"
    scored(store, run, profile="robust")
    assert store.run(run.id).profile_id == "robust/2"
    assert store.trial(run.id, "a", "c0").score.score == 1


def test_two_versions_of_a_profile_are_not_compared(store):
    run = a_finished_run(store, ["0"])
    scored(store, run, profile="robust/1")
    old = store.run(run.id)
    scored(store, run, profile="robust")
    with pytest.raises(NotComparable, match="robust/1, robust/2"):
        summarise(store.columns([run.id]), [old, store.run(run.id)])


def test_what_infrastructure_lost_is_left_alone(store):
    run = a_finished_run(store, ["0", ProviderError("gone")])
    before = store.trial(run.id, "a", "c1")
    done = scored(store, run, profile="robust")

    assert done.untouched == 1
    assert store.trial(run.id, "a", "c1") == before


def test_policies_hold_when_scoring_anew(store):
    suite = sums(2, policies=Policies(empty="leave_out"))
    run = a_finished_run(store, ["0", ""], suite)
    scored(store, run, scorer=ScorerSpec(id="boolean"))
    trial = store.trial(run.id, "a", "c1")

    assert trial.outcome is Outcome.EMPTY
    assert trial.score.score is None


def test_a_scorers_error_goes_with_a_scorer_that_works(store):
    suite = sums(1, scorer=ScorerSpec(id="tests.engine.runs.test_rescore:Broken"))
    run = a_finished_run(store, ["0"], suite)
    failed = store.trial(run.id, "a", "c0")
    scored(store, run, scorer=ScorerSpec(id="exact"))
    trial = store.trial(run.id, "a", "c0")

    assert (failed.outcome, failed.error_type) == (Outcome.SCORER_ERROR, "ZeroDivisionError")
    assert (trial.outcome, trial.error_type, trial.score.score) == (Outcome.SCORED, None, 1.0)


class Broken:
    """Fails."""

    def score(self, _case, _trial):
        return 1 / 0


def test_a_run_in_work_is_not_scored_meanwhile(store):
    run = a_finished_run(store, ["0"])
    store.acquire_lease(f"run {run.id}", holder="another", ttl_s=60, pid=1)

    with pytest.raises(Conflict, match="process 1 on"):
        scored(store, run)


def test_an_unknown_profile_changes_nothing(store):
    run = a_finished_run(store, ["0"])
    with pytest.raises(SpecError, match="unknown profile"):
        scored(store, run, profile="robost")

    assert store.trial(run.id, "a", "c0").score_version == 1


def test_each_trial_meets_its_own_case():
    cases = [a_case(f"c{n}") for n in range(5)]
    trials = [
        a_trial(case_id=f"c{n}", position=n, model=model) for n in (1, 2, 4) for model in "ab"
    ]

    assert [(trial.case_id, case.id) for trial, case in with_cases(trials, cases)] == [
        (f"c{n}", f"c{n}") for n in (1, 1, 2, 2, 4, 4)
    ]


def test_a_rescoring_that_was_cut_off_repeats_nothing(store):
    run = a_finished_run(store, ["0", "1", "It is 2."])
    since = store.change_feed.newest_row_number()
    first = scored(store, run, profile="classic", since=since)
    second = scored(store, run, profile="classic", since=since)

    assert (first.scored, first.kept, second.scored, second.kept) == (3, 0, 0, 3)
    assert len(store.scores.versions(run.id, "a", "c2")) == 2


def test_a_score_that_comes_out_otherwise_is_written_all_the_same(store):
    run = a_finished_run(store, ["0", "It is 1."])
    since = store.change_feed.newest_row_number()
    scored(store, run, since=since)
    done = scored(store, run, scorer=ScorerSpec(id="boolean"), since=since)

    assert (done.scored, done.kept) == (2, 0)


def test_one_that_is_stopped_leaves_the_rest_and_says_so(store):
    run = a_finished_run(store, ["0", "It is 1."])
    stop = asyncio.Event()
    stop.set()
    done = scored(store, run, profile="classic", stop=stop)

    assert done.scored == 0
    assert store.run(run.id).profile == run.profile
