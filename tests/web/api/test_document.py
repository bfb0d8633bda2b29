"""The document, and live answers of every route that reads held against it."""

import re

import jsonschema_rs
import pytest

from benchmaker.web.api.document import TAGS
from benchmaker.web.api.mounted import openapi_document
from tests.web.api.asking import ROOT
from tests.web.api.operations import EVERY
from tests.web.api.reading import READING, read

METHODS = ("get", "post", "put", "patch", "delete")


def operations():
    """Every operation, as path, method and what the document says of it."""
    for path, methods in openapi_document()["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def test_the_document_says_what_it_is(api):
    made = api.document

    assert made["openapi"].startswith("3.1")
    assert made["info"]["title"] == "Benchmaker"
    assert [tag["name"] for tag in made["tags"]] == list(TAGS)
    assert all(path.startswith(ROOT) for path in made["paths"])


def test_every_route_is_an_operation():
    known = {(method.upper(), path.removeprefix(ROOT)) for path, method, _ in operations()}

    assert known == set(EVERY)


def test_every_operation_is_named_tagged_and_described():
    names = [operation["operationId"] for _, _, operation in operations()]

    assert len(set(names)) == len(names)
    for path, method, operation in operations():
        assert method in METHODS, path
        assert len(operation["tags"]) == 1, path
        assert operation["tags"][0] in TAGS, path
        assert operation["description"].endswith("."), path


def test_every_answer_has_a_type_and_every_error_the_same():
    for path, method, operation in operations():
        answers = operation["responses"]
        fine = [status for status in answers if status.startswith("2")]
        assert len(fine) == 1, (path, method)
        assert {"401", "404", "405", "421", "422", "500", "503"} <= set(answers), (path, method)
        if method != "get":
            assert {"403", "409"} <= set(answers), (path, method)
        if "requestBody" in operation:
            assert {"400", "411", "413", "415"} <= set(answers), (path, method)
        for status, answer in answers.items():
            (content,) = answer["content"].values()
            assert content["schema"], (path, status)
            if status not in fine:
                assert content["schema"]["$ref"] == "#/components/schemas/Error"


def test_every_reference_leads_somewhere():
    made = openapi_document()
    text = str(made)
    wanted = set(re.findall(r"#/components/schemas/([\w.-]+)", text))

    assert wanted <= set(made["components"]["schemas"])
    assert set(made["components"]["schemas"]) <= wanted
    for name, schema in made["components"]["schemas"].items():
        jsonschema_rs.Draft202012Validator(schema | {"components": made["components"]})
        assert re.fullmatch(r"[\w.-]+", name)


def test_every_answer_that_carries_scores_says_their_scale():
    made = openapi_document()["components"]["schemas"]
    bearing = ("score", "overall_score", "mean")
    free = {"ModelSummary", "TrialRow", "Label", "Score", "Evaluation"}
    shown = {
        content["schema"]["$ref"].rpartition("/")[2]
        for _, _, operation in operations()
        for status, answer in operation["responses"].items()
        for content in answer["content"].values()
        if status.startswith("2") and "$ref" in content["schema"]
    }

    for name in shown - free:
        if any(word in made[name].get("properties", {}) for word in bearing):
            assert "scale" in made[name]["properties"], name


@pytest.mark.parametrize("path", READING)
def test_what_is_read_is_of_the_type_that_was_promised(api, path):
    assert read(api, path)


def test_every_route_that_reads_is_read_above():
    known = {re.sub(r"\{\w+(:path)?\}|\d+", "{}", one.partition("?")[0]) for one in READING}
    asked = {
        re.sub(r"\{\w+\}", "{}", path.removeprefix(ROOT))
        for path, method, operation in operations()
        if method == "get" and "application/json" in operation["responses"]["200"]["content"]
    }
    apart = {"/jobs/{}", "/agentic/tasks/{}", "/suites/{}/diff", "/trend"}

    assert asked - apart == {re.sub(r"/(classic|latest)$", "/{}", one) for one in known}
