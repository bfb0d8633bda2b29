"""Providers of promptfoo as models of a suite."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

from benchmaker.arenas.standard.conversion.draft_suite import NotTranslated
from benchmaker.errors import SpecError
from benchmaker.spec import Parameters

ENDPOINTS = {
    "openai": "openai",
    "anthropic": "anthropic",
    "openrouter": "openrouter",
    "google": "google",
    "mistral": "mistral",
    "groq": "groq",
    "deepseek": "deepseek",
    "togetherai": "together",
    "xai": "xai",
    "ollama": "ollama",
}
"""Prefixes of providers in promptfoo with the endpoints here."""

DEFAULTS = {"temperature": 0, "max_tokens": 1024}
"""The parameters that promptfoo sends to chat models unless a configuration says otherwise."""

_WAYS = frozenset({"chat", "messages", "responses", "completion"})
_SAME = frozenset(
    {"temperature", "max_tokens", "top_p", "top_k", "seed", "frequency_penalty",
     "presence_penalty", "reasoning_effort"}
)  # fmt: skip
_RENAMED = {"max_completion_tokens": "max_tokens", "max_output_tokens": "max_tokens"}
_REASONING = ("o1", "o3", "o4", "gpt-5")
_UNSENT = frozenset({"apiBaseUrl", "apiHost", "apiKeyEnvar", "apiKey", "label", "id"})


class Provider(NamedTuple):
    """A provider of a configuration: its model here, and the keys of its config without one."""

    model: dict[str, Any]
    unknown_keys: tuple[str, ...]
    response_format: Any


def provider_entries(given: Any) -> Iterator[tuple[int, str, dict[str, Any]]]:  # noqa: ANN401
    """Yield the place, the id and the options of each provider of a configuration."""
    listed = given if isinstance(given, list) else [] if given is None else [given]
    for place, one in enumerate(listed):
        if isinstance(one, str):
            yield place, one, {}
        elif isinstance(one, Mapping) and "id" in one:
            yield place, str(one["id"]), dict(one)
        elif isinstance(one, Mapping) and len(one) == 1:
            (name, options), *_ = one.items()
            yield place, str(name), dict(options or {})
        else:
            yield place, "", {}


def provider_from(name: str, options: Mapping[str, Any]) -> Provider:
    """Return the model of a provider.

    Raises:
        NotTranslated: it is a program, a file, or a service without an endpoint here.
    """
    if "transform" in options:
        raise NotTranslated("the provider changes its answers by a transform")
    config = dict(options.get("config") or {})
    model: dict[str, Any] = {"model": _model_name(name, config)}
    if options.get("label"):
        model["label"] = str(options["label"])
    parameters, unknown = parameters_from(config)
    model_name = model["model"].rpartition("/")[2]
    if name.startswith("openai:") and model_name.startswith(_REASONING):
        parameters = {"temperature": None, "max_tokens": None, **parameters}
    if parameters:
        model["parameters"] = parameters
    return Provider(model, unknown, config.get("response_format"))


def parameters_from(config: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the parameters of a ``config``, and the keys that have none.

    >>> parameters_from({"temperature": 0.2, "stop": ["x"], "functions": []})
    ({'temperature': 0.2, 'stop': ['x']}, ('functions',))
    """
    made: dict[str, Any] = {}
    unknown = []
    for key, value in config.items():
        found = _parameter(key, value)
        if found is not None and _is_valid(found):
            made |= found
        elif key not in _UNSENT:
            unknown.append(key)
    return made, tuple(unknown)


def _parameter(key: str, value: Any) -> dict[str, Any] | None:  # noqa: ANN401  any JSON
    if key in _SAME or key in _RENAMED:
        return {_RENAMED.get(key, key): value}
    if key == "stop":
        return {"stop": value if isinstance(value, list) else [value]}
    if key == "reasoning" and isinstance(value, dict) and value.keys() == {"effort"}:
        return {"reasoning_effort": value["effort"]}
    if key == "passthrough" and isinstance(value, dict):
        return {"extra_body": value}
    if key == "response_format" and isinstance(value, dict):
        return _response_format(value)
    return None


def _response_format(value: dict[str, Any]) -> dict[str, Any] | None:
    if value.get("type") == "json_object":
        return {"response_format": "json"}
    if value.get("type") == "json_schema":
        return {"response_format": value}
    return None


def _is_valid(parameters: dict[str, Any]) -> bool:
    try:
        Parameters(**parameters)
    except (SpecError, ValidationError, TypeError):
        return False
    return True


def _model_name(name: str, config: Mapping[str, Any]) -> str:
    prefix, _, rest = name.partition(":")
    way, _, model = rest.partition(":")
    model = model if way in _WAYS and model else rest
    if prefix not in ENDPOINTS or not model or way in {"embedding", "image", "assistant"}:
        raise NotTranslated(f"no endpoint is similar to the provider {name}")
    host = config.get("apiBaseUrl") or config.get("apiHost")
    if not host:
        return f"{ENDPOINTS[prefix]}/{model}"
    base = str(host) if "://" in str(host) else f"https://{host}/v1"
    if "{{" in base:
        raise NotTranslated("the address of the provider is a template")
    return f"{base.rstrip('/')}#{model}"
