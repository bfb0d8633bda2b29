"""The JSON report of Jest, which Vitest writes, too."""

from typing import Any

import msgspec

from benchmaker.arenas.agentic.verify.frameworks.tests import BadReport, TestCase, TestState

_STATES: dict[str, TestState] = {
    "passed": "passed",
    "failed": "failed",
    "pending": "skipped",
    "skipped": "skipped",
    "todo": "skipped",
    "disabled": "skipped",
}


def read_jest(report: bytes) -> list[TestCase]:
    """The tests of a report, by their full names.

    Raises:
        BadReport: it is not what Jest writes.
    """
    try:
        given = msgspec.json.decode(report)
        return [test for file in given["testResults"] for test in _of_file(file)]
    except (msgspec.DecodeError, KeyError, TypeError, AttributeError, RecursionError) as exc:
        raise BadReport(f"the report is not what Jest writes: {exc}") from exc


def _of_file(file: dict[str, Any]) -> list[TestCase]:
    results = file["assertionResults"]
    if file.get("status") == "failed" and not any(it["status"] == "failed" for it in results):
        return [TestCase(str(file["name"]), "error", str(file.get("message", "")))]
    return [
        TestCase(
            str(it["fullName"]),
            _STATES.get(it["status"], "error"),
            "\n".join(map(str, it.get("failureMessages") or ())),
            alias=str(it.get("title", "")),
        )
        for it in results
    ]
