"""``benchmaker usage``, as people know it from ccusage."""

import csv
import io
import json
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC
from hashlib import sha256
from pathlib import Path

import pytest

from benchmaker.arenas.agentic.sessions.status_line_index import refresh
from benchmaker.arenas.agentic.sessions.stored_usage import UsageQuery
from benchmaker.arenas.agentic.traces import text_search
from benchmaker.cli.actions.status_line import _figures, _parts
from benchmaker.cli.actions.usage_report import UsageReport, follow
from benchmaker.cli.context import Context
from benchmaker.report.tables.optional_figures import dollars
from benchmaker.store.agentic.log_index import AnswerIndex
from tests.arenas.agentic.spans import answer_row, at, iso, write_rows, write_session
from tests.cli.conftest import environment

ONE = "0b1c2d3e-0000-4000-8000-000000000001"
TWO = "1b1c2d3e-0000-4000-8000-000000000002"
THREE = "2b1c2d3e-0000-4000-8000-000000000003"


@pytest.fixture(autouse=True)
def wide_output(monkeypatch):
    """Room for every column."""
    monkeypatch.setenv("COLUMNS", "200")


@pytest.fixture
def projects(tmp_path, monkeypatch):
    """Where Claude Code of this user keeps its logs."""
    monkeypatch.delenv("BENCHMAKER_LOGS", raising=False)
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    return tmp_path / "user" / ".claude" / "projects"


def three_days(projects):
    days = [at(f"2026-03-0{day}T10:00") for day in (1, 2, 3)]
    write_session(projects, ONE, days)
    write_session(projects, TWO, days[:1], project="/home/ada/api", model="claude-haiku-4-5")


def test_logs_are_found_and_summed_up_by_day_without_an_import(cli, projects):
    three_days(projects)
    said = cli("usage", "--utc")
    assert "Sessions imported: 2 new." in said.stderr
    assert [line.split()[:2] for line in said.stdout.splitlines()[2:6]] == [
        ["2026-03-01", "2"], ["2026-03-02", "1"], ["2026-03-03", "1"], ["total", "2"],
    ]  # fmt: skip
    assert cli("usage", "--utc").stderr == ""


@pytest.mark.parametrize(
    ("view", "keys"),
    [
        ("daily", ["2026-03-01", "2026-03-02", "2026-03-03"]),
        ("weekly", ["2026-02-23", "2026-03-02"]),
        ("monthly", ["2026-03"]),
    ],
)
def test_views_group_by_period(cli, projects, view, keys):
    three_days(projects)
    assert [row["key"] for row in cli("usage", view, "--utc", "--json").data["rows"]] == keys


def test_weeks_begin_on_sunday_where_that_is_asked_for(cli, projects):
    three_days(projects)
    data = cli("usage", "weekly", "--utc", "--start-of-week", "sunday", "--json").data
    assert [row["key"] for row in data["rows"]] == ["2026-03-01"]


def test_sessions_name_tool_project_and_last_answer(cli, projects):
    three_days(projects)
    said = cli("usage", "session", "--utc").stdout
    assert "claude-code  2026-03-03 10:00  /home/ada/shop" in said
    row, _ = cli("usage", "session", "--json").data["rows"]
    assert (row["tools"], row["projects"]) == (["claude-code"], ["/home/ada/shop"])
    assert row["last_at"] == "2026-03-03T10:00:00.000Z"


def test_a_breakdown_has_a_row_for_each_model(cli, projects):
    three_days(projects)
    lines = cli("usage", "monthly", "--breakdown", "--utc").stdout.splitlines()
    assert [line.split()[0] for line in lines[2:5]] == [
        "2026-03",
        "claude-sonnet-4-5",
        "claude-haiku-4-5",
    ]
    models = cli("usage", "--json", "--utc").data["rows"][0]["models"]
    assert [it["key"] for it in models] == ["claude-sonnet-4-5", "claude-haiku-4-5"]


def test_filters_and_zones_choose_answers(cli, projects):
    three_days(projects)
    some = cli("usage", "--project", "api", "--json").data
    assert some["total"]["sessions"] == 1
    assert "No sessions" in cli("usage", "--tool", "codex").stdout
    data = cli("usage", "--since", "2026-03-02", "--until", "2026-03-03", "--utc", "--json").data
    assert data["total"]["llm_calls"] == 1
    data = cli("usage", "--timezone", "Pacific/Kiritimati", "--json").data
    assert data["rows"][0]["key"] == "2026-03-02"
    assert "unknown time zone 'Mars'" in cli("usage", "--timezone", "Mars", code=2).stderr


