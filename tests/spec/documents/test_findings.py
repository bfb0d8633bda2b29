import pytest

from benchmaker.errors import SpecError
from benchmaker.spec.documents.findings import Findings, refusal
from benchmaker.spec.documents.source_map import SourceLocation


def test_all_findings_come_in_one_error_in_the_order_of_the_file():
    findings = Findings()
    findings.add(SourceLocation("f", 9, 1), "late.")
    findings.add(SourceLocation("f", 2, 1), "early.", "Mend it.")
    with pytest.raises(SpecError) as caught:
        findings.raise_if_any()
    assert str(caught.value) == "f:2:1: early. Mend it.\nf:9:1: late."
    assert len(caught.value.findings) == 2


def test_equal_findings_are_counted_and_different_ones_listed():
    findings = Findings()
    for line in range(1, 181):
        findings.add(SourceLocation("f", line, 1), "missing field 'id'.", "Name it.")
    findings.add(SourceLocation("f", 90, 2), "something else.")
    for line in (7, 8):
        findings.add(SourceLocation("f", line, 3), "seldom.")
    error = findings.error()
    assert error.message.splitlines() == [
        "f:1:1: missing field 'id'. Name it. 179 more places have the same error.",
        "f:7:3: seldom.",
        "f:8:3: seldom.",
        "f:90:2: something else.",
    ]
    assert len(error.findings) == 183


@pytest.mark.parametrize(("number", "lines"), [(3, 3), (4, 1)])
def test_three_equal_findings_are_listed_and_four_are_counted(number, lines):
    findings = Findings()
    for line in range(1, number + 1):
        findings.add(SourceLocation("f", line, 1), "seldom.")
    assert len(findings.error().message.splitlines()) == lines


def test_beyond_the_limit_findings_are_counted():
    findings = Findings(limit=3)
    for line in range(1, 11):
        findings.add(SourceLocation("f", line, 1), "bad.")
    assert len(findings) == 10
    error = findings.error()
    assert len(error.findings) == 4
    assert error.findings[-1].message == "7 more errors are not listed."
    assert str(error).splitlines()[-1] == "f: 7 more errors are not listed. Fix these first."


def test_a_search_that_was_cut_short_says_so():
    findings = Findings(
        limit=1, items=list(refusal(SourceLocation("f"), "x.").findings), is_cut=True
    )
    assert "there may be more errors; checking stopped here." in str(findings.error())
    findings.more = 2
    assert "at least 2 more errors are not listed." in str(findings.error())


def test_no_finding_raises_nothing():
    Findings().raise_if_any()


def test_a_reader_stops_after_too_many():
    findings = Findings(limit=1, more=5, items=list(refusal(SourceLocation("f"), "x.").findings))
    findings.stop_after(6, SourceLocation("f", 8, 1))
    with pytest.raises(SpecError, match="f:8:1: more than 5 errors; reading stopped here"):
        findings.stop_after(5, SourceLocation("f", 8, 1))
