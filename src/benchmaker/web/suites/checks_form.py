"""The checks of a suite or a case in a form: a YAML block and a threshold."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from benchmaker.spec import Case, Suite
from benchmaker.spec.documents.yaml_text import block_of
from benchmaker.web.suites.form_errors import Remark, read_block


def checks_texts(owner: Suite | Case) -> dict[str, str]:
    """The texts that a form shows of the checks of a suite or a case."""
    listed = [one.model_dump() for one in owner.checks]
    return {
        "checks": block_of(listed) if listed else "",
        "threshold": "" if owner.threshold is None else repr(owner.threshold),
    }


def read_checks(texts: Mapping[str, str]) -> tuple[dict[str, Any], tuple[Remark, ...]]:
    """Return the checks and the threshold in a form as values of a file, and their faults."""
    values: dict[str, Any] = {}
    checks, remarks = read_block(texts["checks"], "checks")
    if checks is not None:
        values["checks"] = checks
    if text := texts["threshold"].strip():
        values["threshold"] = text
        with suppress(ValueError):
            values["threshold"] = float(text)
    return values, remarks
