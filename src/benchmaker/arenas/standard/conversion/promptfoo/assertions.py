"""Assertions of promptfoo as checks with the same verdict.

Source: the handlers in src/assertions of promptfoo 0.121.20.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import floor
from typing import Any

from benchmaker.arenas.standard.conversion.draft_suite import NotTranslated
from benchmaker.arenas.standard.conversion.promptfoo.javascript import NotUnderstood
from benchmaker.arenas.standard.conversion.promptfoo.javascript_checks import (
    AnswerView,
    check_of,
    filters_of,
    reads_json,
)
from benchmaker.arenas.standard.conversion.promptfoo.javascript_regex import python_pattern
from benchmaker.arenas.standard.conversion.promptfoo.nunjucks import (
    fill_template,
    is_template,
    literal,
    to_jinja,
)
from benchmaker.arenas.standard.conversion.promptfoo.separated_values import split_values
from benchmaker.spec.suites.check_spec import RESERVED_METRICS

Check = dict[str, Any]
Assertion = Mapping[str, Any]

JUDGED = frozenset(
    {"rubric", "factuality", "g_eval", "answer_relevance", "faithfulness", "llm_judge"}
)
"""Types of checks that need a judge."""
EMBEDDING_MODEL = "openai/text-embedding-3-large"
"""The embedding model of promptfoo unless a test names another."""
_METERED = frozenset({"latency", "cost"})
_GRADED = {"bleu": 0.5, "rouge-n": 0.75, "similar": 0.75}


@dataclass(frozen=True, slots=True)
class TestContext:
    """The facts of a test that its assertions depend on.

    ``variables`` are those with one value; ``filters`` do what the transform of the output does;
    ``is_object`` is true if JavaScript sees the answer's JSON as an object; ``is_shared`` if the
    test has a threshold, so that each score counts.
    """

    variables: Mapping[str, Any] = field(default_factory=dict)
    filters: tuple[Any, ...] = ()
    is_object: bool = False
    is_shared: bool = False


def check_from(assertion: Assertion, context: TestContext) -> Check:
    """Return the check that decides as an assertion does, with its weight and metric.

    Raises:
        NotTranslated: there is none; the message names the reason.
    """
    kind = str(assertion.get("type", ""))
    base = kind.removeprefix("not-")
    try:
        made = _make(base, assertion, context)
    except NotUnderstood as exc:
        raise NotTranslated(f"{base} is not carried over: {exc}") from exc
    made = _with_filters(made, assertion, context) if base not in _METERED else made
    if kind != base:
        made = _invert(made)
    return _with_weight(made, assertion, context)


def _make(base: str, assertion: Assertion, context: TestContext) -> Check:
    if base in _PLAIN:
        return _PLAIN[base](assertion)
    if base in _OVER_VARIABLES:
        return _OVER_VARIABLES[base](assertion, context)
    raise NotTranslated(_reason(base))


def no_assertion(assertion: Assertion, reason: str, context: TestContext) -> Check | None:
    """Return the check in place of one that is not carried over; None if it only reports."""
    if assertion.get("weight") == 0:
        return None
    return _with_weight({"type": "no_verdict", "reason": literal(reason)}, assertion, context)


def _reason(base: str) -> str:
    if base in {"python", "ruby"}:
        return f"{base.capitalize()} is not run"
    if base == "trajectory:tool-used":
        return f"{base} needs tools: use tool_called in a case that offers them"
    if base in {"select-best", "max-score"}:
        return f"{base} compares the answers of several setups"
    return f"no check is similar to {base}" if base else "the assertion has no type"


def _invert(made: Check) -> Check:
    if made.get("script") and reads_json(made):
        raise NotTranslated("JavaScript is not run: the opposite of a condition that may throw")
    if made.get("not"):
        return {name: it for name, it in made.items() if name != "not"}
    return {**made, "not": True}


def _with_weight(made: Check, assertion: Assertion, context: TestContext) -> Check:
    made.pop("script", None)
    if made["type"] == "levenshtein" and (context.is_shared or assertion.get("metric")):
        made = {"type": "set", "checks": [made]}
    weight, metric = assertion.get("weight"), assertion.get("metric")
    if weight is not None and weight != 1:
        made["weight"] = weight
    if metric:
        name = fill_template(str(metric), context.variables)[:200]
        made["metric"] = f"promptfoo {name}" if name in RESERVED_METRICS else name
    return made


def _with_filters(made: Check, assertion: Assertion, context: TestContext) -> Check:
    """The check with the filters of the test's transform, and then of the assertion's own."""
    own = assertion.get("transform")
    filters = list(context.filters)
    if own is not None:
        filters += _own_filters(str(own), context)
    if not filters:
        return made
    return {**made, "filters": [*filters, *made.get("filters", ())]}


def _own_filters(source: str, context: TestContext) -> list[Any]:
    if not context.is_object:
        return filters_of(source)
    return filters_of(re.sub(r"\boutput\b", "JSON.parse(output)", source))


def _text_of(value: Any) -> str:  # noqa: ANN401  any JSON
    if isinstance(value, str):
        return to_jinja(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, (bool, int, float)):
        return json.dumps(value)
    raise NotTranslated("the value is no text")


def _require_text(assertion: Assertion) -> str:
    value = assertion.get("value")
    if value is None or value == "":
        raise NotTranslated("the assertion has no value")
    return _text_of(value)


def _equals(assertion: Assertion) -> Check:
    value = assertion.get("value")
    if isinstance(value, dict):
        return {"type": "equals", "value": value}
    if isinstance(value, list):
        return {"type": "json_schema", "value": {"const": value}}
    if value is None:
        raise NotTranslated("the assertion has no value")
    return {"type": "equals", "value": _text_of(value), "keep_spaces": True}


def _contains(assertion: Assertion) -> Check:
    return {"type": "contains", "value": _require_text(assertion), **_case(assertion)}


def _case(assertion: Assertion) -> Check:
    base = str(assertion["type"]).removeprefix("not-")
    return {"ignore_case": True} if base.startswith("icontains") else {}


def _several(assertion: Assertion, context: TestContext) -> Check:
    value = assertion.get("value")
    base = str(assertion["type"]).removeprefix("not-").removeprefix("i")
    if isinstance(value, str):
        text = fill_template(value, context.variables) if is_template(value) else value
        texts = [literal(it) for it in split_values(text)]
    elif isinstance(value, list):
        texts = list(map(_text_of, value))
    else:
        raise NotTranslated("the value is no list")
    if not texts or not all(texts):
        raise NotTranslated("the list has no texts, or an empty one")
    return {"type": base.replace("-", "_"), "value": texts, **_case(assertion)}


def _starts_with(assertion: Assertion) -> Check:
    return {"type": "starts_with", "value": _require_text(assertion), "keep_spaces": True}


def _regex(assertion: Assertion, context: TestContext) -> Check:
    value = assertion.get("value")
    if not isinstance(value, str) or not value:
        raise NotTranslated("the pattern is no text")
    pattern = python_pattern(fill_template(value, context.variables))
    return {"type": "regex", "pattern": literal(pattern)}


def _json(assertion: Assertion, context: TestContext) -> Check:
    base = str(assertion["type"]).removeprefix("not-")
    inside = {"inside": True} if base == "contains-json" else {}
    if inside and base != assertion["type"]:
        raise NotTranslated("promptfoo finds more JSON inside an answer than this program")
    value = assertion.get("value")
    if isinstance(value, str) and value.strip():
        value = _read_schema(fill_template(value, context.variables))
    if not value:
        return (
            {"type": "json_schema", "value": {"type": "object"}, **inside}
            if inside
            else {"type": "json"}
        )
    if not isinstance(value, dict):
        raise NotTranslated("the schema is no mapping")
    return {"type": "json_schema", "value": _with_dialect(value), **inside}


def _read_schema(text: str) -> Any:  # noqa: ANN401  any JSON
    from ruamel.yaml import YAML  # noqa: PLC0415  slow to load
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415  as above

    try:
        return YAML(typ="safe", pure=True).load(text)
    except YAMLError as exc:
        raise NotTranslated("the schema is no YAML") from exc


def _with_dialect(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with the draft that promptfoo reads it by, where a later one differs."""
    text = json.dumps(schema)
    is_older = any(f'"{it}"' in text for it in ("dependencies", "additionalItems", "definitions"))
    if "$schema" in schema or not (is_older or '"items": [' in text):
        return schema
    return {"$schema": "http://json-schema.org/draft-07/schema#", **schema}