def test_a_rate_over_less_than_a_minute_is_not_shown(cli, projects):
    start = at("2026-03-01T10:00")
    write_session(projects, ONE, [start, start + 0.043])
    write_session(projects, TWO, [start + 86_400, start + 86_460])
    short, long = cli("usage", "blocks", "--json", "--utc").data["blocks"]
    assert (short["burn_rate"], short["projection"]) == (None, None)
    assert long["burn_rate"]["tokens_per_minute"] == 2 * 3_310


@pytest.mark.parametrize("view", [(), ("blocks",), ("--json",), ("--csv",)])
def test_a_name_that_nothing_has_is_refused_with_the_nearest(cli, projects, view):
    three_days(projects)
    said = cli("usage", *view, "--tool", "claude", code=2).stderr
    assert "there is no tool 'claude'" in said
    assert "Did you mean 'claude-code'?" in said
    said = cli("usage", *view, "--task", "nope", code=2).stderr
    assert "there is no task 'nope'" in said


def test_the_names_there_are_are_listed_where_none_is_near(cli, projects):
    three_days(projects)
    cli("import", projects, "--task", "shop")
    assert "Known: shop." in cli("usage", "--task", "qqq", code=2).stderr
    assert "claude-code" in cli("usage", "--tool", "qqq", code=2).stderr
    assert "No sessions" in cli("usage", "--task", "shop", "--since", "2026-04-01").stdout


def test_a_search_in_an_unknown_tool_names_the_nearest(cli, projects):
    three_days(projects)
    cli("usage")
    said = cli("search", "answer", "--tool", "claude-cod", code=2).stderr
    assert "Did you mean 'claude-code'?" in said
    assert "Nothing found." in cli("search", "nowhere", "--tool", "claude-code").stdout


def test_the_case_of_a_project_does_not_matter(cli, projects):
    three_days(projects)
    assert cli("usage", "--project", "ADA/Api", "--json").data["total"]["sessions"] == 1
    assert "/home/ada/api" in cli("usage", "session", "--project", "ADA/Api").stdout
    assert cli("search", "answer", "--project", "ADA/Api", "--json").data["hits"]


def test_days_in_the_wrong_order_are_refused_with_both_of_them(cli, projects):
    three_days(projects)
    window = ("--since", "2026-03-05", "--until", "2026-03-01")
    for words in (window, ("blocks", *window), ("--stored", *window)):
        said = cli("usage", *words, code=2).stderr
        assert "since 2026-03-05 is after until 2026-03-01." in said
    assert "No sessions" in cli("usage", "--since", "2026-03-05", "--until", "2026-03-05").stdout


def test_sessions_without_a_folder_are_counted_where_a_project_is_chosen(cli, projects):
    three_days(projects)
    rows = [answer_row(THREE, 0, at("2026-03-01T10:00"))]
    write_rows(projects / "nowhere" / f"{THREE}.jsonl", rows)
    said = cli("usage", "--project", "api", "--utc")
    assert "Not in these sums: 1 session without a folder." in said.stdout
    data = cli("usage", "--project", "api", "--json").data
    assert (data["total"]["sessions"], data["left_out"]["sessions_without_folder"]) == (1, 1)
    for words in (["--since", "2026-03-02"], ["--tool", "codex"]):
        data = cli("usage", "--project", "api", *words, "--utc", "--json").data
        assert data["left_out"]["sessions_without_folder"] == 0
    assert cli("usage", "--json").data["left_out"]["sessions_without_folder"] == 0


def write_chat(projects, session, folder, *, output=138):
    """A chat of Gemini CLI in a folder, of which its log gives only the hash."""
    when = "2026-03-02T10:00:00.000Z"
    header = {"sessionId": session, "startTime": when, "lastUpdated": when, "kind": "main",
              "projectHash": sha256(folder.encode()).hexdigest()}  # fmt: skip
    prompt = {"id": f"p-{session}", "timestamp": when, "type": "user", "content": "List all files."}
    counts = {"input": 1135, "output": output, "cached": 0, "thoughts": 0, "tool": 0,
              "total": 1135 + output}  # fmt: skip
    answer = {"id": f"a-{session}", "timestamp": when, "type": "gemini", "content": "Listing.",
              "tokens": counts, "model": "gemini-2.5-pro"}  # fmt: skip
    chats = projects.parents[1] / ".gemini" / "tmp" / Path(folder).name / "chats"
    name = f"session-2026-03-02T10-00-{session[:8]}.jsonl"
    return write_rows(chats / name, [header, prompt, answer])


