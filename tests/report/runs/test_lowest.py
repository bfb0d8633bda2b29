from hypothesis import given
from hypothesis import strategies as st

from benchmaker.report.runs.lowest import lowest_trials

SCORES = st.lists(st.one_of(st.none(), st.sampled_from([0.0, 0.5, 1.0])), max_size=15)


@given(SCORES, st.integers(0, 20))
def test_the_lowest_come_first_and_those_without_a_score_last(a_trial, scores, limit):
    trials = [a_trial(at, score) for at, score in enumerate(scores)]
    lowest = lowest_trials(iter(trials), limit)
    slow = sorted(
        trials,
        key=lambda trial: (trial.score.score is None, trial.score.score or 0.0, trial.position),
    )
    assert list(lowest.trials) == slow[:limit]
    assert lowest.total == len(trials) or limit == 0
