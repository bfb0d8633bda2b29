import pytest

from benchmaker.errors import Conflict, SpecError
from benchmaker.store import Store

NOW = 1_767_225_600.0
SOON, LATE = "2026-01-01T01:00:00.000Z", "2026-01-15T00:00:00.000Z"


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
def sign_in(rooms, ada):
    def signed_in(cookie_hash="c", **fields):
        given = {"team": "main", "address": "::1", "agent": "Firefox", "expires_at": LATE}
        return rooms.open_session(ada.id, cookie_hash, **{**given, **fields})

    return signed_in


def test_a_sign_in_is_found_by_the_hash_of_its_cookie(rooms, ada, sign_in):
    made = sign_in()
    assert rooms.session_by_hash("c") == made
    assert rooms.session_by_hash(made.id) is None
    assert (made.user_id, made.team, made.address) == (ada.id, "main", "::1")
    assert made.made_at == made.seen_at == "2026-01-01T00:00:00.000Z"


def test_what_a_browser_says_of_itself_is_kept_in_bounds(rooms, sign_in):
    made = sign_in(agent="half \ud800 \x00" + "x" * 10_000)
    assert len(made.agent) == 300
    assert rooms.session_by_hash("c") == made


def test_a_sign_in_ends_at_its_time(rooms, ada, sign_in, clock):
    sign_in(expires_at=SOON)
    clock[0] += 3600
    assert rooms.session_by_hash("c") is None
    assert rooms.sessions(ada.id) == ()


@pytest.mark.postgresql("no other test has its statements")
def test_those_that_ran_out_are_forgotten_with_the_next(rooms, sign_in, clock):
    sign_in(expires_at=SOON)
    clock[0] += 3600
    sign_in("d")
    with rooms.database.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM sign_ins").scalar() == 1


@pytest.mark.postgresql("no other test has its statements")
def test_a_use_is_noted_once_a_minute(rooms, sign_in):
    made = sign_in()
    assert not rooms.touch_session(made.id, "2026-01-01T00:01:00.000Z")
    assert rooms.touch_session(made.id, "2026-01-01T00:02:00.000Z")
    assert not rooms.touch_session(made.id, "2026-01-01T00:02:30.000Z")
    assert rooms.session_by_hash("c").seen_at == "2026-01-01T00:02:00.000Z"


@pytest.mark.postgresql("no other test has its statements")
def test_another_team_may_be_looked_at(rooms, sign_in):
    made = sign_in()
    rooms.add_team("vision")
    rooms.set_session_team(made.id, "vision")
    assert rooms.session_by_hash("c").team == "vision"
    with pytest.raises(Conflict):
        rooms.set_session_team(made.id, "none")
    with pytest.raises(SpecError, match="has ended"):
        rooms.set_session_team("s-none", "vision")


@pytest.mark.postgresql("no other test has its statements")
def test_a_sign_in_is_ended_once(rooms, sign_in):
    made = sign_in()
    assert rooms.revoke_session(made.id)
    assert not rooms.revoke_session(made.id)
    assert rooms.session_by_hash("c") is None


@pytest.mark.postgresql("no other test has its statements")
def test_all_of_a_person_are_ended_but_for_one(rooms, ada, sign_in):
    first = sign_in("1")
    sign_in("2")
    max_ = rooms.add_user("max", None)
    rooms.open_session(max_.id, "3", team="main", address="", agent="", expires_at=LATE)
    assert rooms.revoke_sessions(ada.id, but=first.id) == 1
    assert rooms.sessions(ada.id) == (first,)
    assert rooms.revoke_sessions(ada.id) == 1
    assert rooms.session_by_hash("3")


def test_the_last_used_is_listed_first(rooms, ada, sign_in):
    first, second = sign_in("1"), sign_in("2")
    rooms.touch_session(first.id, "2026-01-01T00:05:00.000Z")
    assert [it.id for it in rooms.sessions(ada.id)] == [first.id, second.id]


def test_a_cookie_is_one_sign_ins_and_a_team_has_to_be_there(rooms, sign_in):
    sign_in()
    with pytest.raises(Conflict):
        sign_in()
    with pytest.raises(Conflict):
        sign_in("d", team="none")
    with pytest.raises(Conflict):
        rooms.open_session("u-none", "e", team="main", address="", agent="", expires_at=LATE)
