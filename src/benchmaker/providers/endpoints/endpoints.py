"""Endpoints: the built-in table, the user's additions, and the parsing of model strings."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal
from urllib.parse import urlsplit

from benchmaker.errors import SpecError
from benchmaker.providers.endpoints import thinking_fields
from benchmaker.providers.endpoints.dialect_flags import Quirks
from benchmaker.spec.documents.suggestions import did_you_mean

Protocol = Literal["openai", "anthropic"]


_PLAIN = Quirks()

ANTHROPIC = Quirks(
    penalties=False,
    neutral_top_p=False,
    seed_field=None,
    stream_options=False,
    unsampled_models=thinking_fields.UNSAMPLED_CLAUDE,
    unsampled_field="max_tokens",
    thinking=thinking_fields.ANTHROPIC_BUDGET,
    thinking_models=thinking_fields.CLAUDE,
    stop_field="stop_sequences",
    top_k=True,
    logprobs="none",
    required_bound=32_000,
    plain_models="",
    structured_models=thinking_fields.STRUCTURED_CLAUDE,
)
"""The messages protocol; its bound is required, and 32,000 is the least limit of Claude 4."""

PROTOCOLS: Mapping[Protocol, Quirks] = {"openai": _PLAIN, "anthropic": ANTHROPIC}
"""The features of an endpoint of which only the protocol is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A service that answers requests, and its protocol.

    ``base_url`` is the prefix of the protocol's paths. ``keys`` are the variables that may hold the
    key, ``base_urls`` those that may hold another base URL; the first one set counts. A ``local``
    endpoint needs no key, and its cost is unknown. ``prices`` is its name in the price list, None
    if not listed. ``requests_per_minute`` and ``tokens_per_minute`` are the account's limits per
    key, as stated by the user; ``stated`` are the user's flags for parameters, which are recorded
    with a run. ``wires`` are the protocols that agents can use there; empty if unknown.
    ``unsure_wires`` are those whose support is unknown, and which are neither promised nor refused.
    """

    name: str
    base_url: str
    protocol: Protocol = "openai"
    keys: tuple[str, ...] = ()
    base_urls: tuple[str, ...] = ()
    needs_key: bool = True
    local: bool = False
    prices: str | None = None
    wires: tuple[str, ...] = ()
    unsure_wires: tuple[str, ...] = ()
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    quirks: Quirks = _PLAIN
    stated: Mapping[str, Any] = field(default_factory=dict)

    @property
    def host(self) -> str:
        """Host and port of the base URL, without credentials."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]

    def url(self, path: str) -> str:
        """The address of one of the protocol's paths."""
        return self.base_url.rstrip("/") + path

    def quirks_of(self, model: str) -> Quirks:
        """Return the features this model supports."""
        return self.quirks.for_model(model)


_SCHEMA = r"^(?:gpt-4o|gpt-4\.[1-9]|gpt-[5-9]|o[1-9])"
"""Some older ones refuse; they are asked once more, in plain words."""

