import pytest

from benchmaker.analysis import aggregate_by, compare_by, detailed_aggregate_scores
from benchmaker.analysis.comparison.groups import UNNAMED, cases_by
from benchmaker.errors import SpecError
from benchmaker.testing.builders import a_case

CASES = [
    a_case("c0", category="sums", difficulty="easy", tags=("x", "y")),
    a_case("c1", category="sums", difficulty="hard", tags=("x",), weight=3.0),
    a_case("c2", category="facts"),
    a_case("c3"),
]


@pytest.fixture
def trials(a_trial):
    return [
        a_trial(at, score, model=model, weight=case.weight)
        for model, row in {"m": [1, 0, 0.5, 0], "n": [0, 1, 0.5, 1]}.items()
        for at, (score, case) in enumerate(zip(row, CASES, strict=True))
    ]


def test_cases_are_grouped_by_category_those_without_one_last():
    assert cases_by(CASES, "category") == {
        "facts": {"c2": 1.0},
        "sums": {"c0": 1.0, "c1": 3.0},
        UNNAMED: {"c3": 1.0},
    }


def test_a_case_with_two_tags_stands_in_two_groups():
    assert list(cases_by(CASES, "tag")) == ["x", "y", UNNAMED]
    assert cases_by(CASES, "tag")["x"] == {"c0": 1.0, "c1": 3.0}


def test_a_suite_without_labels_is_refused():
    with pytest.raises(SpecError, match="No case of the suite has a difficulty"):
        cases_by([a_case("c3")], "difficulty")


def test_the_means_of_a_group_are_the_weighted_means_of_its_cases(trials):
    made = aggregate_by(trials, CASES, "category")
    assert made["sums"]["m"].mean == pytest.approx((1 * 1 + 0 * 3) / 4)
    assert made["sums"]["n"].mean == pytest.approx((0 * 1 + 1 * 3) / 4)
    assert made["facts"]["m"].count == 1


def test_a_group_is_what_the_published_aggregate_says_of_its_cases(trials):
    made = aggregate_by(trials, CASES, "category")
    assert made["sums"] == detailed_aggregate_scores(trials, CASES[:2])


def test_groups_of_which_nothing_was_asked_are_left_out(trials):
    made = aggregate_by([one for one in trials if one.position < 2], CASES, "category")
    assert list(made) == ["sums"]


def test_models_are_compared_within_each_group(trials):
    made = compare_by(trials, CASES, "category")
    assert made.comparisons["sums"].headline.diff == pytest.approx(0.5)
    assert made.comparisons["sums"].headline.model_a == "n"
    assert made.comparisons[UNNAMED].n_common == 1


def test_a_group_with_one_scored_model_is_left_out_with_the_reason(a_trial):
    trials = [
        a_trial(0, 1.0),
        a_trial(0, 0.0, model="n"),
        a_trial(2, 1.0),
        a_trial(2, None, model="n"),
    ]
    made = compare_by(trials, CASES, "category")
    assert list(made.comparisons) == ["sums"]
    assert "needs 2 scored models" in made.left_out["facts"]
    assert made.to_dict()["left_out"] == made.left_out


def test_why_there_is_no_group_to_compare_is_said(trials, a_trial):
    assert compare_by(trials, CASES, "category").why_none == ""
    alone = compare_by([one for one in trials if one.model == "m"], CASES, "category")
    assert alone.why_none.startswith("No category can be compared. ")
    assert next(iter(alone.left_out.values())) in alone.why_none
    other = [a_trial(9, 1, model=model, case_id="c9") for model in "mn"]
    nothing = compare_by(other, CASES, "category")
    assert nothing.why_none == "No category can be compared. None of their cases has an answer."
