"""Writing that happens once, whatever becomes of the connection."""

from contextlib import contextmanager

import psycopg
import pytest

from benchmaker.errors import Conflict, Unreachable
from benchmaker.record import Score
from benchmaker.store import Store, Writer
from benchmaker.store.database.address import parse_address
from benchmaker.store.database.database import Database
from benchmaker.store.database.idempotent import IdempotentWriter
from benchmaker.store.database.retry import persist
from tests.store.filled import a_trial, add_run, put


class Deaf(Database):
    """A database whose answer to a commit is lost, as often as is said."""

    lost = 0

    @contextmanager
    def write(self):
        with super().write() as connection:
            yield connection
        if self.lost:
            self.lost -= 1
            raise Unreachable("the answer was lost.")


@pytest.fixture
def deaf(new_database, template):
    database = Deaf(parse_address(new_database(template)))
    with Store(database) as store:
        yield store


def test_what_was_durable_though_nobody_heard_is_not_written_again(deaf):
    add_run(deaf)
    with Writer(deaf) as writer:
        writer.put(a_trial())
        writer.flush()
        for value in (0.25, 0.5):
            deaf.database.lost = 3
            writer.put_score(a_trial().key, Score(score=value, scorer="exact"))
            writer.flush()
    versions = deaf.scores.versions(*a_trial().key)
    assert [score.score for score in versions] == [1.0, 0.25, 0.5]
    assert deaf.check().counts["counters"] == 1


def test_what_was_not_durable_is_written_again(new_database, template):
    address = new_database(template)
    with Store.open(address) as store:
        add_run(store)
        once, tries = IdempotentWriter(store.database), []

        def work(connection):
            tries.append(connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one())
            connection.exec_driver_sql("UPDATE counters SET value = value + 1")
            if len(tries) < 3:
                end(address, tries[-1])
            connection.exec_driver_sql("SELECT 1")
            return len(tries)

        assert once.write(work) == 3
        with store.database.read() as connection:
            rows = "SELECT value FROM counters WHERE name = 'rows'"
            assert connection.exec_driver_sql(rows).scalar_one() == 1
        once.close()


def end(address: str, pid: int) -> None:
    with psycopg.connect(address) as connection:
        connection.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))


def test_other_errors_are_not_tried_again(deaf):
    tries = []

    def work(connection):
        tries.append(connection)
        raise Conflict("somebody else has it.")

    with pytest.raises(Conflict, match="somebody else"):
        IdempotentWriter(deaf.database).write(work)
    assert len(tries) == 1


def test_patience_ends(deaf):
    deaf.database.lost = 1_000
    tries = []

    def away():
        tries.append(1)
        raise Unreachable("nobody there.")

    with pytest.raises(Unreachable, match="nobody"):
        persist(away, within_s=0.2)
    assert 2 <= len(tries) <= 4


def test_a_pool_of_broken_connections_is_no_error(new_database, template):
    address = new_database(template)
    with Store.open(address) as store:
        add_run(store)
        put(store, a_trial())
        with psycopg.connect(address) as connection:
            ask = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE pid <> %s"
            own = connection.info.backend_pid
            connection.execute(f"{ask} AND datname = current_database()", (own,))
        assert store.count_trials("run-1") == 1
        put(store, a_trial(1))
        assert store.count_trials("run-1") == 2
