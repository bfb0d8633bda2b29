from itertools import product

import pytest

from benchmaker.record.account import Actor, ApiToken, Role, Scope, User, scopes_cover


def test_each_role_covers_itself_and_those_before_it():
    order = list(Role)
    assert order == ["viewer", "member", "admin"]
    for one, other in product(Role, Role):
        assert one.covers(other) == (order.index(one) >= order.index(other))


def test_each_scope_covers_itself_and_reading():
    assert all(scope.covers(scope) and scope.covers(Scope.READ) for scope in Scope)


def test_admin_covers_every_scope_and_no_other_does():
    assert all(Scope.ADMIN.covers(scope) for scope in Scope)
    assert not any(scope.covers(Scope.ADMIN) for scope in Scope if scope is not Scope.ADMIN)


def test_handing_in_and_writing_do_not_cover_each_other():
    assert not Scope.SUBMIT.covers(Scope.WRITE)
    assert not Scope.WRITE.covers(Scope.SUBMIT)
    assert scopes_cover((Scope.SUBMIT, Scope.WRITE), Scope.SUBMIT)


def test_no_scopes_cover_nothing_and_none_stands_for_all():
    assert not any(scopes_cover((), scope) for scope in Scope)
    assert all(scopes_cover(None, scope) for scope in Scope)


def an_actor(role: Role, scopes: tuple[Scope, ...] | None = None) -> Actor:
    return Actor(user_id="u-1", name="ada", team="main", role=role, scopes=scopes)


def test_an_actor_needs_the_role_and_the_scope():
    assert an_actor(Role.ADMIN).may(Role.ADMIN, Scope.ADMIN)
    assert not an_actor(Role.VIEWER).may(Role.MEMBER, Scope.WRITE)
    assert not an_actor(Role.ADMIN, (Scope.READ,)).may(Role.MEMBER, Scope.WRITE)
    assert not an_actor(Role.VIEWER, (Scope.ADMIN,)).may(Role.MEMBER, Scope.WRITE)


@pytest.mark.parametrize(
    ("fields", "works"),
    [
        ({}, True),
        ({"expires_at": "2026-01-02T00:00:00.001Z"}, True),
        ({"expires_at": "2026-01-02T00:00:00.000Z"}, False),
        ({"revoked_at": "2026-01-01T00:00:00.000Z"}, False),
    ],
)
def test_a_token_works_until_it_ends_or_is_revoked(fields, works):
    made = {"id": "t-1", "user_id": "u-1", "team": "main", "name": "ci", "made_at": "2025"}
    token = ApiToken(**made, scopes=(Scope.READ,), **fields)
    assert token.works_at("2026-01-02T00:00:00.000Z") is works


def test_a_disabled_person_is_not_enabled():
    assert User(id="u-1", name="ada", made_at="2025").is_enabled
    assert not User(id="u-1", name="ada", made_at="2025", disabled_at="2026").is_enabled
