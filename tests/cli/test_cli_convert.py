CONFIG = """\
prompts: ["Name the capital of {{country}}."]
providers: [openai:gpt-4o-mini]
derivedMetrics: [{name: half, value: right / 2}]
tests:
  - vars: {country: Peru}
    assert:
      - {type: icontains, value: lima}
      - type: ruby
        value: output.size > 3
"""


def test_json_has_the_file_the_cases_and_what_is_missing(cli, tmp_path):
    (tmp_path / "config.yaml").write_text(CONFIG)
    suite = tmp_path / "suite.yaml"
    data = cli("convert", tmp_path / "config.yaml", "--output", suite, "--json").data
    assert data["output"] == str(suite)
    assert data["cases"] == 1
    assert [(one["where"], one["line"], one["what"]) for one in data["not_translated"]] == [
        (
            "config.yaml",
            3,
            "derived metrics have no counterpart; calculate with the exported scores",
        ),
        ("config.yaml", 8, "Ruby is not run"),
    ]
    assert data["not_translated"][1]["text"] == "- type: ruby\n  value: output.size > 3"
    assert cli("validate", suite, "--json").data["files"][0]["ok"]
    assert "#   - type: ruby" in suite.read_text()


def test_the_suite_goes_to_stdout_without_an_output(cli, tmp_path):
    (tmp_path / "config.yaml").write_text(CONFIG)
    said = cli("convert", tmp_path / "config.yaml").stdout
    assert said.startswith("# Converted from config.yaml (promptfoo).\n")
    assert "type: no_verdict" in said


def test_the_text_lists_what_is_missing(cli, tmp_path):
    (tmp_path / "config.yaml").write_text(CONFIG)
    said = cli("convert", tmp_path / "config.yaml", "--output", tmp_path / "suite.yaml").stdout
    assert "1 case, from promptfoo" in said
    assert "config.yaml:8: Ruby is not run" in said
    assert "1 case with several checks and no threshold" in said


def test_the_weight_of_lists_of_variables_is_noted(cli, tmp_path):
    (tmp_path / "config.yaml").write_text(
        "prompts: ['{{city}}?']\n"
        "providers: [openai:gpt-5]\n"
        "tests:\n"
        "  - vars: {city: [Lima, Oslo]}\n"
        "    assert: [{type: contains, value: o}]\n"
    )
    said = cli("convert", tmp_path / "config.yaml", "--output", tmp_path / "suite.yaml").stdout
    assert "1 case with lists in vars: promptfoo counts each combination" in said


def test_an_unknown_file_is_refused_with_the_tools(cli, tmp_path):
    (tmp_path / "some.json").write_text('{"a": 1}')
    said = cli("convert", tmp_path / "some.json", code=2).stderr
    assert "--from: promptfoo, lm-eval, inspect, deepeval, openai-evals" in said


def test_json_needs_an_output(cli, tmp_path):
    (tmp_path / "config.yaml").write_text(CONFIG)
    assert "Add --output" in cli("convert", tmp_path / "config.yaml", "--json", code=2).stderr