def test_a_folder_known_by_its_hash_is_found_among_those_of_other_sessions(cli, projects):
    three_days(projects)
    write_chat(projects, THREE, "/home/ada/api")
    write_chat(projects, "3b1c2d3e-0000-4000-8000-000000000004", "/home/ada/elsewhere")
    rows = cli("usage", "--by", "project", "--json").data["rows"]
    assert {it["key"]: (it["sessions"], it["tools"]) for it in rows} == {
        "/home/ada/shop": (1, ["claude-code"]),
        "/home/ada/api": (2, ["claude-code", "gemini-cli"]),
        "unknown": (1, ["gemini-cli"]),
    }
    data = cli("usage", "--project", "api", "--json").data
    assert (data["total"]["sessions"], data["left_out"]["sessions_without_folder"]) == (2, 1)


def test_a_folder_is_found_among_sessions_of_other_days(cli, projects):
    three_days(projects)
    write_chat(projects, THREE, "/home/ada/api")
    data = cli("usage", "--by", "project", "--since", "2026-03-02", "--json").data
    assert [it["key"] for it in data["rows"]] == ["/home/ada/shop", "/home/ada/api"]


def test_a_table_changes_nothing_in_the_status_line(cli, projects, tmp_path):
    write_session(projects, ONE, [time.time() - 60, time.time()])
    before = cli("usage", "statusline", "--json").data
    table = {
        "id": "1",
        "tool": "claude-code",
        "total_tokens": 9_000,
        "started_at": iso(time.time()),
    }
    (tmp_path / "rows.json").write_text(json.dumps([table]))
    cli("import", tmp_path / "rows.json")
    after = cli("usage", "statusline", "--json").data
    for name in ("today_usd", "today_tokens", "block_usd", "block_tokens"):
        assert after[name] == before[name]


def test_csv_has_the_rows_of_the_table(cli, projects):
    three_days(projects)
    rows = list(csv.DictReader(io.StringIO(cli("usage", "--csv", "--utc", "--breakdown").stdout)))
    assert [(row["key"], row["model"]) for row in rows[:3]] == [
        ("2026-03-01", ""),
        ("2026-03-01", "claude-sonnet-4-5"),
        ("2026-03-01", "claude-haiku-4-5"),
    ]
    assert rows[-1]["key"] == "claude-haiku-4-5" or rows[-1]["model"]
    assert "can't hold both" in cli("usage", "--csv", "--json", code=2).stderr


def test_blocks_have_a_burn_rate_and_the_active_one_a_projection(cli, projects):
    now = time.time()
    write_session(projects, ONE, [at("2026-03-01T10:20"), now - 600, now])
    past, active = cli("usage", "blocks", "--utc", "--json").data["blocks"]
    assert (past["start"], past["is_active"]) == ("2026-03-01T10:00:00Z", False)
    assert active["is_active"]
    assert active["burn_rate"]["tokens_per_minute"] == pytest.approx(662, rel=0.01)
    assert active["projection"]["total_tokens"] > active["total_tokens"]
    assert len(cli("usage", "blocks", "--active", "--json").data["blocks"]) == 1
    assert "claude-code" in cli("usage", "blocks", "--active").stdout
    rows = list(csv.DictReader(io.StringIO(cli("usage", "blocks", "--csv").stdout)))
    assert [row["is_active"] for row in rows] == ["false", "true"]


def test_blocks_of_a_window_are_those_of_the_whole_time(cli, projects):
    write_session(projects, ONE, [at("2026-03-01T22:10"), at("2026-03-01T23:50")])
    write_session(projects, TWO, [at("2026-03-02T00:10"), at("2026-03-02T05:10")])
    whole = cli("usage", "blocks", "--utc", "--json").data["blocks"]
    assert [(it["start"], it["llm_calls"]) for it in whole] == [
        ("2026-03-01T22:00:00Z", 3), ("2026-03-02T05:00:00Z", 1),
    ]  # fmt: skip
    for option, expected in (("--since", whole[1:]), ("--until", whole[:1])):
        found = cli("usage", "blocks", "--utc", "--json", option, "2026-03-02").data["blocks"]
        assert found == expected


def test_stored_sessions_are_summed_up_without_a_look_at_the_logs(cli, projects):
    three_days(projects)
    said = cli("usage", "--stored", code=2).stderr
    assert "sessions stored." in said
    assert "no logs" not in said
    cli("usage")
    write_session(projects, ONE, [at("2026-03-09T10:00")])
    assert cli("usage", "--stored", "--json").data["total"]["llm_calls"] == 4


def test_a_view_and_by_are_one_too_many(cli):
    assert "already sets the grouping" in cli("usage", "daily", "--by", "tool", code=2).stderr


