"""Answers and tokens that were made up, or are not for us."""

import re
import time
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from benchmaker.web.accounts.oidc.sign_in_state import COOKIE, LASTS_S
from tests.web.accounts.oidc.browsers import (
    BACK,
    OLGA,
    agreed,
    begun,
    is_refused,
    signed,
    through,
)
from tests.web.accounts.oidc.provider import (
    CLIENT,
    key_of,
    symmetric,
)
from tests.web.accounts.people import Asker
from tests.web.serving import apps

# What was made up, or is not for us


def test_an_answer_with_another_state_opens_nothing(address):
    browser, there = begun(address)
    path = agreed(there)
    wrong = re.sub(r"state=[^&]*", "state=" + "A" * 43, path)

    assert is_refused(browser.get(wrong))


def test_an_answer_without_a_state_opens_nothing(address):
    browser, there = begun(address)

    assert is_refused(browser.get(re.sub(r"&?state=[^&]*", "", agreed(there))))
    assert is_refused(browser.get(BACK))


def test_a_state_that_is_said_twice_is_none(address):
    browser, there = begun(address)
    path = agreed(there)

    assert is_refused(browser.get(f"{path}&state={'A' * 43}"))


def test_an_answer_counts_once(address, provider):
    browser, there = begun(address)
    path = agreed(there)
    assert signed(browser.get(path))
    provider.conduct.asked.clear()

    assert is_refused(browser.get(path))
    assert provider.conduct.asked == []


def test_a_code_of_another_sign_in_opens_nothing(address):
    """The provider binds a code to the verifier, which this browser does not have."""
    _, theirs = begun(address)
    browser, there = begun(address)
    code = parse_qs(urlsplit(agreed(theirs)).query)["code"][0]
    path = re.sub(r"code=[^&]*", f"code={code}", agreed(there))

    assert is_refused(browser.get(path), 503)


def test_whoever_is_sent_somebody_elses_answer_is_not_signed_in_as_them(address):
    """Login CSRF: an attacker's answer in the browser of another person."""
    _, there = begun(address)
    path = agreed(there)

    assert is_refused(Asker(address).get(path))
    victim, _ = begun(address)
    assert is_refused(victim.get(path))


@pytest.mark.parametrize("odd", ["", "x", "A" * 200, "gAAAAABn" + "A" * 100, "A" * 5_000])
def test_a_cookie_that_was_not_made_here_is_none(address, odd):
    _, there = begun(address)
    browser = Asker(address, {"Cookie": f"{COOKIE}={odd}"})

    assert is_refused(browser.get(agreed(there)))


def test_a_sign_in_that_takes_too_long_has_to_begin_again(address):
    browser, there = begun(address)
    path = agreed(there)
    apps[address].state.bench.settings.clock.ahead_s = LASTS_S + 1

    assert is_refused(browser.get(path))


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"nonce": ""},
        {"aud": "another"},
        {"aud": None},
        {"aud": []},
        {"aud": ["another", CLIENT]},
        {"aud": [CLIENT, "another"], "azp": "another"},
        {"azp": "another"},
        {"iss": "https://another.example"},
        {"iss": None},
        {"iss": ["http://localhost"]},
        {"exp": 1_000_000},
        {"exp": None},
        {"exp": "tomorrow"},
        {"exp": float("inf")},
        {"iat": None},
        {"iat": 9_999_999_999},
        {"nbf": 9_999_999_999},
        {"sub": None},
        {"sub": ""},
        {"sub": 7},
        {"sub": "x" * 256},
        {"sub": [OLGA["sub"]]},
    ],
)
def test_a_token_that_is_not_for_this_sign_in_opens_nothing(address, provider, claims):
    provider.conduct.claims = claims

    assert is_refused(through(address))


def test_a_clock_that_is_a_little_off_is_forgiven(address, provider):
    now = int(time.time())
    provider.conduct.claims = {"iat": now + 30, "nbf": now + 30, "exp": now - 30}

    assert signed(through(address))


def test_a_token_without_a_signature_opens_nothing(address, provider):
    provider.conduct.algorithm = "none"

    assert is_refused(through(address))


def test_a_token_that_is_signed_with_the_public_key_as_a_secret_opens_nothing(address, provider):
    provider.conduct.algorithm = "HS256"

    assert is_refused(through(address))


def test_a_secret_among_the_keys_is_no_key(address, provider):
    provider.conduct.algorithm = "HS256"
    provider.conduct.told = [symmetric(key_of("RSA", "k-1"))]

    assert is_refused(through(address))


def test_a_key_of_the_attackers_own_in_the_token_is_not_looked_at(address, provider):
    provider.conduct.key = key_of("RSA", "evil")
    public = key_of("RSA", "evil").as_dict(private=False)
    provider.conduct.header = {"alg": "RS256", "kid": "k-1", "jwk": public}

    assert is_refused(through(address))


def test_an_unknown_key_opens_nothing_and_is_asked_for_once(address, provider):
    provider.conduct.key = key_of("RSA", "evil")
    browser, there = begun(address)
    path = agreed(there)
    provider.conduct.asked.clear()

    assert is_refused(browser.get(path))
    assert provider.conduct.asked.count("/keys") == 1


def test_the_right_name_of_a_key_with_another_signature_opens_nothing(address, provider):
    provider.conduct.key = key_of("RSA", "evil")
    provider.conduct.header = {"alg": "RS256", "kid": "k-1"}

    assert is_refused(through(address))


@pytest.mark.parametrize("odd", ["", "a.b.c", "eyJhbGciOiJSUzI1NiJ9..", "[" * 200_000])
def test_what_is_no_token_opens_nothing(address, provider, odd):
    provider.conduct.id_token = odd

    assert is_refused(through(address))


def test_an_answer_of_another_provider_opens_nothing(address, provider):
    """RFC 9207: whoever speaks with several providers mixes them up; the issuer is looked at."""
    provider.conduct.names_itself = True
    browser, there = begun(address)
    path = agreed(there)
    wrong = re.sub(r"iss=[^&]*", urlencode({"iss": "https://another.example"}), path)
    assert is_refused(browser.get(wrong))

    browser, there = begun(address)
    assert is_refused(browser.get(re.sub(r"&iss=[^&]*", "", agreed(there))))
    assert signed(through(address))


def test_a_person_who_says_no_is_told_to_begin_again(address, provider):
    browser, there = begun(address)
    state = parse_qs(urlsplit(there).query)["state"][0]
    told = {"error": "access_denied", "error_description": "Call 555", "state": state}
    answer = browser.get(f"{BACK}?{urlencode(told)}")

    assert is_refused(answer)
    assert "555" not in answer.text
    assert "access_denied" not in answer.text
    assert "/token" not in provider.conduct.asked
