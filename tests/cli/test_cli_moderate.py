"""Moderation and registered attempts on the command line."""

import pytest

from benchmaker.store import Store
from benchmaker.store.agentic.submissions import NewSubmission
from tests.arenas.agentic.handed import a_submission, the_id, write_submissions

GOOD = "correct horse battery staple"
LATE = {"started_at": "2099-01-01T00:00:00.000Z", "finished_at": "2099-01-01T00:01:00.000Z"}


@pytest.fixture
def waiting(cli, home):
    """A moderated team in which something waits."""
    cli("user", "add", "ada", "--password-stdin", stdin=f"{GOOD}\n")
    said = cli("team", "moderated", "main", "on").stdout
    assert said == "Submissions to main wait for an admin.\n"
    with Store.open(home / "benchmaker.db") as store:
        store.agentic.put_pending(NewSubmission(a_submission(50), {}), by="max")
    return the_id(50)


def test_what_waits_is_listed_with_its_figures(cli, waiting):
    said = cli("moderate")
    assert f"{waiting}  waiting" in said.stdout
    assert "submitted by max" in said.stdout
    assert "moderate accept SUBMISSION" in said.stderr
    (told,) = cli("moderate", "--json").data["moderation"]
    assert (told["state"], told["by"], told["decided_at"]) == ("waiting", "max", None)
    assert cli("moderate", "list", "--state", "rejected").stdout == "None is rejected.\n"


def test_accepted_it_counts_and_the_log_says_so(cli, waiting):
    said = cli("moderate", "accept", waiting[:23], "--note", "fine").stdout
    assert said.startswith(f"{waiting} is accepted.\nIts task settled again under robust/2.")
    assert cli("moderate").stdout == "No submission waits for a moderator.\n"
    entry = cli("audit", "--json").data["entries"][0]
    assert (entry["action"], entry["object"]) == ("moderation.decide", waiting)
    assert cli("moderate", "list", "--state", "all", "--json").data["moderation"]


def test_a_rejection_says_why(cli, waiting):
    assert "a rejection needs a reason" in cli("moderate", "reject", waiting, code=2).stderr
    told = cli("moderate", "reject", waiting, "--note", "odd", "--json").data
    assert (told["moderation"]["state"], told["settled"]) == ("rejected", [])


def test_a_decision_names_a_submission(cli, waiting):
    assert waiting
    assert "no submission given" in cli("moderate", "accept", code=2).stderr
    assert "no team 'vison'" in cli("moderate", "--team", "vison", code=2).stderr


def test_attempts_are_registered_handed_in_for_and_listed(cli, home):
    names = ("--harness", "cli", "--model", "m2")
    first, second = cli("attempt", "register", "t", *names, "--count", "2").stdout.split()
    with Store.open(home / "benchmaker.db") as store:
        assert len(store.accounts.attempts("t", "cli · m2")) == 2
    path = write_submissions(home.parent / "one.jsonl", [a_submission(50, task=None, **LATE)])
    cli("import", path, "--task", "t")
    told = cli("attempt", "list", "--task", "t", "--json").data["attempts"]
    assert [(it["attempt"], it["has_result"]) for it in told] == [(first, False), (second, False)]
    assert "1 of 2" in cli("attempt", "list").stdout
    assert cli("attempt", "list", "--task", "u").stdout == "No registered attempts.\n"


def test_a_result_that_does_not_fit_is_refused(cli, home):
    cli("attempt", "register", "tiny-sheet", "--harness", "other", "--json")
    path = write_submissions(home.parent / "one.jsonl", [a_submission(50, task=None, **LATE)])
    said = cli("submit", path, "--task", "tiny-sheet", "--attempt", "a-none", code=2)
    assert "there is no attempt 'a-none'" in said.stderr
