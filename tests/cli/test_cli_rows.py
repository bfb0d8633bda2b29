"""Tables of rows on the command line: imported again, named by their ids, refused."""

import json

import pytest

import benchmaker
from tests.arenas.agentic.handed import a_submission, write_submissions
from tests.arenas.agentic.log_data import write_claude_log

HEADS = ("id", "task_id", "tool", "model", "total_tokens", "tool_calls", "execution_time")


@pytest.fixture(autouse=True)
def wide_output(monkeypatch):
    """Room for every column."""
    monkeypatch.setenv("COLUMNS", "200")


def table(path, *rows):
    lines = [HEADS, *rows]
    path.write_text("".join(",".join(map(str, line)) + "\n" for line in lines))
    return path


def row(number, *, task="t", tokens=1_000, seconds=60):
    return (f"r{number}", task, "codex", "gpt-5", tokens + number, 3 + number, seconds + number)


@pytest.fixture
def grow(cli, tmp_path):
    """Import a table with six rows, the last of them corrected, the way it came to be."""
    path = tmp_path / "grow.csv"
    rows = [row(number) for number in range(5)]
    cli("import", table(path, *rows))
    cli("import", table(path, *rows, row(5)))
    said = cli("import", table(path, *rows, row(5, tokens=2_000)))
    return path, said


def test_a_table_that_grew_and_was_corrected_counts_once(cli, grow):
    assert "Stored: 5 unchanged, 1 revised." in grow[1].stdout
    total = cli("usage", "--benchmarks", "--json").data["total"]
    assert (total["sessions"], total["total_tokens"]) == (6, 5 * 1_000 + 10 + 2_005)


def test_the_ids_of_rows_are_printed(cli, grow):
    found = cli("evaluate", grow[0], "--json").data["evaluations"]
    assert sorted(it["id"] for it in found) == [f"r{number}" for number in range(6)]
    said = cli("evaluate").stdout
    assert all(f"r{number}" in said for number in range(6))
    assert "row" in grow[1].stdout.splitlines()[0]


@pytest.mark.usefixtures("grow")
@pytest.mark.parametrize("command", ["show", "explain", "trace"])
def test_the_id_of_a_row_names_its_submission(cli, command):
    data = cli(command, "r5", "--json").data
    assert '"r5"' in json.dumps(data)
    assert "id r5 in its table" in cli(command, "r5").stdout


@pytest.mark.usefixtures("grow")
def test_an_evaluation_is_explained_by_the_id_of_its_row(cli):
    cli("evaluate", "--profile", "classic")
    data = cli("explain", "r5", "--profile", "classic", "--json").data
    assert data["id"] == "r5"
    assert (
        "(id r5 in its table) under classic/1"
        in cli("explain", "r5", "--profile", "classic").stdout
    )


@pytest.mark.parametrize("command", ["show", "explain", "trace", "delete"])
def test_an_id_that_several_rows_have_is_refused_with_what_it_may_mean(cli, tmp_path, command):
    cli("import", table(tmp_path / "a", row(1), row(1, task="u")))
    said = cli(command, "r1", code=2)
    assert "'r1' may be any of table-" in said.stderr
    assert "(t, codex)" in said.stderr
    assert "(u, codex)" in said.stderr
    assert "Use one of these ids." in said.stderr


def test_a_row_goes_before_the_beginning_of_a_run_s_id(cli, tmp_path):
    suite = tmp_path / "suite.yaml"
    suite.write_text("name: s\nscorer: exact\ncases: [{id: a, prompt: x, expected: y}]\n")
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"id": "a", "model": "m", "output": "y"}\n')
    cli("run", suite, "--recorded", answers)
    cli("import", table(tmp_path / "a", ("2", "t", "codex", "m", 5, 1, 9)))
    assert cli("show", "2", "--json").data["submission"]["row_id"] == "2"
    assert "trials" in cli("show", "latest", "--json").data


def test_a_table_of_another_source_is_kept_apart(cli, grow):
    said = cli("import", grow[0], "--source", "nightly", "--json")
    assert set(said.data["kept"].values()) == {"new"}
    assert {it["source"] for it in said.data["submissions"]} == {"nightly"}
    assert cli("usage", "--benchmarks", "--json").data["total"]["sessions"] == 12


