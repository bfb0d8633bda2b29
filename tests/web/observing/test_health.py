import json
import threading
import time

import pytest

from benchmaker.errors import StoreError
from benchmaker.store import Store
from tests.databases import direct_transaction
from tests.web.serving import apps, serving
from tests.web.test_guard import ask


def ready(address):
    status, _, body = ask(address, path="/readyz")
    return status, json.loads(body)["checks"]


def until(address, wanted):
    """Wait until that is answered; on a busy machine the store may be late at first."""
    end = time.monotonic() + 120
    while (found := ready(address)) != wanted:
        assert time.monotonic() < end, found
        time.sleep(0.1)


WELL = {"database": "ok", "schema": "ok"}


def test_alive_and_ready_are_asked_without_a_session(home):
    with serving(home, token="a-token-for-one") as address:
        assert ask(address, path="/healthz")[::2] == (200, '{"status":"ok"}')
        until(address, (200, {**WELL, "worker": "ok"}))
        assert ask(address, path="/healthz/other")[0] == 401
        assert ask(address, path="/readyzz")[0] == 401


def test_a_foreign_host_is_told_nothing(demo):
    assert ask(demo, path="/readyz", headers={"Host": "evil.example"})[0] == 421


def test_a_server_with_its_worker_is_ready(home):
    with serving(home) as address:
        until(address, (200, WELL | {"worker": "ok"}))


def test_a_server_whose_work_is_done_elsewhere_is_ready(home):
    with serving(home, works=False) as address:
        until(address, (200, WELL | {"worker": "elsewhere"}))


def test_a_server_that_is_about_to_leave_is_not(home):
    with serving(home, works=False) as address:
        apps[address].state.bench.leave()
        until(address, (503, WELL | {"worker": "leaving"}))
        assert ask(address, path="/healthz")[0] == 200


def test_a_worker_that_does_not_look_any_more_is_stuck(home):
    with serving(home) as address:
        until(address, (200, WELL | {"worker": "ok"}))
        apps[address].state.bench.worker_seen = lambda: time.monotonic() - 3600
        until(address, (503, WELL | {"worker": "stuck"}))


@pytest.mark.sqlite("it is the file that can't be made")
def test_a_database_that_is_gone_is_not_ready_and_the_address_is_not_told(tmp_path):
    (tmp_path / "file").touch()
    with serving(tmp_path / "file" / "home", works=False) as address:
        status, _, body = ask(address, path="/readyz")

    assert status == 503
    assert json.loads(body)["checks"]["database"] == "unreachable"
    assert str(tmp_path) not in body


def test_tables_of_another_revision_are_not_ready(home):
    with Store.open(home / "benchmaker.db") as store, serving(home, works=False) as address:
        until(address, (200, WELL | {"worker": "elsewhere"}))
        with direct_transaction(store) as connection:
            connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
        until(address, (503, {"database": "ok", "schema": "another", "worker": "elsewhere"}))


@pytest.mark.parametrize("fails", [False, True])
def test_a_database_that_hangs_is_asked_once_and_told_as_late(home, fails, monkeypatch):
    with serving(home, works=False) as address:
        readiness, asked, go_on = apps[address].state.readiness, [], threading.Event()

        def hang():
            asked.append(1)
            go_on.wait(600)
            if fails:
                raise StoreError("gone")
            return dict(WELL)

        monkeypatch.setattr(readiness, "_check_database", hang)
        monkeypatch.setattr("benchmaker.web.observing.health._PATIENCE_S", 0.05)
        late = {"database": "late", "schema": "unknown", "worker": "elsewhere"}
        for _ in range(5):
            until(address, (503, late))
            time.sleep(0.3)
        assert asked == [1]
        go_on.set()
        if not fails:
            until(address, (200, WELL | {"worker": "elsewhere"}))
