"""Suites and parts of them as files that read back unchanged."""

from collections.abc import Iterator
from typing import Any

import msgspec

from benchmaker.errors import SpecError
from benchmaker.spec import Case, Suite
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.yaml_text import block_of

_MOST = Limits().document_bytes


def as_yaml(suite: Suite) -> str:
    """Return the whole suite; defaults are omitted.

    Raises:
        SpecError: it would exceed the size limit of a file.
    """
    header = {**suite.header(), "parameters": suite.parameters.written_values}
    data = {name: value for name, value in header.items() if value not in (None, "", {})}
    cases: list[dict[str, Any]] = []
    size = 0
    for case in suite.cases:
        plain = plain_case(case)
        size += len(msgspec.json.encode(plain))
        if size > _MOST // 2:
            hint = "Export the cases as JSON lines."
            raise SpecError("the suite is too large for one YAML file.", hint=hint)
        cases.append(plain)
    return block_of({**data, "cases": cases})


def as_lines(suite: Suite) -> Iterator[bytes]:
    """The cases as JSON lines, without the suite's header."""
    for case in suite.cases:
        yield msgspec.json.encode(plain_case(case)) + b"\n"


def plain_case(case: Case) -> dict[str, Any]:
    """Return the case without defaults."""
    plain = case.model_dump(exclude_defaults=True, mode="json")
    plain |= {"checks": [one.model_dump() for one in case.checks]} if case.checks else {}
    if case.scorer is not None:
        plain["scorer"] = {"id": case.scorer.id, **case.scorer.parameters}
    return plain
