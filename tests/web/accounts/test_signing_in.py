import threading
from datetime import UTC, datetime

import pytest

from benchmaker.record.account import Role
from benchmaker.store import Store
from benchmaker.web.accounts.authentication import IDLE_S
from benchmaker.web.accounts.cookies import SIGNED
from benchmaker.web.accounts.sign_ins import LASTS_S
from benchmaker.web.accounts.throttle import ADDRESS
from tests.web.accounts.people import PASSWORDS, Asker, sign_in, with_token
from tests.web.serving import apps, serving


class Clock:
    """A clock that a test turns."""

    def __init__(self):
        self.now = datetime.now(UTC).timestamp()

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def timed(own_signed_home, clock):
    """The address of a server whose clock is turned by hand."""
    with serving(own_signed_home, works=False, clock=clock) as address:
        yield address


@pytest.fixture
def hashes(timed):
    """What passwords were compared with, as often as they were."""
    tried = apps[timed].state.sign_ins
    real, seen = tried.verify, []

    def counting(kept, password):
        seen.append(kept)
        return real(kept, password)

    tried.verify = counting
    return seen


def test_a_page_leads_to_the_form_and_back(own_server):
    answer = own_server.nobody.get("/runs?q=a&sort=-mean")
    assert (answer.status, answer.headers["location"]) == (
        303,
        "/sign-in?next=/runs%3Fq%3Da%26sort%3D-mean",
    )
    form = own_server.nobody.get(answer.headers["location"])
    assert 'value="/runs?q=a&amp;sort=-mean"' in form.text

    done = own_server.nobody.ask(
        "POST",
        "/sign-in",
        {"name": "vi", "password": PASSWORDS["vi"], "next": "/runs?q=a&sort=-mean"},
    )
    assert (done.status, done.headers["location"]) == (303, "/runs?q=a&sort=-mean")


@pytest.mark.parametrize(
    "odd", ["//evil.example", "https://evil.example", "/\\evil.example", "/\t/evil", "", "/sign-in"]
)
def test_it_leads_nowhere_else(own_server, odd):
    fields = {"name": "vi", "password": PASSWORDS["vi"], "next": odd}

    assert own_server.nobody.ask("POST", "/sign-in", fields).headers["location"] == "/"


def test_the_cookie_is_for_this_server_and_for_no_script(own_server):
    _, answer = sign_in(own_server.address, "ada")

    assert len(answer.cookies) == 1
    words = answer.cookies[0].lower()
    assert words.startswith(f"{SIGNED}=")
    assert {"httponly", "path=/", "samesite=strict"} <= {it.strip() for it in words.split(";")}


def test_over_https_it_is_bound_to_the_host(own_signed_home):
    with serving(own_signed_home, works=False, is_https=True) as address:
        asker, answer = sign_in(address, "ada")
        assert answer.cookies[0].startswith(f"__Host-{SIGNED}=")
        assert "; secure" in answer.cookies[0].lower()
        assert "domain" not in answer.cookies[0].lower()
        assert answer.headers["strict-transport-security"] == "max-age=31536000"
        assert asker.get("/").status == 200
        bare = Asker(address, {"Cookie": asker.headers["Cookie"].removeprefix("__Host-")})
        assert bare.get("/").status == 303


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("ada", "not the password"),
        ("ada", ""),
        ("nobody-there", "not the password"),
        ("max", PASSWORDS["ada"]),
        ("ada", PASSWORDS["ada"] + "\x00"),
        ("ada", "x" * 5_000),
        ("\x00", "\x00"),
        ("a" * 3_000, "b"),
    ],
)
def test_what_does_not_fit_opens_nothing(own_server, name, password):
    asker, answer = sign_in(own_server.address, name, password)

    assert answer.status == 422
    assert answer.cookies == ()
    assert "Wrong name or password" in answer.text
    assert asker.get("/").status == 303


