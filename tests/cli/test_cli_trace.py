"""``trace``, and submissions in ``show``, ``explain`` and ``delete``."""

import json

import pytest

from tests.arenas.agentic.log_data import SESSION, write_claude_log


@pytest.fixture
def log(tmp_path):
    return write_claude_log(tmp_path / f"{SESSION}.jsonl")


@pytest.fixture
def stored(cli, log):
    """The id of that session in the store."""
    return cli("import", log, "--json").data["submissions"][0]["id"]


def test_a_file_is_traced_without_storing_it(cli, log, home):
    said = cli("trace", log)
    assert "2 requests · 2 tool calls (1 failed) · 1 prompt" in said.stdout
    assert "> Bash command: ls" in said.stdout
    assert "\x1b" not in said.stdout
    assert not home.exists()


def test_a_stored_session_is_traced_by_the_beginning_of_its_id(cli, stored):
    said = cli("trace", stored[:16])
    assert said.stdout == cli("trace", "latest").stdout
    assert "What is here?" in said.stdout


def test_json_holds_every_step_and_the_submission(cli, log, stored):
    data = cli("trace", stored, "--json").data
    assert [step["kind"] for step in data["steps"]] == ["prompt", "answer", "answer"]
    assert sum(sum((it["usage"] or {}).values()) for it in data["steps"] if it["usage"]) == 1900
    assert data["submission"]["total_tokens"] == 1900
    assert data["differences"] == []
    assert len(cli("trace", log, "--json", "--limit", "1").data["steps"]) == 1


def test_steps_are_chosen_by_limit_agent_and_text(cli, log):
    assert "2 more steps: --limit 3" in cli("trace", log, "--limit", "1").stdout
    assert "#1 12:00:00" not in cli("trace", log, "--grep", "NO SUCH FILE").stdout
    assert "No such steps." in cli("trace", log, "--agent", "Plan").stdout
    assert "#1 12:00:00" in cli("trace", log, "--agent", "main").stdout


def test_texts_can_be_left_out(cli, log):
    said = cli("trace", log, "--no-content")
    assert "What is here?" not in said.stdout
    assert "Numbers only" in said.stdout


def test_a_page_is_written_whole(cli, log, tmp_path):
    page = tmp_path / "trace.html"
    assert f"Written: {page}" in cli("trace", log, "--html", page).stdout
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "What is here?" in text
    told = cli("trace", log, "--html", page, "--json", "--limit", "2").data
    assert told["steps"] == 2
    assert 'id="s3"' not in page.read_text(encoding="utf-8")
    assert "can't be written" in cli("trace", log, "--html", "/nowhere/x.html", code=2).stderr


@pytest.mark.usefixtures("stored")
def test_what_is_nowhere_is_refused_with_a_way_on(cli):
    said = cli("trace", "absent.jsonl", code=2)
    assert "no file 'absent.jsonl', and no submission" in said.stderr
    assert "benchmaker usage --by session" in said.stderr


def test_a_file_with_many_sessions_asks_which(cli, tmp_path):
    rows = [{"id": f"r{n}", "tool": "X", "total_tokens": 5, "task_id": f"t{n}"} for n in range(2)]
    path = tmp_path / "rows.json"
    path.write_text(json.dumps({"submissions": rows}))
    assert "Choose one with --session ID" in cli("trace", path, code=2).stderr
    said = cli("trace", path, "--session", "t1")
    assert "no steps" in said.stdout


def test_show_tells_every_figure_of_a_submission(cli, stored):
    said = cli("show", stored)
    assert "Cache hits" in said.stdout
    assert "unknown: no file changed" in said.stdout
    data = cli("show", stored, "--json").data
    assert data["submission"]["id"] == stored
    assert data["metrics"]["tool_error_rate"]["value"] == 0.5
    assert cli("show", "latest").stdout == said.stdout


def test_explain_tells_the_arithmetic_of_a_submission(cli, stored):
    said = cli("explain", stored)
    assert "Recomputed now: the same cost." in said.stdout
    data = cli("explain", stored, "--json").data
    assert data["cost"]["same_digits"] is True
    assert sum(term["usd"] for term in data["cost"]["terms"]) == pytest.approx(0.0018)


def test_runs_keep_their_own_show_and_explain(cli, ran, stored):
    assert stored
    assert "Answer" in cli("show", "latest").stdout
    assert "explain works on one case" in cli("explain", ran, code=2).stderr
    assert "there is no run or submission 'zzz'" in cli("show", "zzz", code=2).stderr


def test_several_submissions_that_begin_alike_are_named(cli, tmp_path):
    rows = [{"id": f"{n}", "tool": "X", "total_tokens": 5 + n} for n in range(2)]
    path = tmp_path / "rows.json"
    path.write_text(json.dumps({"submissions": rows}))
    cli("import", path)
    said = cli("show", "table-", code=2).stderr
    assert "'table-' may be any of table-" in said
    assert "Type more characters of the id." in said


def test_delete_takes_a_submission_with_its_trace(cli, stored):
    assert "Delete without confirmation" in cli("delete", stored, code=2).stderr
    said = cli("delete", stored, "--yes").stdout
    assert f"Deleted: {stored}" in said
    assert "Removed: traces" in said
    assert "revisions 1" in said
    assert "no file" in cli("trace", stored, code=2).stderr


def test_import_says_why_a_metric_is_missing(cli, log, stored):
    data = cli("import", log, "--dry-run", "--json").data
    assert data["missing"] == {stored: {"first_edit_s": "no file changed"}}
