"""Running series: outcomes, caps, stop rules, evaluation, and what is kept."""

from benchmaker.record.agent_trial import TrialOutcome
from tests.arenas.agentic.series.conftest import MODEL, TOKENS, shell


def outcomes(result, system=None):
    return [str(it.outcome) for it in result.trials if system in (None, it.system)]


def test_a_series_is_run_verified_and_evaluated(agents):
    with agents.model():
        made = agents.run(2, [agents.adapter(), "oracle", "nop"], models=MODEL, attempts=2)
    assert made.finished_at
    assert len(made.trials) == made.planned == 12
    assert set(outcomes(made, "tiny · gpt-4o-mini")) == {"solved"}
    assert set(outcomes(made, "oracle")) == {"solved"}
    assert set(outcomes(made, "nop")) == {"failed"}
    tiny = made.systems[0]
    assert (tiny.solved, tiny.trials, tiny.requests) == (4, 4, 8)
    assert sum(filter(None, tiny.usage.values())) == 4 * TOKENS
    assert tiny.cost_per_success == tiny.cost_usd / 4 > 0
    with agents.store() as store:
        ids = [it.submission_id for it in made.trials]
        assert set(store.agentic.metric_digests(ids)) == set(ids)
        evaluations = store.agentic.evaluations(profile="robust/2")
        attempts = store.agentic.attempts()
        assert sorted(it.submission_id for it in attempts) == sorted(ids)
        assert {it.submission_id for it in evaluations} == set(ids)
