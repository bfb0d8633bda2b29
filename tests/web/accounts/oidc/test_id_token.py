"""ID tokens by themselves: what was changed in any place is refused."""

import base64
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joserfc import jwt

from benchmaker.web.accounts.oidc.id_token import ALGORITHMS, keys_of, verify_id_token
from benchmaker.web.accounts.oidc.refusal import ProviderUnavailable, SignInRefused
from tests.draws import draws
from tests.web.accounts.oidc.provider import forged, key_of

KEY = key_of("EC", "k-1")
NOW = 1_700_000_000
PROPER = {"iss": "https://id.example", "aud": "bench", "sub": "s", "nonce": "n"}


def claims(**more):
    return {**PROPER, "iat": NOW, "exp": NOW + 300, **more}


def made(**more):
    return jwt.encode({"alg": "ES256", "kid": "k-1"}, claims(**more), KEY)


def looked_at(token, told=None, **more):
    words = {
        "issuer": "https://id.example", "client_id": "bench", "nonce": "n",
        "algorithms": ALGORITHMS, "now": NOW,
    }  # fmt: skip
    keys = keys_of({"keys": [KEY.as_dict(private=False)] if told is None else told})
    return verify_id_token(token, keys, **{**words, **more})


def test_a_proper_one_says_what_it_says():
    assert looked_at(made(email="a@example.org"))["email"] == "a@example.org"


@given(st.data())
@settings(max_examples=draws(50, 150), deadline=None)
def test_one_that_was_changed_in_any_place_is_refused(data):
    """The last character of a part may carry bits that mean nothing, and is left alone."""
    token = made()
    parts = token.split(".")
    ends = {len(".".join(parts[: n + 1])) - 1 for n in range(3)}
    place = data.draw(st.integers(0, len(token) - 1).filter(lambda it: it not in ends))
    other = data.draw(st.sampled_from("ABab01_-.").filter(lambda it: it != token[place]))

    with pytest.raises(SignInRefused):
        looked_at(token[:place] + other + token[place + 1 :])


@given(st.one_of(st.text(), st.none(), st.integers(), st.lists(st.text())))
@settings(max_examples=draws(40, 100), deadline=None)
def test_whatever_is_no_token_is_refused(token):
    with pytest.raises(SignInRefused):
        looked_at(token)


@given(
    st.sampled_from(["iss", "aud", "sub", "exp", "iat", "nbf", "nonce", "azp"]),
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.floats(), st.text(max_size=5)),
        lambda it: st.one_of(st.lists(it, max_size=2), st.dictionaries(st.text(), it, max_size=2)),
        max_leaves=3,
    ),
)
@settings(max_examples=draws(60, 200), deadline=None)
def test_a_claim_of_any_other_kind_never_passes_for_ours(claim, value):
    try:
        found = looked_at(made(**{claim: value}))
    except SignInRefused:
        return
    assert (found["iss"], found["sub"] != "", found["nonce"]) == ("https://id.example", True, "n")
    assert found["aud"] == "bench"
    assert found["exp"] > NOW - 61


@pytest.mark.parametrize("head", [{"alg": "none"}, {"alg": "HS256"}, {"alg": ["ES256"]}, {}])
def test_a_head_that_names_no_algorithm_of_ours_is_refused(head):
    with pytest.raises(SignInRefused):
        looked_at(forged({"kid": "k-1", **head}, claims(), KEY.as_pem(private=False)))


def test_an_algorithm_that_the_provider_does_not_use_is_refused():
    with pytest.raises(SignInRefused):
        looked_at(made(), algorithms=("RS256",))


def test_what_must_be_understood_and_is_not_is_refused():
    head = {"alg": "ES256", "kid": "k-1", "crit": ["exp"], "exp": 1}
    body = ".".join(
        base64.urlsafe_b64encode(json.dumps(it).encode()).decode().rstrip("=")
        for it in (head, claims())
    )
    with pytest.raises(SignInRefused):
        looked_at(f"{body}.{'A' * 86}")


def test_the_reason_names_the_claim_and_not_what_it_says():
    with pytest.raises(SignInRefused, match="InvalidClaim nonce") as found:
        looked_at(made(nonce="something private"))
    assert "private" not in str(found.value)


def test_without_a_name_the_only_key_that_fits_counts():
    token = jwt.encode({"alg": "ES256"}, claims(), KEY)
    own, other = (it.as_dict(private=False) for it in (KEY, key_of("EC", "k-2")))
    rsa = key_of("RSA", "k-3").as_dict(private=False)

    assert looked_at(token, [own, rsa])
    with pytest.raises(SignInRefused):
        looked_at(token, [own, other])


@pytest.mark.parametrize(
    "key",
    [
        {"kty": "oct", "k": "AAAA", "kid": "k-1"},
        {"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA", "kid": "k-1"},
        {"kty": "EC", "crv": "nosuch", "x": "AA", "y": "AA", "kid": "k-1"},
        {"kty": "RSA", "n": "AQAB", "e": "AQAB", "kid": "k-1"},
        {"kty": "RSA", "n": 7, "e": None},
        {"kty": ["EC"]},
        {"kty": "ML-DSA"},
        {**KEY.as_dict(private=False), "use": "enc"},
        {},
        None,
        "EC",
    ],
)
def test_what_is_no_key_to_verify_with_is_passed_over(key):
    own = KEY.as_dict(private=False)

    assert keys_of({"keys": [key]}) == ()
    assert len(keys_of({"keys": [key, own]})) == 1


@pytest.mark.parametrize("told", [{}, {"keys": None}, {"keys": "x"}, {"keys": {}}])
def test_what_is_no_set_of_keys_is_refused(told):
    with pytest.raises(ProviderUnavailable):
        keys_of(told)
