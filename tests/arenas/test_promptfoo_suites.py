"""Configurations of promptfoo, said as suites: the requests are those that promptfoo sends.

The texts of prompts and tests come from the configurations in the data folder. Expected are the
prompts that promptfoo rendered, from the files of its results; where there are none, the variables
put into the text. promptfoo sends a prompt that is no conversation as one message of the user.
"""

import asyncio
import csv
import json
import re
from collections import Counter

import pytest
from ruamel.yaml import YAML

from benchmaker import RunOptions, Suite, arun
from tests.providers.local import KEY, as_json, chat, serving

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def folder(shared):
    return shared / "incoming-t2" / "promptfoo"


@pytest.fixture
def configuration(folder):
    return lambda name: YAML(typ="safe", pure=True).load((folder / name).read_text("utf-8"))


@pytest.fixture
def sent(tmp_path):
    """The bodies of all requests of a suite."""

    async def collect(suite, runs):
        async with serving(as_json(chat("Paris"))) as seen:
            environ = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{seen.url}/v1"}
            options = RunOptions(stream=False, runs=runs)
            await arun(suite, home=tmp_path, environ=environ, options=options)
            return seen.bodies

    return lambda suite, runs=1: asyncio.run(collect(suite, runs))


def asked(bodies):
    """How often each model was sent each question, which is its only message."""
    assert {len(body["messages"]) for body in bodies} == {1}
    assert {body["messages"][0]["role"] for body in bodies} == {"user"}
    return Counter((body["model"], body["messages"][0]["content"]) for body in bodies)


def rendered(path):
    """How often promptfoo sent each prompt to each provider, from a file of its results."""
    rows = json.loads(path.read_text("utf-8"))["results"]["results"]
    return Counter((row["provider"]["label"], row["prompt"]["raw"]) for row in rows)


def filled(text, values):
    """The text with each variable in double braces replaced."""
    return re.sub(r"\{\{\s*(\w+)\s*\}\}", lambda found: str(values[found[1]]), text)


def test_scenarios_matrix_of_variables_and_repeats(configuration, folder, sent):
    given = configuration("promptfooconfig.yaml")
    capitals = [one["vars"] for one in given["scenarios"][0]["config"]]
    hint = given["scenarios"][0]["tests"][0]["vars"]["hint"]
    number = {"id": "boolean", "not_contains": ["as an ai"]}
    suite = Suite(
        "cities",
        [
            *(
                {
                    "id": f"number-{own['city']}",
                    "vars": {**own, "hint": hint},
                    "expected": "{{ people }}",
                    "scorer": number,
                }
                for own in capitals
            ),
            {
                "id": "matrix",
                "vars": given["tests"][0]["vars"],
                "scorer": {"id": "boolean", "any_of": ["Oslo", "Paris"]},
            },
            {
                "id": "transform",
                "vars": given["tests"][1]["vars"],
                "expected": "2746",
                "scorer": "numeric",
            },
            {
                "id": "error",
                "vars": given["tests"][2]["vars"],
                "expected": "Nowhere",
                "scorer": "boolean",
            },
        ],
        profile="robust",
        vars={"hint": ""},
        models=["openai/model-a", "openai/model-b"],
        prompts=[{"id": one["id"], "prompt": one["raw"]} for one in given["prompts"]],
    )
    assert asked(sent(suite, runs=2)) == rendered(folder / "results.json")


def test_tests_from_a_table(configuration, folder, sent):
    with (folder / "tests.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    suite = Suite(
        "table",
        [
            {
                "id": row["__description"],
                "vars": {"city": row["city"]},
                "expected": re.search(r"\d+", row["__expected"])[0],
            }
            for row in rows
        ],
        profile="robust",
        scorer="numeric",
        models=["openai/model-a"],
        prompts=configuration("csv.yaml")["prompts"],
    )
    assert asked(sent(suite)) == rendered(folder / "csv-results.json")


def test_two_prompts_and_a_product_of_variables(configuration, sent):
    given = configuration("examples/simple-cli.yaml")
    tests = [one["vars"] for one in given["tests"]]
    values = {name: list(dict.fromkeys(one[name] for one in tests)) for name in tests[0]}
    suite = Suite(
        "rephrase",
        [{"id": "all", "vars": values}],
        scorer={"id": "exact", "auto_pass": True},
        models=["openai/gpt-5"],
        prompts=given["prompts"],
    )
    wanted = [("gpt-5", filled(text, own)) for text in given["prompts"] for own in tests]
    assert asked(sent(suite)) == Counter(wanted)


def test_cases_with_checks_of_their_own(configuration, sent):
    given = configuration("examples/json-output.yaml")
    checks = [["yellow", "Ecuador"], ["purple", "Brazil"]]
    suite = Suite(
        "objects",
        [
            {
                "id": one["vars"]["item"],
                "vars": one["vars"],
                "scorer": {"id": "boolean", "all_of": words},
            }
            for one, words in zip(given["tests"], checks, strict=True)
        ],
        profile="robust",
        models=["openai/gpt-3.5-turbo"],
        prompts=given["prompts"],
    )
    wanted = [
        ("gpt-3.5-turbo", filled(text, one["vars"]))
        for text in given["prompts"]
        for one in given["tests"]
    ]
    assert asked(sent(suite)) == Counter(wanted)


def test_a_prompt_with_a_schema_of_its_own(configuration, sent):
    given = configuration("examples/f-score.yaml")
    (prompt,) = given["prompts"]
    reviews = [("Wonderful, I laughed.", "positive"), ('A "masterpiece"? Dull.', "negative")]
    suite = Suite(
        "reviews",
        [
            {"id": right, "vars": {"text": text, "sentiment": right}, "expected": "{{ sentiment }}"}
            for text, right in reviews
        ],
        profile="robust",
        scorer="boolean",
        models=["openai/gpt-4o-mini"],
        prompts=[
            {"id": "sentiment", "prompt": prompt["raw"], "parameters": dict(prompt["config"])}
        ],
    )
    bodies = sent(suite)
    texts = [("gpt-4o-mini", filled(prompt["raw"], {"text": text})) for text, _ in reviews]
    assert asked(bodies) == Counter(texts)
    assert [body["response_format"] for body in bodies] == [prompt["config"]["response_format"]] * 2
