from hypothesis import given
from hypothesis import strategies as st

from benchmaker.engine.executors.quota import LEASE_S, PermitReport, PermitRequest, Quota
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.providers.protocols.rate_hints import Allowance, EndpointKey, RateHints

KEY = EndpointKey("here", "host", "KEY")
ROOMY = RunLimits(concurrency=1000)


def a_wish(number=1, **fields):
    return PermitRequest(fields.pop("model", "m"), fields.pop("key", KEY), number, **fields)


def permits(quota, now, holder="w", **fields):
    wish = a_wish(**fields)
    return quota.trade(now, holder, wishes=[wish]).grants[wish.model].permits


def test_all_workers_together_have_no_more_in_flight_than_is_allowed():
    quota = Quota(RunLimits(concurrency=5))

    assert len(permits(quota, 0.0, "a", number=4)) == 4
    assert len(permits(quota, 0.0, "b", number=4)) == 1
    assert permits(quota, 0.0, "c", number=4) == ()


def test_another_key_has_limits_of_its_own():
    quota = Quota(RunLimits(concurrency=2))
    permits(quota, 0.0, number=2)

    assert len(permits(quota, 0.0, number=2, key=EndpointKey("here", "host", "OTHER"))) == 2


def test_what_came_back_can_be_lent_again():
    quota = Quota(RunLimits(concurrency=1))
    [permit] = permits(quota, 0.0, "a")
    quota.trade(1.0, "a", reports=[PermitReport(permit, "answered", 10)])

    assert permits(quota, 1.0, "b")


def test_the_lease_of_a_dead_worker_comes_back():
    quota = Quota(RunLimits(concurrency=3))
    permits(quota, 0.0, "dead", number=3)

    assert permits(quota, LEASE_S - 1.0, "b") == ()
    assert len(permits(quota, LEASE_S + 0.1, "b", number=3)) == 3


def test_a_worker_that_says_that_it_lives_keeps_what_it_holds():
    quota = Quota(RunLimits(concurrency=1))
    permits(quota, 0.0, "slow")
    for second in range(1, 40):
        quota.trade(float(second), "slow")

    assert permits(quota, 40.0, "b") == ()


def test_a_report_of_a_lease_that_ran_out_changes_nothing():
    quota = Quota(RunLimits(concurrency=1))
    [old] = permits(quota, 0.0, "late")
    [new] = permits(quota, LEASE_S + 1.0, "b")
    quota.trade(
        LEASE_S + 1.0,
        "late",
        reports=[PermitReport(old, "answered", 1), PermitReport(new, "dropped")],
    )

    assert permits(quota, LEASE_S + 1.0, "c") == ()
    assert quota.lent_permits == 1


def test_what_a_dead_worker_may_have_spent_counts_as_spent():
    quota = Quota(ROOMY)
    quota.fund(1.0, 0.0)
    permits(quota, 0.0, "dead", number=2, worst_usd=0.25)
    quota.forget(0.0, "dead")

    assert quota.spent_usd == 0.5


def test_what_was_not_used_costs_nothing():
    quota = Quota(ROOMY)
    quota.fund(1.0, 0.0)
    [permit] = permits(quota, 0.0, worst_usd=0.25)
    quota.trade(0.0, "w", reports=[PermitReport(permit, "unused")])

    assert quota.spent_usd == 0.0


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0.0, 0.4)), max_size=60))
def test_no_budget_is_overrun_whoever_asks(turns):
    quota = Quota(ROOMY)
    quota.fund(2.0, 0.5)
    out, spent = {}, 0.5
    for holder, cost in turns:
        trade = quota.trade(0.0, holder, wishes=[a_wish(worst_usd=0.4)])
        for permit in trade.grants["m"].permits:
            out[permit] = holder
        assert spent + 0.4 * len(out) <= 2.0 + 1e-9
        if out and cost < 0.3:
            permit, owner = next(iter(out.items()))
            del out[permit]
            spent += cost
            quota.trade(0.0, owner, reports=[PermitReport(permit, "answered", cost_usd=cost)])
    assert quota.spent_usd <= 2.0 + 1e-9


def test_when_nothing_fits_any_more_everybody_is_told():
    quota = Quota(ROOMY)
    quota.fund(0.1, 0.0)
    first = quota.trade(0.0, "a", wishes=[a_wish(worst_usd=0.2)])
    second = quota.trade(0.0, "b")

    assert "the budget of $0.10 does not cover another request" in first.halted
    assert second.halted == first.halted


def served(quota, *, seconds, each_s, workers=3, **fields):
    """When requests went out in so many seconds, each answered at the next look."""
    sent, now = [], 0.0
    while now < seconds:
        for worker in range(workers):
            for permit in permits(quota, now, str(worker), number=5, **fields):
                sent.append(now)
                report = PermitReport(permit, "answered", 10)
                quota.trade(now, str(worker), reports=[report])
        now += each_s
    return sent


def test_no_minute_has_more_requests_than_the_user_states():
    sent = served(Quota(ROOMY), seconds=150.0, each_s=0.05, stated=(300.0, None))

    assert max(sum(at <= other < at + 60.0 for other in sent) for at in sent) <= 300
    assert len(sent) >= 0.93 * 300 * 150 / 60


def test_no_minute_has_more_tokens_than_the_user_states():
    sent = served(Quota(ROOMY), seconds=150.0, each_s=0.05, stated=(None, 3000.0), tokens=500.0)

    assert max(10 * sum(at <= other < at + 60.0 for other in sent) for at in sent) <= 3000
    assert len(sent) >= 0.85 * 300 * 150 / 60


def test_a_request_that_was_never_seen_is_reckoned_with_all_it_may_take():
    quota = Quota(ROOMY)

    assert len(permits(quota, 0.0, number=9, stated=(None, 60_000.0), tokens=900.0)) == 1


def test_a_refusal_shuts_the_gate_for_all():
    quota = Quota(ROOMY)
    [permit] = permits(quota, 0.0, "a")
    quota.trade(1.0, "a", reports=[PermitReport(permit, "refused", hold_s=5.0, is_rate=True)])
    wish = a_wish()
    grant = quota.trade(2.0, "b", wishes=[wish]).grants["m"]

    assert grant.permits == ()
    assert grant.held_s == 4.0
    assert permits(quota, 6.5, "b")


def test_what_the_endpoint_told_of_its_limits_is_told_with_what_was_stated():
    quota = Quota(ROOMY)
    [permit] = permits(quota, 0.0, stated=(600.0, 90_000.0))
    hints = RateHints(
        requests=Allowance(60.0, 30.0, 30.0), tokens=Allowance(9_000.0, 3_000.0, 60.0)
    )
    quota.trade(0.0, "w", hints=[(KEY, hints)])
    quota.trade(0.0, "w", reports=[PermitReport(permit, "answered", 10)])
    [state] = quota.states(10.0).values()

    assert state.stated == (600.0, 90_000.0)
    assert state.requests_left == (40.0, 60.0)
    assert state.tokens_left == (4_000.0, 9_000.0)
