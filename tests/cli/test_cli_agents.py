"""The commands on logs of coding tools."""

import json

import pytest
from jsonschema import Draft202012Validator

ROWS = [
    {"id": "1", "tool": "Agent X", "model": "gpt-5", "total_tokens": 1200, "estimated_cost": 0.5,
     "started_at": "2026-02-10T12:00:00Z", "execution_time": 61, "success": True},
    {"id": "2", "tool": "Agent Y", "model": "inhouse", "total_tokens": 30, "rank": 1,
     "started_at": "2026-02-12T12:00:00Z", "usage.output": 30},
]  # fmt: skip


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.json"
    path.write_text(json.dumps({"submissions": ROWS}))
    return path


def test_logs_are_imported_and_listed(cli, rows):
    said = cli("import", rows)
    assert "Agent X" in said.stdout
    assert "Stored: 2 new." in said.stdout
    assert "ignored, since they are assigned here: rank" in said.stderr
    assert "Price unknown: inhouse" in said.stdout
    assert "Stored: 2 unchanged." in cli("import", rows).stdout


def test_json_holds_submissions_and_skipped_lines_that_fit_the_schema(cli, rows):
    data = cli("import", rows, "--dry-run", "--json").data
    assert [it["total_tokens"] for it in data["submissions"]] == [1200, 30]
    assert data["skipped_lines"] == []
    assert data["kept"] == {}
    schema = cli("schema", "submission").data
    Draft202012Validator.check_schema(schema)
    for it in data["submissions"]:
        Draft202012Validator(schema).validate(it)
    assert not Draft202012Validator(schema).is_valid(data["submissions"][0] | {"total_tokens": -1})


def test_what_import_prints_can_be_imported(cli, rows, tmp_path):
    printed = cli("import", rows, "--dry-run", "--json").stdout
    (tmp_path / "printed.json").write_text(printed)
    again = cli("import", tmp_path / "printed.json", "--json").data
    before = json.loads(printed)["submissions"]
    assert [it["id"] for it in again["submissions"]] == [it["id"] for it in before]


def test_runs_and_logs_are_imported_by_one_command(cli, ran, rows, tmp_path):
    cli("export", ran, "--format", "json", "--output", tmp_path / "run.json")
    other = ("--home", tmp_path / "other")
    data = cli("import", tmp_path / "run.json", rows, *other, "--json").data
    assert data["run_ids"] == [ran]
    assert len(data["submissions"]) == 2


def test_a_dry_run_of_an_export_stores_nothing(cli, ran, tmp_path):
    cli("export", ran, "--format", "json", "--output", tmp_path / "run.json")
    other = ("--home", tmp_path / "other")
    assert "1 run, " in cli("import", tmp_path / "run.json", "--dry-run", *other).stdout
    assert not (tmp_path / "other").exists()


def test_usage_sums_up_and_tells_what_has_no_price(cli, rows):
    cli("import", rows)
    said = cli("usage", "--benchmarks", "--utc")
    assert [line.split()[0] for line in said.stdout.splitlines()[2:5]] == [
        "2026-02-10", "2026-02-12", "total",
    ]  # fmt: skip
    assert "Cost unknown, not in the sums: inhouse (30 tokens)" in said.stdout
    data = cli("usage", "--benchmarks", "--by", "tool", "--json").data
    assert [(row["key"], row["cost_usd"]) for row in data["rows"]] == [
        ("Agent X", 0.5),
        ("Agent Y", None),
    ]
    assert data["unpriced_tokens_by_model"] == {"inhouse": 30}


def test_usage_takes_days_as_bounds(cli, rows):
    cli("import", rows)
    data = cli(
        "usage", "--benchmarks", "--utc", "--since", "2026-02-11", "--until", "2026-02-13", "--json"
    ).data
    assert [row["key"] for row in data["rows"]] == ["2026-02-12"]
    assert "No sessions" in cli("usage", "--since", "0d").stdout
    assert "not a day" in cli("usage", "--since", "soon", code=2).stderr


