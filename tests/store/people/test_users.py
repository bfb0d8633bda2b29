import pytest
from sqlalchemy import select

from benchmaker.errors import Conflict, SpecError
from benchmaker.record.account import Role, TokenScope
from benchmaker.store import Store
from benchmaker.store.database.account_tables import users

ODD = ["a\x00b", "half \ud800", "\x1a", "' OR 1=1 --", "x" * 10_000]


@pytest.fixture
def rooms(store):
    return store.accounts


@pytest.fixture
def ada(rooms):
    return rooms.add_user("ada", "hash of ada")


@pytest.mark.postgresql("no other test has its statements")
def test_a_new_store_has_nobody(rooms):
    assert not rooms.has_users()
    assert rooms.users() == ()
    assert rooms.teams() == ()


def test_a_person_is_kept(rooms, ada):
    assert rooms.has_users()
    assert rooms.user("ada") == rooms.user_by_id(ada.id) == ada
    assert rooms.password_hash("ada") == "hash of ada"
    assert ada.made_at
    assert ada.is_enabled


@pytest.mark.postgresql("no other test has its statements")
def test_a_yes_is_remembered_and_a_no_is_not(address):
    with Store.open(address) as store:
        assert not store.accounts.has_users()
        with Store.open(address) as other:
            other.accounts.add_user("ada", None)
        assert store.accounts.has_users()
        with store.database.write() as connection:
            connection.exec_driver_sql("DELETE FROM team_members")
            connection.exec_driver_sql("DELETE FROM users")
        assert store.accounts.has_users()


@pytest.mark.postgresql("no other test has its statements")
def test_the_first_is_an_admin_of_main_and_the_second_is_in_no_team(rooms, ada):
    max_ = rooms.add_user("max", None)
    assert rooms.role(ada.id, "main") is Role.ADMIN
    assert rooms.teams_of(max_.id) == ()
    assert [team.slug for team in rooms.teams()] == ["main"]


@pytest.mark.parametrize("name", ["a", "Ada", "ada lovelace", "x" * 41, "", "ädä", "ada\n", *ODD])
def test_an_odd_name_is_refused(rooms, name):
    with pytest.raises(SpecError, match="not a valid user name"):
        rooms.add_user(name, None)
    assert not rooms.has_users()


@pytest.mark.parametrize("name", ["ab", "a.b_c-9", "x" * 40])
def test_other_names_are_taken(rooms, name):
    assert rooms.add_user(name, None).name == name


@pytest.mark.usefixtures("ada")
def test_a_name_is_taken_once(rooms):
    with pytest.raises(SpecError, match="a user with the name 'ada'"):
        rooms.add_user("ada", None)
    assert rooms.password_hash("ada") == "hash of ada"


def test_an_identity_elsewhere_is_one_persons(rooms, ada):
    max_ = rooms.add_user("max", None, oidc="https://id.example 7")
    assert rooms.user_by_oidc("https://id.example 7") == max_
    assert rooms.user_by_oidc("") is None
    with pytest.raises(SpecError):
        rooms.add_user("eve", None, oidc="https://id.example 7")
    with pytest.raises(Conflict, match="another user"):
        rooms.set_oidc(ada.id, "https://id.example 7")
    rooms.set_oidc(max_.id, "https://id.example 7")
    rooms.set_oidc(max_.id, "")
    rooms.set_oidc(ada.id, "https://id.example 7")
    assert rooms.user_by_oidc("https://id.example 7").id == ada.id


@pytest.mark.postgresql("no other test has its statements")
def test_an_identity_is_taken_in_place_of_what_was_awaited_and_only_there(rooms, ada):
    max_ = rooms.add_user("max", None, oidc="awaits max")
    assert not rooms.take_oidc(max_.id, "https://id.example 7", before="awaits another")
    assert rooms.take_oidc(max_.id, "https://id.example 7", before="awaits max")
    assert not rooms.take_oidc(max_.id, "https://id.example 8", before="awaits max")
    assert rooms.user("max").oidc == "https://id.example 7"
    with pytest.raises(Conflict, match="another user"):
        rooms.take_oidc(ada.id, "https://id.example 7", before="")
    assert not rooms.take_oidc("u-none", "https://id.example 9", before="")


