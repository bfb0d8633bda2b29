"""Marks of what was handed in and not evaluated yet."""

import pytest

from benchmaker.errors import Conflict
from benchmaker.store import Store
from benchmaker.store.agentic.pending import (
    acquire_abandoned_slots,
    acquire_slot,
    mark,
    marks,
    stored_since,
    unmark,
)
from tests.arenas.agentic.handed import a_submission, the_id

pytestmark = pytest.mark.postgresql("leases, SKIP LOCKED")

TTL_S = 60.0


def test_a_mark_stands_until_it_is_taken_away(store):
    store.put_submission(a_submission(1))
    place = acquire_slot(store.database, ttl_s=TTL_S)

    mark(store.database, place)
    store.put_submission(a_submission(2))
    mark(store.database, place)

    [since] = marks(store.database).values()
    assert list(stored_since(store.database, since)) == [the_id(2)]
    unmark(store.database, place)
    assert marks(store.database) == {}


def test_each_has_a_place_of_its_own(store):
    first, second = (acquire_slot(store.database, ttl_s=TTL_S) for _ in range(2))

    assert first.name != second.name


def test_a_place_with_a_mark_is_left_to_those_who_look_back(store):
    dead = acquire_slot(store.database, ttl_s=TTL_S)
    mark(store.database, dead)
    assert list(acquire_abandoned_slots(store.database, ttl_s=TTL_S)) == []
    store.release_lease(dead)

    assert acquire_slot(store.database, ttl_s=TTL_S).name != dead.name
    assert [one.name for one in acquire_abandoned_slots(store.database, ttl_s=TTL_S)] == [dead.name]


def test_no_mark_is_put_at_a_place_that_was_lost(store):
    place = acquire_slot(store.database, ttl_s=TTL_S)
    store.release_lease(place)

    with pytest.raises(Conflict):
        mark(store.database, place)


def test_many_that_are_left_are_read_by_pages(path):
    with Store.open(path) as store:
        for number in range(520):
            store.put_submission(a_submission(number))

        assert len(list(stored_since(store.database, 5))) == 515