def test_rows_of_tables_are_not_own_sessions_and_counted_as_left_out(cli, rows):
    said = cli("import", rows).stdout
    assert "Show the totals: benchmaker usage --benchmarks" in said
    said = cli("usage", "--stored")
    assert said.stdout.startswith("No sessions.\n")
    assert "Not in these sums: 2 rows of tables. Show them: benchmaker usage" in said.stdout
    assert cli("usage", "--benchmarks").stdout.count("Not in these sums") == 0
    for words, number in (
        (["--tool", "agent-x"], 1), (["--since", "2026-02-11"], 1),
        (["--project", "shop"], 0), ([], 2),
    ):  # fmt: skip
        data = cli("usage", *words, "--utc", "--json").data
        assert data["left_out"]["table_rows"] == number
        assert (data["total"]["sessions"], data["rows"]) == (0, [])
    table = cli("usage", "--csv")
    assert "2 rows of tables" in table.stderr
    assert "rows of tables" not in table.stdout
    blocks = cli("usage", "blocks")
    assert blocks.stdout.startswith("No sessions.\nNot in these sums: 2 rows of tables.")
    assert not blocks.stderr
    assert cli("usage", "blocks", "--json").data["left_out"]["table_rows"] == 2


def test_usage_without_a_store_says_what_to_do(cli):
    assert "benchmaker" in cli("usage", code=2).stderr
    assert "benchmaker" in cli("reprice", code=2).stderr


def test_reprice_takes_a_price_that_became_known(cli, rows, home):
    home.mkdir()
    cli("import", rows)
    (home / "prices.yaml").write_text("prices:\n  inhouse: {input: 1, output: 1000}\n")
    data = cli("reprice", "--dry-run", "--json").data["repriced"]
    assert [it["stored"] for it in data] == [False]
    assert "usage_incomplete" not in str(data)
    assert "1 of 1 changed" in cli("reprice").stdout


def test_a_path_that_is_nothing_is_refused(cli, tmp_path):
    assert "does not exist" in cli("import", tmp_path / "absent", code=2).stderr


@pytest.mark.parametrize("name", ["absent.jsonl", "notes.txt", "empty.csv"])
def test_an_unreadable_file_among_others_is_named_and_the_others_are_stored(
    cli, rows, tmp_path, name
):
    (tmp_path / "notes.txt").write_text("Call Ada.")
    (tmp_path / "empty.csv").write_text("")
    said = cli("import", tmp_path / name, rows, code=4)
    assert "Stored: 2 new." in said.stdout
    assert f"{tmp_path / name}: " in said.stderr
    data = cli("import", rows, tmp_path / name, "--json", code=4).data
    assert [it["file"] for it in data["skipped_lines"]] == [str(tmp_path / name)]
    assert set(data["kept"].values()) == {"unchanged"}


def test_every_unreadable_file_is_named_and_nothing_else_is_a_failure(cli, tmp_path):
    (tmp_path / "notes.txt").write_text("Call Ada.")
    said = cli("import", tmp_path / "notes.txt", tmp_path / "absent", code=2)
    assert f"{tmp_path / 'notes.txt'}: unrecognised log format" in said.stderr
    assert f"{tmp_path / 'absent'}: " in said.stderr
    assert "all input was rejected" in said.stdout


def test_an_invalid_export_among_others_is_named_and_the_others_are_stored(
    cli, ran, rows, tmp_path
):
    cli("export", ran, "--format", "json", "--output", tmp_path / "run.json")
    broken = tmp_path / "broken.json"
    broken.write_bytes((tmp_path / "run.json").read_bytes()[:2_000])
    other = ("--home", tmp_path / "other")
    said = cli("import", broken, tmp_path / "run.json", rows, *other, code=4)
    assert "broken.json" in said.stderr
    assert "Stored: 2 new." in said.stdout
    data = cli("import", broken, tmp_path / "run.json", *other, "--json", code=4).data
    assert [it["run_ids"] for it in data["exports"]] == [[ran]]
    assert [it["file"] for it in data["refused_exports"]] == [str(broken)]
    assert cli("import", broken, tmp_path / "absent", *other, code=2).stderr.count("\n") >= 2


