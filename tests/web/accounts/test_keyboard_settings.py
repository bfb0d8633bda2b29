"""Keys, people and teams of the settings by keyboard alone, from the sign-in on."""

import pytest
from playwright.sync_api import Page

from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.web.accounts.people import PASSWORDS
from tests.web.test_keyboard_flow import open_reached, press, reach

pytestmark = pytest.mark.long

KEY = "OPENAI_API_KEY"
VALUE = "sk-made-up-0123456789abcdef"  # no key of anybody
NEW = "seven boats on a grey lake"


@pytest.fixture
def accounts(own_server):
    with Store.open(own_server.home / STORE_FILE) as store:
        yield store.accounts


@pytest.fixture
def signed(tab, own_server):
    """Home, where ada signed in by keyboard."""
    tab.goto(own_server.address)
    typed(tab, "Name", "ada")
    typed(tab, "Password", PASSWORDS["ada"])
    entered(tab)
    open_reached(tab, "Settings", "**/settings/*")
    return tab


def test_a_key_is_entered_and_deleted_without_a_pointer(signed, accounts):
    open_reached(signed, "Secrets", "**/settings/secrets")
    typed(signed, "Variable read by an endpoint", KEY)
    typed(signed, "Value", VALUE)
    entered(signed)
    known = [it.name for it in accounts.secret_names("main")]
    reach(signed, f"Delete {KEY}", "button")
    entered(signed)

    assert known == [KEY]
    assert accounts.secret_names("main") == ()
    assert "No secrets yet" in signed.locator("main").inner_text()
    assert VALUE not in signed.content()


def test_a_user_is_added_and_gets_another_role_without_a_pointer(signed, accounts):
    open_reached(signed, "Users and teams", "**/settings/people")
    typed(signed, "Name, lower-case", "new")
    typed(signed, "First password", NEW)
    typed(signed, "Repeat the password", NEW)
    entered(signed)
    before = accounts.role(accounts.user("new").id, "main")
    reach(signed, "Role of new", "select")
    signed.keyboard.type("viewer")
    reach(signed, "the role of new", "button")
    entered(signed)

    assert (before, accounts.role(accounts.user("new").id, "main")) == ("member", "viewer")


def test_a_team_is_added_and_renamed_without_a_pointer(signed, accounts):
    open_reached(signed, "Users and teams", "**/settings/people")
    typed(signed, "Title", "The main team")
    reach(signed, "Save", "button")
    entered(signed)
    typed(signed, "Short name of the new team", "third")
    typed(signed, "Title", "Third")
    entered(signed)

    assert accounts.team("main").title == "The main team"
    assert accounts.team("third").title == "Third"


def typed(tab: Page, name: str, text: str) -> None:
    """Type a text into the field of that name, in place of its own."""
    reach(tab, name, "input")
    press(tab, "Control+a")
    tab.keyboard.type(text)


def entered(tab: Page) -> None:
    """Press Enter, and wait for the next page."""
    with tab.expect_navigation():
        press(tab, "Enter")
    tab.wait_for_load_state()
