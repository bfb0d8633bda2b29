"""Streams end once whoever follows them may not see them any more."""

import asyncio
from contextlib import closing
from types import SimpleNamespace

import pytest
from starlette.datastructures import Headers

from benchmaker.record.account import Role
from benchmaker.store import Store
from benchmaker.web.accounts.authentication import Authenticator
from benchmaker.web.accounts.streams import GuardedStream
from benchmaker.web.settings import Settings
from tests.web.accounts.people import PASSWORDS, sign_in
from tests.web.serving import serving

START = {
    "type": "http.response.start",
    "status": 200,
    "headers": [(b"content-type", b"text/event-stream; charset=utf-8")],
}
WORD = {"type": "http.response.body", "body": b"event: beat\n\n", "more_body": True}
END = {"type": "http.response.body", "body": b"", "more_body": False}


@pytest.fixture
def store(own_signed_home):
    with closing(Store.open(own_signed_home / "benchmaker.db")) as opened:
        yield opened


@pytest.fixture
def signed(store, own_signed_home):
    settings = Settings(home=own_signed_home, works=False)
    return Authenticator(SimpleNamespace(settings=settings, store=store))


def followed(signed, secret, *, meanwhile, again_s=0.0, start=START):
    """What is sent of a stream of three words, where something happens after the first."""

    async def follow():
        headers = Headers({"authorization": f"Bearer {secret}"})
        scope = {
            "type": "http", "method": "GET", "path": "/api/v1/jobs/j/events", "query_string": b"",
            "scheme": "http", "client": ("192.0.2.1", 1), "headers": headers.raw,
        }  # fmt: skip
        assert await signed.challenge(scope, headers) is None
        sent = []

        async def send(message):
            sent.append(message)

        lasting = GuardedStream(signed, scope, headers, send, again_s=again_s)
        await lasting.send(start)
        await lasting.send(WORD)
        meanwhile()
        await lasting.send(WORD)
        await lasting.send(WORD)
        return sent

    return asyncio.run(follow())


def nothing():
    pass


def test_a_stream_goes_on_as_long_as_its_listener_may_hear_it(signed, signed_home):
    sent = followed(signed, signed_home[1]["read"], meanwhile=nothing)

    assert sent == [START, WORD, WORD, WORD]


def revoke(store, person):
    for token in store.accounts.tokens(user_id=person.id):
        store.accounts.revoke_token(token.id)


AWAY = {
    "disabled": lambda store, person: store.accounts.disable(person.id),
    "out of the team": lambda store, person: store.accounts.set_role("main", person.id, None),
    "their token is revoked": revoke,
}


@pytest.mark.parametrize("why", AWAY)
def test_a_stream_ends_at_its_next_word_when_its_listener_is(signed, signed_home, store, why):
    person = store.accounts.user("vi")

    def meanwhile():
        AWAY[why](store, person)

    sent = followed(signed, signed_home[1]["vi-read"], meanwhile=meanwhile)

    assert sent == [START, WORD, END]


def test_a_lower_role_ends_it_too(signed, signed_home, store):
    store.accounts.set_role("main", store.accounts.user("max").id, Role.ADMIN)
    ada = store.accounts.user("ada")

    def meanwhile():
        store.accounts.set_role("main", ada.id, Role.VIEWER)

    assert followed(signed, signed_home[1]["read"], meanwhile=meanwhile) == [START, WORD, END]


def test_between_two_looks_nobody_is_asked(signed, signed_home, store):
    person = store.accounts.user("vi")

    def meanwhile():
        store.accounts.disable(person.id)

    sent = followed(signed, signed_home[1]["vi-read"], meanwhile=meanwhile, again_s=3600.0)

    assert sent == [START, WORD, WORD, WORD]


def test_what_is_no_stream_is_sent_whole(signed, signed_home, store):
    person = store.accounts.user("vi")
    start = {**START, "headers": [(b"content-type", b"application/json")]}

    def meanwhile():
        store.accounts.disable(person.id)

    sent = followed(signed, signed_home[1]["vi-read"], meanwhile=meanwhile, start=start)

    assert sent == [start, WORD, WORD, WORD]


def test_following_does_not_keep_a_sign_in_alive(own_signed_home, store):
    with serving(own_signed_home, works=False) as address:
        _, answer = sign_in(address, "vi", PASSWORDS["vi"])
        cookie = answer.cookies[0].partition(";")[0]
    person = store.accounts.user("vi")
    later = store.accounts.sessions(person.id)[0]
    settings = Settings(home=own_signed_home, works=False)
    signed = Authenticator(SimpleNamespace(settings=settings, store=store))
    headers = Headers({"cookie": cookie})
    scope = {"type": "http", "method": "GET", "path": "/", "scheme": "http", "state": {}}
    scope["state"]["actor"] = signed._identify(scope, headers, is_use=False).actor

    assert asyncio.run(signed.is_still_in(scope, headers))
    assert store.accounts.sessions(person.id)[0].seen_at == later.seen_at
