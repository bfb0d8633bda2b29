"""Suites and cases in requests, and their conversion."""

from dataclasses import replace
from typing import TYPE_CHECKING

from benchmaker.errors import Finding, SpecError
from benchmaker.spec import Case, Suite
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.source_map import SourceMap, SourceMark
from benchmaker.spec.suites.draft import examine_case
from benchmaker.spec.suites.header import read_header
from benchmaker.spec.suites.value_errors import Objections
from benchmaker.web.api.suite_fields import SentFields, sent_case, sent_header, sent_suite

if TYPE_CHECKING:

    class CaseIn(SentFields):  # noqa: D101  as in suite_fields
        id: str

    HeaderIn = SentFields
    SuiteIn = SentFields
else:
    CaseIn, HeaderIn = sent_case(), sent_header()
    SuiteIn = sent_suite(CaseIn)


def patch_suite(suite: Suite, header: HeaderIn) -> Suite:
    """The suite with other fields in its header.

    Raises:
        SpecError: something in them is wrong.
    """
    written = {**suite.header(), "parameters": suite.parameters.written_values}
    data = {**written, **header.model_dump(exclude_unset=True)}
    findings = Findings()
    objections = Objections(SourceMap("suite", SourceMark(0, 0, inside={})), findings)
    given = {name: it for name, it in data.items() if it is not None}
    form = read_header(given, objections).form
    findings.raise_if_any()
    if not form.name:
        raise SpecError("a suite needs a name.", where="body.name", hint="Write one.")
    return replace(suite, **form.header)


def case_of(sent: CaseIn, suite: Suite) -> Case:
    """Return the case that was sent for a suite.

    Raises:
        SpecError: an invalid case; all faults together.
    """
    case, faults = examine_case(sent.plain(), lambda _: "", has_prompts=bool(suite.prompts))
    found = [
        Finding(".".join(("body", *map(str, one.path))), 0, 0, one.message, one.hint)
        for one in faults
    ]
    if found:
        raise SpecError.of(found)
    return case
