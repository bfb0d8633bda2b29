"""Plain rows of figures."""

import gzip
import json

import msgspec
import pytest

from benchmaker.arenas.agentic.importers.rows.keys import keys_of_rows
from benchmaker.arenas.agentic.importers.sniffing import head_of
from benchmaker.arenas.agentic.importers.table import Table
from benchmaker.arenas.agentic.sessions.importing import import_logs
from benchmaker.record.submissions.submission import (
    CriterionResult,
    EvidenceLevel,
    OutcomeOf,
    Provenance,
    Status,
)

ROW = {
    "id": "1",
    "task_id": "tidy",
    "tool": "Agent X",
    "total_tokens": 1200,
    "tool_calls": 7,
    "iterations": 2,
    "execution_time": 61.5,
    "estimated_cost": 0.25,
    "success": True,
    "files_created": ["a.py", "b.py"],
}


def take(path, **given):
    return import_logs(path, dry_run=True, home="/nonexistent", **given)


def written(folder, content, name="rows.json"):
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def check(it):
    assert (it.task.id, it.system.harness, it.total_tokens) == ("tidy", "Agent X", 1200)
    assert (it.tool_calls, it.iterations, it.time.wall_s) == (7, 2, 61.5)
    assert (it.cost.reported_usd, it.cost.computed_usd) == (0.25, None)
    assert (it.outcome.success, it.outcome.status) == (True, Status.COMPLETED)
    assert it.evidence_level is EvidenceLevel.SELF_REPORTED
    assert set(it.provenance.values()) == {Provenance.SELF_REPORTED}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", {"submissions": [ROW]}),
        ("b.json", [ROW]),
        ("c.json", ROW),
        ("d.jsonl", json.dumps(ROW) + "\n"),
    ],
)
def test_rows_are_read_from_every_shape(tmp_path, name, content):
    (it,) = take(written(tmp_path, content, name)).submissions
    check(it)
    assert it.artifacts.files_created == ("a.py", "b.py")


@pytest.mark.parametrize("comma", [",", ";", "\t"])
def test_rows_are_read_from_a_table(tmp_path, comma):
    row = ROW | {"files_created": 2, "success": "yes", "notes": "fine"}
    text = comma.join(row) + "\n" + comma.join(map(str, row.values())) + "\n"
    (it,) = take(written(tmp_path, text, "rows.tsv" if comma == "\t" else "rows.csv")).submissions
    check(it)
    assert it.extra == {"files_created": 2, "notes": "fine"}


def test_a_table_may_be_gzipped(tmp_path):
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(ROW).encode()))
    check(*take(path).submissions)


def test_scores_ranks_and_evidence_are_ignored_and_named(tmp_path):
    row = ROW | {"efficiency_score": 99, "rank": 1, "evidence_level": "verified", "scores": [1]}
    imported = take(written(tmp_path, [row]))
    (it,) = imported.submissions
    assert it.evidence_level is EvidenceLevel.SELF_REPORTED
    assert it.extra == {}
    assert it.completeness == "complete"
    assert [note.reason for note in imported.notes] == [
        "ignored, since they are assigned here: efficiency_score, evidence_level, rank, scores"
    ]


def test_a_missing_figure_is_missing_and_zero_tokens_are_none(tmp_path):
    (it,) = take(written(tmp_path, [{"tool": "x", "total_tokens": 0, "tool_calls": 3}])).submissions
    assert (it.total_tokens, it.tool_calls, it.iterations) == (None, 3, None)
    assert it.flags == ("zero_tokens",)
    assert it.cost.usd is None
    assert it.outcome.success is None


@pytest.mark.parametrize("value", ["many", 1.5, True, 10**13])
def test_a_figure_that_is_no_count_is_left_out_and_the_row_is_kept(tmp_path, value):
    imported = take(written(tmp_path, [ROW | {"total_tokens": value}]))
    (it,) = imported.submissions
    assert (it.total_tokens, it.tool_calls) == (None, 7)
    assert imported.skipped_lines[0].reason.startswith("row 1, total_tokens: ")


