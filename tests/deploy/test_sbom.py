"""The bill of materials and the parts of the lock, out of the lock and what is installed."""

import re
import subprocess
import sys

import jsonschema
import pytest

from scripts.locked import BUILD, LOCK, PARTS, SERVER, closure, entries, part
from scripts.make_sbom import document
from tests.deploy.recipes import ROOT

TEXT = {"type": "string", "minLength": 1}
REF = {"type": "string", "pattern": r"^pkg:pypi/[a-z0-9-]+@[^@\s]+$"}
LICENCES = {
    "type": "array",
    "minItems": 1,
    "items": {
        "oneOf": [
            {"required": ["expression"], "properties": {"expression": TEXT}},
            {
                "required": ["license"],
                "properties": {
                    "license": {
                        "oneOf": [
                            {"required": ["id"], "properties": {"id": TEXT}},
                            {"required": ["name"], "properties": {"name": TEXT}},
                        ]
                    }
                },
            },
        ]
    },
}
COMPONENT = {
    "type": "object",
    "required": ["type", "name", "version", "bom-ref", "purl"],
    "additionalProperties": False,
    "properties": {
        "type": {"enum": ["application", "library"]},
        "name": TEXT,
        "version": TEXT,
        "bom-ref": REF,
        "purl": REF,
        "scope": {"enum": ["required", "optional"]},
        "licenses": LICENCES,
    },
}
SCHEMA = {
    "type": "object",
    "required": ["bomFormat", "specVersion", "serialNumber", "version", "metadata", "components"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"const": "http://cyclonedx.org/schema/bom-1.6.schema.json"},
        "bomFormat": {"const": "CycloneDX"},
        "specVersion": {"const": "1.6"},
        "serialNumber": {"type": "string", "pattern": "^urn:uuid:[0-9a-f-]{36}$"},
        "version": {"const": 1},
        "metadata": {
            "type": "object",
            "required": ["component"],
            "properties": {"component": COMPONENT},
        },
        "components": {"type": "array", "items": COMPONENT, "uniqueItems": True},
        "dependencies": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["ref", "dependsOn"],
                "additionalProperties": False,
                "properties": {"ref": REF, "dependsOn": {"type": "array", "items": REF}},
            },
        },
    },
}
"""What CycloneDX 1.6 asks of the fields that we write."""


@pytest.fixture(scope="module")
def bill():
    return document()


def test_it_has_the_fields_that_the_format_asks_for(bill):
    jsonschema.validate(bill, SCHEMA)


def test_it_names_every_package_of_the_lock_once(bill):
    locked = re.findall(r"^([a-z0-9-]+)(?:\[.*?\])?==(\S+)", LOCK.read_text(), re.MULTILINE)
    named = [(one["name"], one["version"]) for one in bill["components"]]

    assert sorted(named) == sorted(locked)
    assert len({one["bom-ref"] for one in bill["components"]}) == len(named)


def test_every_dependency_is_a_component(bill):
    refs = {one["bom-ref"] for one in bill["components"]} | {
        bill["metadata"]["component"]["bom-ref"]
    }

    assert {one["ref"] for one in bill["dependencies"]} == refs
    assert all(set(one["dependsOn"]) <= refs for one in bill["dependencies"])
    assert bill["dependencies"][0]["dependsOn"]


def test_most_packages_have_a_licence(bill):
    without = [one["name"] for one in bill["components"] if "licenses" not in one]

    assert len(without) < len(bill["components"]) / 5, without


def test_what_only_tests_need_is_optional(bill):
    scopes = {one["name"]: one["scope"] for one in bill["components"]}

    assert scopes["sqlalchemy"] == scopes["uvicorn"] == scopes["psycopg"] == "required"
    assert scopes["pytest"] == scopes["playwright"] == "optional"


def test_two_passes_write_the_same_bytes(tmp_path):
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    for number, file in enumerate(files):
        subprocess.run(
            [sys.executable, "-m", "scripts.make_sbom", str(file)],
            cwd=ROOT,
            env={"PYTHONHASHSEED": str(number), "PATH": "/usr/bin:/bin"},
            check=True,
        )

    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("path", PARTS, ids=lambda path: path.name)
def test_the_parts_of_the_lock_are_cut_out_of_it(path):
    assert path.read_text(encoding="utf-8") == part(PARTS[path]), "run: python -m scripts.locked"


def test_a_server_needs_no_test_tool_and_every_dependency():
    names = {one.name for one in entries()}
    server = closure(SERVER, names)

    assert server >= {"fastapi", "uvicorn", "sqlalchemy", "psycopg", "opentelemetry-sdk"}
    assert not server & {"pytest", "ray", "playwright", "hypothesis", "mypy"}
    assert "hatchling" in closure(BUILD, names)
    assert all(one.hashes for one in entries())
