"""Series of agent trials, their trials and requests a page at a time."""

import msgspec
import pytest

from benchmaker.errors import SpecError
from benchmaker.record.agent_trial import AgentSeries, AgentTrial, TrialOutcome
from tests.store.agentic.test_agent_trials import AT, KEY, a_request

KEYS = [KEY._replace(attempt=at) for at in (1, 2, 3)]


@pytest.fixture
def rooms(store):
    return store.agent_trials


@pytest.fixture
def pages(store):
    return store.agent_trial_pages


def a_trial(key=KEY, **fields):
    return AgentTrial(key=key, task_hash="h", agent="tiny", model="x/y", **fields)


@pytest.mark.postgresql("pages by the row's own number")
def test_series_come_newest_first_a_page_at_a_time(rooms, pages):
    made = [AgentSeries(id=f"s-{at}", plan={"at": at}, created_at=AT) for at in range(5)]
    for one in made:
        rooms.add_series(one)
    seen, after = [], ""
    while True:
        page = pages.series(after=after, limit=2)
        seen += page.rows
        after = page.after
        if not after:
            break
    assert seen == made[::-1] == list(rooms.every_series())


@pytest.mark.postgresql("an upsert keeps the row's number")
def test_a_trial_keeps_its_number_through_its_tries(rooms, pages):
    for key in KEYS:
        rooms.put_trial(a_trial(key))
    before = {it.trial.key: it.number for it in pages.numbered_trials(KEY.series)}
    ended = a_trial(KEYS[1]._replace(attempt_try=2), outcome=TrialOutcome.SOLVED, reward=1.0)
    rooms.put_trial(msgspec.structs.replace(ended, submission_id="trial-1"))
    found = pages.find(before[KEYS[1]])
    assert found.trial.outcome is TrialOutcome.SOLVED
    assert pages.number_of("trial-1") == found.number
    assert pages.number_of("trial-2") is None
    assert pages.find(10**9) is None
    assert [it.trial for it in pages.numbered_trials(KEY.series)] == list(rooms.trials(KEY.series))


@pytest.mark.postgresql("compares pairs of columns")
def test_requests_of_all_tries_come_newest_first_in_pages(rooms, pages):
    every = [
        a_request(number, key=KEY._replace(attempt_try=one))
        for one in (1, 2)
        for number in (1, 2, 3, 10)
    ]
    rooms.put_requests([*every, a_request(1, key=KEYS[0])])
    seen, after = [], ""
    while True:
        page = pages.requests(KEY, after=after, limit=3)
        seen += page.rows
        after = page.after
        if not after:
            break
    assert seen == every[::-1]


def test_a_cursor_of_another_list_is_refused(rooms, pages):
    for at in range(2):
        rooms.add_series(AgentSeries(id=f"s-{at}", plan={}, created_at=AT))
    with pytest.raises(SpecError):
        pages.requests(KEY, after=pages.series(limit=1).after, limit=1)
    with pytest.raises(SpecError):
        pages.series(after="nothing", limit=1)


@pytest.mark.postgresql("sums of a database are its own numbers")
def test_spending_is_the_sum_over_requests_that_were_sent(rooms, pages):
    assert pages.spending(KEY.series) == (0, 0.0, 0)
    rooms.put_requests(
        [
            a_request(1, cost_usd=0.25, status=200),
            a_request(2, cost_usd=0.5, status=200, key=KEYS[2]),
            a_request(3, status=200),
            a_request(4, status=403, refused="cap", cost_usd=4.0),
        ]
    )
    found = pages.spending(KEY.series)
    assert (found.requests, found.cost_usd, found.unknown_costs) == (3, 0.75, 1)


@pytest.mark.postgresql("counts of a database are its own numbers")
def test_each_change_has_another_mark(rooms, pages):
    changes = (
        lambda: rooms.put_trial(a_trial()),
        lambda: rooms.put_requests([a_request(1)]),
        lambda: rooms.put_requests([a_request(1, status=200)]),
        lambda: rooms.put_trial(a_trial(outcome=TrialOutcome.GATEWAY_ERROR)),
        lambda: rooms.put_trial(a_trial(KEY._replace(attempt_try=2))),
        lambda: rooms.put_trial(
            a_trial(KEY._replace(attempt_try=2), outcome=TrialOutcome.FAILED, reward=0.0)
        ),
    )
    marks = [pages.mark(KEY.series)]
    for change in changes:
        change()
        marks.append(pages.mark(KEY.series))
    assert len(set(marks)) == len(marks)