def test_a_name_counts_in_whatever_case(own_server):
    assert sign_in(own_server.address, "Ada", PASSWORDS["ada"])[1].status == 303


def test_one_who_was_disabled_is_out_at_once(own_server):
    ada, vi = own_server.browser("ada"), own_server.browser("vi")
    token = own_server.program("vi-read")
    assert (vi.get("/").status, token.get("/").status) == (200, 200)

    with Store.open(own_server.home / "benchmaker.db") as store:
        store.accounts.disable(store.accounts.user("vi").id)

    assert (vi.get("/").status, token.get("/").status) == (303, 401)
    assert sign_in(own_server.address, "vi")[1].status == 422
    assert ada.get("/").status == 200


def test_a_role_counts_from_the_next_request_on(own_server):
    browser, program = own_server.browser("max"), own_server.program("write")
    with Store.open(own_server.home / "benchmaker.db") as store:
        accounts = store.accounts
        accounts.set_role("main", accounts.user("max").id, Role.VIEWER)
    assert browser.post("/suites/check").status == 403

    with Store.open(own_server.home / "benchmaker.db") as store:
        accounts = store.accounts
        accounts.set_role("main", accounts.user("max").id, Role.ADMIN)
        accounts.set_role("main", accounts.user("ada").id, None)
    assert program.get("/api/v1/runs").status == 401
    assert browser.post("/suites/check").status != 403


# Sessions


def test_a_cookie_that_was_there_before_is_not_taken_over(own_server):
    planted = f"{SIGNED}=planted-by-somebody-else"
    fields = {"name": "vi", "password": PASSWORDS["vi"]}
    answer = own_server.nobody.ask("POST", "/sign-in", fields, Cookie=planted)

    assert "planted" not in answer.cookies[0]
    assert Asker(own_server.address, {"Cookie": planted}).get("/").status == 303


def test_signing_in_anew_ends_the_sign_in_before(own_server):
    before = own_server.browser("vi")
    fields = {"name": "max", "password": PASSWORDS["max"]}
    answer = before.ask("POST", "/sign-in", fields)

    after = Asker(own_server.address, {"Cookie": answer.cookies[0].partition(";")[0]})
    assert before.headers["Cookie"] != after.headers["Cookie"]
    assert (before.get("/").status, after.get("/").status) == (303, 200)


def test_signing_out_ends_it_for_whoever_copied_the_cookie(own_server):
    browser = own_server.browser("vi")
    answer = browser.post("/sign-out")

    assert (answer.status, answer.headers["location"]) == (303, "/sign-in")
    assert "max-age=0" in answer.cookies[0].lower()
    assert browser.get("/").status == 303


def test_a_forged_or_broken_cookie_is_nobodys(own_server):
    real = own_server.browser("vi").headers["Cookie"]
    for odd in (real[:-1], real + "x", f"{SIGNED}=", f"{SIGNED}={'a' * 5_000}", "a=b; =; ;;"):
        assert Asker(own_server.address, {"Cookie": odd}).get("/").status == 303


def test_the_token_of_a_server_without_accounts_opens_nothing(own_signed_home):
    with serving(own_signed_home, works=False, token="once-only-token") as address:
        assert Asker(address).get("/?token=once-only-token").status == 303
        assert Asker(address).get("/runs?token=once-only-token").cookies == ()


@pytest.mark.sqlite("the bytes of the file are searched")
def test_nothing_that_opens_anything_is_in_the_store(own_server):
    browser = own_server.browser("vi")
    cookie = browser.headers["Cookie"].partition("=")[2]
    kept = b"".join(it.read_bytes() for it in own_server.home.glob("benchmaker.db*"))

    assert cookie.encode() not in kept
    assert own_server.secrets["read"].encode() not in kept
    assert PASSWORDS["vi"].encode() not in kept


def test_an_unused_sign_in_ends(timed, clock):
    browser, _ = sign_in(timed, "vi")
    clock.now += IDLE_S - 60
    assert browser.get("/").status == 200
    clock.now += IDLE_S - 60
    assert browser.get("/").status == 200
    clock.now += IDLE_S + 1
    assert browser.get("/").status == 303