def test_a_disabled_person_takes_no_identity(rooms):
    rooms.add_user("ada", None)
    max_ = rooms.add_user("max", None, oidc="awaits max")
    rooms.disable(max_.id)
    assert not rooms.take_oidc(max_.id, "https://id.example 7", before="awaits max")


@pytest.mark.postgresql("no other test has its statements")
@pytest.mark.usefixtures("ada")
def test_any_text_may_be_asked_for(rooms):
    for text in ODD:
        assert rooms.user(text) is None
        assert rooms.user_by_id(text) is None
        assert rooms.user_by_oidc(text) is None
        assert rooms.password_hash(text) is None
        assert rooms.team(text) is None
        assert rooms.role(text, text) is None
        assert rooms.token_by_hash(text) is None
        assert rooms.session_by_hash(text) is None


def test_a_password_is_replaced_or_taken_away(rooms, ada):
    rooms.set_password(ada.id, "another")
    assert rooms.password_hash("ada") == "another"
    rooms.set_password(ada.id, None)
    assert rooms.password_hash("ada") is None


@pytest.mark.postgresql("no other test has its statements")
def test_what_is_asked_of_nobody_is_refused(rooms):
    for ask in (rooms.disable, rooms.enable, lambda it: rooms.set_password(it, "x")):
        with pytest.raises(SpecError, match="no such user"):
            ask("u-none")
    with pytest.raises(SpecError, match="no such user"):
        rooms.set_oidc("u-none", "x y")


@pytest.mark.postgresql("no other test has its statements")
def test_a_disabled_person_is_let_in_no_more(rooms, ada):
    max_ = rooms.add_user("max", None)
    rooms.set_role("main", max_.id, Role.MEMBER)
    token = rooms.add_token(max_.id, "main", name="ci", scopes=[TokenScope.READ], secret_hash="1")
    rooms.open_session(
        max_.id, "cookie", team="main", address="", agent="", expires_at="9999-01-01T00:00:00.000Z"
    )
    rooms.disable(max_.id)
    assert not rooms.user("max").is_enabled
    assert rooms.token_by_hash("1") is None
    assert rooms.session_by_hash("cookie") is None
    rooms.enable(max_.id)
    assert rooms.user("max").is_enabled
    assert rooms.role(max_.id, "main") is Role.MEMBER
    assert rooms.token_by_hash("1") is None
    assert rooms.tokens(user_id=max_.id)[0].id == token.id
    assert rooms.sessions(max_.id) == ()
    assert rooms.role(ada.id, "main") is Role.ADMIN


def test_the_time_of_disabling_stays_the_first_one(address):
    now = [1_000_000.0]
    with Store.open(address, clock=lambda: now[0]) as store:
        rooms = store.accounts
        rooms.add_user("ada", None)
        max_ = rooms.add_user("max", None)
        rooms.disable(max_.id)
        first = rooms.user("max").disabled_at
        now[0] += 100
        rooms.disable(max_.id)
        assert rooms.user("max").disabled_at == first


def test_the_last_admin_of_a_team_is_not_disabled(rooms, ada):
    with pytest.raises(SpecError, match="last admin of team 'main'"):
        rooms.disable(ada.id)
    max_ = rooms.add_user("max", None)
    rooms.set_role("main", max_.id, Role.ADMIN)
    rooms.disable(ada.id)
    with pytest.raises(SpecError, match="last admin"):
        rooms.disable(max_.id)


def test_people_are_listed_by_name(rooms, ada):
    names = ["zoe", "a-b", "a.b", "ab", "a_b"]
    for name in names:
        rooms.add_user(name, None)
    assert [user.name for user in rooms.users()] == sorted([*names, "ada"])
    assert ada in rooms.users()


@pytest.mark.postgresql("no other test has its statements")
def test_no_hash_of_a_password_is_in_a_person(store, ada):
    with store.database.read() as connection:
        assert connection.scalar(select(users.c.password_hash)) == "hash of ada"
    assert "hash" not in repr(ada)
