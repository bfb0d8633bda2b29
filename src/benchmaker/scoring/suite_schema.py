"""The JSON Schema of suite files, for editors: fields, values, and every scorer's parameters."""

from typing import Any

from pydantic import BaseModel, TypeAdapter

from benchmaker.plugins import list_plugins, load
from benchmaker.scoring.build import Parameter, parameters_of
from benchmaker.scoring.checks.values import UNSET
from benchmaker.spec import (
    Case,
    CaseFields,
    CheckSpec,
    JudgeSpec,
    Message,
    Parameters,
    Policies,
)
from benchmaker.spec.suites.check_spec import CHECKS, SET, Label
from benchmaker.spec.suites.profile import PROFILES
from benchmaker.spec.suites.prompts import FewShot, ModelSpec, Prompt
from benchmaker.spec.suites.suite_form import CaseSource, SuiteForm
from benchmaker.spec.suites.tools import Tool

Schema = dict[str, Any]  # JSON

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TEXTS = {
    "Suite": ("name", "description", "system_prompt", "judge_prompt"),
    "Case": ("id", "prompt", "expected", "category", "difficulty", "group"),
    "Message": ("content",),
    "Prompt": ("id", "prompt", "system_prompt"),
}
_KINDS = ["string", "number", "boolean"]


