"""``benchmaker opinion`` on files of other tools."""

import pytest

from tests.arenas.standard.importers.files import (
    inspect_log,
    inspect_sample,
    tool_sample,
    write_json,
    write_lines,
)
from tests.arenas.standard.importers.planted import inspect_failure, inspect_row, write_inspect


@pytest.fixture
def log(tmp_path):
    """A log without a fault."""
    return write_inspect(tmp_path, [inspect_row(at, at % 3 != 0) for at in range(130)])


def test_a_log_without_a_fault_has_the_exit_code_0_and_both_figures(cli, log):
    said = cli("opinion", log, "--json")
    assert (said.code, said.data["findings"]) == (0, [])
    assert said.data["headline"]["value"] == pytest.approx(86 / 130)
    assert said.data["headline"]["n"] == said.data["ours"]["n_cases"] == 130
    low, high = said.data["ours"]["ci95"]
    assert low < said.data["ours"]["mean"] < high


def test_findings_have_the_exit_code_1_with_rows_and_examples(cli, tmp_path):
    path = write_json(tmp_path / "log.json", inspect_log([inspect_sample(at) for at in range(5)]))
    data = cli("opinion", path, "--json", code=1).data
    (found,) = data["findings"]
    assert (found["kind"], found["rows"]) == ("too_few_cases", 5)
    assert found["examples"][0]["case_id"] == "0"
    text = cli("opinion", path, code=1).stdout
    assert "Too few cases: The interval extends" in text


def test_unreadable_rows_without_findings_have_the_exit_code_4(cli, tmp_path):
    rows = [inspect_row(at, at % 3 != 0) for at in range(130)]
    log = {**inspect_log([*rows, {"epoch": 1}]), "results": {"total_samples": 130}}
    path = write_json(tmp_path / "log.json", log)
    assert cli("opinion", path, "--json", code=4).data["findings"] == []


def test_samples_with_tools_are_not_missing(cli, tmp_path):
    rows = [inspect_row(at, at % 3 != 0) for at in range(130)]
    path = write_json(tmp_path / "log.json", inspect_log([*rows, tool_sample(200)]))
    assert cli("opinion", path, "--json").data["findings"] == []


def test_a_file_of_no_tool_is_refused(cli, tmp_path):
    path = write_lines(tmp_path / "rows.jsonl", [{"a": 1}])
    assert "no results of another evaluation tool" in cli("opinion", path, code=2).stderr.lower()


def test_an_unknown_model_is_refused_with_those_in_the_file(cli, log):
    assert "openai/gpt-x" in cli("opinion", log, "--model", "other", code=2).stderr


def test_a_stated_figure_that_its_rows_do_not_give_is_a_finding(cli, tmp_path):
    path = write_inspect(tmp_path, [inspect_row(at, at % 4 != 0) for at in range(200)], 0.8)
    said = cli("opinion", path, "--json", code=1).data
    (found,) = said["findings"]
    assert (found["kind"], found["effect_points"]) == ("stated_figure_differs", pytest.approx(5.0))
    assert (said["headline"]["value"], said["headline"]["computed"]) == (0.8, 0.75)
    text = cli("opinion", path, code=1).stdout
    assert "accuracy is 0.8, from 200 values. The rows of the file give 0.75." in " ".join(
        text.split()
    )


def test_a_fault_without_an_effect_is_a_note(cli, tmp_path):
    rows = [inspect_row(at, at % 4 != 0) for at in range(200)]
    rows[20:40] = [inspect_failure(at) for at in range(20, 40)]
    said = cli("opinion", write_inspect(tmp_path, rows), "--json").data
    (note,) = said["notes"]
    assert (said["findings"], note["kind"], note["rows"]) == ([], "failed_requests", 20)
    text = cli("opinion", write_inspect(tmp_path, rows)).stdout
    assert "Both means exclude failed requests. Effect: 0.0 points." in " ".join(text.split())


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "does not exist"), (b"", "is empty"), ("[1]".encode("utf-16-le"), "UTF-16")],
)
def test_a_file_that_can_not_be_read_is_refused_as_by_import(cli, tmp_path, content, message):
    path = tmp_path / "rows.json"
    if content is not None:
        path.write_bytes(content)
    said = cli("opinion", path, code=2).stderr
    assert message in said
    assert message in cli("import", path, code=2).stderr


def test_a_path_beside_results_that_is_none_is_named(cli, log, tmp_path):
    assert "does not exist" in cli("opinion", log, tmp_path / "other.json", code=4).stderr
