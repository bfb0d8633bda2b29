"""``benchmaker import`` on results of other tools, and the commands on the runs that come of it."""

import json

import pytest

from tests.arenas.standard.importers.files import (
    inspect_log,
    inspect_sample,
    promptfoo_result,
    tool_sample,
    write_json,
    write_lines,
    write_promptfoo,
)
from tests.arenas.standard.importers.planted import inspect_row, write_inspect
from tests.arenas.standard.importers.test_other_forms import write_csv

RESULTS = [
    promptfoo_result(test, prompt, city=city, failure=failure)
    for test, city in enumerate(("Oslo", "Rome", "Paris"))
    for prompt, failure in ((0, 0), (1, (0, 1, 2)[test]))
]


@pytest.fixture
def results(tmp_path):
    return write_promptfoo(tmp_path / "results.json", RESULTS)


def test_the_table_says_what_became_of_the_file(cli, results):
    said = cli("import", results)
    assert said.code == 0
    assert "translated" in said.stdout
    assert "promptfoo/pass" in said.stdout
    assert "Stored: 6 new trials." in said.stdout


def test_the_entry_of_a_file_adds_up(cli, results, tmp_path):
    lines = write_lines(tmp_path / "lines.jsonl", RESULTS)
    (entry,) = cli("import", results, "--json").data["files"]
    assert entry["tool"] == "promptfoo"
    assert entry["rows"] == entry["translated"] + entry["verbatim"] + entry["refused"] == 6
    figure = {"scorer": "promptfoo/pass", "metric": "errors", "value": 1.0, "model": "model-a",
              "prompt": "JSON", "task": "cities"}  # fmt: skip
    assert figure in entry["headline"]
    (again,) = cli("import", lines, "--json").data["files"]
    assert (again["runs"], again["added"]) == (entry["runs"], 0)


def test_a_dry_run_stores_nothing(cli, results):
    (entry,) = cli("import", results, "--dry-run", "--json").data["files"]
    assert (entry["rows"], entry["runs"]) == (6, [])
    assert cli("runs", "--json").data["runs"] == []


def test_rows_of_the_export_have_the_scores_of_the_tool(cli, results):
    cli("import", results)
    rows = [json.loads(line) for line in cli("export", "latest", "--format", "jsonl").stdout.splitlines()]  # fmt: skip  # noqa: E501
    failed = next(row for row in rows if row["outcome"] == "provider_error")
    assert (failed["scores"], failed["passed"], failed["prompt"]) == ({}, None, "JSON")
    wrong = next(row for row in rows if row["passed"] is False)
    assert wrong["scores"]["promptfoo/pass"] == 0.0
    assert wrong["vars"] == {"city": "Rome"}
    assert len({row["case_id"] for row in rows}) == 3


def test_results_have_the_means_of_each_scorer(cli, results):
    cli("import", results)
    data = cli("results", "--json").data
    model = next(one for one in data["models"] if one["model"] == "model-a · JSON")
    assert model["scorers"]["promptfoo/pass"] == {"mean": 0.5, "n": 2}
    assert model["outcomes"] == {"scored": 2, "provider_error": 1}
    assert data["imported"]["tool"] == "promptfoo"


@pytest.mark.long
def test_imported_runs_are_compared_ranked_gated_and_explained(cli, results, tmp_path):
    cli("import", results)
    pairs = cli("compare", "--by", "prompt", "--json")
    assert pairs.code == 0
    assert cli("rank", "--json").code == 0
    base = tmp_path / "base.json"
    assert cli("export", "latest", "--baseline", "--output", base).code == 0
    assert cli("gate", "latest", "--baseline", base, "--max-drop", "5", code=None).code in (0, 5)
    case = cli("export", "latest", "--format", "jsonl").stdout.splitlines()[0]
    name = json.loads(case)["case_id"]
    said = cli("explain", "latest", name, "--model", "model-a · Plain sentence")
    assert "promptfoo/pass version 0.121.20" in said.stdout
    assert "Sent" not in said.stdout


def test_answers_are_rescored_by_our_scorers(cli, tmp_path):
    log = inspect_log([inspect_sample(1, value="I"), inspect_sample(2)])
    cli("import", write_json(tmp_path / "log.json", log))
    assert cli("rescore", "latest", "--scorer", "exact", "--json").data["models"][0]["mean"] == 1.0
    (row, _) = (json.loads(it) for it in cli("export", "latest", "--format", "jsonl").stdout.splitlines())  # fmt: skip  # noqa: E501
    assert (row["scorer"], row["score"]) == ("exact", 1.0)
    assert row["scores"] == {"inspect/match": 0.0}


def test_samples_with_tools_are_submissions_and_the_others_a_run(cli, tmp_path):
    log = inspect_log([inspect_sample(1), tool_sample(2), inspect_sample(3)])
    data = cli("import", write_json(tmp_path / "log.json", log), "--json").data
    (entry,) = data["files"]
    assert (entry["rows"], entry["translated"], entry["submissions"]) == (3, 3, 1)
    assert len(data["submissions"]) == 1
    assert len(cli("runs", "--json").data["runs"]) == 1


def test_the_importer_option_reads_a_log_as_submissions(cli, tmp_path):
    path = write_json(tmp_path / "log.json", inspect_log([inspect_sample(1)]))
    data = cli("import", path, "--importer", "inspect_log", "--json").data
    assert "files" not in data
    assert len(data["submissions"]) == 1


def test_a_damaged_file_is_reported_and_the_others_are_imported(cli, results, tmp_path):
    damaged = tmp_path / "damaged.json"
    damaged.write_text(results.read_text()[:-400])
    alone = cli("import", damaged, code=2)
    assert "unexpected end of file" in alone.stderr
    both = cli("import", damaged, results, "--json", code=4)
    assert [one["rows"] for one in both.data["files"]] == [0, 6]
    assert "unexpected end of file" in both.data["files"][0]["notes"][0]