def test_a_sign_in_ends_however_much_it_is_used(timed, clock):
    browser, _ = sign_in(timed, "vi")
    for _ in range(LASTS_S // (IDLE_S // 2) - 1):
        clock.now += IDLE_S // 2
        assert browser.get("/keys").status == 200
    clock.now += IDLE_S // 2 + 1
    assert browser.get("/keys").status == 303


def test_a_token_ends_with_its_time(timed, clock):
    browser, _ = sign_in(timed, "vi")
    page = browser.post("/account/tokens", token="for a week", scope_read="on", days="7")
    secret = page.text.partition('id="secret">')[2].partition("<")[0]
    program = with_token(timed, secret)

    assert program.get("/api/v1/runs").status == 200
    clock.now += 7 * 86_400 + 1
    assert program.get("/api/v1/runs").status == 401


# CSRF


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
)
@pytest.mark.parametrize("path", ["/sign-in", "/sign-out", "/account/tokens", "/suites/check"])
def test_another_origin_changes_nothing(own_server, headers, path):
    browser = own_server.browser("ada")

    assert browser.ask("POST", path, {"name": "ada"}, **headers).status == 403
    assert browser.get("/").status == 200


def test_a_page_can_not_read_what_is_asked_from_elsewhere(own_server):
    """Nothing says that other origins may read; and the cookie is not sent along."""
    answer = own_server.browser("ada").get("/api/v1/runs", Origin="http://evil.example")

    assert not [it for it in answer.headers if it.startswith("access-control-")]


# Guessing


def test_a_thousand_guesses_are_few_tries(timed, hashes):
    answers = [sign_in(timed, "ada", f"guess number {n}")[1] for n in range(1_000)]
    late = [it for it in answers if it.status == 429]

    assert len(hashes) <= 20
    assert len(late) == 1_000 - len(hashes)
    assert all(int(it.headers["retry-after"]) >= 1 for it in late)
    assert sign_in(timed, "ada")[1].status == 429  # the right one, too


def test_many_names_from_one_address_are_few_tries(timed, hashes):
    for n in range(300):
        sign_in(timed, f"name-{n}", "the same guess")

    assert len(hashes) <= 40


def test_guesses_at_the_same_moment_are_no_more(timed, hashes):
    threads = [
        threading.Thread(target=sign_in, args=(timed, "ada", f"guess {n}")) for n in range(30)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()

    assert len(hashes) <= 6


def test_after_the_wait_the_right_one_opens(timed, clock):
    for n in range(10):
        sign_in(timed, "ada", f"guess {n}")
    _, late = sign_in(timed, "ada")
    assert late.status == 429

    clock.now += int(late.headers["retry-after"])
    assert sign_in(timed, "ada")[1].status == 303
    assert sign_in(timed, "ada", "wrong again")[1].status == 422


def test_it_takes_one_hash_whoever_it_is(timed, hashes, own_signed_home):
    with Store.open(own_signed_home / "benchmaker.db") as store:
        store.accounts.disable(store.accounts.user("vi").id)
        store.accounts.add_user("elsewhere", None, oidc="https://id.example abc")
    tried = [(it, "a wrong password") for it in ("ada", "nobody-there", "vi", "elsewhere")]
    tried.append(("vi", PASSWORDS["vi"]))
    answers = [sign_in(timed, name, password)[1] for name, password in tried]

    assert len(hashes) == 5
    assert {it.status for it in answers} == {422}
    shown = {it.text.replace(f'"{name}"', "") for it, (name, _) in zip(answers, tried, strict=True)}
    assert len(shown) == 1


def test_the_right_password_is_not_held_against_the_address(timed, hashes):
    for _ in range(ADDRESS.free + 2):
        assert sign_in(timed, "vi")[1].status == 303
    assert len(hashes) == ADDRESS.free + 2
