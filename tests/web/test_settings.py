import pytest

from benchmaker.web.pages.settings.about import folder_size
from scripts.make_screenshots import show_usual_folder
from tests.web.accessible import violations
from tests.web.serving import serving
from tests.web.test_guard import ask

SECRET = "sk-made-up-1234567890abcdef"  # noqa: S105  made up
PAGES = ("/settings/prices?q=nothing-like-it", "/settings/about?check=store")


@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(tab, demo, path):
    assert violations(tab, demo + path) == []


def test_keys_are_present_or_not_and_never_shown(home):
    with serving(home, environ={"OPENAI_API_KEY": SECRET}) as address:
        for path in ("", ".csv", ".json"):
            status, _, body = ask(address, path=f"/settings/endpoints{path}")
            assert status == 200
            assert SECRET not in body
            assert str(len(SECRET)) not in body
        page = ask(address, path="/settings/endpoints")[2]
    openai, anthropic = (page.partition(f">{name}</bdi>")[2] for name in ("openai", "anthropic"))

    assert openai.partition("<b>")[2].startswith("set")
    assert anthropic.partition("<b>")[2].startswith("not set")
    assert ">Key variable</th>" in page


def test_code_in_the_description_of_a_scorer_has_no_backticks(demo):
    page = ask(demo, path="/settings/profiles")[2]
    assert "``" not in page
    assert "<code>max</code>" in page


def test_an_address_with_a_password_is_not_shown(home):
    with serving(home, environ={"OPENAI_BASE_URL": "https://me:w0rdpass@host/v1"}) as address:
        status, _, body = ask(address, path="/settings/endpoints")

    assert status == 200
    assert "w0rdpass" not in body


def test_own_prices_go_first(home):
    (home / "prices.yaml").write_text(
        "prices:\n  openai/gpt-4o:\n    input: 123\n    output: 456\n"
    )
    with serving(home) as address:
        body = ask(address, path="/settings/prices.csv?q=openai/gpt-4o")[2]
        page = ask(address, path="/settings/prices?q=gpt-4o")[2]

    assert "openai/gpt-4o,123.0,456.0" in body
    assert "$123.00" in page


def test_prices_are_paged(demo):
    first = ask(demo, path="/settings/prices.csv")[2].splitlines()

    assert len(first) > 100
    assert len(set(first)) == len(first)


def test_the_store_is_checked_on_request(tab, demo):
    tab.goto(demo + "/settings/about")
    tab.get_by_role("button", name="Check the store").click()
    tab.wait_for_load_state()

    assert "No problems found" in tab.locator(".banner").inner_text()


def test_a_folder_is_measured_in_bounded_time(tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    (tmp_path / "link").symlink_to(tmp_path / "a")

    assert folder_size(tmp_path) == (5, 1, True)
    assert not folder_size(tmp_path, patience_s=-1).is_whole


def test_keys_can_be_on_or_off_alone(demo):
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert ask(demo, "POST", "/preferences/keys", form, "keys=maybe")[0] == 422
    status, headers, _ = ask(demo, "POST", "/preferences/keys", form, "keys=off&back=//evil")
    assert (status, headers["location"]) == (303, "/")


def test_pictures_show_the_usual_data_folder(tab, demo, demo_home):
    tab.goto(demo + "/settings/about")
    assert tab.get_by_text(str(demo_home)).count() >= 1

    show_usual_folder(tab, demo_home)

    assert str(demo_home) not in tab.content()
    assert tab.get_by_text("~/.local/share/benchmaker", exact=True).count() == 1
