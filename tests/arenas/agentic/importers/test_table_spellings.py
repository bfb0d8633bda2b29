"""Tables of the same content in several spellings."""

import csv
import json

import pytest

from benchmaker.arenas.agentic.sessions.importing import import_logs
from benchmaker.store.home import Home

FILES = (["a.py", "b/c.py"], ["d.py"], [])
ROWS = [
    {"id": f"r{n}", "task_id": "t", "tool": "X", "total_tokens": 7 + n, "files_created": files}
    for n, files in enumerate(FILES)
]
CELLS = {"json": json.dumps, "python": repr, "semicolons": ";".join}


def as_table(path, rows, cell):
    with path.open("w", newline="") as stream:
        lines = csv.DictWriter(stream, list(rows[0]))
        lines.writeheader()
        lines.writerows(row | {"files_created": cell(row["files_created"])} for row in rows)
    return path


def as_json(path, rows):
    path.write_text(json.dumps(rows))
    return path


@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS)
@pytest.mark.parametrize("has_id", [True, False])
def test_json_and_a_table_of_the_same_rows_change_nothing_in_each_other(tmp_path, cell, has_id):
    home = tmp_path / "home"
    rows = [row if has_id else {**row, "id": ""} for row in ROWS[:2]]
    assert import_logs(as_json(tmp_path / "rows.json", rows), home=home).counts == {"new": 2}
    table = as_table(tmp_path / "rows.csv", rows, cell)
    for path in (table, tmp_path / "rows.json", table):
        counts = import_logs(path, home=home).counts
        assert {name: n for name, n in counts.items() if n} == {"unchanged": 2}
    with Home.of(home).open_store() as store:
        kept = sorted(it.artifacts.files_created for it in store.submissions())
    assert kept == [("a.py", "b/c.py"), ("d.py",)]


def test_an_empty_cell_and_an_empty_list_are_no_files(tmp_path):
    home = tmp_path / "home"
    import_logs(as_json(tmp_path / "rows.json", ROWS[2:]), home=home)
    counts = import_logs(as_table(tmp_path / "rows.csv", ROWS[2:], ";".join), home=home).counts
    assert {name: n for name, n in counts.items() if n} == {"unchanged": 1}


def one_cell(tmp_path, name, cell):
    """What is told of a cell, and the figure that it becomes."""
    path = tmp_path / "rows.csv"
    path.write_text(f'id,task_id,tool,{name}\nr,t,X,"{cell}"\n')
    home = tmp_path / "home"
    imported = import_logs(path, home=home)
    (one,) = imported.submissions
    figure = one.cost.reported_usd if name == "estimated_cost" else one.total_tokens
    return [it.reason for it in imported.skipped_lines], figure


@pytest.mark.parametrize(
    ("name", "cell", "write"),
    [
        ("total_tokens", "26,000", "26000 without separators"),
        ("total_tokens", "1_000", "1000 without separators"),
        ("total_tokens", "٢٦", "26"),
        ("estimated_cost", "$0.2", "0.2"),
        ("estimated_cost", "0,3", "0.3"),
        ("estimated_cost", "1_0.5", "10.5 without separators"),
    ],
)
def test_other_spellings_of_a_number_are_left_out_and_rewritten(tmp_path, name, cell, write):
    told, figure = one_cell(tmp_path, name, cell)
    assert told == [f"{name}: {cell!r} is not a number; write {write}"]
    assert figure is None


@pytest.mark.parametrize(("cell", "figure"), [("26000", 26_000), ("+7.0", 7), ("1e3", 1_000)])
def test_plain_numbers_are_read(tmp_path, cell, figure):
    assert one_cell(tmp_path, "total_tokens", cell) == ([], figure)


@pytest.mark.parametrize("name", ["rows.csv", "rows.json"])
def test_a_whole_id_that_pandas_wrote_as_a_float_is_the_same_row(tmp_path, name):
    as_text = name.endswith(".csv")

    def ids(first):
        rows = [("id", "task_id", "tool", "total_tokens"), (first, "tidy", "x", 1200)]
        named = [dict(zip(rows[0], rows[1], strict=True))]
        lines = (",".join(map(str, row)) + "\n" for row in rows)
        path = tmp_path / name
        path.write_text("".join(lines) if as_text else json.dumps(named))
        (one,) = import_logs(path, dry_run=True, home="/nonexistent").submissions
        return one.row_id, one.id

    assert ids("1.0") == ids("1")
    assert ids("1.0")[0] == "1"
    assert ids("1.10")[0] == "1.10"
    assert ids("1.0.0")[0] == "1.0.0"


PUBLISHED = {
    "task_id": "t", "id": "r1", "execution_time": 30.5, "estimated_cost": 0.25,
    "finished_at": "2026-01-02T03:04:05Z",
}  # fmt: skip
SHORT = {
    "task": "t", "submission_id": "r1", "seconds": 30.5, "cost": 0.25,
    "finished_us": 1767323045000000,
}  # fmt: skip
UNUSED = "not used, since no figure has this name"
FIGURES = {"tool": "x", "total_tokens": 1200, "success": True}


def read_rows(tmp_path, name, row):
    """The submission of one row, and the notes."""
    path = tmp_path / name
    if name.endswith(".csv"):
        with path.open("w", newline="") as stream:
            lines = csv.DictWriter(stream, list(row))
            lines.writeheader()
            lines.writerow(row)
    else:
        path.write_text(json.dumps([row]))
    imported = import_logs(path, dry_run=True, home="/nonexistent")
    (one,) = imported.submissions
    return one, [note.reason for note in imported.notes]


@pytest.mark.parametrize("name", ["rows.csv", "rows.json"])
def test_the_names_of_a_leaderboard_are_read(tmp_path, name):
    published, _ = read_rows(tmp_path, name, PUBLISHED | FIGURES)
    short, notes = read_rows(tmp_path, name, SHORT | FIGURES)
    assert notes == []
    assert (short.time, short.cost, short.task.id) == (
        published.time, published.cost, published.task.id
    )  # fmt: skip
    assert (short.id, short.row_id) == (published.id, "r1")
    assert (short.time.wall_s, short.cost.reported_usd) == (30.5, 0.25)


@pytest.mark.parametrize("name", ["rows.csv", "rows.json"])
def test_fields_of_other_names_are_named_with_the_nearest_known_one(tmp_path, name):
    row = PUBLISHED | FIGURES | {"banana": 1, "tool_cals": 3, "Cost": 7, "rank": 1}
    one, notes = read_rows(tmp_path, name, row)
    assert notes == [
        "ignored, since they are assigned here: rank",
        f"{UNUSED}: banana, tool_cals (did you mean 'tool_calls'?), Cost",
    ]
    assert one.cost.reported_usd == 0.25
    assert (one.extra["banana"], one.extra["tool_cals"]) == (1, 3)


def test_an_object_under_a_synonym_is_no_figure(tmp_path):
    row = FIGURES | {
        "id": "r",
        "task": {"id": "t"},
        "cost": {"reported_usd": 0.5, "currency": "usd"},
    }
    one, notes = read_rows(tmp_path, "rows.json", row)
    assert (one.cost.reported_usd, one.task, one.extra["task"]) == (0.5, None, {"id": "t"})
    assert notes == [f"{UNUSED}: task, cost.currency"]


def test_many_unused_fields_are_counted(tmp_path):
    row = PUBLISHED | FIGURES | {f"zz{n}": n for n in range(25)}
    _, (note,) = read_rows(tmp_path, "rows.csv", row)
    assert note.endswith("zz19 and 5 more")
