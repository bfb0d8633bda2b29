import pytest

from benchmaker.errors import Conflict


@pytest.fixture
def rooms(store):
    store.accounts.add_user("ada", None)
    store.accounts.add_team("vision")
    return store.accounts


def test_a_secret_is_kept_with_who_and_when(rooms):
    rooms.put_secret("main", "KEY é", b"sealed \x00\xff", by="ada", at="2026")
    assert rooms.secrets("main") == {"KEY é": b"sealed \x00\xff"}
    assert rooms.secret_names("main") == (("KEY é", "ada", "2026"),)


def test_a_later_one_takes_the_place_of_an_earlier(rooms):
    rooms.put_secret("main", "KEY", b"1", by="ada")
    rooms.put_secret("main", "KEY", b"2", by="max")
    assert rooms.secrets("main") == {"KEY": b"2"}
    (only,) = rooms.secret_names("main")
    assert only.by == "max"
    assert only.at.endswith("Z")


def test_a_team_has_its_own_alone(rooms):
    rooms.put_secret("main", "KEY", b"1", by="ada")
    rooms.put_secret("vision", "KEY", b"2", by="ada")
    assert rooms.secrets("main") == {"KEY": b"1"}
    assert rooms.drop_secret("vision", "KEY")
    assert not rooms.drop_secret("vision", "KEY")
    assert rooms.secrets("vision") == {}
    assert rooms.secrets("none") == {}
    assert rooms.secrets("main") == {"KEY": b"1"}


@pytest.mark.postgresql("no other test has its statements")
def test_names_come_in_their_order(rooms):
    for name in ("B_B", "A", "B-B", "BB"):
        rooms.put_secret("main", name, b"", by="ada")
    names = [it.name for it in rooms.secret_names("main")]
    assert names == sorted(names)


def test_a_secret_of_no_team_is_refused(rooms):
    with pytest.raises(Conflict):
        rooms.put_secret("none", "KEY", b"1", by="ada")