FIGURES = (
    *("total_tokens", "llm_calls", "tool_calls", "tool_errors", "iterations"),
    *("execution_time", "estimated_cost", "usage.output", "time.active_s", "cost.reported_usd"),
)


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("value", [-5, -0.001, float("nan"), float("inf"), "-3", " NaN", "-inf"])
def test_a_negative_or_infinite_figure_refuses_its_row_alone(tmp_path, name, value):
    content = json.dumps([ROW, ROW | {"id": "2", name: value}, ROW | {"id": "3"}], indent=0)
    imported = take(written(tmp_path, content))
    assert [it.row_id for it in imported.submissions] == ["1", "3"]
    (told,) = imported.skipped_lines
    wrong = content[: content.index('"id": "2"')].count("\n")
    assert (told.path.name, told.line) == ("rows.json", wrong)
    assert told.reason.startswith(f"the row is refused: row 2, {name}: '")
    assert told.reason.endswith("; correct the figure, or omit it if unknown")
    assert not imported.is_refused
    assert imported.is_partial


@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl"])
def test_a_refused_row_is_named_by_its_line_in_every_format(tmp_path, name):
    row = {"id": "a", "tool": "x", "total_tokens": -5}
    text = ",".join(row) + "\n" + ",".join(map(str, row.values())) + "\n"
    imported = take(written(tmp_path, text if "csv" in name else json.dumps(row), name))
    assert [it.line for it in imported.skipped_lines] == [2 if "csv" in name else 1]
    assert imported.is_refused


def test_python_s_nan_refuses_its_row_and_tells_the_line(tmp_path):
    text = '[\n{"tool": "x", "task_id": "t", "total_tokens": NaN, "tool_calls": 3}]'
    imported = take(written(tmp_path, text))
    assert imported.is_refused
    assert imported.skipped_lines[0].line == 2


def test_tokens_by_kind_times_and_facts_are_taken(tmp_path):
    row = {
        "tool": "x",
        "model": "gpt-5",
        "effort": "high",
        "usage": {"input_uncached": 10, "output": 5},
        "total_tokens": 15,
        "started_at": "2026-01-01T00:00:00Z",
        "finished_at": "2026-01-01T00:01:40Z",
    }
    (it,) = take(written(tmp_path, [row])).submissions
    assert it.system.name == "x · gpt-5 · high"
    assert (it.usage.input_uncached, it.usage.output, it.total_tokens) == (10, 5, 15)
    assert it.time.wall_s == 100
    assert it.cost.computed_usd == pytest.approx(10 * 1.25e-6 + 5 * 10e-6)
    assert it.cost.method == "from the session's total"


def test_of_rows_of_one_id_the_last_counts_and_the_others_are_named(tmp_path):
    rows = [ROW, ROW | {"total_tokens": 5}, {"x": 1}, "text"]
    imported = take(written(tmp_path, json.dumps(rows, indent=0)))
    assert [it.total_tokens for it in imported.submissions] == [5]
    unknown, text = imported.skipped_lines
    assert "row 3, no figure of it is known; columns without a known name: x" in unknown.reason
    assert text.reason.startswith("row 4: not a row: ")
    assert [it.reason for it in imported.notes] == [
        "not used, since no figure has this name: x",
        "several rows of one submission, the last one counts: 1 (lines 2, 17)",
    ]


