from itertools import product

import pytest

from benchmaker.record.account import Actor, ApiToken, Role, TokenScope, User, scopes_cover


def test_each_role_covers_itself_and_those_before_it():
    order = list(Role)
    assert order == ["viewer", "member", "admin"]
    for one, other in product(Role, Role):
        assert one.covers(other) == (order.index(one) >= order.index(other))


def test_each_scope_covers_itself_and_reading():
    assert all(scope.covers(scope) and scope.covers(TokenScope.READ) for scope in TokenScope)


def test_admin_covers_every_scope_and_no_other_does():
    assert all(TokenScope.ADMIN.covers(scope) for scope in TokenScope)
    assert not any(
        scope.covers(TokenScope.ADMIN) for scope in TokenScope if scope is not TokenScope.ADMIN
    )


def test_handing_in_and_writing_do_not_cover_each_other():
    assert not TokenScope.SUBMIT.covers(TokenScope.WRITE)
    assert not TokenScope.WRITE.covers(TokenScope.SUBMIT)
    assert scopes_cover((TokenScope.SUBMIT, TokenScope.WRITE), TokenScope.SUBMIT)


def test_no_scopes_cover_nothing_and_none_stands_for_all():
    assert not any(scopes_cover((), scope) for scope in TokenScope)
    assert all(scopes_cover(None, scope) for scope in TokenScope)


def an_actor(role: Role, scopes: tuple[TokenScope, ...] | None = None) -> Actor:
    return Actor(user_id="u-1", name="ada", team="main", role=role, scopes=scopes)


def test_an_actor_needs_the_role_and_the_scope():
    assert an_actor(Role.ADMIN).may(Role.ADMIN, TokenScope.ADMIN)
    assert not an_actor(Role.VIEWER).may(Role.MEMBER, TokenScope.WRITE)
    assert not an_actor(Role.ADMIN, (TokenScope.READ,)).may(Role.MEMBER, TokenScope.WRITE)
    assert not an_actor(Role.VIEWER, (TokenScope.ADMIN,)).may(Role.MEMBER, TokenScope.WRITE)


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
    token = ApiToken(**made, scopes=(TokenScope.READ,), **fields)
    assert token.works_at("2026-01-02T00:00:00.000Z") is works


def test_a_disabled_person_is_not_enabled():
    assert User(id="u-1", name="ada", made_at="2025").is_enabled
    assert not User(id="u-1", name="ada", made_at="2025", disabled_at="2026").is_enabled
