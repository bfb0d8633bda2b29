"""Profiles of one's own, in their table and on the way there."""

import gzip

import msgspec
import pytest
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory

from benchmaker.record.submissions.metrics import Metrics
from benchmaker.store import Store
from benchmaker.store.agentic.profiles import StoredProfile
from benchmaker.store.database.address import parse_address
from benchmaker.store.database.database import Database
from benchmaker.store.database.json_values import encode
from benchmaker.store.database.schema import MIGRATIONS, upgrade
from tests.data.store import make

MINE = StoredProfile("mine é", "shadow", {"name": "mine é", "note": "half \ud800", "weight": 0.25})
DROPPED = StoredProfile("old", "dropped", {"name": "old"})


@pytest.mark.postgresql("no other test has its statements")
def test_profiles_come_back_as_they_were_kept_and_the_last_of_a_name_counts(store):
    rooms = store.agentic
    assert rooms.own_profiles() == ()

    rooms.put_profile(MINE)
    rooms.put_profile(DROPPED)
    rooms.put_profile(MINE._replace(state="active"))

    assert rooms.own_profiles() == (MINE._replace(state="active"), DROPPED)


def former(profiles) -> dict[str, str]:
    """The row of boards that they were kept in."""
    body = {one.name: {"state": one.state, "document": one.document} for one in profiles}
    return {"hash": "a" * 64, "created_at": "2026-01-01T00:00:00.000Z", "body": encode(body)}


BOARD = (
    "INSERT INTO boards (profile, board, hash, is_newest, created_at, body) "
    "VALUES ('profiles', 'states', {0}, 1, {0}, {0})"
)


FIGURES = (
    "INSERT INTO metric_rows (submission_id, task_id, input_hash, updated_at, body) "
    "VALUES ('s', 't', 'h', 'now', {})"
)


def stepped(connection, upto: str) -> None:
    """The tables of an older revision, or from there on."""
    steps = ScriptDirectory(str(MIGRATIONS))
    options = {"fn": lambda at, _: steps._upgrade_revs(upto, at)}
    context = MigrationContext.configure(connection, opts=options)
    with Operations.context(context):
        context.run_migrations()


@pytest.fixture
def older(blank):
    """A store of revision 0008 with profiles, figures and a board of that time; its address."""
    database = Database(parse_address(blank))
    mark = "?" if database.is_sqlite else "%s"
    metrics = Metrics(submission_id="s", task_id="t", system="a", category="data \ud800")
    with database.write() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, "
            "CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
        )
        stepped(connection, "0008")
        row = tuple(former([MINE, DROPPED]).values())
        connection.exec_driver_sql(BOARD.format(mark), row)
        connection.exec_driver_sql(
            FIGURES.format(mark),
            (encode(metrics),),
        )
    upgrade(database)
    database.close()
    return blank


def test_an_older_store_moves_its_profiles_into_their_table(older):
    with Store.open(older) as store:
        rooms = store.agentic
        assert rooms.own_profiles() == (MINE, DROPPED)
        assert rooms.board("profiles", "states") is None
        assert store.check().problems == ()


@pytest.mark.postgresql("no other test has its statements")
def test_an_older_store_knows_the_tasks_of_a_category_afterwards(older):
    with Store.open(older) as store:
        assert store.agentic.tasks_of_category("data \ud800") == ("t",)
        assert store.agentic.categories_of(["t"]) == {"data \ud800"}


@pytest.mark.parametrize("revision", ["0007", "0008"])
def test_a_kept_file_with_profiles_among_its_boards_keeps_them(path, revision):
    path.write_bytes(gzip.decompress((make.FOLDER / f"{revision}.db.gz").read_bytes()))
    database = Database(parse_address(str(path)))
    with database.write() as connection:
        connection.exec_driver_sql(BOARD.format("?"), tuple(former([MINE]).values()))
    database.close()

    with Store.open(path) as store:
        assert store.agentic.own_profiles() == (MINE,)
        assert msgspec.to_builtins(store.agentic.board("robust/1", "overall"))["rows"]