def test_a_model_can_be_named_for_files_that_name_none(cli, tmp_path):
    run = {"testCases": [{"name": "a", "input": "?", "actualOutput": "x", "success": True}]}
    path = write_json(tmp_path / "run.json", run)
    (entry,) = cli("import", path, "--model", "org/model", "--json").data["files"]
    assert {figure["model"] for figure in entry["headline"]} == {"org/model"}


def test_results_with_keys_are_scored_without_a_suite(cli, tmp_path):
    log = inspect_log([inspect_sample(1, value="I"), inspect_sample(2)])
    said = cli("run", "--recorded", write_json(tmp_path / "log.json", log), "--json")
    assert said.data["models"][0]["mean"] == 1.0
    assert said.data["models"][0]["scorers"]["inspect/match"] == {"mean": 0.5, "n": 2}


def test_numbers_as_keys_match_other_forms_of_the_number(cli, tmp_path):
    answers = {1: ("1000", "It is 1,000."), 2: ("2.50", "2.5"), 3: ("100", "101")}
    samples = [
        inspect_sample(at, target=key, output={
            "model": "m", "choices": [{"message": {"content": said}, "stop_reason": "stop"}],
        })
        for at, (key, said) in answers.items()
    ]  # fmt: skip
    path = write_json(tmp_path / "log.json", inspect_log(samples))
    said = cli("run", "--recorded", path)
    assert "Scored by numeric, since every key is a number." in said.stderr
    data = cli("results", "latest", "--json").data
    assert data["models"][0]["mean"] == pytest.approx(2 / 3)


def test_results_without_keys_need_a_suite(cli, results):
    said = cli("run", "--recorded", results, code=2)
    assert "no right answer for the cases" in said.stderr
    assert cli("runs", "--json").data["runs"] == []
    assert "Missing argument" in cli("run", code=2).stderr


def test_a_mapping_selects_rows_and_names_failed_requests(cli, tmp_path):
    suite = write_json(
        tmp_path / "suite.json",
        {"name": "s", "scorer": "exact", "cases": [
            {"id": name, "prompt": "?", "expected": "1"} for name in "ab"]},
    )  # fmt: skip
    rows = [
        {"id": "a", "model": "m", "output": "x", "filter": "strict"},
        {"id": "a", "model": "m", "output": "1", "filter": "flexible", "error": "not checked"},
        {"id": "b", "model": "m", "output": "1", "filter": "flexible", "code": 2, "error": "503"},
    ]
    lines = write_lines(tmp_path / "rows.jsonl", rows)
    mapping = ("--fields", "where=filter=flexible", "--fields", "failed=code=2")
    data = cli("run", suite, "--recorded", lines, *mapping, "--json", code=4).data
    assert data["models"][0]["outcomes"] == {"scored": 1, "provider_error": 1}
    assert data["models"][0]["mean"] == 1.0


def test_a_cut_file_is_refused_with_its_place_and_the_remedy(cli, results):
    text = results.read_text()
    results.write_text(f"{text[:10]}\n{text[10:300]}")
    said = cli("import", results, code=2)
    assert f"{results}:2: unexpected end of file in the JSON after 301 bytes." in said.stderr
    assert "Copy the whole file" in said.stderr
    assert cli("runs", "--json").data["runs"] == []


def test_a_damaged_file_is_refused_with_its_place(cli, results):
    results.write_text(results.read_text().replace('"stats": {', '"stats": {,', 1))
    said = cli("import", results, code=2)
    assert f"{results}:1:" in said.stderr
    assert "the JSON is damaged" in said.stderr


def test_answers_of_a_table_are_rescored_without_texts_of_prompts(cli, tmp_path):
    table = write_csv(tmp_path / "results.csv", [promptfoo_result(at) for at in range(3)])
    cli("import", table)
    said = cli("rescore", "latest", "--scorer", "refusal", "--json")
    assert said.data["models"][0]["mean"] is not None


def test_a_stated_figure_that_its_rows_do_not_give_is_printed_beside_theirs(cli, tmp_path):
    log = write_inspect(tmp_path, [inspect_row(at, at < 7) for at in range(10)], 0.9)
    (entry,) = cli("import", log, "--json").data["files"]
    said = "the file states inspect/match accuracy 0.9 for openai/gpt-x, but its rows give 0.7."
    assert entry["notes"] == [said]


def test_the_figures_of_several_files_are_printed(cli, results, tmp_path):
    log = write_inspect(tmp_path, [inspect_row(at, at < 7) for at in range(10)])
    said = cli("import", results, log).stdout
    assert "inspect/match" in said
    assert "promptfoo/pass" in said


def test_a_results_file_of_lm_eval_without_samples_is_refused(cli, tmp_path):
    about = {"results": {"sums": {"acc,none": 1.0}}, "configs": {"sums": {}}}
    path = write_json(tmp_path / "results_2026-11-22T19-26-19.874402.json", about)
    for given in (path, tmp_path):
        assert "Run lm-eval with --log_samples" in cli("import", given, code=2).stderr


def test_a_folder_without_a_known_file_fails(cli, tmp_path):
    write_json(tmp_path / "notes.json", {"a": 1})
    said = cli("import", tmp_path, code=2)
    assert said.stdout == "Nothing imported: no file has a known format.\n"
    assert "notes.json" in said.stderr


def test_goldens_are_named_with_the_command_that_converts_them(cli, tmp_path):
    path = write_json(tmp_path / "goldens.json", [{"input": "1 + 1?", "expected_output": "2"}])
    assert "benchmaker convert FILE" in cli("import", path, code=2).stderr
