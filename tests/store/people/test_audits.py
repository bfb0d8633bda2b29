import pytest
from sqlalchemy import delete, insert, text, update

from benchmaker.errors import Conflict, StoreError
from benchmaker.record.account import AuditEntry
from benchmaker.store import Store
from benchmaker.store.database.account_tables import audit_log
from benchmaker.store.database.address import parse_address
from benchmaker.store.database.schema import prepare
from benchmaker.store.upkeep.copying import copy_store
from tests.store.database.test_schema import migrated

pytestmark = pytest.mark.postgresql("triggers")


def entry(**fields):
    return AuditEntry(**{"actor": "ada", "action": "run.start", **fields})


def numbers(found):
    return [it.number for it in found]


def refuses_changes(store):
    """Whether the line with number 1 can be neither changed, nor deleted, nor replaced."""
    ways = [
        update(audit_log).values(actor="eve"),
        delete(audit_log),
        delete(audit_log).where(audit_log.c.seq == 1),
    ]
    if store.database.is_sqlite:
        row = "(1, '', 'eve', '', '', '', '', '', '')"
        names = "seq, at, actor, team, action, object, detail, address, request_id"
        ways.append(text(f"INSERT OR REPLACE INTO audit_log ({names}) VALUES {row}"))  # noqa: S608
    else:
        ways.append(text("TRUNCATE audit_log"))
    before = store.accounts.audit_entries()
    for way in ways:
        with pytest.raises(Conflict, match="append-only"), store.database.write() as connection:
            connection.execute(way)
    return store.accounts.audit_entries() == before != ()


def test_a_line_gets_its_number_and_time(store):
    first, second = store.accounts.audit(entry()), store.accounts.audit(entry(at="2026"))
    assert (first.number, second.number) == (1, 2)
    assert first.at.endswith("Z")
    assert second.at == "2026"
    assert store.accounts.audit_entries() == (second, first)


def test_what_others_say_is_kept_as_it_is_and_in_bounds(store):
    odd = entry(object="half \ud800 \x00", detail="x" * 5_000, address="::1", request_id="r")
    made = store.accounts.audit(odd)
    assert made.object == odd.object
    assert len(made.detail) == 1_000
    assert store.accounts.audit_entries() == (made,)


def test_the_log_is_read_backwards_by_pages(store):
    for _ in range(5):
        store.accounts.audit(entry())
    rooms = store.accounts
    assert numbers(rooms.audit_entries(limit=2)) == [5, 4]
    assert numbers(rooms.audit_entries(limit=2, before=4)) == [3, 2]
    assert numbers(rooms.audit_entries(before=1)) == []


def test_the_log_is_read_by_actor_team_and_action(store):
    rooms = store.accounts
    rooms.audit(entry())
    rooms.audit(entry(actor="max", team="vision", action="run.stop"))
    rooms.audit(entry(actor="max", action="running.mad"))
    rooms.audit(entry(actor="max", action="run_%"))
    assert numbers(rooms.audit_entries(actor="max")) == [4, 3, 2]
    assert numbers(rooms.audit_entries(team="vision")) == [2]
    assert numbers(rooms.audit_entries(action="run.start")) == [1]
    assert numbers(rooms.audit_entries(action="run.")) == [2, 1]
    assert numbers(rooms.audit_entries(action="run_%")) == [4]
    assert numbers(rooms.audit_entries(actor="max", action="run.", team="vision")) == [2]
    assert rooms.audit_entries(actor="a\x00b") == ()


def test_nobody_changes_or_deletes_a_line(store):
    store.accounts.audit(entry())
    assert refuses_changes(store)
    assert store.accounts.audit(entry()).number == 2


def test_a_line_is_refused_where_its_number_is_taken(store):
    store.accounts.audit(entry())
    row = dict.fromkeys((it.name for it in audit_log.c), "x") | {"seq": 1}
    with pytest.raises(StoreError), store.database.write() as connection:
        connection.execute(insert(audit_log).values(**row))


def test_a_log_that_was_added_by_an_upgrade_is_append_only_too(new_database, address, tmp_path):
    other = new_database() if "postgresql" in address else str(tmp_path / "steps.db")
    migrated(other).close()
    with Store.open(other) as store:
        store.accounts.audit(entry())
        assert refuses_changes(store)


def test_a_copy_has_every_line_and_is_append_only_too(address, new_database, tmp_path):
    targets = [str(tmp_path / "copy.db"), new_database()]
    with Store.open(address) as store:
        for _ in range(3):
            store.accounts.audit(entry())
        told = store.accounts.audit_entries()
    for target in targets:
        copy_store(parse_address(address), parse_address(target))
        with Store.open(target) as store:
            assert store.accounts.audit_entries() == told
            assert refuses_changes(store)
            assert store.accounts.audit(entry()).number == 4


def test_vacuuming_and_checking_leave_the_log_alone(store):
    made = store.accounts.audit(entry())
    store.vacuum()
    assert store.check().is_ok
    assert store.check().counts["audit_log"] == 1
    assert store.accounts.audit_entries() == (made,)


def test_a_store_of_this_revision_is_not_prepared_again(store):
    store.accounts.audit(entry())
    prepare(store.database)
    assert refuses_changes(store)
