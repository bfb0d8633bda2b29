import pytest

from benchmaker.errors import Conflict, SpecError


@pytest.fixture
def rooms(store):
    return store.accounts


def announce(rooms, team="main", task_id="tidy é", system="claude-code"):
    return rooms.register_attempt(team, task_id, system=system, by="ada")


def test_attempts_of_a_team_are_counted_from_one(rooms):
    ids = [announce(rooms), announce(rooms, team="vision"), announce(rooms)]
    found = rooms.attempts("tidy é", "claude-code")
    assert [(it.id, it.team, it.number) for it in found] == [
        (ids[0], "main", 1),
        (ids[1], "vision", 1),
        (ids[2], "main", 2),
    ]
    assert rooms.attempts("tidy é", "claude-code", team="main") == (found[0], found[2])
    assert all(it.by == "ada" and it.made_at and it.submission_id is None for it in found)


def test_other_tasks_and_systems_are_counted_apart(rooms):
    announce(rooms)
    announce(rooms, task_id="other")
    announce(rooms, system="codex")
    assert [it.number for it in rooms.attempts("other", "claude-code")] == [1]
    assert rooms.attempts("none", "codex") == ()


@pytest.mark.postgresql("no other test has its statements")
def test_an_attempt_has_one_submission_for_ever(rooms):
    made = announce(rooms)
    rooms.bind_attempt(made, "s-1 \x00")
    rooms.bind_attempt(made, "s-1 \x00")
    (found,) = rooms.attempts("tidy é", "claude-code")
    assert found.submission_id == "s-1 \x00"
    with pytest.raises(Conflict, match="already has a submission"):
        rooms.bind_attempt(made, "s-2")
    with pytest.raises(SpecError, match="no attempt 'a-none'"):
        rooms.bind_attempt("a-none", "s-1")
