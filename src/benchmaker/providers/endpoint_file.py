"""The user's own endpoints: ``endpoints.yaml`` in the data folder."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from benchmaker.errors import SpecError
from benchmaker.providers.endpoints import Endpoint, Protocol, checked_url, table
from benchmaker.providers.quirks import Quirks
from benchmaker.providers.user_file import read_user_file
from benchmaker.spec.findings import Findings
from benchmaker.spec.places import Places

FILE = "endpoints.yaml"

Word = Annotated[str, Field(min_length=1, max_length=100)]

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")


class EndpointForm(BaseModel):
    """One endpoint as the file writes it; what is left out is as plain chat completions have it.

    ``key`` names the variable that holds the key; without it none is sent. ``requests_per_minute``
    and ``tokens_per_minute`` are limits to keep, beside those that replies tell of.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: Annotated[str, Field(min_length=1, max_length=2000)]
    protocol: Protocol = "openai"
    key: Word | None = None
    local: bool = False
    prices: Word | None = None
    max_tokens_field: Word = "max_tokens"
    seed_field: Word | None = None
    penalties: bool = True
    neutral_top_p: bool = True
    sampling: bool = True
    stream_options: bool = True
    reasoning_beside: bool = False
    requests_per_minute: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    tokens_per_minute: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None


class EndpointsForm(BaseModel):
    """The whole file: ``endpoints:`` with a mapping of names."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    endpoints: dict[str, EndpointForm] = Field(default_factory=dict)


def endpoints_of(home: Path | None) -> dict[str, Endpoint]:
    """All endpoints by name: those known without a file, and the user's.

    Raises:
        SpecError: the file is wrong; every fault at once, each with line and column.
    """
    read = read_user_file(home / FILE, EndpointsForm, {"endpoints": EndpointForm}) if home else None
    return table(_added(*read)) if read else table()


def _added(form: EndpointsForm, places: Places) -> Iterator[Endpoint]:
    findings = Findings()
    for name, given in form.endpoints.items():
        path = ("endpoints", name)
        if not _NAME.fullmatch(name):
            hint = "Use small letters, digits, dots, dashes and underscores."
            findings.add(places.key(path), f"{name!r} can't name an endpoint.", hint)
        if given.key is not None and not _VARIABLE.fullmatch(given.key):
            message = "key must be the name of a variable, never a key itself."
            hint = "Put the key into a variable, and write its name here."
            findings.add(places.of((*path, "key")), message, hint)
        try:
            yield _endpoint(name, given)
        except SpecError as exc:
            findings.add(places.of((*path, "base_url")), exc.message, exc.hint)
    findings.raise_if_any()


def _endpoint(name: str, given: EndpointForm) -> Endpoint:
    return Endpoint(
        name=name,
        base_url=checked_url(given.base_url, ""),
        protocol=given.protocol,
        keys=(given.key,) if given.key else (),
        needs_key=given.key is not None,
        local=given.local,
        prices=given.prices,
        requests_per_minute=given.requests_per_minute,
        tokens_per_minute=given.tokens_per_minute,
        quirks=Quirks(
            max_tokens_field=given.max_tokens_field,
            seed_field=given.seed_field,
            penalties=given.penalties and given.protocol == "openai",
            neutral_top_p=given.neutral_top_p and given.protocol == "openai",
            sampling=given.sampling,
            stream_options=given.stream_options,
            reasoning_beside=given.reasoning_beside,
        ),
    )
