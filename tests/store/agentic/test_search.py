"""Texts looked for among tasks, flags and ids, on both databases."""

import pytest

from benchmaker.record.submissions.evaluation import Flag
from benchmaker.record.submissions.metrics import Metrics
from benchmaker.store.agentic import search
from benchmaker.store.agentic.tasks import StoredTask
from tests.arenas.agentic.handed import many, the_id

pytestmark = pytest.mark.postgresql("search in texts")

TASKS = ("alpha", "Beta%", "beta_two", "gamma\x00", "über")


@pytest.fixture
def filled(store):
    """Figures of five tasks, seven flags, and three tasks' files."""
    store.agentic.put_metrics(
        (Metrics(submission_id=f"s{n}", task_id=TASKS[n % 5], system="x"), str(n))
        for n in range(20)
    )
    store.agentic.add_flags(
        Flag(submission_id=f"s{n}", kind=f"kind{n % 2}", source="t/1", evidence=f"100% of {n}\x00")
        for n in range(7)
    )
    for name in TASKS[:3]:
        store.agentic.put_task(StoredTask(name, f"digest of {name}", {"prompt": f"Mend {name}."}))
    return store


def walked(find, text, limit=2):
    rows, after, pages = [], "", 0
    while True:
        page = find(text, after=after, limit=limit)
        rows += page.rows
        pages += 1
        assert pages < 100
        if not page.after:
            return rows
        after = page.after


@pytest.mark.parametrize(
    ("text", "found"),
    [("a", 4), ("BETA", 2), ("%", 1), ("_", 1), ("\x00", 1), ("nothing", 0), ("ÜBER", 1)],
)
def test_tasks_are_found_by_part_of_their_id(filled, text, found):
    names = walked(filled.search.tasks_called, text)

    assert len(names) == len(set(names)) == found


def test_names_are_gone_through_a_part_at_a_time(filled, monkeypatch):
    whole = walked(filled.search.tasks_called, "a")
    monkeypatch.setattr(search, "_NAMES", 2)

    assert walked(filled.search.tasks_called, "a") == whole


def test_tasks_are_found_by_what_their_file_says(filled):
    assert walked(filled.search.tasks_saying, "mend b") == ["beta_two", "Beta%"]
    assert walked(filled.search.tasks_saying, "MEND") == ["beta_two", "Beta%", "alpha"]


@pytest.mark.parametrize(("text", "found"), [("KIND1", 3), ("100% of", 7), ("of 4", 1), ("_", 0)])
def test_flags_are_found_by_kind_and_evidence(filled, text, found):
    flags = walked(filled.search.flags_saying, text)

    assert len(flags) == found
    assert [one.submission_id for one in flags] == sorted(
        (one.submission_id for one in flags), reverse=True
    )


def test_flags_are_looked_at_a_part_at_a_time(filled, monkeypatch):
    whole = walked(filled.search.flags_saying, "kind0")
    monkeypatch.setattr(search, "_ROWS", 2)

    assert walked(filled.search.flags_saying, "kind0") == whole
    page = filled.search.flags_saying("of 0", limit=2)
    assert (page.rows, bool(page.after)) == ((), True)


def test_submissions_are_found_by_the_beginning_of_their_id(store):
    for one in many(5):
        store.put_submission(one, None)
    start = the_id(3)[:-1]
    found = store.search.submissions_beginning(start, 3)

    assert found
    assert all(one.id.startswith(start) for one in found)
    assert store.search.submissions_beginning(the_id(3), 3)[0].id == the_id(3)
    assert store.search.submissions_beginning("", 3) == ()
    assert store.search.submissions_beginning("%", 3) == ()
