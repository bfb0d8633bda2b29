import pytest

from benchmaker.errors import Conflict, SpecError
from benchmaker.record.account import Role, TokenScope
from benchmaker.store import Store
from benchmaker.store.database.account_tables import api_tokens

NOW = 1_767_225_600.0


@pytest.fixture
def clock():
    return [NOW]


@pytest.fixture
def rooms(address, clock):
    with Store.open(address, clock=lambda: clock[0]) as store:
        yield store.accounts


@pytest.fixture
def ada(rooms):
    return rooms.add_user("ada", None)


@pytest.fixture
def add(rooms, ada):
    def added(secret_hash="1" * 64, **fields):
        given = {"name": "ci", "scopes": [TokenScope.WRITE, TokenScope.READ], **fields}
        return rooms.add_token(ada.id, "main", secret_hash=secret_hash, **given)

    return added


def test_a_token_is_found_by_the_hash_of_its_secret(rooms, add):
    made = add()
    assert made.scopes == (TokenScope.READ, TokenScope.WRITE)
    assert rooms.token_by_hash("1" * 64) == made
    assert rooms.token_by_hash("2" * 64) is None


@pytest.mark.postgresql("no other test has its statements")
def test_of_the_secret_there_is_only_its_hash(rooms, add):
    assert "1" * 64 not in repr(add())
    with rooms.database.read() as connection:
        row = connection.execute(api_tokens.select()).mappings().one()
    assert row["secret_hash"] == "1" * 64


@pytest.mark.parametrize("fields", [{"name": ""}, {"name": "x" * 81}, {"scopes": []}])
def test_an_odd_token_is_refused(add, fields):
    with pytest.raises(SpecError):
        add(**fields)


def test_an_unknown_scope_is_refused_with_those_there_are(add):
    with pytest.raises(SpecError, match=r"unknown scope 'all'.*read, submit, write, admin"):
        add(scopes=["all"])


def test_a_secret_is_one_tokens(add):
    add()
    with pytest.raises(Conflict):
        add()


def test_a_token_of_nobody_or_for_no_team_is_refused(rooms, ada):
    given = {"name": "ci", "scopes": [TokenScope.READ]}
    with pytest.raises(Conflict):
        rooms.add_token("u-none", "main", secret_hash="1", **given)
    with pytest.raises(Conflict):
        rooms.add_token(ada.id, "none", secret_hash="1", **given)


def test_a_token_ends_at_its_time(rooms, add, clock):
    add(expires_at="2026-01-01T01:00:00.000Z")
    assert rooms.token_by_hash("1" * 64)
    clock[0] += 3600
    assert rooms.token_by_hash("1" * 64) is None


@pytest.mark.postgresql("no other test has its statements")
def test_a_revoked_token_works_no_more_and_stays_listed(rooms, add, clock):
    made = add()
    first = rooms.revoke_token(made.id)
    clock[0] += 60
    assert rooms.revoke_token(made.id) == first
    assert first.revoked_at
    assert rooms.token_by_hash("1" * 64) is None
    assert rooms.tokens() == (first,)
    with pytest.raises(SpecError, match="no token 't-none'"):
        rooms.revoke_token("t-none")


@pytest.mark.postgresql("no other test has its statements")
def test_a_use_is_noted_once_a_minute(rooms, add):
    made = add()
    assert rooms.touch_token(made.id, "2026-01-01T00:00:00.000Z")
    assert not rooms.touch_token(made.id, "2026-01-01T00:00:59.000Z")
    assert not rooms.touch_token(made.id, "2026-01-01T00:01:00.000Z")
    assert rooms.touch_token(made.id, "2026-01-01T00:01:00.001Z")
    assert rooms.token_by_hash("1" * 64).last_used_at == "2026-01-01T00:01:00.001Z"
    assert not rooms.touch_token("t-none", "2026-01-01T00:00:00.000Z")


@pytest.mark.postgresql("no other test has its statements")
def test_tokens_are_listed_by_team_and_person_the_newest_first(rooms, ada, add, clock):
    first = add()
    clock[0] += 1
    second = add("2" * 64)
    max_ = rooms.add_user("max", None)
    rooms.add_team("vision")
    rooms.set_role("vision", max_.id, Role.MEMBER)
    clock[0] += 1
    third = rooms.add_token(
        max_.id, "vision", name="x \x00", scopes=[TokenScope.SUBMIT], secret_hash="3"
    )
    assert rooms.tokens() == (third, second, first)
    assert rooms.tokens(team="main") == rooms.tokens(user_id=ada.id) == (second, first)
    assert rooms.tokens(team="main", user_id=max_.id) == ()
    assert rooms.tokens(team="vision")[0].name == "x \x00"