def suite_schema() -> Schema:
    """Return the JSON Schema (2020-12) of a suite in YAML or JSON.

    It describes the installed scorers, plug-ins included, with their parameters. Conditions that a
    schema cannot express (unique ids, weights that sum to more than 0, patterns that compile) are
    left to ``benchmaker validate``.
    """
    definitions: Schema = {}
    suite = _model("Suite", SuiteForm, definitions)
    for name, model in _MODELS.items():
        definitions[name] = _model(name, model, definitions)
    definitions["Scorer"] = _scorers(definitions)
    definitions["CheckSpec"] = _checks(definitions)
    _describe_defaults(definitions)
    definitions["Case"]["not"] = {"required": ["prompt", "messages"]}
    _describe_dimensions(definitions)
    properties = suite["properties"]
    properties["$schema"] = {"type": "string"}
    properties["judge"]["anyOf"] = [{"type": ["string", "null"]}, {"$ref": "#/$defs/JudgeSpec"}]
    properties["profile"] |= {"enum": list(PROFILES)}
    properties["cases"] = {
        "description": properties["cases"]["description"],
        "anyOf": [
            {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/Case"}},
            {"$ref": "#/$defs/CaseSource"},
        ],
    }
    return {
        "$schema": DIALECT,
        "title": "A Benchmaker suite",
        **suite,
        **_NEEDS_QUESTION,
        "description": "Questions for models, and the scoring of their answers.",
        "required": ["cases"],
        "$defs": dict(sorted(definitions.items())),
    }


_NEEDS_QUESTION = {
    "if": {"not": {"required": ["prompts"]}},
    "then": {
        "properties": {
            "cases": {
                "items": {
                    "anyOf": [{"required": [name]} for name in ("prompt", "messages", "vars")]
                }
            }
        }
    },
}
"""Without prompts of the suite, each case has its own question."""


def _describe_dimensions(definitions: Schema) -> None:
    """A model by its name alone, a prompt by its text, and one source of templates and cases."""
    templates = ("prompt", "messages", "file")
    definitions["Prompt"]["oneOf"] = [{"required": [name]} for name in templates]
    definitions["Tool"]["oneOf"] = [{"required": [name]} for name in ("reply", "python")]
    definitions["CaseSource"]["oneOf"] = [{"required": [name]} for name in ("file", "hf")]


_MODELS: dict[str, type[BaseModel]] = {
    "Case": Case,
    "CaseFields": CaseFields,
    "CaseSource": CaseSource,
    "FewShot": FewShot,
    "JudgeSpec": JudgeSpec,
    "Message": Message,
    "ModelSpec": ModelSpec,
    "Parameters": Parameters,
    "Policies": Policies,
    "Prompt": Prompt,
    "Tool": Tool,
}


def _model(name: str, model: type[BaseModel], definitions: Schema) -> Schema:
    """The schema of a model; scorers and scalars as the loader takes them."""
    schema = _hoist(model.model_json_schema(ref_template="#/$defs/{model}"), definitions)
    properties = schema["properties"]
    for text in _TEXTS.get(name, ()):
        properties[text] = _scalar(properties[text])
    if "scorer" in properties and name != "CaseFields":
        properties["scorer"] = {"$ref": "#/$defs/Scorer"}
    if name == "Case":
        properties.pop("also_expected", None)
        one = properties["expected"]
        several = {"type": "array", "minItems": 1, "items": {"type": _KINDS}}
        properties["expected"] = {"anyOf": [one, several]}
        properties["choices"]["items"] = {"type": _KINDS}
        properties["tags"] = {"anyOf": [_label(), {"type": "array", "items": _label()}]}
        names = properties["tools"].get("items", {"type": "string"})
        properties["tools"] = {"anyOf": [names, {"type": "array", "items": names}], "default": []}
    for field, shape in properties.items():
        shape.pop("title", None)
        if words := model.model_fields[field].description:
            shape.pop("description", None)
            shape["description"] = words
    schema.pop("title", None)
    return schema


def _describe_defaults(definitions: Schema) -> None:
    """Defaults are values of a case, all but its id."""
    values = definitions["Case"]["properties"]
    definitions["CaseSource"]["properties"]["defaults"] |= {
        "properties": {name: value for name, value in values.items() if name != "id"},
        "additionalProperties": False,
    }


def _hoist(schema: Schema, definitions: Schema) -> Schema:
    """The schema with its own definitions moved to the common ones, which have the word."""
    for name, inner in schema.pop("$defs", {}).items():
        if name not in {"ScorerSpec", "CheckSpec"}:
            definitions.setdefault(name, inner)
    return schema


def _scalar(schema: Schema) -> Schema:
    """A text that may be written as a number or as true and false; lengths are kept."""
    text = next((one for one in schema.get("anyOf", ()) if one.get("type") == "string"), schema)
    lengths = {key: text[key] for key in ("minLength", "maxLength") if key in text}
    kinds = ["string", "number", "boolean"]
    if "default" in schema:
        kinds.append("null")
    return {"type": kinds, **lengths}


def _label() -> Schema:
    return _scalar(TypeAdapter(Label).json_schema())


def _scorers(definitions: Schema) -> Schema:
    """A scorer by name, or with parameters; by dotted path with any."""
    found = [it for it in list_plugins("scorer") if it.error is None]
    classes = {it.id: (it, load("scorer", it.id)) for it in found}
    objects = [
        _scorer(name, plugin.summary, parameters_of(cls), definitions)
        for name, (plugin, cls) in classes.items()
    ]
    dotted = {"type": "string", "pattern": ":"}
    by_path = {"type": "object", "required": ["id"], "properties": {"id": dotted}}
    return {
        "description": "A scorer's name, or {id: name, parameter: value}.",
        "anyOf": [{"enum": sorted(classes)}, dotted, *objects, by_path],
    }


def _scorer(
    name: str, summary: str, parameters: dict[str, Parameter], definitions: Schema
) -> Schema:
    properties: Schema = {"id": {"const": name, "description": summary}}
    for parameter in parameters.values():
        properties[parameter.name] = _parameter(parameter, definitions)
    required = [parameter.name for parameter in parameters.values() if parameter.is_required]
    return {
        "type": "object",
        "properties": properties,
        "required": ["id", *required],
        "additionalProperties": False,
    }


def _checks(definitions: Schema) -> Schema:
    """A check by the name of its scorer, or with parameters; by dotted path with any."""
    found = [it for it in list_plugins("scorer") if it.error is None]
    classes = {it.id: (it, load("scorer", it.id)) for it in found}
    classes[SET] = (classes[CHECKS][0], classes[CHECKS][1])
    common = _common_check_fields()
    objects = [
        _check(name, plugin.summary, parameters_of(cls), common, definitions)
        for name, (plugin, cls) in sorted(classes.items())
    ]
    dotted = {"type": "string", "pattern": ":"}
    by_path = {
        "type": "object", "required": ["type"], "properties": {"type": dotted, **common},
    }  # fmt: skip
    return {
        "description": "The name of a scorer, or {type: name, parameter: value}.",
        "anyOf": [{"enum": sorted(classes)}, dotted, *objects, by_path],
    }


def _common_check_fields() -> Schema:
    """The fields of every check but its type."""
    fields: Schema = CheckSpec.model_json_schema()["properties"]
    del fields["type"]
    for shape in fields.values():
        shape.pop("title", None)
    fields["metric"] = {"type": ["string", "null"], "maxLength": 200}
    return fields


def _check(
    name: str,
    summary: str,
    parameters: dict[str, Parameter],
    common: Schema,
    definitions: Schema,
) -> Schema:
    """A check with its scorer's parameters; without a parameter ``value``, with that as well."""
    made = _scorer(name, summary, parameters, definitions)
    own = made["properties"]
    value = {"anyOf": [{"type": _KINDS}, {"type": "array", "items": {"type": _KINDS}}]}
    made["properties"] = {"type": own.pop("id"), "value": value, **common, **own}
    made["required"] = ["type", *(it for it in made["required"] if it != "id")]
    return made


def _parameter(parameter: Parameter, definitions: Schema) -> Schema:
    adapter: TypeAdapter[Any] = TypeAdapter(parameter.type)
    schema = _hoist(adapter.json_schema(ref_template="#/$defs/{model}"), definitions)
    if "description" in schema:
        schema["description"] = str(schema["description"]).partition("\n")[0]
    if schema.get("type") == "array":
        schema = {"anyOf": [{"type": "string"}, schema]}
    if not parameter.is_required and parameter.default is not UNSET:
        schema["default"] = adapter.dump_python(parameter.default, mode="json")
    return schema