_UNTHINKING = r"^(?:gpt-[34]|chatgpt|gpt-5.*chat)"
"""Models of OpenAI that refuse an effort."""

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        name="openai",
        base_url="https://api.openai.com/v1",
        wires=("chat", "responses"),
        keys=("OPENAI_API_KEY",),
        base_urls=("OPENAI_BASE_URL", "OPENAI_API_BASE"),
        prices="openai",
        quirks=Quirks(
            max_tokens_field="max_completion_tokens",
            schema_models=_SCHEMA,
            thinking_models=((_UNTHINKING, thinking_fields.NO_THINKING),),
        ),
    ),
    Endpoint(
        name="openrouter",
        base_url="https://openrouter.ai/api/v1",
        wires=("chat", "responses", "messages"),
        keys=("OPENROUTER_API_KEY",),
        base_urls=("OPENROUTER_BASE_URL",),
        prices="openrouter",
        quirks=Quirks(thinking=thinking_fields.REASONING, top_k=True, min_p=True),
    ),
    Endpoint(
        name="anthropic",
        base_url="https://api.anthropic.com",
        wires=("messages", "chat"),
        protocol="anthropic",
        keys=("ANTHROPIC_API_KEY",),
        base_urls=("ANTHROPIC_BASE_URL",),
        prices="anthropic",
        quirks=replace(ANTHROPIC, schema_models="."),
    ),
    Endpoint(
        name="google",
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        wires=("gemini", "chat"),
        keys=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        base_urls=("GEMINI_BASE_URL",),
        prices="google",
        quirks=Quirks(
            penalties=False,
            seed_field=None,
            reasoning_beside=True,
            thinking=thinking_fields.GEMINI,
            logprobs="none",
        ),
    ),
    Endpoint(
        name="mistral",
        base_url="https://api.mistral.ai/v1",
        wires=("chat",),
        unsure_wires=("responses",),
        keys=("MISTRAL_API_KEY",),
        base_urls=("MISTRAL_BASE_URL",),
        prices="mistral",
        quirks=Quirks(
            seed_field="random_seed",
            stream_options=False,
            thinking=thinking_fields.MISTRAL,
            logprobs="none",
        ),
    ),
    Endpoint(
        name="groq",
        base_url="https://api.groq.com/openai/v1",
        wires=("chat", "responses"),
        keys=("GROQ_API_KEY",),
        base_urls=("GROQ_BASE_URL",),
        prices="groq",
        quirks=Quirks(max_tokens_field="max_completion_tokens", logprobs="none"),
    ),
    Endpoint(
        name="deepseek",
        base_url="https://api.deepseek.com",
        wires=("chat",),  # messages have another base URL, https://api.deepseek.com/anthropic
        keys=("DEEPSEEK_API_KEY",),
        base_urls=("DEEPSEEK_BASE_URL",),
        prices="deepseek",
        quirks=Quirks(seed_field=None, thinking=thinking_fields.DEEPSEEK, formats=("json",)),
    ),
    Endpoint(
        name="together",
        base_url="https://api.together.xyz/v1",
        wires=("chat",),
        unsure_wires=("responses", "messages"),
        keys=("TOGETHER_API_KEY",),
        base_urls=("TOGETHER_BASE_URL",),
        prices="together",
        quirks=Quirks(top_k=True, min_p=True, logprobs="number"),
    ),
    Endpoint(
        name="xai",
        base_url="https://api.x.ai/v1",
        wires=("chat", "responses"),
        unsure_wires=("messages",),  # announced as deprecated
        keys=("XAI_API_KEY",),
        base_urls=("XAI_BASE_URL",),
        prices="x-ai",
        quirks=Quirks(penalties=False, reasoning_beside=True, most_logprobs=8),
    ),
    Endpoint(
        name="ollama",
        base_url="http://localhost:11434/v1",
        wires=("chat", "responses", "messages"),
        keys=("OLLAMA_API_KEY",),
        base_urls=("OLLAMA_BASE_URL", "OLLAMA_HOST"),
        needs_key=False,
        local=True,
    ),
    Endpoint(
        name="vllm",
        base_url="http://localhost:8000/v1",
        wires=("chat", "responses", "messages"),
        keys=("VLLM_API_KEY",),
        base_urls=("VLLM_BASE_URL",),
        needs_key=False,
        local=True,
        quirks=Quirks(thinking=thinking_fields.CHAT_TEMPLATE, top_k=True, min_p=True),
    ),
    Endpoint(
        name="lmstudio",
        base_url="http://localhost:1234/v1",
        wires=("chat", "responses", "messages"),
        keys=("LM_API_TOKEN",),
        base_urls=("LMSTUDIO_BASE_URL",),
        needs_key=False,
        local=True,
        quirks=Quirks(top_k=True, logprobs="none", formats=("json_schema",)),
    ),
)
"""The built-in endpoints."""


def endpoint_table(added: Iterable[Endpoint] = ()) -> dict[str, Endpoint]:
    """All endpoints by name; an added one replaces a known one of the same name."""
    return {endpoint.name: endpoint for endpoint in (*ENDPOINTS, *added)}


def resolve_model(
    model: str,
    endpoints: Mapping[str, Endpoint] | None = None,
    variables: Mapping[str, str] | None = None,
) -> tuple[Endpoint, str]:
    """The endpoint and the model's name there.

    ``endpoint/model`` names one of the table; the model's name may hold further slashes.
    ``https://host/v1#model`` names any base URL that speaks chat completions, without a key.

    >>> endpoint, name = resolve_model("openrouter/meta-llama/llama-3.3-70b-instruct")
    >>> endpoint.name, name
    ('openrouter', 'meta-llama/llama-3.3-70b-instruct')

    Raises:
        SpecError: the string names no endpoint, an unknown one, or no model.
    """
    if model.startswith(("http://", "https://")):
        return _any_url(model)
    name, slash, rest = model.partition("/")
    known = endpoint_table() if endpoints is None else endpoints
    if name not in known:
        raise _unknown_endpoint_error(model, name, known, has_slash=bool(slash))
    if not rest:
        raise SpecError(
            f"no model in {model!r}.",
            hint=f"Use {name}/MODEL. List models with: benchmaker models {name}",
        )
    return with_base_url(known[name], variables or {}), rest


def with_base_url(endpoint: Endpoint, variables: Mapping[str, str]) -> Endpoint:
    """The endpoint at the base URL that the variables name, where they name one.

    Raises:
        SpecError: a variable holds no address.
    """
    for variable in endpoint.base_urls:
        if given := variables.get(variable, "").strip():
            address = _with_scheme(given, endpoint) if endpoint.local else given
            found = check_url(address, variable, endpoint.protocol)
            return replace(endpoint, base_url=_with_path(found, endpoint), wires=())
    return endpoint


def unread_base_url(endpoint: Endpoint, variables: Mapping[str, str]) -> str:
    """A hint if a base URL is set by a likely name that is not read; empty otherwise.

    >>> google = next(one for one in ENDPOINTS if one.name == "google")
    >>> unread_base_url(google, {"GOOGLE_BASE_URL": "https://proxy"})
    'GOOGLE_BASE_URL is set, but not read. Set the base URL of google with GEMINI_BASE_URL.'
    """
    likely, names = f"{endpoint.name.upper()}_BASE_URL", endpoint.base_urls
    is_set = any(variables.get(name, "").strip() for name in names)
    if not names or is_set or likely in names or not variables.get(likely, "").strip():
        return ""
    return f"{likely} is set, but not read. Set the base URL of {endpoint.name} with {names[0]}."