def test_options_that_exclude_each_other_are_refused(cli):
    assert "exclude each other" in cli("usage", "--utc", "--timezone", "UTC", code=2).stderr
    assert "only with blocks" in cli("usage", "--active", code=2).stderr
    assert "no breakdown" in cli("usage", "blocks", "--breakdown", code=2).stderr


def a_hook(**more):
    return json.dumps(
        {
            "session_id": ONE,
            "model": {"id": "claude-sonnet-4-5", "display_name": "Sonnet 4.5"},
            "context_window": {"used_percentage": 12, "current_usage": {"input_tokens": 24_000}},
        }
        | more
    )


def test_the_statusline_has_costs_block_and_context(cli, projects):
    now = time.time()
    write_session(projects, ONE, [now - 60, now])
    write_session(projects, TWO, [at("2026-03-01T10:00")])
    data = cli("usage", "statusline", "--json", "--utc", stdin=a_hook()).data
    block = cli("usage", "blocks", "--active", "--json").data["blocks"][0]
    assert data["model"] == "Sonnet 4.5"
    assert data["session_usd"] == pytest.approx(block["cost_usd"])
    assert data["block_usd"] == pytest.approx(block["cost_usd"])
    assert data["usd_per_hour"] == pytest.approx(block["burn_rate"]["usd_per_hour"])
    said = cli("usage", "statusline", stdin=a_hook(cost={"total_cost_usd": 1.5})).stdout
    assert said.startswith("Sonnet 4.5 · $1.50 session · ")
    assert said.endswith(" · context 24,000 (12%)\n")


def test_the_statusline_says_what_it_knows_without_a_hook(cli, projects):
    assert cli("usage", "statusline").stdout == "$0.00 today\n"
    assert cli("usage", "statusline", "--json").data["block_tokens"] is None
    write_session(projects, ONE, [time.time()])
    assert "today · " in cli("usage", "statusline", stdin="no json").stdout


@pytest.mark.parametrize("seconds", [0, 59.9, 60, 90, 3_600])
def test_the_burn_rate_of_the_statusline_is_from_the_first_answer_to_the_last(
    projects, home, seconds
):
    start = at("2026-03-01T10:00")
    write_session(projects, ONE, [start, start + seconds])
    with closing(AnswerIndex(home)) as index:
        refresh(index, {"HOME": str(projects.parents[1])}, home)
        made = _figures(index, {}, start + seconds + 600, UTC)
        over = _figures(index, {}, start + seconds + 5 * 3_600, UTC)
    rates = [it for it in _parts(made) if it.endswith("/h")]
    if seconds < 60:
        assert (made["usd_per_hour"], rates) == (None, [])
    else:
        assert made["usd_per_hour"] == pytest.approx(made["block_usd"] * 3_600 / seconds)
        assert rates == [f"{dollars(made['usd_per_hour'])}/h"]
    assert (over["block_usd"], over["usd_per_hour"]) == (None, None)


def test_the_statusline_loads_little(projects, home):
    """Twice what --help loads is the budget; what takes the time are modules."""
    write_session(projects, ONE, [time.time()])
    code = (
        "import sys; from benchmaker.cli import main\n"
        "try: main(['usage', 'statusline'])\n"
        "except SystemExit: pass\n"
        "print(*sorted(name for name in sys.modules if name in "
        "{'msgspec', 'pydantic', 'sqlalchemy', 'numpy', 'rich', 'asyncio'}))"
    )
    env = environment(home) | {"HOME": str(projects.parents[1])}
    env.pop("BENCHMAKER_LOGS")
    said = [
        subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True)
        for _ in range(2)
    ]
    assert said[1].stdout.decode().splitlines()[-1] == ""


def test_texts_are_searched_with_filters(cli, projects):
    three_days(projects)
    assert "benchmaker" in cli("search", "answer", code=2).stderr
    cli("usage")
    said = cli("search", "answer 2")
    assert "answer  line 3" in said.stdout
    assert "   answer 2" in said.stdout
    data = cli("search", "answer", "--project", "api", "--json").data
    assert [(it["excerpt"], it["project"]) for it in data["hits"]] == [
        ("answer 0", "/home/ada/api")
    ]
    assert "Nothing found." in cli("search", "answer", "--tool", "codex").stdout
    assert "no word" in cli("search", "...", code=2).stderr
    assert "search TEXT" in cli("search", code=2).stderr
    assert "Sessions indexed: 0." in cli("search", "--index").stderr


