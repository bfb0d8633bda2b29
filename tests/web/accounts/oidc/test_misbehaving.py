"""A provider that does not do what it should, or is away."""

import shutil
from pathlib import Path

import pytest

from benchmaker.accounts.oidc_settings import OidcSettings
from benchmaker.web.accounts.oidc.provider_requests import LARGEST
from tests.web.accounts.oidc.browsers import (
    BACK,
    agreed,
    begun,
    is_refused,
    signed,
    through,
)
from tests.web.accounts.people import Asker, sign_in
from tests.web.serving import apps, serving

# A provider that does not do what it should


@pytest.mark.parametrize(
    "answer",
    [
        (500, "{}", {}),
        (400, '{"error": "invalid_grant"}', {}),
        (200, "not JSON", {}),
        (200, "[]", {}),
        (200, "[" * 100_000, {}),
        (200, '{"id_token": "' + "a" * (LARGEST + 1) + '"}', {}),
        (302, "", {"location": "http://127.0.0.1:1/"}),
        (307, "", {"location": "/token"}),
    ],
    ids=["fails", "refuses", "garbage", "a list", "deep", "huge", "redirects", "redirects here"],
)
def test_a_token_endpoint_that_misbehaves_opens_nothing(address, provider, answer):
    provider.conduct.token = answer

    assert is_refused(through(address), 503)


def test_a_token_endpoint_that_never_answers_is_given_up(own, provider):
    address, _ = own()
    browser, there = begun(address)
    path = agreed(there)
    provider_of(address)._asking._total_s = 0.4
    provider.conduct.delay_s = 3_600.0

    assert is_refused(browser.get(path), 503)


def provider_of(address):
    return apps[address].state.oidc_sign_in.provider


@pytest.mark.parametrize(
    "document",
    [
        {"issuer": "https://another.example"},
        {"issuer": None},
        {"authorization_endpoint": None},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"token_endpoint": "http://another.example/token"},
        {"token_endpoint": "https://a:b@another.example/token"},
        {"jwks_uri": 7},
        {"id_token_signing_alg_values_supported": ["HS256", "none"]},
        {"id_token_signing_alg_values_supported": "RS256"},
        {"token_endpoint_auth_methods_supported": ["private_key_jwt"]},
    ],
)
def test_a_provider_that_describes_itself_oddly_is_not_gone_to(address, provider, document):
    provider.conduct.document = document
    answer = Asker(address).post(BACK, next="/runs")

    assert is_refused(answer, 503)
    assert answer.cookies == ()


def test_the_server_starts_and_takes_passwords_while_the_provider_is_away(home, tmp_path):
    copy = Path(shutil.copytree(home, tmp_path / "home"))
    away = OidcSettings(issuer="http://127.0.0.1:9", client_id="a", client_secret="b" * 9)
    with serving(copy, works=False, oidc=away) as address:
        answer = Asker(address).post(BACK, next="/runs")
        assert is_refused(answer, 503)
        assert "is not responding correctly" in answer.text
        assert 'name="next" value="/runs"' in answer.text
        assert sign_in(address, "ada")[1].status == 303


def test_one_that_was_away_is_asked_again_soon(address, provider):
    clock = apps[address].state.bench.settings.clock
    clock.stop()
    provider.conduct.document = {"issuer": None}
    assert Asker(address).post(BACK).status == 503
    provider.conduct.asked.clear()
    assert Asker(address).post(BACK).status == 503
    assert provider.conduct.asked == []
    provider.conduct.document = {}
    clock.ahead_s = 3.0

    assert signed(through(address))
