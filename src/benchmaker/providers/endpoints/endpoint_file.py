"""The user's own endpoints: ``endpoints.yaml`` in the data folder."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmaker.errors import SpecError
from benchmaker.providers.endpoints.endpoints import PROTOCOLS, Endpoint, check_url, endpoint_table
from benchmaker.providers.endpoints.thinking_fields import STYLES
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.source_map import SourceMap

if TYPE_CHECKING:  # who has no such file needs none of it
    from benchmaker.providers.endpoints.endpoint_form import EndpointForm, EndpointsForm

FILE = "endpoints.yaml"

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")


def endpoints_of(home: Path | None) -> dict[str, Endpoint]:
    """Return all endpoints by name: the built-in ones, and the user's.

    Raises:
        SpecError: the file is invalid; all faults together, each with line and column.
    """
    if home is None or not (home / FILE).exists():
        return endpoint_table()
    from benchmaker.providers.endpoints.endpoint_form import EndpointForm, EndpointsForm  # noqa: PLC0415
    from benchmaker.providers.endpoints.user_file import read_user_file  # noqa: PLC0415

    read = read_user_file(home / FILE, EndpointsForm, {"endpoints": EndpointForm})
    return endpoint_table(_read_endpoints(*read)) if read else endpoint_table()


def _read_endpoints(form: "EndpointsForm", places: SourceMap) -> Iterator[Endpoint]:
    findings = Findings()
    for name, given in form.endpoints.items():
        path = ("endpoints", name)
        if not _NAME.fullmatch(name):
            hint = "Use lower-case letters, digits, dots, hyphens and underscores."
            findings.add(places.locate_key(path), f"{name!r} is not a valid endpoint name.", hint)
        if given.key is not None and not _VARIABLE.fullmatch(given.key):
            message = "key must be the name of a variable, never a key itself."
            hint = "Put the key in an environment variable, and use the variable's name here."
            findings.add(places.locate((*path, "key")), message, hint)
        try:
            yield _endpoint(name, given)
        except SpecError as exc:
            findings.add(places.locate((*path, "base_url")), exc.message, exc.hint)
    findings.raise_if_any()


def _endpoint(name: str, given: "EndpointForm") -> Endpoint:
    return Endpoint(
        name=name,
        base_url=check_url(given.base_url, "", given.protocol),
        protocol=given.protocol,
        keys=(given.key,) if given.key else (),
        needs_key=given.key is not None,
        local=given.local,
        prices=given.prices,
        requests_per_minute=given.requests_per_minute,
        tokens_per_minute=given.tokens_per_minute,
        stated=_newer_flags(given),
        quirks=replace(
            PROTOCOLS[given.protocol],
            max_tokens_field=given.max_tokens_field,
            seed_field=given.seed_field,
            penalties=given.penalties and given.protocol == "openai",
            neutral_top_p=given.neutral_top_p and given.protocol == "openai",
            sampling=given.sampling,
            stream_options=given.stream_options,
            reasoning_beside=given.reasoning_beside,
            **_newer_quirks(given),
        ),
    )


_NEWER = ("thinking", "top_k", "min_p", "logprobs")


def _newer_flags(given: "EndpointForm") -> dict[str, Any]:
    """The newer flags that are written; without any, an endpoint is described as ever."""
    return {name: value for name in _NEWER if (value := getattr(given, name)) is not None}


def _newer_quirks(given: "EndpointForm") -> dict[str, Any]:
    quirks = _newer_flags(given)
    if given.thinking is not None:
        quirks |= {"thinking": STYLES[given.thinking], "thinking_models": ()}
    return quirks