def _levenshtein(assertion: Assertion) -> Check:
    most = assertion.get("threshold", 5)
    value = _text_of(assertion.get("value"))
    return {"type": "levenshtein", "value": value, "max": floor(most), "keep_spaces": True}


def _words(assertion: Assertion) -> Check:
    value = assertion.get("value")
    if isinstance(value, dict):
        bounds = {name: value[name] for name in ("min", "max") if value.get(name) is not None}
        if bounds and all(type(it) is int for it in bounds.values()):
            return {"type": "word_count", **bounds}
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    if type(value) is int:
        return {"type": "word_count", "min": value, "max": value}
    raise NotTranslated("the number of words is no whole number")


def _limit(assertion: Assertion) -> Check:
    base = str(assertion["type"]).removeprefix("not-")
    threshold = assertion.get("threshold")
    if not isinstance(threshold, (int, float)):
        raise NotTranslated("the assertion has no threshold")
    return {"type": base, "max": threshold / 1000 if base == "latency" else threshold}


def _overlap_check(assertion: Assertion) -> Check:
    base = str(assertion["type"]).removeprefix("not-")
    made: Check = {"type": {"rouge-n": "rouge_1", "similar": "similarity"}.get(base, base)}
    value = assertion.get("value")
    texts = list(map(_text_of, value)) if isinstance(value, list) else _require_text(assertion)
    made |= {"value": texts, "threshold": assertion.get("threshold", _GRADED[base])}
    return made | ({"model": EMBEDDING_MODEL} if base == "similar" else {})


