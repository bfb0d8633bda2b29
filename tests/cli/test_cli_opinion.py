"""``benchmaker opinion`` on files of other tools."""

import pytest

from tests.arenas.standard.importers.files import (
    inspect_log,
    inspect_sample,
    tool_sample,
    write_json,
    write_lines,
)
from tests.arenas.standard.importers.planted import inspect_row, write_inspect


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
