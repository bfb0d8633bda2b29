"""The host names of previews: which a browser gets, and which the server answers to."""

from benchmaker.web.code.preview_hosts import PreviewHost

CHROMIUM = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36"
SAFARI = "Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17 Safari/605.1"
HERE = PreviewHost("localhost:8600")
THERE = PreviewHost("pages.example.net")


def test_a_browser_that_resolves_names_below_localhost_gets_one_for_each_preview():
    one, two = (HERE.name_for(it, user_agent=CHROMIUM) for it in ("ticket-1", "ticket-2"))
    assert one != two
    assert one.endswith(".localhost:8600")
    assert "ticket" not in one
    assert HERE.answers_to(one)
    assert HERE.answers_to(one.upper())


def test_other_browsers_programs_and_servers_use_the_only_name():
    assert HERE.name_for("t", user_agent=SAFARI) == HERE.name_for("t") == "localhost:8600"
    assert THERE.name_for("t", user_agent=CHROMIUM) == "pages.example.net"


def test_no_other_name_is_answered():
    hosts = ("127.0.0.1:8600", "localhost", "x.localhost:8600", "localhost:8600.evil.example", "")
    assert [it for it in hosts if HERE.answers_to(it)] == []
    assert not THERE.answers_to(f"p{'0' * 16}.pages.example.net")
    assert not PreviewHost("").answers_to("127.0.0.1:8600")


def test_a_policy_names_every_host():
    assert HERE.sources("http") == "http://localhost:8600 http://*.localhost:8600"
    assert THERE.sources("https") == "https://pages.example.net"
