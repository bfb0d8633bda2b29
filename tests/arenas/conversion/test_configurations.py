"""Configurations of promptfoo: what becomes of their parts."""

import json

import pytest

from benchmaker.arenas.standard.conversion.converting import convert_file
from benchmaker.errors import SpecError
from tests.arenas.conversion.converted import scored, suite_of, verdict_of

BASE = {"prompts": ["Say {{word}}"], "tests": [{"vars": {"word": "yes"}}]}


@pytest.fixture
def convert(tmp_path):
    """The suite of a configuration, and what is not carried over."""

    def made(files=None, **values):
        for name, text in (files or {}).items():
            (tmp_path / name).write_text(text)
        path = tmp_path / "config.yaml"
        path.write_text(json.dumps({**BASE, **values}, indent=1))
        return suite_of(path)

    return made


def whats(made):
    return [one.what for one in made.omissions]


def test_nothing_is_named_where_nothing_is_missing(convert):
    suite, made = convert(
        providers=["openai:gpt-4o-mini"],
        tests=[{"vars": {"word": "yes"}, "assert": [{"type": "contains", "value": "{{word}}"}]}],
    )
    assert made.omissions == ()
    assert "Not carried over" not in made.text
    assert [one.name for one in suite.models] == ["openai/gpt-4o-mini"]


def test_providers_become_models_with_parameters(convert):
    suite, made = convert(
        providers=[
            {"id": "openai:chat:a", "label": "hot", "config": {"temperature": 1, "tools": []}},
            {"anthropic:messages:b": {"config": {"max_tokens": 5}}},
            {"id": "openai:c", "config": {"apiBaseUrl": "http://localhost:8000/v1/"}},
            "openai:o3-mini",
            "python:model.py",
        ]
    )
    assert [one.model for one in suite.models] == [
        "openai/a", "anthropic/b", "http://localhost:8000/v1#c", "openai/o3-mini",
    ]  # fmt: skip
    assert suite.models[0].label == "hot"
    assert suite.models[1].parameters.max_tokens == 5
    assert suite.models[3].parameters.written_values["temperature"] is None
    assert whats(made) == [
        "no parameter is like tools",
        "no endpoint is similar to the provider python:model.py; give a model with --model",
    ]


def test_a_key_of_an_endpoint_is_not_written(convert):
    key = "sk-proj-" + "a1B2c3D4" * 5
    config = {"apiKey": key, "tools": [key]}
    _, made = convert(providers=[{"id": "openai:a", "config": config}], env={"OPENAI_API_KEY": key})
    assert key not in made.text
    assert not any(key in one.text for one in made.omissions)


def test_variables_that_a_test_lacks_are_empty(convert):
    suite, _ = convert(
        prompts=["{{word}}{% if more %}: {{more | dump}}{% endif %}"],
        tests=[{"vars": {"word": "a"}}, {"vars": {"word": "b", "more": {"c": 1}}}],
    )
    assert suite.vars == {"more": ""}


def test_each_part_that_is_not_carried_over_is_named_at_its_line(convert, tmp_path):
    _, made = convert(
        derivedMetrics=[{"name": "x", "value": "y / 2"}],
        evaluateOptions={"repeat": 3},
        tests=[
            {"vars": {"word": "a"}, "provider": "openai:b"},
            {"vars": {"word": "b"}, "options": {"transformVars": "fetch(vars)"}},
            {"vars": {"word": "c"}, "assert": [{"type": "is-sql"}]},
            {"vars": {"word": "d"}, "assert": [{"type": "python", "value": "True", "weight": 0}]},
            {"vars": {"word": "file://word.py"}},
        ],
    )
    lines = (tmp_path / "config.yaml").read_text().split("\n")
    for one in made.omissions:
        assert one.text.split("\n")[0].strip() == lines[one.line - 1].strip()
        assert f":{one.line}: {one.what}" in made.text
    assert whats(made) == [
        "derived metrics have no counterpart; calculate with the exported scores",
        "set these when you run: --runs, --concurrency and --cache",
        "the case runs with every model",
        "the test is left out: the transform of its variables is not run: fetch is not evaluated",
        "no check is similar to is-sql",
        "Python is not run",
        "the test is left out: no file word.py",
    ]


def test_a_transform_that_is_not_understood_leaves_the_case_unscored(convert, tmp_path):
    tests = [
        {
            "vars": {"word": "a"},
            "options": {"transform": "output.split('a')[0]"},
            "assert": [{"type": "contains", "value": "a"}],
        }
    ]
    suite, made = convert(tests=tests)
    scores = scored(suite, [{"id": "test-1", "model": "m", "output": "a"}], tmp_path / "home")
    assert verdict_of(scores["test-1"][0]) is None
    assert len(made.omissions) == 1


def test_judged_assertions_name_the_judge_of_promptfoo(convert):
    rubric = {"type": "llm-rubric", "value": "is {{word}}"}
    suite, made = convert(tests=[{"vars": {"word": "kind"}, "assert": [rubric]}])
    assert suite.judge.models[0].model.startswith("openai/gpt-")
    assert made.omissions == ()
    suite, _ = convert(
        defaultTest={"options": {"provider": "openai:judge"}, "assert": [rubric]},
        tests=[{"vars": {"word": "kind"}}],
    )
    assert suite.judge.models[0].model == "openai/judge"


def test_a_test_that_no_answer_can_pass_stays_a_case(convert, tmp_path):
    both = [{"type": "equals", "value": "a"}, {"type": "equals", "value": "b"}]
    suite, _ = convert(tests=[{"vars": {"word": "a"}, "assert": both}])
    scores = scored(suite, [{"id": "test-1", "model": "m", "output": "a"}], tmp_path / "home")
    assert verdict_of(scores["test-1"][0]) is False


def test_braces_in_patterns_are_no_templates(convert):
    tests = [
        {
            "vars": {"word": "a"},
            "assert": [
                {"type": "javascript", "value": "output.includes('{' + '{')"},
                {"type": "regex", "value": "a{1}{0,2}b{2}"},
            ],
        }
    ]
    _, made = convert(tests=tests)
    assert len(made.omissions) == 2


@pytest.mark.parametrize(
    ("files", "values", "message"),
    [
        ({}, {"prompts": ["file://none.txt"]}, "no prompt of config.yaml can be carried over"),
        ({}, {"tests": "file://none.csv"}, "no test of config.yaml can be carried over"),
        ({}, {"prompts": ["file://../secret.txt"]}, "no prompt"),
    ],
)
def test_a_configuration_of_which_nothing_is_left_is_refused(convert, files, values, message):
    with pytest.raises(SpecError, match=message):
        convert(files, **values)


def test_a_file_of_no_known_tool_is_refused(tmp_path):
    path = tmp_path / "some.yaml"
    path.write_text("cases: [{id: a, prompt: b}]\n")
    with pytest.raises(SpecError, match="not recognised"):
        convert_file(path)
