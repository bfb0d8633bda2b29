"""Files and words of other tools, and mistakes that everybody makes in YAML."""

import json
import re
from pathlib import Path

import pytest

from benchmaker.errors import SpecError
from benchmaker.plugins import list_plugins
from benchmaker.scoring.check import load_checked
from benchmaker.spec.documents.foreign_files import ASSERTIONS, FOREIGN_KEYS
from benchmaker.spec.suites.case import Case
from benchmaker.spec.suites.load import read_suite
from benchmaker.spec.suites.suite_form import CaseSource, SuiteForm
from benchmaker.spec.suites.tools import Tool

ROOT = Path(__file__).parents[3]
PROMPTFOO = """
prompts: ["Capital of {{land}}?"]
providers: [openai:gpt-4o]
tests: [{vars: {land: Peru}, assert: [{type: equals, value: Lima}]}]
"""
LM_EVAL = "task: gsm8k\ndataset_path: gsm8k\ndoc_to_text: '{{question}}'\n"
INSPECT = {"version": 2, "status": "success", "eval": {}, "plan": {}, "samples": []}
RESULT = {"results": {}, "configs": {}, "versions": {}}


@pytest.fixture
def said(tmp_path):
    """What is found in a file with this text."""

    def read(text, name="suite.yaml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return [str(one).removeprefix(str(path)) for one in read_suite(path).findings.items]

    return read


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        (PROMPTFOO, "promptfooconfig.yaml", "a promptfoo configuration, not a suite"),
        (json.dumps({"evalId": "e", "results": {}}), "r.json", "a promptfoo result"),
        (LM_EVAL, "gsm8k.yaml", "an lm-eval task"),
        (json.dumps(RESULT), "r.json", "an lm-eval result"),
        (json.dumps(INSPECT), "log.json", "an Inspect log, not a suite. Import it with: bench"),
    ],
)
def test_a_file_of_another_tool_is_called_what_it_is_and_nothing_else_is_said(
    said, text, name, words
):
    (found,) = said(text, name)
    assert words in found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "cases:\n\t- id: a\n",
            ":2:1: tabs are not allowed for indentation or at the start of a value. Indent with sp",
        ),
        (
            "cases:\n  - id: a\n    prompt: Translate: x\n",
            ":3:22: unexpected colon with a space after it",
        ),
        (
            "cases:\n  - id: a\n    prompt: @home\n",
            ":3:13: unquoted text can't start with this character",
        ),
    ],
)
def test_a_frequent_mistake_in_yaml_says_what_to_write(said, text, words):
    (found,) = said(text)
    assert words in found


def test_the_words_of_other_tools_are_answered_with_ours(said):
    found = said("cases: [{id: a, question: x, answer: y}]\n")
    assert [one.partition("unknown ")[2] for one in found] == [
        "field 'question'. Use 'prompt' instead.",
        "field 'answer'. Use 'expected' instead.",
    ]


def test_a_column_of_another_name_is_answered_with_how_it_is_read(said):
    found = said("id,question,input,expected\na,2+2?,,4\n", "cases.csv")
    assert "unknown field 'question'. Use 'prompt' instead." in found[0]
    assert found[0].endswith("fields: {prompt: question}")


def test_a_word_of_promptfoo_in_a_suite_says_what_to_write_instead(said):
    text = (
        "name: s\nscorer: exact\nproviders: [a]\n"
        "cases:\n- {id: a, prompt: p, expected: e, assert: []}\n"
    )
    found = said(text)
    for word in ("providers", "assert"):
        assert any(f"{word!r} is a promptfoo key. " in one for one in found)
    assert not any("Did you mean" in one for one in found)


@pytest.mark.parametrize(
    ("word", "tool", "here"),
    [
        ("solver", "an Inspect key", "system_prompt"),
        ("epochs", "an Inspect key", "--runs"),
        ("metric_list", "an lm-eval key", "scorer"),
        ("filter_list", "an lm-eval key", "extract"),
        ("generation_kwargs", "an lm-eval key", "parameters"),
        ("doc_to_text", "an lm-eval key", "prompts"),
        ("doc_to_target", "an lm-eval key", "expected"),
        ("dataset_path", "an lm-eval key", "hf"),
        ("defaultTest", "a promptfoo key", "checks"),
        ("scenarios", "a promptfoo key", "vars"),
        ("derivedMetrics", "a promptfoo key", "Export"),
        ("transform", "a promptfoo key", "extract"),
        ("evaluateOptions", "a promptfoo key", "--concurrency"),
        ("functions", "an OpenAI key", "tools of the suite"),
        ("function_call", "an OpenAI key", "tool_called"),
        ("tool_choice", "an OpenAI key", "extra_body"),
        ("tool_calls", "an OpenAI key", "tool_called"),
        ("expected_tools", "a DeepEval key", "tool_called"),
    ],
)
@pytest.mark.parametrize("value", [[{"a": 1}], {"a": 1}, "generate"])
def test_a_key_of_another_tool_says_what_to_write_here(said, word, tool, here, value):
    case = {"id": "a", "prompt": "q", "expected": "x"}
    for place in ({word: value, "cases": [case]}, {"cases": [case | {word: value}]}):
        (found,) = said(json.dumps({"name": "s", "scorer": "exact"} | place), "suite.json")
        _, start, hint = found.partition(f"unknown field {word!r}. {word!r} is {tool}. ")
        assert start
        assert here in hint


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("function", "is an OpenAI key. Write its name, description and parameters as fields"),
        ("input_schema", "is an Anthropic key. Write it as parameters of the tool."),
        ("inputSchema", "is an MCP key. Write it as parameters of the tool."),
    ],
)
def test_a_tool_in_the_form_of_an_api_says_what_to_write_here(said, word, hint):
    tool = {"name": "add", "reply": 1, word: {"type": "object"}}
    suite = {"name": "s", "scorer": "exact", "tools": [tool]}
    case = {"id": "a", "prompt": "q", "expected": "x", "tools": ["add"]}
    (found,) = said(json.dumps(suite | {"cases": [case]}), "suite.json")
    assert f"unknown field {word!r}. {word!r} {hint}" in found


