"""Tables of commands on narrow terminals: names fold, score, cost and outcome stay."""

import pytest

LONG = "openai/plain-a-very-long-model-name-a-very-long-model-name-a"
WIDTHS = (60, 80, 88, 140)

SETUPS = """
name: sums
models: [openai/gpt-4o-mini, {model: openai/gpt-4o, label: a-rather-long-label-of-a-model}]
efforts: [low, high]
prompts:
  - {id: plain, prompt: "{{ n }} + 2?"}
  - {id: worked-example, prompt: "Please: {{ n }} + 2?"}
scorer: exact
cases:
  - {id: c1, vars: {n: 41}, expected: 43}
"""


@pytest.fixture(params=WIDTHS)
def width(request, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(request.param))
    return request.param


def fits(text, width):
    return all(len(line) <= width for line in text.splitlines() if "benchmaker " not in line)


def test_show_keeps_model_outcome_and_score(live, sums, width):
    live("run", sums, "--model", LONG, "--model", "openai/fault:http_404", "--retries", 0, code=4)
    said = live("show", "latest", "--limit", 3)
    head = said.stdout.splitlines()[0].split()
    assert head[:4] == ["Case", "Model", "Outcome", "Score"]
    assert "404" in said.stdout
    assert fits(said.stdout + said.stderr, width)


def test_show_has_the_run_of_each_trial_of_a_series(live, sums, width):
    live("run", sums, "--model", "openai/plain", "--runs", 2, code=None)
    first, *rows = live("show", "latest", "--all").stdout.splitlines()
    assert "Run" in first
    at = first.index("Run")
    assert {row[at : at + 3].strip() for row in rows if row.startswith("c")} == {"1", "2"}
    assert fits(first, width)


def test_estimate_keeps_the_cost_of_long_names_and_of_setups(cli, sums, tmp_path, width):
    suite = tmp_path / "setups.yaml"
    suite.write_text(SETUPS)
    for words in ((sums, "--model", "openai/gpt-4o-mini", "--model", LONG), (suite,)):
        said = cli("estimate", *words)
        assert "Cost" in said.stdout.splitlines()[2] + said.stdout.splitlines()[3]
        assert " to $" in said.stdout
        assert fits(said.stdout + said.stderr, width)


def test_a_failed_trial_has_its_reason_and_no_answer(live, sums):
    live("run", sums, "--model", "openai/fault:http_401", "--retries", 0, code=4)
    said = live("show", "latest", "--limit", 1).stdout.splitlines()[2]
    assert "provider error: HTTP 401" in said
    assert said.endswith("none")
    case = said.split()[0]
    assert "openai/fault:http_401: provider error: HTTP 401" in live("show", "latest", case).stdout
    told = live("explain", "latest", case, "--model", "openai/fault:http_401").stdout
    assert "Answer     none\nOutcome    provider error: HTTP 401\nError      127.0.0.1" in told


NARROW = (
    ("task", "list"),
    ("task", "show", "river-gauges"),
    ("task", "check", "total"),
    ("init", "made"),
    ("validate", "made/suite.yaml"),
    ("models",),
    ("demo",),
)


@pytest.mark.parametrize("words", NARROW, ids=" ".join)
def test_lines_of_commands_fit_the_terminal(cli, tmp_path, monkeypatch, width, words):
    monkeypatch.chdir(tmp_path)
    if words[0] == "validate":
        cli("init", "made")
    if words[1:] == ("check", "total"):
        cli("task", "new", "total")
    said = cli(*words).stdout
    whole = ("benchmaker ", "/", "598fd85cbf6cec9c")
    lines = [line for line in said.splitlines() if not any(one in line for one in whole)]
    assert fits("\n".join(lines), width)


def test_a_list_of_tasks_has_a_head(cli):
    first = cli("task", "list").stdout.splitlines()[0]
    assert first.split()[0] == "id"
    assert first.split()[-1] == "title"


def test_the_empty_json_solution_of_a_task_is_named(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cli("task", "new", "total")
    said = cli("task", "check", "total").stdout
    assert said.splitlines()[0].split() == ["check", "solution", "verdict", "time", "reason"]
    assert "empty JSON: {}" in said


def test_a_backup_has_its_path_on_a_line_of_its_own(live, sums, tmp_path, width):
    live("run", sums, "--model", "openai/plain", "--quiet")
    first, *rest = live("db", "backup", tmp_path / "copy.db").stdout.splitlines()
    assert first == f"Backup: {tmp_path / 'copy.db'}"
    assert fits("\n".join(rest[:-1]), width)


def test_cut_base_urls_are_noted(cli, width):
    said = cli("models").stdout
    assert ("Base URLs are cut" in said) is ("…" in said)
    assert fits(said, width)


@pytest.mark.parametrize("name", ["export", "rank", "run", "estimate"])
def test_help_fits_the_terminal(program, width, name):
    assert fits(program(name, "--help", COLUMNS=str(width)).stdout, width)