def test_a_task_is_given_to_rows_that_name_none(cli, tmp_path):
    path = table(tmp_path / "leak.csv", row(1, task=""), row(2, task="T1"), row(3, task=""))
    for words, tasks in ((), [None, "T1", None]), (("--task", "TT"), ["TT", "T1", "TT"]):
        found = cli("import", path, *words, "--dry-run", "--json").data["submissions"]
        assert [it["task"] and it["task"]["id"] for it in found] == tasks


def test_a_row_is_not_submitted_for_another_task(cli, tmp_path):
    path = table(tmp_path / "one.csv", row(1, task="T1"))
    said = cli("submit", path, "--task", "tiny-sheet", code=2)
    assert "the row is for task 'T1', not 'tiny-sheet'" in said.stderr


@pytest.mark.parametrize("command", ["import", "evaluate"])
def test_impossible_rows_are_refused_with_place_and_remedy(cli, tmp_path, command):
    path = table(tmp_path / "rows.csv", row(1), row(2, seconds=-50))
    said = cli(command, path, code=4)
    assert f"{path}:3: the row is refused: execution_time: '-48' is negative; " in said.stderr
    assert "correct the figure, or omit it if unknown" in said.stderr
    said = cli(command, table(path, row(2, seconds=-50)), "--json", code=2)
    found = cli("evaluate", "--json").data["evaluations"]
    assert [it["id"] for it in found] == ["r1"]


@pytest.mark.parametrize("value", ["maybe", "2", "solved?"])
def test_a_row_whose_success_can_not_be_read_is_refused(cli, tmp_path, value):
    path = tmp_path / "rows.csv"
    path.write_text(f"id,task_id,tool,total_tokens,success\nr1,T1,x,900,yes\nr2,T1,x,9,{value}\n")
    said = cli("import", path, code=4)
    assert f"{path}:3: the row is refused: success: '{value}' is not true or false" in (said.stderr)
    evaluated = cli("evaluate", "--json").data["evaluations"]
    assert [it["id"] for it in evaluated] == ["r1"]
    document = tmp_path / "rows.json"
    rows = [{"id": "a", "task_id": "T", "tool": "x", "success": it} for it in (True, None, value)]
    document.write_text(json.dumps(rows))
    said = cli("import", document, code=4)
    assert f"{document}:1: the row is refused: row 3, success: '{value}' is" in said.stderr


@pytest.mark.parametrize("value", ["1", "0", "Yes", "no", "TRUE", "false", "1.0", "", "passed"])
def test_words_for_success_that_are_read(cli, tmp_path, value):
    path = tmp_path / "rows.csv"
    path.write_text(f"id,task_id,tool,total_tokens,success\nr1,T1,x,900,{value}\n")
    assert "refused" not in cli("import", path).stderr


