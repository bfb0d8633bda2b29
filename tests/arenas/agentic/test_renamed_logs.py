"""Logs under other names are the same sessions: copies, and logs that have grown since."""

import gzip
import json
import random
import shutil
from pathlib import Path

import pytest
from sqlalchemy import delete

from benchmaker.arenas.agentic import import_logs
from benchmaker.record.submissions.submission import Status
from benchmaker.store import Store
from benchmaker.store.database.tables import traces
from benchmaker.store.home import Home
from tests.arenas.agentic.importers.test_importer_contract import SAMPLES as MADE
from tests.arenas.agentic.session_folders import atif, atif_without_totals
from tests.conftest import SHARED
from tests.databases import direct_transaction

NAMED_IN_THE_FILE_NAME = {"swe_bench"}
"""The importers whose files have the model in their name."""

ARCHIVES = [SHARED / "data" / name for name in ("agent_logs", "agent_logs_t2")]
KEPT_STORE = Path(__file__).parents[2] / "data" / "store" / "0014.db.gz"
FAMILIES = ("mini", "swe")


def counted(home):
    """The numbers of sessions, tokens and calls, and the reported dollars in a store."""
    with Home.of(home).open_store() as store:
        found = list(store.submissions(with_undated=True))
    tokens = sum(it.total_tokens or 0 for it in found)
    calls = sum(it.llm_calls or 0 for it in found), sum(it.tool_calls or 0 for it in found)
    return len(found), tokens, calls, round(sum(it.cost.reported_usd or 0 for it in found), 6)


def copied(files, folder, rng, *, times):
    """Copies of files under random names, in random order."""
    folder.mkdir(parents=True)
    made = []
    for file in files * times:
        suffixes = "".join(file.suffixes[-2:])
        made.append(folder / f"{rng.randrange(10**12)}{suffixes}")
        shutil.copy(file, made[-1])
    return rng.sample(made, len(made))


def import_in_calls(paths, home, rng):
    """Import the paths in a random number of calls."""
    number = rng.randint(1, 3)
    for some in filter(None, (paths[at::number] for at in range(number))):
        import_logs(some, home=home, keep_going=True)


def copies_count_once(files, tmp_path, *, seed, times=2):
    expected = tmp_path / "expected"
    import_logs(files, home=expected, keep_going=True)
    rng = random.Random(seed)  # noqa: S311  it shuffles
    import_in_calls(copied(files, tmp_path / "copies", rng, times=times), tmp_path / "home", rng)
    assert counted(tmp_path / "home") == counted(expected)