def _with_path(url: str, endpoint: Endpoint) -> str:
    """The base URL with the path that the endpoint usually has, where it names a host alone."""
    return url if urlsplit(url).path else url + urlsplit(endpoint.base_url).path


def check_url(url: str, where: str, protocol: Protocol = "openai") -> str:
    """Return the base URL without a trailing slash, and without the start of the protocol's paths.

    >>> check_url("https://host/v1/chat/completions", "")
    'https://host/v1'
    >>> check_url("https://host/v1/", "", "anthropic")
    'https://host'

    Raises:
        SpecError: not an HTTP URL, or it contains a password.
    """
    try:
        parts = urlsplit(url)
        port_is_sound = parts.port is None or parts.port > 0
    except ValueError:
        parts, port_is_sound = urlsplit(""), False
    if parts.scheme not in {"http", "https"} or not parts.hostname or not port_is_sound:
        raise SpecError(
            f"{_without_password(url)!r} is not a base URL.",
            where=where,
            hint="Use a URL such as https://host/v1.",
        )
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise SpecError(
            "a base URL must have only host and path.",
            where=where,
            hint="Put the key in an environment variable, and set the endpoint's key to its name.",
        )
    bare = url.rstrip("/")
    for path in _PATHS[protocol]:
        bare = bare.removesuffix(path).rstrip("/")
    return bare


_PATHS: Mapping[Protocol, tuple[str, ...]] = {
    "openai": ("/chat/completions",),
    "anthropic": ("/messages", "/v1"),
}
"""What people copy along with a base URL, and each request appends."""


def _any_url(model: str) -> tuple[Endpoint, str]:
    url, _, name = model.partition("#")
    base_url = check_url(url, model.partition("#")[0].rpartition("@")[2])
    base_url = base_url if urlsplit(base_url).path else f"{base_url}/v1"
    if not name:
        raise SpecError(f"no model in {model!r}.", hint="Use https://host/v1#model.")
    return Endpoint(name=base_url, base_url=base_url, needs_key=False), name


_EXAMPLE = "endpoints: {lab: {base_url: https://llm.example.com/v1, key: LAB_KEY}}"


def unknown_endpoint_error(name: str, known: Mapping[str, Endpoint]) -> SpecError:
    """Return the error that no endpoint has that name, with the nearest one."""
    hint = f"{did_you_mean(name, known)} {_listed_endpoints(known)} or use a base URL."
    return SpecError(f"unknown endpoint {name!r}.", hint=hint.lstrip())


def _listed_endpoints(known: Mapping[str, Endpoint]) -> str:
    return (
        f"Endpoints: {', '.join(known)}. Define others in endpoints.yaml in the data folder, for "
        f"example {_EXAMPLE},"
    )


def _unknown_endpoint_error(
    model: str, name: str, known: Mapping[str, Endpoint], *, has_slash: bool
) -> SpecError:
    listed = f"{_listed_endpoints(known)} or use https://host/v1#model."
    if rewritten := _with_slash(model, known):
        return SpecError(f"no endpoint in model {model!r}.", hint=f"Write {rewritten}.")
    if not has_slash:
        hint = "Use endpoint/model, for example openai/gpt-4o-mini."
        return SpecError(f"no endpoint in model {model!r}.", hint=f"{hint} {listed}")
    guess = did_you_mean(name, known)
    return SpecError(f"unknown endpoint {name!r} in {model!r}.", hint=f"{guess} {listed}".lstrip())


def _with_slash(model: str, known: Mapping[str, Endpoint]) -> str:
    """Return the model string with a slash, if it has a colon after its endpoint; else empty."""
    name, colon, rest = model.partition(":")
    rest = rest.removeprefix(next(filter(rest.startswith, _FOREIGN_KINDS), ""))
    return f"{name.lower()}/{rest}" if colon and rest and name.lower() in known else ""


_FOREIGN_KINDS = ("chat:", "responses:", "completion:", "messages:")
"""What promptfoo writes between an endpoint and its model."""


def _with_scheme(given: str, endpoint: Endpoint) -> str:
    """A local server's own notation: a host alone, without scheme, port or path."""
    usual = urlsplit(endpoint.base_url)
    parts = urlsplit(given if "://" in given else f"http://{given}")
    host = parts.hostname or "localhost"
    host = "localhost" if host in {"0.0.0.0", "::"} else host  # noqa: S104  what servers listen on
    host = f"[{host}]" if ":" in host else host
    try:
        port = parts.port or (None if "://" in given and parts.scheme == "https" else usual.port)
    except ValueError:
        return given
    netloc = f"{host}:{port}" if port else host
    return f"{parts.scheme}://{netloc}{parts.path.rstrip('/') or usual.path}"


def _without_password(url: str) -> str:
    """A wrong address for a message, without what may be a password."""
    return url.rpartition("@")[2][:200]
