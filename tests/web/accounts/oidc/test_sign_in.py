"""Signing in at a provider, from the button to the page that one wanted."""

import logging
import shutil
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from benchmaker.store import Store
from benchmaker.web.accounts.cookies import SIGNED
from benchmaker.web.accounts.oidc.provider import FRESH_S
from benchmaker.web.accounts.oidc.sign_in_state import COOKIE, LASTS_S
from benchmaker.web.accounts.throttle import ADDRESS
from tests.web.accessible import scrolls_sideways, violations_here
from tests.web.accounts.oidc.browsers import (
    BACK,
    agreed,
    begun,
    held,
    leads_to,
    name_of,
    settings,
    signed,
    through,
)
from tests.web.accounts.oidc.provider import (
    CLIENT,
    SECRET,
    key_of,
)
from tests.web.accounts.people import PASSWORDS, Asker, sign_in
from tests.web.serving import apps, serving

# As it should be


def test_whoever_is_known_there_is_signed_in_and_goes_where_they_wanted(address):
    answer = through(address, back="/runs?q=a")

    assert answer.status == 200
    assert leads_to(answer) == "/runs?q=a"
    assert name_of(address, answer) == "olga"
    assert "samesite=strict" in answer.cookies[0].lower()
    assert Asker(address, signed(answer)).get("/").status == 200


def test_the_button_is_there_with_its_name(address):
    page = Asker(address).get("/sign-in?next=/runs").text

    assert "Sign in with <bdi>Example login</bdi>" in page
    assert page.count('name="next" value="/runs"') == 2


def test_what_is_asked_for_is_little_and_bound_to_this_sign_in(address):
    _, there = begun(address)
    words = {word: said[0] for word, said in parse_qs(urlsplit(there).query).items()}

    assert words["redirect_uri"] == f"{address}{BACK}"
    assert words["scope"] == "openid profile"
    assert words["code_challenge_method"] == "S256"
    assert min(len(words[it]) for it in ("state", "nonce", "code_challenge")) >= 43
    _, again = begun(address)
    for word in ("state", "nonce", "code_challenge"):
        assert parse_qs(urlsplit(again).query)[word] != [words[word]]


def test_what_the_browser_keeps_meanwhile_is_sealed_lax_and_short(address):
    answer = Asker(address).post(BACK, next="/runs")
    cookie = answer.cookies[0]
    words = {it.strip().lower() for it in cookie.split(";")[1:]}

    assert {"httponly", "path=/", "samesite=lax", f"max-age={LASTS_S}"} <= words
    state = parse_qs(urlsplit(leads_to(answer)).query)["state"][0]
    assert state not in cookie


def test_over_https_everything_is_bound_to_the_host(home, provider, tmp_path):
    copy = Path(shutil.copytree(home, tmp_path / "home"))
    with serving(copy, works=False, is_https=True, oidc=settings(provider)) as address:
        answer = Asker(address).post(BACK, next="/runs")
        assert answer.cookies[0].startswith(f"__Host-{COOKIE}=")
        assert "; secure" in answer.cookies[0].lower()
        uri = parse_qs(urlsplit(leads_to(answer)).query)["redirect_uri"][0]
        assert uri == f"{address.replace('http:', 'https:')}{BACK}"
        provider.conduct.redirect_uris.append(uri)
        browser = Asker(address, {"Cookie": held(answer, f"__Host-{COOKIE}")})
        done = browser.get(agreed(leads_to(answer)))
        assert held(done, f"__Host-{SIGNED}")


def test_the_audit_log_says_how(own):
    address, home = own()
    assert through(address).status == 200
    with Store.open(home / "benchmaker.db") as store:
        line = store.accounts.audit_entries(limit=1)[0]

    told = (line.actor, line.action, line.object, line.detail)
    assert told == ("olga", "session.open", "olga", "by Example login")


def test_the_sign_in_before_ends(address):
    before, _ = sign_in(address, "vi")
    answer = through(address, asker=before)

    assert signed(answer)
    assert before.get("/").status == 303


def test_a_cookie_that_was_planted_is_not_taken_over(address):
    browser, there = begun(address)
    browser.headers["Cookie"] += f"; {SIGNED}=planted"
    answer = browser.get(agreed(there))

    assert "planted" not in signed(answer)["Cookie"]


@pytest.mark.parametrize("posts", [False, True])
def test_the_secret_is_sent_as_the_provider_takes_it(address, provider, posts):
    provider.conduct.posts_secret = posts

    assert signed(through(address))


@pytest.mark.parametrize(
    ("algorithm", "kind"),
    [("RS256", "RSA"), ("PS256", "RSA"), ("ES256", "EC"), ("EdDSA", "OKP")],
)
def test_each_way_of_signing_is_understood(address, provider, algorithm, kind):
    provider.conduct.algorithm = algorithm
    provider.conduct.key = key_of(kind, "own")
    provider.conduct.told = [key_of("RSA", "k-1"), key_of(kind, "own")]

    assert signed(through(address))


def test_an_audience_among_others_is_ours_where_the_token_is_for_us(address, provider):
    provider.conduct.claims = {"aud": ["another", CLIENT], "azp": CLIENT}

    assert signed(through(address))