def made_log(name, folder):
    sample = MADE[name]["sample"]
    path = folder / MADE[name].get("file_name", "log.jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(sample if isinstance(sample, bytes) else sample.encode())
    return path


def write_mini(path, *answers, task="Count the files."):
    messages = [{"role": "system", "content": "Use bash."}, {"role": "user", "content": task}]
    for answer in answers:
        usage = {"prompt_tokens": 100, "completion_tokens": 9}
        extra = {"response": {"model": "gpt-4o", "usage": usage}, "cost": 0.25}
        content = f"So:\n\n```bash\n{answer}\n```"
        messages.append({"role": "assistant", "content": content, "extra": extra})
        messages.append({"role": "user", "content": "<returncode>0</returncode>"})
    info = {"model_stats": {"api_calls": len(answers), "instance_cost": 0.25 * len(answers)}}
    document = {"info": info, "messages": messages, "trajectory_format": "mini-swe-agent-1.1"}
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def write_swe(path, *answers, task="Count the files."):
    steps = [{"action": it, "observation": "a.py", "response": it} for it in answers]
    history = [{"role": "user", "content": task, "message_type": "observation"}]
    stats = {"api_calls": len(steps), "tokens_sent": 100 * len(steps), "tokens_received": 9}
    info = {"exit_status": "submitted", "model_stats": stats}
    document = {"trajectory": steps, "history": history, "info": info}
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


WRITERS = {"mini": (write_mini, ".traj.json"), "swe": (write_swe, ".traj")}


@pytest.fixture(params=FAMILIES)
def write(request, tmp_path):
    """A function that writes a log of these answers under a name."""
    writer, suffix = WRITERS[request.param]
    return lambda name, *answers, **more: writer(tmp_path / f"{name}{suffix}", *answers, **more)


def write_cline(folder):
    """A session of Cline in two files with unrelated names: its messages, and its facts."""
    used = {"inputTokens": 100, "outputTokens": 5}
    answer = {"id": "msg_1", "role": "assistant", "ts": 1783376868635, "metrics": used}
    messages = {"sessionId": "1783376868634_abcdef", "agent": "lead", "messages": [answer]}
    facts = {"session_id": "1783376868634_abcdef", "messages_path": "", "started_at": ""}
    folder.mkdir()
    paths = folder / "1.json", folder / "2.json"
    paths[0].write_text(json.dumps(messages), encoding="utf-8")
    paths[1].write_text(json.dumps(facts | {"status": "failed"}), encoding="utf-8")
    return paths


@pytest.mark.parametrize("calls", [[[0, 1]], [[1, 0]], [[0], [1]], [[1], [0]]])
def test_facts_and_messages_of_cline_are_joined_by_their_session_id(calls, tmp_path):
    paths = write_cline(tmp_path / "logs")
    for call in calls:
        import_logs([paths[it] for it in call], home=tmp_path)
    with Home.of(tmp_path).open_store() as store:
        (found,) = store.submissions(with_undated=True)
    assert (found.total_tokens, found.outcome.status) == (105, Status.FAILED)


@pytest.mark.parametrize("kept", [0, 1])
def test_facts_and_messages_of_cline_are_one_session_when_either_is_gone(kept, tmp_path):
    paths = write_cline(tmp_path / "logs")
    import_logs(paths[1 - kept], home=tmp_path)
    paths[1 - kept].unlink()
    import_logs(paths[kept], home=tmp_path)
    assert counted(tmp_path)[:2] == (1, 105)


@pytest.mark.parametrize("name", ["droid", "mini_swe_agent", "swe_agent"])
def test_a_copy_under_another_name_is_the_same_session(name, tmp_path):
    copies_count_once([made_log(name, tmp_path / "logs")], tmp_path, seed=3, times=3)


@pytest.mark.parametrize("times", [1, pytest.param(2, marks=pytest.mark.long)])
@pytest.mark.parametrize("write_run", [atif, atif_without_totals])
def test_renamed_parts_of_an_atif_run_are_found_by_their_ids(write_run, times, tmp_path):
    (tmp_path / "logs").mkdir()
    write_run(tmp_path / "logs")
    files = sorted((tmp_path / "logs").iterdir())
    copies_count_once(files, tmp_path, seed=19, times=times)


def test_a_renamed_log_keeps_its_first_name_and_task(write, tmp_path):
    import_logs(write("first", "ls"), home=tmp_path)
    (again,) = import_logs(write("second", "ls"), home=tmp_path).submissions
    assert (again.session_id, again.task.id) == ("first", "first")


@pytest.mark.long
def test_a_renamed_log_with_a_task_of_its_own_is_another_submission(write, tmp_path):
    import_logs(write("first", "ls"), home=tmp_path)
    import_logs(write("second", "ls"), home=tmp_path, task="count")
    assert counted(tmp_path)[0] == 2


@pytest.mark.parametrize("names", [("log", "log"), ("before", "after")])
def test_a_log_that_has_grown_is_a_revision(write, names, tmp_path):
    before, after = names
    import_logs(write(before, "ls"), home=tmp_path / "home")
    grown = import_logs(write(after, "ls", "wc"), home=tmp_path / "home")
    assert set(grown.kept.values()) == {"revised"}
    import_logs(tmp_path / write(after, "ls", "wc").name, home=tmp_path / "alone")
    assert counted(tmp_path / "home") == counted(tmp_path / "alone")


def test_an_earlier_state_of_a_stored_log_adds_nothing(write, tmp_path):
    import_logs(write("after", "ls", "wc"), home=tmp_path)
    expected = counted(tmp_path)
    import_logs(write("before", "ls"), home=tmp_path)
    assert counted(tmp_path) == expected


def test_states_of_one_log_imported_together_are_one_session(write, tmp_path):
    states = [write(name, *"abc"[: at + 1]) for at, name in enumerate("zyx")]
    import_logs(states, home=tmp_path / "home")
    import_logs(states[-1], home=tmp_path / "alone")
    assert counted(tmp_path / "home") == counted(tmp_path / "alone")


@pytest.mark.parametrize("together", [True, False])
def test_attempts_with_an_equal_beginning_are_two_sessions(write, together, tmp_path):
    attempts = [write("one", "ls", "wc", "cat"), write("two", "ls", "wc", "head")]
    for paths in [attempts] if together else [[it] for it in attempts]:
        import_logs(paths, home=tmp_path)
    sessions, _, calls, _ = counted(tmp_path)
    assert (sessions, calls) == (2, (6, 6))


@pytest.mark.long
def test_equal_answers_to_two_tasks_are_two_sessions(write, tmp_path):
    import_logs(write("one", "ls"), home=tmp_path)
    import_logs(write("two", "ls", task="Name the files."), home=tmp_path)
    assert counted(tmp_path)[0] == 2


OLDER_IDS = {"mini_swe_agent-6850b153e9d1f80de406", "swe_agent-aaae86e58cc3abb1cc38"}
"""The ids of the two logs in stores of earlier versions."""


@pytest.mark.long
def test_a_session_stored_by_an_earlier_version_is_not_stored_twice(write, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "benchmaker.db").write_bytes(gzip.decompress(KEPT_STORE.read_bytes()))
    others = counted(home)[0]
    (before,) = import_logs(write("task-1", "ls", "wc"), home=home).submissions
    assert before.id in OLDER_IDS
    with Store.open(home / "benchmaker.db") as store, direct_transaction(store) as connection:
        connection.execute(delete(traces).where(traces.c.part == "beginnings"))
    for name in ("task-1", "other", "task-1"):
        (again,) = import_logs(write(name, "ls", "wc"), home=home).submissions
        assert again.id == before.id
    assert counted(home)[0] == others + 1


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", sorted(set(MADE) - NAMED_IN_THE_FILE_NAME))
def test_copies_of_any_made_up_log_count_once(name, seed, tmp_path):
    copies_count_once([made_log(name, tmp_path / "logs")], tmp_path, seed=seed)


@pytest.mark.long
@pytest.mark.data
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda it: it.name)
def test_copies_of_the_samples_count_once(archive, seed, tmp_path):
    files = sorted(it for it in archive.rglob("*") if it.is_file() and it.suffix != ".md")
    copies_count_once(files, tmp_path, seed=seed)


@pytest.mark.parametrize("is_reversed", [False, True])
@pytest.mark.parametrize("tool", ["claude_code", "codex", "aider"])
def test_a_copy_in_another_folder_is_unchanged(tool, is_reversed, tmp_path):
    log, paths, home = made_log(tool, tmp_path), [], tmp_path / "home"
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        paths.append(Path(shutil.copy(log, tmp_path / name / log.name)))
    paths = paths[::-1] if is_reversed else paths
    states = [set(import_logs([path], home=home).counts) for path in paths * 3]
    assert states == [{"new"}] + [{"unchanged"}] * 5
    with Home.of(home).open_store() as store:
        stored = list(store.submissions(with_undated=True))
    assert {it.revision for it in stored} == {1}
    assert {source.path for it in stored for source in it.sources} == {str(paths[0])}