def test_an_unreadable_log_does_not_hide_a_stored_export(cli, ran, tmp_path):
    cli("export", ran, "--format", "json", "--output", tmp_path / "run.json")
    other = ("--home", tmp_path / "other")
    said = cli("import", tmp_path / "run.json", tmp_path / "absent", *other, code=4)
    assert "absent" in said.stderr
    assert cli("runs", *other, "--json").data["runs"]


TRAJECTORY = {
    "schema_version": "ATIF-v1.6",
    "session_id": "a-session",
    "agent": {"name": "agent-x", "version": "1", "model_name": "gpt-5"},
    "steps": [
        {"step_id": 1, "source": "user", "message": "do it"},
        {"step_id": 2, "source": "agent", "message": "done",
         "metrics": {"prompt_tokens": 100, "completion_tokens": 10, "cached_tokens": 40}},
    ],
}  # fmt: skip


@pytest.fixture
def session(cli, tmp_path):
    """The id of a session that was imported."""
    path = tmp_path / "trajectory.json"
    path.write_text(json.dumps(TRAJECTORY))
    (submission,) = cli("import", path, "--json").data["submissions"]
    return submission["id"]


@pytest.mark.parametrize(
    ("form", "name"), [("atif", "x.json"), ("otel", "x.jsonl"), ("submission", "x.json")]
)
def test_submissions_are_exported_and_imported_elsewhere(cli, session, tmp_path, form, name):
    out = tmp_path / name
    assert "Written" in cli("export", session[:9], "--format", form, "--output", out).stdout
    data = cli("import", out, "--dry-run", "--json").data
    assert [it["total_tokens"] for it in data["submissions"]] == [110]
    assert [it["iterations"] for it in data["submissions"]] == [1]
    said = cli("export", session, "--format", form, "--output", out, "--json").data
    assert said["submissions"] == [session]


def test_the_formats_of_runs_are_not_those_of_submissions(cli, ran, session):
    assert "no submission" in cli("export", ran, "--format", "atif", code=2).stderr
    assert (
        "html exports one run or series, not 2"
        in cli("export", ran, ran, "--format", "html", code=2).stderr
    )
    assert json.loads(cli("export", session, "--format", "submission").stdout)["submissions"]


def test_longer_lines_than_allowed_are_skipped_and_named(cli, tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    data = cli("import", path, "--dry-run", "--json", "--max-line-bytes", 110, code=2).data
    assert [it["total_tokens"] for it in data["submissions"]] == []
    assert [it["reason"] for it in data["skipped_lines"]] == ["longer than 110 bytes"] * 2


BAD = {"id": "3", "tool": "Agent Z", "task": "t", "total_tokens": -5}
GOOD = {"id": "4", "tool": "Agent Z", "task": "t", "total_tokens": 5}


@pytest.mark.parametrize("command", ["import", "evaluate"])
@pytest.mark.parametrize(("lines", "code"), [([BAD], 2), ([BAD, GOOD], 4), ([GOOD], 0)])
def test_what_is_refused_is_called_so_and_is_in_the_exit_code(cli, tmp_path, command, lines, code):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    said = cli(command, path, code=code)
    assert ("Skipped, rejected: 1 row\n" in said.stderr) == (BAD in lines)
    assert "empty" not in said.stderr
    assert ("all input was rejected" in said.stdout) == (code == 2)


@pytest.mark.parametrize("command", ["import", "evaluate"])
def test_refused_rows_and_refused_files_are_counted_apart(cli, tmp_path, command):
    lines = [json.dumps(BAD | {"id": str(n)}) for n in range(3)]
    (tmp_path / "rows.jsonl").write_text("\n".join([*lines, json.dumps(GOOD)]))
    (tmp_path / "cut.jsonl").write_text('{"tool": "x", "task_id": "t", "total_tokens": 5')
    said = cli(command, tmp_path, code=4)
    assert "Skipped, rejected: 1 file: " in said.stderr
    assert "Skipped, rejected: 3 rows\n" in said.stderr
    data = cli(command, tmp_path, "--json", code=4).data
    assert data["refused"] == [str(tmp_path / "cut.jsonl")]
    assert data["refused_rows"] == 3


HEADER = "id,task_id,tool,total_tokens,tool_calls"


@pytest.mark.parametrize(
    "content", [HEADER, f"{HEADER}\n\n", '{"submissions": []}', '{"submissions":[\n], "x": 1}']
)
@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("import", "No sessions found."),
        ("evaluate", "Nothing evaluated: no submissions found."),
    ],
)
def test_a_table_without_rows_is_named_with_what_to_do(cli, tmp_path, command, text, content):
    code = 2 if command == "evaluate" else 0
    path = tmp_path / "table.csv"
    path.write_text(content)
    said = cli(command, path, code=code)
    assert said.stdout == f"{text}\n"
    assert f"{path}: the table has no rows; add one row for each submission\n" in said.stderr
    assert f"Skipped, empty: 1 file: {path}\n" in said.stderr
    data = cli(command, path, "--json", code=code).data
    assert (data["empty"], data["refused"], data["skipped"]) == ([str(path)], [], 0)
    (note,) = data["notes"]
    assert note["file"] == str(path)


