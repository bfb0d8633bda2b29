"""``benchmaker verify``: rows for what was verified, and a word on what was not."""

from benchmaker.store import Store
from tests.arenas.agentic.handed import a_submission, the_id
from tests.arenas.agentic.verify.made import a_task, written

READS = {"type": "file_content", "path": "a.txt", "contains": ["right"]}


def test_workspaces_are_verified_once(cli, home, tmp_path):
    task = a_task(tmp_path / "task", READS).folder
    home.mkdir(exist_ok=True)
    with Store.open(home / "benchmaker.db") as store:
        store.put_submission(a_submission(1, task="a-task"), {})
    written(tmp_path / "work" / the_id(1), {"a.txt": "right"})
    words = ("verify", tmp_path / "work", "--task", task)

    said = cli(*words, "--json")
    assert [row["submission_id"] for row in said.data["evaluations"]] == [the_id(1)]
    assert f"{the_id(1)}: verified" in said.stderr
    again = cli(*words)
    assert "Skipped 1 already verified." in again.stderr


def test_an_executor_that_is_none_is_refused(cli, home, tmp_path):
    home.mkdir(exist_ok=True)
    Store.open(home / "benchmaker.db").close()
    written(tmp_path / "work" / the_id(1), {"a.txt": "right"})
    task = a_task(tmp_path / "task", READS).folder
    said = cli("verify", tmp_path / "work", "--task", task, "--executor", "dask", code=2)
    assert said.code == 2
