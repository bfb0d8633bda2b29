"""Hints for failures, based on the endpoint."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import urlsplit

from benchmaker.errors import AuthError, ProviderError
from benchmaker.providers.endpoints.endpoints import Endpoint

CHECK_NAME = "Check the model's name with:"
"""The hint for a model that its endpoint does not have, before the command that lists them."""
CHECK_URL_AND_NAME = "Check the base URL, and the model's name with:"
_BAD_REQUEST = frozenset({400, 422})
_NOT_FOUND = 404
_METHOD_NOT_ALLOWED = 405
_OPTIONS = {
    "temperature": "--temperature",
    "top_p": "--top-p",
    "frequency_penalty": "--frequency-penalty",
    "presence_penalty": "--presence-penalty",
}
_NAMED = re.compile(r"(?<![\w-])(temperature|top_p|frequency_penalty|presence_penalty)(?![\w-])")
_FIELDS = {
    "reasoning_effort": "reasoning_effort",
    "reasoning.effort": "reasoning_effort",
    "output_config.effort": "reasoning_effort",
    "reasoning": "reasoning_effort",
    "thinking": "reasoning_effort",
    "adaptive thinking": "reasoning_effort",
    "effort": "reasoning_effort",
    "chat_template_kwargs": "reasoning_effort",
    "thinking.budget_tokens": "thinking_budget",
    "budget_tokens": "thinking_budget",
    "reasoning.max_tokens": "thinking_budget",
    "thinking_budget": "thinking_budget",
    "thinking_token_budget": "thinking_budget",
    "stop": "stop",
    "stop_sequences": "stop",
    "top_k": "top_k",
    "min_p": "min_p",
    "response_format": "response_format",
    "json_schema": "response_format",
    "output_config.format": "response_format",
    "logprobs": "logprobs",
    "top_logprobs": "logprobs",
    "tool_choice": "response_format",
    "max_tokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
}
"""The parameter behind a field of a request, by the names that errors use."""
_LONGEST_FIRST = "|".join(sorted(map(re.escape, _FIELDS), key=len, reverse=True))
_FIELD = re.compile(rf"(?<![\w.-])({_LONGEST_FIRST})(?![\w-]|\.\w)")
_REFUSED = re.compile(
    r"(?:not|n't|never|longer) (?:be )?(?:support(?:ed)?|permitted|allowed|accept(?:ed)?)\b"
    r"|\b(?:unsupported|unrecogni[sz]ed|unknown|unexpected|invalid|extra|additional|unavailable) "
    r"(?:\w+ ){0,2}(?:argument|field|key|input|name|parameter|propert|value)"
    r"|extra_forbidden|extra inputs are|deprecated"
    r"|must be (?:one of|less|greater|at least)|is too (?:large|small|high|low)",
    re.IGNORECASE,
)
_BOUND = re.compile(
    r"(?<![\w-])max_tokens(?![\w-]).{0,200}(?<![\w-])max_completion_tokens", re.DOTALL
)
_SEED = re.compile(r"(?<![\w-])seed(?![\w-])")
_WITHOUT_SEED = "Remove --seed. Omit a seed of the suite with parameters: {seed: null}."
_NO_FIELDS: Mapping[str, object] = MappingProxyType({})
_MODEL = re.compile(r"\bmodels?\b", re.IGNORECASE)
_PLAIN_PORT = re.compile(r"WRONG_VERSION_NUMBER|RECORD_LAYER_FAILURE|HTTP_REQUEST", re.IGNORECASE)
_SECURE_PORT = re.compile(r"HTTPS port|HTTP request to an HTTPS|client sent an HTTP", re.IGNORECASE)
_ALERT = re.compile(r"""['"]\\x15\\x03""")
"""The quoted beginning of a reply that is a TLS alert (RFC 8446, section 5.1)."""


@dataclass(frozen=True, slots=True)
class Advice:
    """The endpoint and key variable of one model; None if no key is sent."""

    endpoint: Endpoint
    model: str
    key: str | None

    def hint_for(self, error: ProviderError, extra_body: Mapping[str, object] = _NO_FIELDS) -> str:
        """Return the remedy; the error's own hint if there is no better one.

        ``extra_body`` holds the additional fields of the request.
        """
        if isinstance(error, AuthError):
            return self._on_key()
        if _PLAIN_PORT.search(error.message) and self._scheme == "https":
            return f"The port speaks plain HTTP: {self._set_to(self._with_scheme('http'))}"
        if self._is_secure_port(error):
            return f"The port needs HTTPS: {self._set_to(self._with_scheme('https'))}"
        if error.status in _BAD_REQUEST:
            hint = _on_extra_field(error.message, extra_body)
            return hint or self._on_parameter(error.message) or error.hint
        if error.status in {_NOT_FOUND, _METHOD_NOT_ALLOWED}:
            return self._on_path(error.message)
        return error.hint

    def _on_key(self) -> str:
        if self.key:
            return f"Check that {self.key} is a key for {self.endpoint.host}."
        if self.endpoint.keys:
            return f"No key was sent. Set {self.endpoint.keys[0]}."
        if self.endpoint.name != self.endpoint.base_url:
            return (
                f"No key was sent. Add a key to the endpoint {self.endpoint.name} in "
                f"endpoints.yaml in the data folder: "
                f"{self.endpoint.name}: {{key: {_key_variable(self.endpoint)}}}."
            )
        return (
            "No key was sent. Define the endpoint with a key in endpoints.yaml in the data folder: "
            f"endpoints: {{lab: {{base_url: {self.endpoint.base_url}, key: LAB_KEY}}}}."
        )

    def _on_parameter(self, message: str) -> str:
        if _BOUND.search(message):
            return (
                f"Set it in endpoints.yaml in the data folder: endpoints: {{{self.endpoint.name}: "
                "{max_tokens_field: max_completion_tokens}}."
            )
        if named := _NAMED.search(message):
            name = named.group(1)
            return f"Omit it with {_OPTIONS[name]} none, or set {name}: null in the suite."
        if (field := _FIELD.search(message)) and _REFUSED.search(message):
            return _leave_out(_FIELDS[field.group(1)])
        return _WITHOUT_SEED if _SEED.search(message) else ""

    def _on_path(self, message: str) -> str:
        listing = f"benchmaker models {self.endpoint.name}"
        is_named = _MODEL.search(message) or self.model in message
        if is_named or self._has_path:
            return f"{CHECK_URL_AND_NAME if not is_named else CHECK_NAME} {listing}"
        longer = f"{self.endpoint.base_url}/v1"
        return f"Its paths may start with /v1: {self._set_to(longer)}"

    def _is_secure_port(self, error: ProviderError) -> bool:
        """True if the reply shows it; a closed connection may have other causes."""
        said = _SECURE_PORT.search(error.message) or _ALERT.search(error.message)
        return self._scheme == "http" and said is not None

    @property
    def _scheme(self) -> str:
        return urlsplit(self.endpoint.base_url).scheme

    @property
    def _has_path(self) -> bool:
        return self.endpoint.protocol == "anthropic" or bool(urlsplit(self.endpoint.base_url).path)

    def _with_scheme(self, scheme: str) -> str:
        return urlsplit(self.endpoint.base_url)._replace(scheme=scheme).geturl()

    def _set_to(self, url: str) -> str:
        if self.endpoint.base_urls:
            return f"set {self.endpoint.base_urls[0]} to {url}"
        return f"write {url}"


def _key_variable(endpoint: Endpoint) -> str:
    """A variable for the key of an endpoint that names none."""
    return f"{re.sub('[^A-Z0-9]+', '_', endpoint.name.upper())}_KEY"


def _on_extra_field(message: str, extra_body: Mapping[str, object]) -> str:
    """The remedy for a refused field of the suite's own; empty if none is named."""
    if not _REFUSED.search(message):
        return ""
    paths = _paths_in(extra_body)
    named = (it for it in paths if re.search(rf"(?<![\w-]){re.escape(it[-1])}(?![\w-])", message))
    path = next(named, None)
    if path is None:
        return ""
    return f"Remove {'.'.join(path)} from extra_body of the suite, of this model or of its prompt."


def _paths_in(fields: Mapping[str, object]) -> Iterator[tuple[str, ...]]:
    """Yield the path of each field, those inside mappings first."""
    for name, value in fields.items():
        if isinstance(value, Mapping):
            yield from ((name, *path) for path in _paths_in(value))
        yield (name,)


def _leave_out(name: str) -> str:
    """The remedy for a refused parameter."""
    if name == "max_tokens":
        return "Set another --max-tokens, or parameters: {max_tokens: null} to send none."
    return f"Omit it with parameters: {{{name}: null}} in the suite, or for this model alone."
