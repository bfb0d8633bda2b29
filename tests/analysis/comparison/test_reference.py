import pytest
from statsmodels.stats.multitest import multipletests

from benchmaker.analysis import compare
from benchmaker.analysis.comparison.reference import compare_with_reference
from benchmaker.errors import SpecError


@pytest.fixture
def four(a_trial):
    rows = {"a": 24, "b": 18, "c": 16, "d": 9}
    return [
        a_trial(at, float(at < k), model=model) for model, k in rows.items() for at in range(30)
    ]


@pytest.mark.parametrize(
    ("correction", "name"), [("holm", "holm"), ("bh", "fdr_bh"), ("by", "fdr_by")]
)
def test_only_the_pairs_with_the_reference_count_in_the_adjustment(four, correction, name):
    got = compare_with_reference(compare(four, correction=correction), "b")
    want = multipletests([pair.p_value for pair in got.pairs], method=name)[1]
    assert len(got.pairs) == 3
    assert [pair.p_adjusted for pair in got.pairs] == pytest.approx(want)


def test_fewer_tests_never_raise_a_p_value(four):
    every = compare(four)
    for pair in compare_with_reference(every, "c").pairs:
        assert pair.p_adjusted <= every.pair(pair.model_a, pair.model_b).p_adjusted


def test_the_verdicts_follow_the_new_p_values(four):
    for pair in compare_with_reference(compare(four), "b").pairs:
        assert (pair.verdict == "ahead") == (pair.p_adjusted < 0.05)


def test_without_correction_nothing_changes(four):
    every = compare(four, correction=None)
    assert compare_with_reference(every, "b").pairs == tuple(
        p for p in every.pairs if "b" in (p.model_a, p.model_b)
    )


def test_letters_are_of_all_pairs_and_left_out(four):
    assert {one.letters for one in compare_with_reference(compare(four), "b").models} == {""}


def test_an_unknown_reference_is_refused(four):
    with pytest.raises(SpecError, match="No model 'x'"):
        compare_with_reference(compare(four), "x")
