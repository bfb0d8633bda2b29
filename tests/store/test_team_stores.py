import psycopg
import pytest

from benchmaker.errors import Corrupt, SpecError
from benchmaker.record.account import MAIN
from benchmaker.store.database.address import in_schema, out_of_schema, parse_address
from benchmaker.store.database.database import Database
from benchmaker.store.database.schema import REVISIONS, create
from benchmaker.store.home import Home
from benchmaker.store.team_stores import make_team_place, team_place
from benchmaker.store.upkeep.backups import back_up, suffix_of
from benchmaker.store.upkeep.checking import check_store
from benchmaker.store.upkeep.copying import copy_store
from tests.store.filled import add_run, all_trials, put

pytestmark = pytest.mark.postgresql("schemas of teams, migrations")


@pytest.fixture
def root(address, tmp_path):
    """The place of ``main``, its store made."""
    place = Home(tmp_path, address if "://" in address else None)
    make_team_place(place, MAIN)
    return place


def fill(store):
    """A run with its trials; its id."""
    run = add_run(store)
    put(store, *all_trials(3))
    return run.id


@pytest.mark.parametrize("slug", ["../main", "a", "A-b", "", "a_b", "a--b", "x" * 40, "a;drop"])
def test_a_name_that_could_be_a_path_or_sql_is_no_team(slug, tmp_path):
    with pytest.raises(SpecError):
        team_place(Home(tmp_path), slug)


def test_main_is_what_was_there_before(root):
    assert team_place(root, MAIN) is root


def test_a_place_is_there_once_something_was_stored(blank, tmp_path):
    place = Home(tmp_path / "home", blank)
    assert not place.is_there()
    assert not place.is_there()
    with place.open_store():
        assert place.is_there()


def test_a_place_that_holds_something_else_is_there_and_refused(new_database, tmp_path):
    address = new_database()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("CREATE TABLE diary (line text)")
    place = Home(tmp_path, address)
    assert place.is_there()
    with pytest.raises(Corrupt), place.open_store():
        pass


def test_a_new_team_has_all_tables_and_nothing_in_them(root):
    assert make_team_place(root, "blue").after == REVISIONS[-1]
    with team_place(root, "blue").open_store() as store:
        assert store.runs() == ()
        assert not store.accounts.has_users()


def test_making_a_team_again_changes_nothing(root):
    make_team_place(root, "blue")
    with team_place(root, "blue").open_store() as store:
        fill(store)
        before = len(store.runs())
    assert make_team_place(root, "blue").before == REVISIONS[-1]
    with team_place(root, "blue").open_store() as store:
        assert len(store.runs()) == before > 0


def test_no_team_sees_what_another_has(root):
    for slug in ("blue", "big-blue"):
        make_team_place(root, slug)
    with team_place(root, "blue").open_store() as blue:
        run = fill(blue)
        with root.open_store() as main, team_place(root, "big-blue").open_store() as other:
            assert blue.runs()
            for store in (main, other):
                assert store.runs() == ()
                assert store.find_suites() == ()
                with pytest.raises(SpecError):
                    store.resolve(run)


def test_the_folder_of_a_team_is_for_its_owner_alone(root):
    make_team_place(root, "blue")
    assert team_place(root, "blue").home == root.home / "teams" / "blue"
    assert team_place(root, "blue").home.stat().st_mode & 0o077 == 0


def test_each_team_is_checked_and_backed_up_by_itself(root, tmp_path):
    make_team_place(root, "blue")
    with team_place(root, "blue").open_store() as store:
        fill(store)
    blue, main = (parse_address(team_place(root, it).address) for it in ("blue", MAIN))

    assert check_store(blue).is_ok
    assert check_store(blue).rows["runs"] > 0 == check_store(main).rows.get("runs", 0)
    done = back_up(blue, tmp_path / f"blue{suffix_of(blue)}")
    assert done.hash == check_store(blue).hash


def test_a_team_can_be_copied_into_another_kind_of_database(root, tmp_path, new_database):
    make_team_place(root, "blue")
    with team_place(root, "blue").open_store() as store:
        fill(store)
    blue = parse_address(team_place(root, "blue").address)
    target = tmp_path / "copy.db" if blue.url else new_database()

    assert copy_store(blue, parse_address(target)).hash == check_store(blue).hash


def test_an_old_schema_of_a_team_is_upgraded_when_its_place_is_made_again(new_database, tmp_path):
    url = new_database()
    root = Home(tmp_path, url)
    make_team_place(root, MAIN)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA team_old")
    _create_old(in_schema(url, "team_old"))

    assert make_team_place(root, "old").before == REVISIONS[-2]
    with team_place(root, "old").open_store() as store:
        assert store.runs() == ()
    with psycopg.connect(url) as connection:
        found = connection.execute("SELECT version_num FROM public.alembic_version").fetchall()
    assert found == [(REVISIONS[-1],)]


def _create_old(url):
    database = Database(parse_address(url))
    with database.write() as connection:
        create(connection, REVISIONS[-2])
    database.close()


def test_options_of_an_address_are_kept_beside_ours(new_database):
    url = in_schema(f"{new_database()}&options=-cstatement_timeout%3D4321", "pg_temp")
    database = Database(parse_address(url), busy_timeout_s=7.0)
    try:
        shown = {name: _shown(database, name) for name in ("lock_timeout", "statement_timeout")}
        assert _shown(database, "search_path") == "pg_temp"
    finally:
        database.close()
    assert shown == {"lock_timeout": "7s", "statement_timeout": "4321ms"}


def _shown(database, name):
    with database.read() as connection:
        return connection.exec_driver_sql(f"SHOW {name}").scalar()


def test_a_place_names_no_password():
    address = parse_address(in_schema("postgresql://ann:secret@db/runs", "team_blue"))
    assert "secret" not in str(address)
    assert "team_blue" in str(address)


@pytest.mark.parametrize("more", ["", "?options=-cstatement_timeout%3D4321", "?connect_timeout=3"])
def test_the_way_into_a_schema_leads_back(more):
    url = f"postgresql://ann:secret@db/runs{more}"
    assert out_of_schema(in_schema(url, "team_blue"), "team_blue") == url
    assert out_of_schema(in_schema(url, "team_blue"), "team_red") is None
    assert out_of_schema(url, "team_blue") is None


def test_the_folder_of_a_team_leads_to_where_its_audit_log_is(root):
    found, slug = root.of_team("blue").root_and_team()
    assert (found.home, slug) == (root.home, "blue")
    assert parse_address(found.address) == parse_address(root.address)
    assert root.root_and_team() == (root, "main")


def test_what_is_no_folder_of_a_team_is_a_place_of_its_own(tmp_path):
    alone = Home(tmp_path).of_team("blue")
    assert alone.root_and_team() == (alone, "main")
    elsewhere = Home(alone.home, "postgresql://db/other")
    assert elsewhere.root_and_team() == (elsewhere, "main")
