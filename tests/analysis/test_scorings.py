"""Answers that several runs score count once, by the newest of these scorings."""

from hypothesis import given
from hypothesis import strategies as st

from benchmaker.analysis.scorings import newest_scorings
from benchmaker.record import Run


def a_run(at, source):
    return Run(
        id=f"r{at}",
        suite_hash="s",
        suite_name="s",
        models=("m",),
        profile="robust",
        profile_version="2",
        started_at="2026-01-01T00:00:00Z",
        rescored_from=source,
        rescored_at=None if source is None else f"2026-01-02T00:00:{at:02}Z",
    )


@st.composite
def some_runs(draw):
    """Runs of which some score the answers of earlier ones again, and the run of each's answers."""
    runs, origin = [], {}
    for at in range(draw(st.integers(1, 9))):
        source = draw(st.sampled_from([None, *origin]))
        runs.append(a_run(at, source))
        origin[f"r{at}"] = origin[source] if source else f"r{at}"
    return runs, origin


@given(some_runs(), st.randoms(use_true_random=False), st.integers(1, 9))
def test_of_the_same_answers_the_newest_scoring_is_left(made, random, size):
    runs, origin = made
    chosen = random.sample(runs, min(size, len(runs)))
    by_id = {run.id: run for run in runs}
    found = newest_scorings(chosen, lambda run_id: by_id[run_id].rescored_from)
    newest = {}
    for run in sorted(chosen, key=lambda run: int(run.id[1:])):
        newest[origin[run.id]] = run.id
    assert [run.id for run in found.runs] == [run.id for run in chosen if run.id in newest.values()]
    left = {run.id for run in chosen} - set(newest.values())
    assert dict(found.replaced) == {run_id: newest[origin[run_id]] for run_id in left}
    assert bool(found.sentence) == bool(left)


def test_runs_that_are_not_looked_up_have_answers_of_their_own():
    runs = [a_run(1, "r0"), a_run(2, "r0"), a_run(4, "r3")]
    assert [run.id for run in newest_scorings(runs).runs] == ["r2", "r4"]
