"""Hints and footers: they name the run that is displayed, and the command to go on with."""

import pytest

from benchmaker.cli.commands.resume import command as resume
from benchmaker.store import Store


@pytest.fixture
def series(live, sums, home):
    """A stored series of two runs: its id and theirs."""
    live("run", sums, "--model", "openai/plain", "--runs", 2, "--quiet")
    with Store.open(home / "benchmaker.db", read_only=True) as store:
        found = store.resolve("latest")
    return found.series_id, found.run_ids


def test_the_results_of_one_run_of_a_series_name_this_run(cli, series):
    name, (_, second) = series
    assert f"benchmaker results {second} --explain" in cli("results", second).stdout
    assert f"benchmaker results {name} --explain" in cli("results", name).stdout


def test_an_imported_series_is_shown_by_its_id(cli, series, tmp_path, monkeypatch):
    name, ids = series
    cli("export", name, "--format", "json", "--output", tmp_path / "run.json")
    monkeypatch.setenv("COLUMNS", "60")
    said = cli("import", tmp_path / "run.json", "--home", tmp_path / "other").stdout
    assert all(one in said for one in ids)
    assert f"results {name}" in " ".join(said.split())
    paths = {"benchmaker", "--home"}
    assert all(len(line) <= 60 for line in said.splitlines() if not paths & set(line.split()))


def test_a_server_without_accounts_has_the_tunnel_first_and_the_command_last(cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    said = cli("serve", "--host", "0.0.0.0", code=2).stderr  # noqa: S104  it is refused
    assert " ".join(said.split()).endswith(
        "Serve on 127.0.0.1, and reach it through a tunnel. Or create the first account with: "
        "benchmaker user add NAME"
    )
    assert all(len(line) <= 80 for line in said.splitlines())


def test_an_endpoint_is_named_as_it_was_typed(cli):
    said = cli("models", "nope", code=2).stderr
    assert "unknown endpoint 'nope'." in said
    assert "nope/any" not in said


def test_a_file_of_a_dissimilar_name_is_not_suggested(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.yaml").write_text("")
    assert "Did you mean" not in cli("validate", "sute.yaml", code=2).stderr
    (tmp_path / "suite.yaml").write_text("")
    assert "Did you mean 'suite.yaml'?" in cli("validate", "sute.yaml", code=2).stderr


def test_errors_name_the_option_or_the_command_to_go_on_with(cli, tmp_path):
    assert "--judge openai/gpt-4o" in cli("calibrate", code=2).stderr
    log = tmp_path / "log.jsonl"
    log.write_text("")
    assert "benchmaker task list" in cli("submit", log, "--task", "nope", code=2).stderr


def test_help_describes_what_the_options_of_this_command_do(cli):
    assert "--seed," not in cli("estimate", "--help").stdout
    texts = {one.name: one.help for one in resume.params if one.name in ("prompts", "efforts")}
    assert all(" to add" in text for text in texts.values())
    assert "PATH" not in cli("evaluate", "--help").stdout
    assert "Open the workbench" not in cli("serve", "--help").stdout
    assert "WHOLE NUMBER" not in cli("notices", "--help").stdout


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ('{"question": "x", "answer": "y"}', "--fields id=FIELD --fields output=answer"),
        ('{"id": "c0", "model": "m", "said": "y"}', "--fields output=FIELD"),
    ],
)
def test_missing_fields_of_answers_name_their_mapping_once(cli, sums, tmp_path, line, options):
    answers = tmp_path / "answers.jsonl"
    answers.write_text(f"{line}\n{line}\n")
    said = " ".join(cli("run", sums, "--recorded", answers, code=2).stderr.split())
    assert said.count("missing field") == 2
    assert said.count(f"add `{options}`") == 1


def test_the_unknown_cost_of_all_models_is_noted_once(live, sums, home):
    said = live("run", sums, "--model", "openai/plain").stdout
    price = "prices: {openai/plain: {input: 1.25, output: 10}}"
    note = (
        f"Cost unknown (no price for openai/plain). Add it to {home / 'prices.yaml'}, in dollars "
        f"per million tokens: {price}."
    )
    assert " ".join(said.split()).count(note) == 1


def test_a_function_without_costs_has_one_reason_and_needs_no_price(program, sums, tmp_path):
    (tmp_path / "plain.py").write_text("def answer(prompt):\n    return '4'\n")
    said = program("run", sums, "--model", "python:plain:answer", PYTHONPATH=str(tmp_path))
    assert "Cost unknown (python:plain:answer reports no tokens)." in " ".join(said.stdout.split())
    assert "prices.yaml" not in said.stdout
    later = program("results", "--explain").stdout
    assert "Cost: unknown (python:plain:answer reports no tokens)." in " ".join(later.split())
    assert "no price" not in later


def test_remedies_name_the_file_with_its_path_and_format(live, sums, home):
    said = " ".join(live("run", sums, "--model", "nowhere/m", code=2).stderr.split())
    assert f"Define others in {home / 'endpoints.yaml'}, for example endpoints: {{lab: " in said


def test_a_promptfoo_configuration_is_no_log(cli, tmp_path):
    path = tmp_path / "promptfooconfig.yaml"
    path.write_text("prompts: [a]\nproviders: [openai:gpt-5]\ntests: []\n")
    said = " ".join(cli("import", path, code=2).stderr.split())
    assert "a promptfoo configuration, not a log of an agent. Write a suite: " in said


def test_export_takes_the_format_from_the_name(live, sums, tmp_path):
    live("run", sums, "--model", "openai/plain")
    page = tmp_path / "report.html"
    live("export", "latest", "--output", page)
    assert page.read_text().startswith("<!doctype html>")
    said = live("export", "latest", "--output", tmp_path / "report.odd", code=2).stderr
    assert "Add --format with one of csv, html, inspect, json" in " ".join(said.split())