def test_a_long_search_says_how_to_go_on(cli, projects):
    three_days(projects)
    cli("usage")
    said = cli("search", "answer", "--tool", "claude-code", "--limit", 1)
    assert "search answer --tool claude-code --limit 1 --after" in said.stderr
    assert "Showing the first 3 hits; use --limit to show more." in said.stderr
    place = said.stderr.split("--after ")[1].split()[0]
    assert "found;" not in cli("search", "answer", "--limit", 1, "--after", place).stderr


def test_a_search_says_in_json_whether_more_may_exist(cli, projects):
    three_days(projects)
    cli("usage")
    assert cli("search", "answer", "--limit", 1, "--json").data["may_have_more"] is True
    assert cli("search", "answer", "--json").data["may_have_more"] is False


def test_a_search_that_stopped_before_its_limit_does_not_name_the_limit(cli, projects, monkeypatch):
    monkeypatch.setattr(text_search, "PIECES", 1)
    three_days(projects)
    cli("usage")
    said = cli("search", "answer").stderr
    assert "Showing the first 3 hits; there may be more." in said
    assert "--limit" not in said


def test_live_prints_what_changes_and_nothing_twice(projects, home, capsys):
    write_session(projects, ONE, [at("2026-03-01T10:00")])
    looks = []

    def wait(seconds):
        looks.append(seconds)
        if len(looks) == 2:
            write_session(projects, TWO, [at("2026-03-02T10:00")])
        if len(looks) == 4:
            raise KeyboardInterrupt

    report = UsageReport(Context.read(home=home), UsageQuery(zone=UTC))
    with pytest.raises(KeyboardInterrupt):
        follow(report, 0.5, wait=wait)
    said = capsys.readouterr().out
    assert said.count("2026-03-01") == 2
    assert said.count("2026-03-02") == 1
    assert said.count("total") == 1


def test_active_time_that_is_known_in_part_has_a_plus(cli, projects):
    write_rows(
        projects / "-home-ada-shop" / f"{ONE}.jsonl",
        [
            answer_row(ONE, 1, at("2026-03-01T10:00"), model="claude-opus-4-5"),
            answer_row(ONE, 2, at("2026-03-01T10:01"), model="claude-haiku-4-5"),
        ],
    )
    write_session(
        projects, TWO, [at("2026-03-01T10:00"), at("2026-03-01T10:02")], model="claude-haiku-4-5"
    )
    said = cli("usage", "--by", "model", "--utc")
    haiku = next(line for line in said.stdout.splitlines() if "haiku" in line)
    assert "s+" in haiku or "min+" in haiku
    assert "Active time with a plus excludes sessions over several models" in said.stdout


def test_a_store_without_sessions_names_the_folders_searched(cli, ran, monkeypatch, tmp_path):
    assert ran
    monkeypatch.setenv("BENCHMAKER_LOGS", str(tmp_path / "nothing"))
    told = " ".join(cli("usage", code=2).stderr.split())
    assert "no sessions stored, and no logs of coding tools found in " in told
    assert str(tmp_path / "nothing") in told
    assert told.endswith("Import logs with: benchmaker import PATH")
    told = " ".join(cli("import", code=2).stderr.split())
    assert told.endswith("Give a file or a folder: benchmaker import PATH")


@pytest.mark.parametrize(("width", "more"), [(60, {"last"}), (80, {"last", "project"})])
def test_a_narrow_table_of_sessions_says_which_they_are(cli, projects, monkeypatch, width, more):
    three_days(projects)
    monkeypatch.setenv("COLUMNS", str(width))
    table = cli("usage", "session", "--utc").stdout
    head, _, rows = table.partition("───")
    assert {"session", "cost", "tokens", *more} <= set(head.split())
    assert "sessions" not in table
    assert "2026-03-03" in rows
    assert max(map(len, table.splitlines())) <= width


def test_ids_of_sessions_are_not_broken_at_80_columns(cli, projects, monkeypatch):
    three_days(projects)
    monkeypatch.setenv("COLUMNS", "80")
    keys = [row["key"] for row in cli("usage", "session", "--json").data["rows"]]
    shown = cli("usage", "session").stdout
    assert all(key in shown for key in keys)


def test_days_without_sessions_name_the_newest_day(cli, projects):
    three_days(projects)
    said = cli("usage", "--since", "2026-04-01", "--utc").stdout
    newest = cli("usage", "--utc", "--json").data["rows"][-1]["key"]
    assert said.startswith(
        f"No sessions since 2026-04-01; the newest is of {newest}. Show it with:"
    )
    blocks = cli("usage", "blocks", "--since", "2026-04-01", "--utc").stdout
    assert blocks.startswith(
        f"No sessions since 2026-04-01; the newest is of {newest}. Show it with:"
    )
