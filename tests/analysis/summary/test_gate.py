import io
from xml.etree import ElementTree as ET

import pytest

from benchmaker.analysis import columns_of
from benchmaker.analysis.summary.decisions import GateVerdict
from benchmaker.analysis.summary.gate import Gate
from benchmaker.analysis.summary.summary import summarise
from benchmaker.report import write_junit
from benchmaker.report.runs.gate import gate_sentences
from benchmaker.stats.means.proportions import clopper_pearson


def decided(trials, run, threshold=0.8):
    columns = columns_of(trials)
    return Gate(threshold, is_sure=True).decide(summarise(trials, [run]), lambda: columns)


@pytest.fixture
def weighted(a_trial):
    """Ten cases of weight 10 among 100, of which some are wrong."""
    return [
        a_trial(at, 0.0 if at in {0, 40, 41} else 1.0, weight=10.0 if at < 10 else 1.0)
        for at in range(100)
    ]


def test_the_limits_are_those_of_the_effective_number_of_cases(weighted, a_run):
    (one,) = decided(weighted, a_run(planned=100)).decisions
    size = one.n_effective
    assert size == pytest.approx(190**2 / 1090)
    assert (one.low, one.high) == pytest.approx(
        clopper_pearson(one.mean * size, (1 - one.mean) * size, 0.95)
    )
    assert one.to_dict()["n_effective"] == size


def test_the_sentence_says_how_many_cases_the_limits_were_computed_with(weighted, a_run):
    (said,) = gate_sentences(decided(weighted, a_run(planned=100)))
    assert "from 100 cases at an effective n of 33.1, by weights and groups" in said
    assert "exact" not in said


def test_equal_and_independent_cases_are_worth_their_number(a_trial, a_run):
    trials = [a_trial(at, float(at % 4 > 0)) for at in range(20)]
    made = decided(trials, a_run(planned=20))
    assert made.decisions[0].n_effective == 20
    assert "from 20 cases;" in gate_sentences(made)[0]


def test_cases_that_share_groups_are_worth_fewer(a_trial, a_run):
    trials = [a_trial(at, float(at // 4 % 3 > 0), group=f"g{at // 4}") for at in range(40)]
    made = decided(trials, a_run(planned=40))
    assert made.decisions[0].n_effective < 11
    assert "effective n" in gate_sentences(made)[0]


@pytest.mark.parametrize("threshold", [0.5, 0.8])
def test_the_junit_file_says_it_whether_or_not_it_passes(weighted, a_run, threshold):
    made = decided(weighted, a_run(planned=100), threshold)
    stream = io.StringIO()
    write_junit(weighted, stream, decisions=made.decisions)
    (suite,) = ET.fromstring(stream.getvalue())  # noqa: S314  our own text
    (child,) = suite[0]
    assert "at an effective n of 33.1" in (child.get("message") or child.text)
    passes = made.verdict is GateVerdict.PASSED
    assert (child.tag == "system-out") == passes == (threshold == 0.5)
