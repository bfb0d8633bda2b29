import pytest

from benchmaker.errors import SpecError
from benchmaker.spec.findings import Findings, refusal
from benchmaker.spec.places import Place


def test_all_findings_come_in_one_error_in_the_order_of_the_file():
    findings = Findings()
    findings.add(Place("f", 9, 1), "late.")
    findings.add(Place("f", 2, 1), "early.", "Mend it.")
    with pytest.raises(SpecError) as caught:
        findings.raise_if_any()
    assert str(caught.value) == "f:2:1: early. Mend it.\nf:9:1: late."
    assert len(caught.value.findings) == 2


def test_beyond_the_limit_findings_are_counted():
    findings = Findings(limit=3)
    for line in range(1, 11):
        findings.add(Place("f", line, 1), "bad.")
    assert len(findings) == 10
    assert str(findings.error()).splitlines()[-1] == "and 7 more."
    assert len(findings.error().findings) == 3


def test_no_finding_raises_nothing():
    Findings().raise_if_any()


def test_a_reader_stops_after_too_many():
    findings = Findings(limit=1, more=5, items=list(refusal(Place("f"), "x.").findings))
    findings.stop_after(6, Place("f", 8, 1))
    with pytest.raises(SpecError, match="f:8:1: more than 5 faults; reading ends here"):
        findings.stop_after(5, Place("f", 8, 1))