def test_rows_on_one_line_are_told_apart_in_every_message(tmp_path):
    rows = [
        ROW | {"id": "a"},
        ROW | {"id": "b", "total_tokens": "12k", "usage": {"output": "many"}},
        ROW | {"id": "c", "tool_calls": -5},
        ROW | {"id": "a", "tool_calls": 8},
        "text",
        {"schema_version": "benchmaker.submission/1", "id": "no"},
    ]
    imported = take(written(tmp_path, rows))
    told = [(it.line, it.reason) for it in imported.skipped_lines]
    assert [line for line, _ in told] == [1] * 5
    starts = (
        "row 2, total_tokens: '12k' is not a number",
        "row 2, usage.output: 'many' is not a number",
        "the row is refused: row 3, tool_calls: '-5' is negative",
        "row 5: not a row: ",
        "row 6: no benchmaker.submission/1: ",
    )
    assert all(why.startswith(start) for (_, why), start in zip(told, starts, strict=True))
    assert [it.reason for it in imported.notes] == [
        "several rows of one submission, the last one counts: a (rows 1, 4)"
    ]


def test_a_cut_document_keeps_the_rows_before_the_cut(tmp_path):
    text = json.dumps([ROW | {"id": str(n)} for n in range(4)], indent=1)
    imported = take(written(tmp_path, text[: text.index('"id": "2"') + 20]))
    assert [it.row_id for it in imported.submissions] == ["0", "1"]
    assert [it.reason for it in imported.skipped_lines] == ["cut off in the middle"]


@pytest.mark.parametrize("name", ["rows", "rows.out", "rows.txt", "rows.json", "rows.csv"])
@pytest.mark.parametrize("form", ["csv", "json", "jsonl", "submissions"])
def test_what_a_file_is_called_plays_no_part(tmp_path, name, form):
    plain = {key: value for key, value in ROW.items() if key != "files_created"}
    text = {
        "csv": ",".join(plain) + "\n" + ",".join(map(str, plain.values())) + "\n",
        "json": json.dumps([plain]),
        "jsonl": json.dumps(plain) + "\n",
        "submissions": json.dumps({"version": 1, "submissions": [plain]}),
    }[form]
    (it,) = take(written(tmp_path, text, name)).submissions
    check(it)
    assert it.row_id == "1"


def test_content_of_other_fields_is_dropped_on_demand(tmp_path):
    path = written(tmp_path, [ROW | {"notes": "secret"}])
    assert take(path).submissions[0].extra == {"notes": "secret"}
    assert take(path, drop_content=True).submissions[0].extra == {}


def test_content_of_submissions_is_dropped_on_demand(tmp_path):
    (one,) = take(written(tmp_path, [ROW | {"notes": "secret"}])).submissions
    graded = OutcomeOf(criteria=(CriterionResult(id="tests", result="pass", evidence="said so"),))
    one = msgspec.structs.replace(one, outcome=graded)
    path = written(tmp_path, msgspec.json.encode([one]).decode(), "given.json")
    assert take(path).submissions[0].outcome.criteria[0].evidence == "said so"
    (bare,) = take(path, drop_content=True).submissions
    assert (bare.extra, bare.outcome.criteria[0].evidence) == ({}, "")
    assert bare.outcome.criteria[0].result == "pass"


@pytest.mark.parametrize(
    ("content", "is_table"),
    [
        ([ROW], True),
        ({"submissions": [ROW]}, True),
        ({"finish": {"total_tokens": 5, "iterations": 1, "tool_calls": 0}}, False),
        ({"runs": [ROW]}, False),
        ([{"usage": {"total_tokens": 5, "tool_calls": 0}}], False),
        ({"note": '{"tool": "x", "task_id": "t"}'}, False),
    ],
)
def test_the_names_have_to_be_those_of_rows(tmp_path, content, is_table):
    assert (Table().sniff(head_of(written(tmp_path, content))) > 0) is is_table


def test_a_row_that_is_cut_is_recognised():
    assert keys_of_rows(b'[{"tool": "x", "task_id": "t", "no') == {"tool", "task_id"}
    assert keys_of_rows(b"") == keys_of_rows(b"]}") == set()


def test_what_has_none_of_the_names_is_no_table(tmp_path):
    assert Table().sniff(head_of(written(tmp_path, [{"a": 1}]))) == 0
    assert Table().sniff(head_of(written(tmp_path, "a,b\n1,2\n", "rows.csv"))) == 0
