"""A kept page of one team never reaches another, nor a person who has left."""

import pytest

from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.web.from_memory import found_in_memory

pytestmark = pytest.mark.long


def test_no_team_gets_what_was_kept_for_another(own_server, monkeypatch):
    path, other_path = "/agentic/submissions", "/agentic"
    homes = own_server.home, own_server.home / "teams" / "other"
    found = found_in_memory(monkeypatch)
    ada, eve, noa = map(own_server.browser, ("ada", "eve", "noa"))
    own = [ada.get(path), ada.get(path)]
    assert own[0].body == own[1].body
    eves = [eve.get(path), eve.get(path), eve.get(other_path)]
    assert eves[0].body == eves[1].body != own[0].body
    assert {one.status for one in (noa.get(path), own_server.nobody.get(path))} == {403, 303}
    assert homes[1].exists()
    assert found == [path, path]


def test_a_kept_page_is_closed_to_whoever_has_left_the_team(own_server):
    vi = own_server.browser("vi")
    assert [vi.get("/agentic/submissions").status for _ in range(3)] == [200, 200, 200]
    with Store.open(own_server.home / STORE_FILE) as store:
        user = store.accounts.user("vi")
        store.accounts.set_role("main", user.id, None)
    assert vi.get("/agentic/submissions").status == 403
