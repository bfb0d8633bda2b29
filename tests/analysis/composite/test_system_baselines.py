import statistics

from hypothesis import given, settings

from benchmaker.analysis.composite.system_baselines import system_baselines
from benchmaker.record.submissions.submission import Status
from tests.analysis.submissions import SEEDS, a_row, random_rows, shuffled
from tests.draws import draws


def test_it_holds_what_is_usual_and_how_a_submission_stands_beside_it():
    rows = [a_row(n, success=n > 1) for n in range(6)]
    (found,) = system_baselines(rows)
    assert (found.n, found.success.k, found.success.n) == (6, 4, 6)
    assert found.figures["seconds"].median == statistics.median(row.seconds for row in rows)
    assert found.ratios(a_row(seconds=125.0, cost=None))["seconds"] == 2.0
    assert "cost" not in found.ratios(a_row(cost=None))


def test_below_five_eligible_submissions_there_is_none():
    rows = [a_row(n) for n in range(4)]
    rows += [a_row(9, quarantined=True), a_row(8, cost=-1), a_row(7, outcome=Status.INFRA_ERROR)]
    assert system_baselines(rows) == ()


def test_without_a_verdict_there_is_no_success_rate():
    (found,) = system_baselines([a_row(n, success=None, cost=None) for n in range(5)])
    assert found.success is None
    assert "cost" not in found.figures


@settings(max_examples=draws(12, 20), deadline=None)
@given(SEEDS, SEEDS)
def test_any_order_gives_the_same(seed, other):
    rows = random_rows(seed, 120)
    assert system_baselines(rows) == system_baselines(shuffled(rows, other))