TITLES = "Id,Task_Id,Tool,Total_Tokens"
WORDS = "ID,task id,TOOL,TotalTokens"


@pytest.mark.parametrize("header", [TITLES, WORDS])
@pytest.mark.parametrize("command", ["import", "evaluate"])
def test_names_of_columns_may_be_spelled_otherwise(cli, tmp_path, command, header):
    path = tmp_path / "rows.csv"
    lines = [f"r{n},t,X,{n + 5}" for n in range(12)]
    path.write_text("\n".join([header, *lines]))
    assert "12 new" in cli(command, path).stdout
    path.write_text("\n".join(["id,task_id,tool,total_tokens", *lines]))
    assert "12 unchanged" in cli(command, path).stdout


@pytest.mark.parametrize("command", ["import", "evaluate"])
def test_a_table_without_a_known_column_is_refused_with_its_columns(cli, tmp_path, command):
    path = tmp_path / "rows.csv"
    path.write_text("Name,My Count\na,1\n")
    said = cli(command, path, code=2)
    assert "Columns in this file: Name, My Count" in said.stderr


def test_a_row_without_a_known_figure_is_refused_with_its_columns(cli, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("task_id,tool,Tokens Spent\nt,X,5\nt,X,6\n")
    said = cli("evaluate", path, code=2)
    why = "no figure of it is known; columns without a known name: Tokens Spent"
    assert f"{path}:2: the row is refused: {why}\n" in said.stderr
    assert "Skipped, rejected: 2 rows\n" in said.stderr
    assert "empty" not in said.stderr


@pytest.mark.parametrize("content", ["", " \n", "[]", "{\n}\n"])
def test_an_empty_file_is_called_empty(cli, tmp_path, content):
    path = tmp_path / "rows.json"
    path.write_text(content)
    assert f"{path}: the file is empty" in cli("evaluate", path, code=2).stderr


def test_a_table_whose_rows_are_all_refused_is_not_called_empty(cli, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(f"{HEADER}\na,t,x,-5,1\n")
    said = cli("evaluate", path, code=2)
    assert said.stdout == "Nothing evaluated: all input was rejected.\n"
    assert "no rows" not in said.stderr


def test_the_last_line_counts_the_files_that_were_not_imported(cli, rows, tmp_path):
    (tmp_path / "notes.txt").write_text("not a log at all, {{{")
    said = cli("import", rows, tmp_path / "notes.txt", code=4)
    assert said.stderr.splitlines()[-1] == "1 of 2 files not imported."
    assert "not a log at all" not in said.stderr
    assert "Columns in this file" not in said.stderr
    assert "not imported" not in cli("import", rows).stderr
