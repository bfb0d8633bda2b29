"""Boards as pages read them: decoded once, and never out of date."""

import shutil
from pathlib import Path

import pytest

import benchmaker
from benchmaker.arenas.agentic.boards.leaderboard import stored_board
from benchmaker.arenas.agentic.settling.board_keys import BoardKey
from benchmaker.spec.tasks.agentic_profile import BUILT_IN
from benchmaker.store import Store
from benchmaker.web.agentic import board_cache as shelves
from benchmaker.web.agentic.board_cache import BoardCache, make_board, make_front
from benchmaker.web.agentic.board_view import BoardSelection
from benchmaker.web.query import View
from tests.arenas.agentic.handed import many, write_submissions


@pytest.fixture(scope="module")
def made_home(tmp_path_factory):
    """A data folder with 30 submissions; nobody writes to it."""
    return taken_in(tmp_path_factory.mktemp("shelf") / "home", 30)


@pytest.fixture
def home(made_home, tmp_path):
    """A copy that a test may change."""
    if made_home.exists():
        return Path(shutil.copytree(made_home, tmp_path / "home"))
    return taken_in(tmp_path / "home", 30)  # a store on a server can't be copied so


def taken_in(home, number):
    path = write_submissions(home.with_name(f"{number}.jsonl"), many(number))
    benchmaker.evaluate(path, home=home, profile="classic")
    return home


@pytest.fixture
def shelf(home):
    with Store.open(home / "benchmaker.db") as store:
        yield BoardCache(store)


def asked(policy=None, **where):
    key = BoardKey(where=tuple(sorted(where.items())))
    return BoardSelection(View("/agentic"), key, BUILT_IN["classic"], None, policy)


def test_a_board_is_read_once(shelf):
    board = shelf.board(asked())

    assert board.rows == stored_board(shelf.store, BoardKey(), "classic").rows
    assert shelf.board(asked()) is board


def test_new_submissions_are_on_it_at_once(shelf, home):
    before = shelf.board(asked())
    taken_in(home, 40)
    after = shelf.board(asked())

    assert sum(row.n for row in after.rows) > sum(row.n for row in before.rows)
    assert after.rows == stored_board(shelf.store, BoardKey(), "classic").rows


@pytest.mark.parametrize("wanted", [asked(tool="cli", model="m1"), asked("last")])
def test_a_board_that_is_not_stored_is_stored_once_it_was_made(shelf, wanted):
    assert shelf.board(wanted) is None
    made = make_board(shelf.store, wanted)

    assert shelf.board(wanted).rows == made.rows


def test_one_that_was_made_counts_as_long_as_the_figures_do(shelf, home):
    wanted = asked(tool="cli", model="m1")
    make_board(shelf.store, wanted)
    taken_in(home, 40)

    assert shelf.board(wanted) is None


def test_a_front_that_is_not_stored_is_stored_once_it_was_made(shelf, home):
    wanted = asked(task="u")
    assert shelf.front(wanted, "dollars") is None
    made = make_front(shelf, wanted, "dollars")

    assert shelf.front(wanted, "dollars") == made
    assert shelf.front(asked(), "dollars") is not None
    taken_in(home, 40)
    assert shelf.front(wanted, "dollars") is None


def test_the_longest_unused_goes_first(shelf, monkeypatch):
    monkeypatch.setattr(shelves, "_MOST", 2)
    board = shelf.board(asked())
    for task in ("t", "u", "v"):
        shelf.board(asked(task=task))

    assert shelf.board(asked()) is not board


def test_what_boards_can_be_narrowed_to_is_what_they_are_stored_of(shelf):
    offered = shelf.index("classic/1").offered

    assert offered["task"] == ("t", "u", "v")
    assert offered["model"] == ("m0", "m1", "m2")
    assert shelf.index("nobody/1") is None