def test_a_text_in_a_column_of_numbers_is_named(cli, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("id,task_id,tool,total_tokens,success\nr1,T1,x,12k,yes\n")
    assert f"{path}:2: total_tokens: '12k' is not a number; " in cli("import", path, code=4).stderr


UNREAD_ROW = (
    '{"id": "r1", "task_id": "T", "tool": "x", "total_tokens": "12k", "tool_calls": "few",'
    ' "execution_time": "3 min", "estimated_cost": "$1", "iterations": 1.5, "success": true}\n'
)


@pytest.mark.parametrize("command", [("explain", "r1"), ("trace", "r1"), ("show", "r1")])
def test_a_text_that_stood_for_a_figure_is_quoted_where_the_figure_is_missing(
    cli, tmp_path, command
):
    path = tmp_path / "rows.jsonl"
    path.write_text(UNREAD_ROW)
    cli("import", path, code=4)
    said = " ".join(cli(*command).stdout.split())
    assert "unknown: '12k', which is not a number" in said
    assert "unknown: '3 min', which is not a number" in said
    assert "unknown: '$1', which is not a number" in said


def test_every_figure_that_is_no_number_says_so(cli, tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(UNREAD_ROW)
    missing = next(iter(cli("import", path, "--json", code=4).data["missing"].values()))
    assert missing["total_tokens"] == "'12k', which is not a number"
    assert missing["tool_calls"] == "'few', which is not a number"
    assert missing["time.wall_s"] == "'3 min', which is not a number"
    assert missing["cost.reported_usd"] == "'$1', which is not a number"
    assert missing["iterations"] == "'1.5', which can't be true"
    said = cli("show", "r1").stdout
    assert "unknown: 'few', which is not a number" in said
    assert "unknown: '1.5', which can't be true" in said
    cli("import", path, "--drop-content", code=4)
    said = cli("show", "r1").stdout
    assert "unknown: not a number" in said
    assert "12k" not in said


def test_a_corrected_figure_is_no_longer_called_unread(cli, tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(UNREAD_ROW)
    cli("import", path, code=4)
    path.write_text(UNREAD_ROW.replace('"12k"', "12000"))
    said = cli("import", path, code=4).stdout
    assert "1 revised" in said
    said = cli("show", "r1").stdout
    assert "12k" not in said
    assert "'few', which is not a number" in said


def test_0_prompts_are_missing_in_a_table_and_in_a_data_frame_alike(cli, tmp_path):
    rows = [
        {"id": f"r{n}", "task_id": "T", "tool": f"x{n % 3}", "total_tokens": 900 + n,
         "tool_calls": 3, "iterations": n % 2, "execution_time": n % 4, "estimated_cost": 0.01,
         "success": True}
        for n in range(30)
    ]  # fmt: skip
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(rows))
    cli("evaluate", path, "--profile", "classic")
    stored = cli("leaderboard", "--profile", "classic", "--json").data["rows"]
    framed = benchmaker.leaderboard(
        [
            {"id": row["id"], "task": "T", "system": row["tool"], "tool": row["tool"],
             "total_tokens": row["total_tokens"], "tool_calls": 3, "cost": 0.01, "success": True,
             "iterations": row["iterations"], "seconds": row["execution_time"],
             "correctness": 1.0, "evidence_level": "self_reported"}
            for row in rows
        ],
        profile="classic",
    )  # fmt: skip
    expected = sorted((row["tool"], row["score"], row["n"]) for row in stored)
    assert sorted((row.tool, row.score, row.n) for row in framed.rows) == expected


@pytest.mark.parametrize("value", ["-40", "NaN", "1e999", "-Infinity"])
@pytest.mark.parametrize("profile", ["classic", "robust"])
def test_a_log_with_an_impossible_figure_is_told_and_not_scored(cli, tmp_path, profile, value):
    path = write_claude_log(tmp_path / "session.out")
    lines = path.read_text().splitlines()
    lines[1] = lines[1].replace('"output_tokens": 40', f'"output_tokens": {value}')
    path.write_text("\n".join(lines))
    said = cli("evaluate", path, "--task", "t", "--profile", profile, "--json", code=4)
    assert f"{path}:2: " in said.stderr
    assert "output_tokens: '" in said.stderr
    (row,) = said.data["evaluations"]
    assert (row["overall_score"], row["rank"], row["reason"]) == (None, None, "refused")
    assert row["detail"].endswith("its log has a figure that is negative or not finite")


def test_submissions_with_impossible_figures_are_refused(cli, tmp_path):
    path = write_submissions(tmp_path / "a.jsonl", [a_submission(1, tool_calls=-1)])
    assert "tool_calls: -1 can't be true" in cli("import", path, code=2).stderr


def test_what_claude_printed_is_read_under_any_name(cli, tmp_path):
    (log,) = [write_claude_log(tmp_path / "claude.out")]
    (found,) = cli("import", log, "--dry-run", "--json").data["submissions"]
    assert found["system"]["harness"] == "claude-code"


def test_what_is_usual_for_a_system_counts_the_profile_s_tokens(cli, tmp_path):
    cli("evaluate", table(tmp_path / "a.csv", *(row(number) for number in range(6))))
    said = cli("baselines", "--system", "codex · gpt-5", "--profile", "classic", "--json")
    (found,) = said.data["baselines"]
    assert found["figures"]["tokens"]["median"] == 1_002.5
    assert found["tokens"] == "total"
    said = cli("baselines", "--system", "codex · gpt-5", "--profile", "robust", "--json")
    assert "tokens" not in said.data["baselines"][0]["figures"]