def test_new_keys_are_asked_for_once_when_one_is_unknown(address, provider):
    assert signed(through(address))
    provider.conduct.key = key_of("RSA", "k-2")
    provider.conduct.told = [key_of("RSA", "k-2")]
    provider.conduct.asked.clear()

    assert signed(through(address))
    assert provider.conduct.asked.count("/keys") == 1
    provider.conduct.asked.clear()
    assert signed(through(address))
    assert provider.conduct.asked.count("/keys") == 0


def test_a_provider_that_is_away_for_a_while_is_taken_as_it_was(address, provider):
    assert signed(through(address))
    apps[address].state.bench.settings.clock.ahead_s = FRESH_S + 1
    provider.conduct.claims = {"exp": int(time.time() + FRESH_S + 100)}
    provider.conduct.document = {"issuer": "https://another.example"}

    assert signed(through(address))


# Where it leads


@pytest.mark.parametrize(
    "odd",
    ["//evil.example", "https://evil.example", "/\\evil.example", "/\t/evil", "", "/sign-in/oidc"],
)
def test_it_leads_nowhere_else(address, odd):
    assert leads_to(through(address, back=odd)) == "/"


def test_a_page_with_a_very_long_address_is_forgotten_on_the_way(address):
    assert leads_to(through(address, back="/runs?q=" + "ä" * 4_000)) == "/"


def test_the_page_that_goes_on_keeps_odd_addresses_whole(address):
    assert leads_to(through(address, back="/runs?q='\";url=//evil")) == "/runs?q='\";url=//evil"


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_sites_page_begins_nothing_and_the_provider_leads_back(address, site):
    assert Asker(address).ask("POST", BACK, {}, Sec_Fetch_Site=site).status == 403
    ada, _ = sign_in(address, "ada")
    link = "/account/identity/link"
    assert ada.ask("POST", link, {"password": PASSWORDS["ada"]}, Sec_Fetch_Site=site).status == 403
    browser, there = begun(address)
    assert signed(browser.ask("GET", agreed(there), Sec_Fetch_Site=site))


def test_without_a_provider_there_is_none_of_it(own_server):
    assert "oidc" not in own_server.nobody.get("/sign-in").text
    assert own_server.nobody.get(f"{BACK}?state=a&code=b").status == 404
    assert own_server.nobody.post(BACK).status == 404
    assert own_server.browser("ada").post("/account/identity/link").status == 404


# Limits, and what is told


def test_failures_are_counted_for_the_address(address):
    apps[address].state.bench.settings.clock.stop()
    statuses = [
        Asker(address).get(f"{BACK}?state=a&code=b").status for _ in range(ADDRESS.free + 5)
    ]

    assert statuses[: ADDRESS.free] == [422] * ADDRESS.free
    late = Asker(address).get(f"{BACK}?state=a&code=b")
    assert (late.status, int(late.headers["retry-after"]) >= 1) == (429, True)
    assert sign_in(address, "ada")[1].status == 429


def test_sign_ins_are_not_held_against_the_address(address):
    for _ in range(ADDRESS.free + 3):
        assert signed(through(address))


def test_no_answer_and_no_log_holds_what_opens_something(own, provider, caplog):
    caplog.set_level(logging.DEBUG)
    address, home = own()
    told = []

    def asked(answer):
        told.append(
            answer.text + repr({k: v for k, v in answer.headers.items() if k != "set-cookie"})
        )
        return answer

    browser, there = begun(address)
    done = asked(browser.get(agreed(there)))
    assert signed(done)
    asked(browser.get("/sign-in"))
    asked(Asker(address, signed(done)).get("/account"))
    for conduct in ({"nonce": "another"}, {"aud": "another"}, {"sub": "nobody"}):
        provider.conduct.claims = conduct
        asked(through(address))
    provider.conduct.token = (500, "{}", {})
    asked(through(address))
    with Store.open(home / "benchmaker.db") as store:
        lines = repr(store.accounts.audit_entries(limit=50))
    kept = b"".join(it.read_bytes() for it in home.glob("benchmaker.db*"))
    secrets = [*provider.conduct.secrets, SECRET]

    assert len(secrets) > 8
    for secret in secrets:
        assert not any(secret in text for text in told)
        assert secret not in caplog.text
        assert secret not in lines
        assert secret.encode() not in kept
    assert SECRET not in repr(apps[address].state.bench.settings)


def test_the_address_that_has_the_code_goes_to_nobody(address):
    answer = through(address)

    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-store"


# In a browser


@pytest.mark.parametrize("width", [375, 1440])
def test_the_button_leads_there_and_back(tab, address, width):
    """The provider has another name, so that strict cookies don't come along from it."""
    tab.set_viewport_size({"width": width, "height": 900})
    tab.goto(f"{address}/runs")
    assert violations_here(tab) == []
    assert not scrolls_sideways(tab)
    tab.get_by_role("button", name="Sign in with Example login").click()
    tab.wait_for_url("**/runs")

    tab.get_by_role("link", name="Account of olga").click()
    tab.wait_for_url("**/account")
    assert violations_here(tab) == []
    assert not scrolls_sideways(tab)


def test_it_works_without_script(chromium, address):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/account")
    page.get_by_role("button", name="Sign in with Example login").click()
    page.wait_for_url("**/account")
    assert page.locator("h1").inner_text() == "Account"
    context.close()
