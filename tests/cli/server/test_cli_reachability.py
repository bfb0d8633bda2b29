import pytest

from benchmaker.cli.context import Context
from benchmaker.cli.server.reachability import Reach
from benchmaker.cli.server.serving import listen_on, prepare_server
from benchmaker.errors import SpecError
from benchmaker.store import Store

EVERYWHERE = "0.0.0.0"  # noqa: S104  nothing is bound to it here


@pytest.fixture
def context(home):
    home.mkdir()
    return Context(home=home)


@pytest.fixture
def about_to_serve():
    """Makes servers that never run; what they opened is closed."""
    made = []

    def make(*given, **options):
        made.append(prepare_server(*given, works=False, **options))
        return made[-1]

    yield make
    for one in made:
        one.server.config.app.state.bench.close()


@pytest.fixture
def peopled(context):
    with Store.open(context.home / "benchmaker.db") as store:
        store.accounts.add_user("ada", None)
    return context


def test_without_accounts_no_other_machine_is_let_in(cli):
    said = cli("serve", "--host", EVERYWHERE, "--allow-host", "bench.example.org", code=2)

    assert "there are no accounts" in said.stderr
    assert "benchmaker user add" in said.stderr


@pytest.mark.parametrize(
    "words", [["--allow-host", "bench.example.org"], ["--trust-proxy", "127.0.0.1"]]
)
def test_neither_is_one_behind_a_proxy(cli, words):
    assert "there are no accounts" in cli("serve", *words, code=2).stderr


def test_with_accounts_it_takes_a_name(peopled):
    with pytest.raises(SpecError, match="no host name"):
        Reach(EVERYWHERE).refuse_odd(peopled)
    Reach(EVERYWHERE, ("bench.example.org",)).refuse_odd(peopled)


@pytest.mark.parametrize(
    "name", ["*", "a b", "https://bench.example.org", "bench.example.org/", "", "-x", "a:b", ".a"]
)
def test_an_odd_name_is_refused(peopled, name):
    with pytest.raises(SpecError, match="is not a host name"):
        Reach(EVERYWHERE, (name,)).refuse_odd(peopled)


@pytest.mark.parametrize("proxy", ["*", "proxy.example.org", "", "10.0.0.1/8", "127.0.0.1,::1"])
def test_an_odd_proxy_is_refused(peopled, proxy):
    with pytest.raises(SpecError, match="is not a proxy address"):
        Reach("127.0.0.1", ("bench.example.org",), proxies=(proxy,)).refuse_odd(peopled)


def test_previews_have_a_name_of_their_own(peopled):
    name = "bench.example.org"
    with pytest.raises(SpecError, match="a separate host name"):
        Reach(EVERYWHERE, (name,), preview=name).refuse_odd(peopled)


def test_a_name_is_answered_with_and_without_the_port():
    hosts = Reach(EVERYWHERE, ("Bench.example.org", "other.example.org:9000")).hosts(8600)

    assert hosts == (
        "127.0.0.1:8600", "[::1]:8600", "bench.example.org", "bench.example.org:8600",
        "other.example.org:9000",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("reach", "url"),
    [
        (Reach(), "http://127.0.0.1:8600/"),
        (Reach("::1"), "http://[::1]:8600/"),
        (Reach(EVERYWHERE, ("bench.example.org",)), "http://bench.example.org:8600/"),
        (Reach(EVERYWHERE, ("bench.example.org",), is_https=True), "https://bench.example.org/"),
        (Reach("127.0.0.1", ("a.example:81",), proxies=("::1",)), "http://a.example:81/"),
    ],
)
def test_the_address_is_one_that_people_can_open(reach, url):
    assert reach.url(8600) == url


def test_alone_it_has_previews_and_shared_it_takes_a_name_for_them():
    assert Reach().preview_host(8600) == "localhost:8600"
    assert Reach(EVERYWHERE, ("bench.example.org",)).preview_host(8600) == ""
    shared = Reach(EVERYWHERE, ("bench.example.org",), preview="pages.example.net")
    assert shared.preview_host(8600) == "pages.example.net"


def test_no_forwarded_header_is_believed_unless_a_proxy_is_named(peopled, about_to_serve):
    with listen_on("127.0.0.1", 0) as bound:
        alone = about_to_serve(peopled, bound).server.config
        reach = Reach("127.0.0.1", ("bench.example.org",), proxies=("10.0.3.0/24",))
        behind = about_to_serve(peopled, bound, reach=reach).server.config

    assert (alone.proxy_headers, alone.forwarded_allow_ips) == (False, [])
    assert (behind.proxy_headers, behind.forwarded_allow_ips) == (True, ["10.0.3.0/24"])


def test_people_sign_in_where_there_are_any(peopled, tmp_path, about_to_serve):
    with listen_on("127.0.0.1", 0) as bound:
        there = about_to_serve(peopled, bound)
        nobody = about_to_serve(Context(home=tmp_path / "other"), bound)

    assert "token" not in there.url
    assert there.says == "Users sign in with their accounts."
    assert "/?token=" in nobody.url