def _judge_check(assertion: Assertion) -> Check:
    base = str(assertion["type"]).removeprefix("not-")
    made: Check = {"type": _JUDGES[base]}
    value = assertion.get("value")
    if base == "context-faithfulness":
        made["context"] = "{{ context }}"
    elif base != "answer-relevance":
        if isinstance(value, list):
            value = "\n".join(map(str, value))
        made["value"] = _text_of(value)
    threshold = assertion.get("threshold")
    return made | ({} if threshold is None else {"threshold": threshold})


_JUDGES = {
    "llm-rubric": "rubric",
    "model-graded-closedqa": "rubric",
    "factuality": "factuality",
    "model-graded-factuality": "factuality",
    "g-eval": "g_eval",
    "answer-relevance": "answer_relevance",
    "context-faithfulness": "faithfulness",
}


def _javascript(assertion: Assertion, context: TestContext) -> Check:
    source = assertion.get("value")
    if not isinstance(source, str) or source.startswith("file://"):
        raise NotTranslated("JavaScript is not run")
    view = AnswerView(context.is_object, context.variables)
    try:
        made = check_of(
            fill_template(source, context.variables), view, threshold=_threshold(assertion)
        )
    except NotUnderstood as exc:
        raise NotTranslated(f"JavaScript is not run: {exc}") from exc
    return {**_literal_texts(made), "script": True}


def _threshold(assertion: Assertion) -> float | None:
    given = assertion.get("threshold")
    return float(given) if isinstance(given, (int, float)) else None


def _literal_texts(value: Any) -> Any:  # noqa: ANN401  any JSON
    """Texts of JavaScript, which are no templates."""
    if isinstance(value, str):
        return literal(value)
    if isinstance(value, list):
        return [_literal_texts(it) for it in value]
    if isinstance(value, dict):
        return {key: it if key == "filters" else _literal_texts(it) for key, it in value.items()}
    return value


def _refusal(_: Assertion) -> Check:
    return {"type": "refusal"}


_PLAIN: dict[str, Callable[[Assertion], Check]] = {
    "equals": _equals,
    "contains": _contains,
    "icontains": _contains,
    "starts-with": _starts_with,
    "levenshtein": _levenshtein,
    "word-count": _words,
    "latency": _limit,
    "cost": _limit,
    "bleu": _overlap_check,
    "rouge-n": _overlap_check,
    "similar": _overlap_check,
    "is-refusal": _refusal,
    **dict.fromkeys(_JUDGES, _judge_check),
}
_OVER_VARIABLES: dict[str, Callable[[Assertion, TestContext], Check]] = {
    "contains-any": _several,
    "icontains-any": _several,
    "contains-all": _several,
    "icontains-all": _several,
    "regex": _regex,
    "is-json": _json,
    "contains-json": _json,
    "javascript": _javascript,
}