def test_a_key_of_another_tool_is_no_field_here():
    models = (SuiteForm, Case, CaseSource, Tool)
    fields = {name for model in models for name in model.model_fields}
    assert fields.isdisjoint(FOREIGN_KEYS.keys() - {"prompts"})


@pytest.mark.parametrize(
    ("word", "here"), [("input", "prompt"), ("target", "expected"), ("ideal", "expected")]
)
def test_other_tools_words_for_a_case_are_named(said, word, here):
    case = {"id": "a", "prompt": "q", "expected": "x"}
    case[word] = case.pop(here)
    (found,) = said(json.dumps({"scorer": "exact", "cases": [case]}), "suite.json")
    assert f"Use {here!r} instead." in found


@pytest.mark.parametrize("choices", [{"A": "Rome", "B": "Paris"}, "Rome, Paris"])
def test_choices_of_another_form_are_answered_with_the_right_one(said, choices):
    case = {"id": "a", "prompt": "q", "expected": "A", "choices": choices}
    (found,) = said(json.dumps({"scorer": "choice", "cases": [case]}), "suite.json")
    assert "Use a list of texts, such as [Rome, Paris]" in found


@pytest.mark.parametrize(
    ("word", "here"),
    [
        ("icontains", "contains with ignore_case: true"),
        ("not-icontains", "contains with ignore_case: true. Add not: true"),
        ("not-equals", "equals.*not: true"),
        ("is-json", "json, or json_schema"),
        ("contains-json", "json with inside: true"),
        ("rouge-n", "rouge_1"),
        ("javascript", "python"),
        ("is-sql", "No scorer here is similar"),
        ("llm-rubric", "rubric"),
        ("context-recall", "llm_judge"),
        ("regexx", "regex"),
    ],
)
def test_an_assertion_of_promptfoo_is_answered_with_the_nearest_scorer(tmp_path, word, here):
    path = tmp_path / "suite.yaml"
    path.write_text(f"scorer: {word}\ncases: [{{id: a, prompt: p, expected: e}}]\n")
    with pytest.raises(SpecError, match=rf"suite\.yaml:1:9: unknown scorer '{word}'.*{here}"):
        load_checked(path)


def test_every_answer_to_an_assertion_names_a_type_of_check():
    known = {plugin.id for plugin in list_plugins("scorer")} | {"set"}
    for word, hint in ASSERTIONS.items():
        named = re.findall(r"[Uu]se (\w+)", hint)
        assert named, word
        assert set(named) <= known, word


def test_the_page_on_promptfoo_lists_every_assertion():
    page = (ROOT / "docs/how-to/from-promptfoo.md").read_text()
    assert [word for word in ASSERTIONS if f"`{word}`" not in page] == []


def test_a_configuration_of_promptfoo_is_answered_with_its_rewriting(said):
    (found,) = said(PROMPTFOO, "promptfooconfig.yaml")
    assert "providers become models (openai:gpt-5 is openai/gpt-5)" in found
    assert found.endswith("For an example: benchmaker init")
    assert "docs/" not in found


def test_a_parameter_at_the_top_of_a_suite_is_answered_with_its_place(said):
    found = said("temperature: 0\nmax_tokens: 5\ncases: [{id: a, prompt: p}]\n")
    assert found[0].endswith("unknown field 'temperature'. Write parameters: {temperature: 0}.")
    assert found[1].endswith("unknown field 'max_tokens'. Write parameters: {max_tokens: 5}.")


def test_a_threshold_in_a_suite_is_an_option(said):
    (found,) = said("threshold: 80\ncases: [{id: a, prompt: p}]\n")
    assert "benchmaker run SUITE --threshold 80" in found


def test_the_name_of_a_case_file_is_answered_with_how_to_write_it(said):
    (found,) = said("cases: tests.csv\n")
    assert "Write cases: {file: tests.csv}." in found


def test_a_missing_case_file_is_named_at_its_place_with_the_nearest(said, tmp_path):
    (tmp_path / "there.csv").touch()
    (found,) = said("name: s\ncases: {file: theer.csv}\n")
    assert found.startswith(":2:15: no file 'theer.csv' in the suite's folder.")
    assert "Did you mean 'there.csv'?" in found


def test_a_missing_suite_is_answered_with_the_nearest(tmp_path):
    (tmp_path / "suite.yaml").touch()
    (found,) = read_suite(tmp_path / "suit.yaml").findings.items
    assert "Did you mean 'suite.yaml'?" in str(found)
