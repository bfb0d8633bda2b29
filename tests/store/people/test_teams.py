from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmaker.errors import BenchmakerError, SpecError
from benchmaker.record.account import Member, Role
from benchmaker.store import Store


@pytest.fixture
def rooms(store):
    return store.accounts


@pytest.fixture
def ada(rooms):
    return rooms.add_user("ada", None)


@pytest.fixture
def max_(rooms, ada):
    assert ada
    return rooms.add_user("max", None)


@pytest.mark.postgresql("no other test has its statements")
def test_a_team_is_kept(rooms):
    made = rooms.add_team("vision", " Vision \x00 é ")
    assert made.title == "Vision \x00 é"
    assert rooms.team("vision") == made
    assert rooms.teams() == (made,)
    assert not made.is_public
    assert not made.is_moderated
    assert rooms.members("vision") == ()


def test_without_a_title_it_goes_by_its_short_name(rooms):
    assert rooms.add_team("vision").title == "vision"


@pytest.mark.parametrize(
    "slug", ["", "a", "Vision", "1st", "a-", "-a", "a--b", "a_b", "a b", "é1", "x" * 32, "ab\n"]
)
def test_an_odd_short_name_is_refused(rooms, slug):
    with pytest.raises(SpecError, match="not a valid short name"):
        rooms.add_team(slug)


@pytest.mark.parametrize("slug", ["ab", "a-b-c", "x" * 31, "team1"])
def test_other_short_names_are_taken(rooms, slug):
    assert rooms.add_team(slug).slug == slug


def test_a_short_name_is_taken_once(rooms):
    rooms.add_team("vision", "one")
    with pytest.raises(SpecError, match="already"):
        rooms.add_team("vision", "two")
    assert rooms.team("vision").title == "one"


def test_a_title_has_a_length(rooms):
    for title in ("x" * 101, " "):
        with pytest.raises(SpecError, match="title"):
            rooms.add_team("vision", title)


@pytest.mark.postgresql("no other test has its statements")
def test_what_is_given_is_changed_and_nothing_else(rooms):
    rooms.add_team("vision", "Vision")
    assert rooms.set_team("vision", is_public=True).is_public
    made = rooms.set_team("vision", is_moderated=True, title="Seeing")
    assert (made.title, made.is_public, made.is_moderated) == ("Seeing", True, True)
    assert rooms.set_team("vision") == made == rooms.team("vision")
    assert not rooms.set_team("vision", is_public=False).is_public


def test_what_is_asked_of_no_team_is_refused(rooms, ada):
    with pytest.raises(SpecError, match="no team 'none'"):
        rooms.set_team("none", is_public=True)
    with pytest.raises(SpecError, match="no team 'none'"):
        rooms.set_role("none", ada.id, Role.ADMIN)
    with pytest.raises(SpecError, match="no such user"):
        rooms.set_role("main", "u-none", Role.ADMIN)


def test_a_role_is_set_changed_and_taken(rooms, ada, max_):
    rooms.set_role("main", max_.id, Role.VIEWER)
    rooms.set_role("main", max_.id, Role.MEMBER)
    assert rooms.role(max_.id, "main") is Role.MEMBER
    assert rooms.members("main") == (
        Member(team="main", user_id=ada.id, user_name="ada", role=Role.ADMIN),
        Member(team="main", user_id=max_.id, user_name="max", role=Role.MEMBER),
    )
    rooms.set_role("main", max_.id, None)
    rooms.set_role("main", max_.id, None)
    assert rooms.role(max_.id, "main") is None


def test_a_role_in_one_team_is_none_in_another(rooms, ada, max_):
    rooms.add_team("vision")
    rooms.set_role("vision", max_.id, Role.ADMIN)
    assert rooms.role(max_.id, "main") is None
    assert rooms.role(ada.id, "vision") is None
    assert [(team.slug, role) for team, role in rooms.teams_of(max_.id)] == [("vision", Role.ADMIN)]


@pytest.mark.parametrize("role", [None, Role.VIEWER, Role.MEMBER])
def test_the_last_admin_of_a_team_stays_one(rooms, ada, max_, role):
    rooms.set_role("main", max_.id, Role.MEMBER)
    with pytest.raises(SpecError, match="last admin of team 'main'"):
        rooms.set_role("main", ada.id, role)
    rooms.set_role("main", ada.id, Role.ADMIN)
    rooms.set_role("main", max_.id, Role.ADMIN)
    rooms.set_role("main", ada.id, role)
    assert rooms.role(ada.id, "main") is role


def test_an_admin_who_was_disabled_does_not_count(rooms, ada, max_):
    rooms.set_role("main", max_.id, Role.ADMIN)
    rooms.disable(max_.id)
    with pytest.raises(SpecError, match="last admin"):
        rooms.set_role("main", ada.id, None)


def test_of_two_admins_who_leave_at_once_one_stays(address):
    with Store.open(address) as store:
        rooms = store.accounts
        people = [rooms.add_user(name, None).id for name in ("ada", "max")]
        for _ in range(5):
            for user_id in people:
                rooms.set_role("main", user_id, Role.ADMIN)
            with ThreadPoolExecutor(2) as pool:
                left = list(pool.map(lambda it: leaves(rooms, it), people))
            assert sum(left) == 1


def leaves(rooms, user_id):
    try:
        rooms.set_role("main", user_id, None)
    except BenchmakerError:
        return False
    return True


def test_of_two_who_come_first_at_once_one_is_the_admin(address):
    with Store.open(address) as store, ThreadPoolExecutor(2) as pool:
        rooms = store.accounts
        made = list(pool.map(lambda name: rooms.add_user(name, None), ("ada", "max")))
        roles = [rooms.role(user.id, "main") for user in made]
        assert sorted(map(str, roles)) == ["None", "admin"]
