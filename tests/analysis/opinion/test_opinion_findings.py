"""The findings of a second opinion, from rows made here: each effect by hand."""

import math
from datetime import date

import pytest

from benchmaker.analysis.opinion.answers import (
    empty_answers,
    extraction_hit,
    extraction_miss,
    truncated_answers,
)
from benchmaker.analysis.opinion.case_findings import (
    duplicate_cases,
    key_in_prompt,
    too_few_cases,
    unbalanced_keys,
)
from benchmaker.analysis.opinion.dated_cases import dated_cases
from benchmaker.analysis.opinion.denominators import (
    errors_scored_zero,
    failed_requests,
    filters_counted_as_cases,
    repeats_counted_as_cases,
    rows_left_out,
    stated_figure_differs,
    unequal_subtasks,
)
from benchmaker.analysis.opinion.evidence import JudgeReply, OpinionEvidence, OpinionRow
from benchmaker.analysis.opinion.judge_findings import judge_unreadable, related_judge, self_judged
from benchmaker.analysis.opinion.models import key_in_doubt, tie_called_win, unpaired_comparison
from benchmaker.analysis.opinion.opinion import KINDS, our_mean


def rows_of(*values, **fields):
    """Rows of different cases with these scores."""
    return [OpinionRow(case_id=f"c{at}", value=value, **fields) for at, value in enumerate(values)]


def behind(rows, **fields):
    """The evidence of these rows."""
    return OpinionEvidence(
        **{"tool": "promptfoo", "model": "acme/m", "scorer": "t/match,strict", **fields}, rows=rows
    )


def test_rows_without_a_score_count_as_wrong():
    found = rows_left_out(behind(rows_of(1.0, 1.0, 0.0, None)))
    assert (found.rows, len(found.examples)) == (1, 1)
    assert found.effect_points == pytest.approx(100 * (2 / 3 - 2 / 4))


def test_a_figure_that_includes_missing_rows_is_compared_with_that_of_the_others():
    found = rows_left_out(behind(rows_of(1.0, 0.0), printed=0.75, declared=4))
    assert (found.rows, found.effect_points) == (2, pytest.approx(25.0))


def test_a_stated_figure_is_compared_with_that_of_the_tools_formula():
    rows = rows_of(*[1.0] * 7, *[0.0] * 3)
    found = stated_figure_differs(behind(rows, printed=0.8, recomputed=0.7))
    assert (found.rows, found.effect_points) == (10, pytest.approx(10.0))
    assert stated_figure_differs(behind(rows, printed=0.8, recomputed=0.8)) is None
    assert stated_figure_differs(behind(rows, printed=0.8)) is None
    assert (
        stated_figure_differs(behind(rows, printed=0.704, recomputed=0.7, rounding=0.005)) is None
    )


def test_rows_left_out_explain_only_figures_that_their_scores_can_give():
    rows = rows_of(*[1.0] * 7, *[0.0] * 3)
    possible = behind(rows, printed=0.7272727, recomputed=0.7, declared=11)
    assert stated_figure_differs(possible) is None
    other = behind(rows, printed=0.9, recomputed=0.7, declared=11)
    assert stated_figure_differs(other).effect_points == pytest.approx(20.0)
    assert rows_left_out(other).effect_points == pytest.approx(100 * (0.7 - 7 / 11))


def test_failed_requests_that_the_tool_excludes_have_no_effect():
    evidence = behind([*rows_of(1.0, 0.0), OpinionRow(case_id="f", is_error=True)])
    found = failed_requests(evidence)
    assert (found.rows, found.effect_points, found.has_effect) == (1, 0.0, False)
    assert rows_left_out(evidence) is None


def test_an_epoch_without_a_score_leaves_its_case_in_a_mean_over_cases():
    rows = [OpinionRow(case_id="a", value=1.0), OpinionRow(case_id="a")]
    found = rows_left_out(behind(rows, by_case=True))
    assert (found.rows, found.effect_points) == (1, 0.0)


def test_errors_are_excluded_from_the_corrected_mean():
    failed = OpinionRow(case_id="f", is_error=True)
    evidence = behind([*rows_of(1.0, 0.0), failed, failed], counts_errors=True)
    found = errors_scored_zero(evidence)
    assert (found.rows, found.effect_points) == (2, pytest.approx(100 * (1 / 4 - 1 / 2)))
    assert rows_left_out(evidence) is None
    assert our_mean(evidence).mean == 0.5


def test_repeats_count_once_a_case():
    rows = [
        OpinionRow(case_id=name, value=value)
        for name, value in zip("aab", (1.0, 1.0, 0.0), strict=True)
    ]
    found = repeats_counted_as_cases(behind(rows))
    assert (found.rows, found.effect_points) == (1, pytest.approx(100 * (2 / 3 - 1 / 2)))
    assert repeats_counted_as_cases(behind(rows, by_case=True)) is None


def test_a_mean_over_filters_is_recognised_by_its_value():
    others = {"t/match,strict": 0.0, "t/match,flexible": 1.0}
    rows = rows_of(0.0, 0.0, others=others)
    found = filters_counted_as_cases(behind(rows, printed=0.5))
    assert found.effect_points == pytest.approx(50.0)
    assert filters_counted_as_cases(behind(rows, printed=0.0)) is None


def test_a_mean_of_means_is_recognised_by_its_value():
    rows = [
        OpinionRow(case_id=str(at), value=float(at > 0), groups={"part": "a" if at == 0 else "b"})
        for at in range(4)
    ]
    found = unequal_subtasks(behind(rows, printed=0.5))
    assert found.effect_points == pytest.approx(100 * (0.5 - 0.75))


def test_copies_of_a_question_count_once():
    other = OpinionRow(case_id="other", value=0.0, question="What?")
    rows = [*rows_of(1.0, 1.0, question=" Who? "), other]
    found = duplicate_cases(behind(rows))
    assert (found.rows, found.effect_points) == (1, pytest.approx(100 * (2 / 3 - 1 / 2)))


def test_one_question_with_two_keys_is_two_cases():
    rows = [OpinionRow(case_id=key, value=1.0, question="Which?", key=(key,)) for key in ("a", "b")]
    assert duplicate_cases(behind(rows)) is None


def test_truncated_answers_with_the_full_score_lose_nothing():
    rows = [*rows_of(1.0, is_cut=True), OpinionRow(case_id="cut", value=0.0, is_cut=True)]
    found = truncated_answers(behind(rows))
    assert (found.rows, found.effect_points) == (1, pytest.approx(-50.0))


def test_empty_answers_are_excluded_unless_most_answers_are_empty():
    empty = OpinionRow(case_id="empty", value=0.0, is_empty=True)
    found = empty_answers(behind([*rows_of(1.0), empty]))
    assert (found.rows, found.effect_points) == (1, pytest.approx(-50.0))
    assert empty_answers(behind([*rows_of(1.0), empty, empty])) is None
    right = OpinionRow(case_id="refusal", value=1.0, is_empty=True)
    cut = OpinionRow(case_id="cut", value=0.0, is_empty=True, is_cut=True)
    assert empty_answers(behind([*rows_of(1.0, 1.0), right, cut])) is None


def test_cases_with_the_key_in_the_prompt_are_excluded():
    shown = OpinionRow(case_id="shown", value=1.0, shows_key=True)
    found = key_in_prompt(behind([shown, *rows_of(0.0, 1.0)]))
    assert (found.rows, found.effect_points) == (1, pytest.approx(100 * (2 / 3 - 1 / 2)))
    assert key_in_prompt(behind([shown])) is None


def keyed(**numbers):
    """Rows with keys: a right one and a wrong one of each, by their numbers."""
    rows = []
    for key, (right, wrong) in numbers.items():
        values = [1.0] * right + [0.0] * wrong
        rows += [
            OpinionRow(case_id=f"{key}{at}", value=it, key=(key,)) for at, it in enumerate(values)
        ]
    return rows


def test_with_unbalanced_keys_each_key_has_the_same_weight():
    found = unbalanced_keys(behind(keyed(A=(19, 1), B=(1, 4))))
    assert (found.rows, found.effect_points) == (
        20,
        pytest.approx(100 * (20 / 25 - (0.95 + 0.2) / 2)),
    )


@pytest.mark.parametrize(
    "numbers",
    [
        {"A": (19, 1), "B": (3, 3)},  # 77 %
        {"A": (40, 1), "B": (0, 4)},  # too few of B for a mean
        {"A": (6, 0), "B": (0, 5)},  # few cases, balanced
        {name: (20 if name == "a" else 5, 0) for name in "abcdefg"},  # an open set
    ],
)
def test_other_keys_are_not_unbalanced(numbers):
    assert unbalanced_keys(behind(keyed(**numbers))) is None


def test_effects_are_those_on_a_figure_that_takes_the_best_repeat_of_a_case():
    rows = [
        OpinionRow(case_id=f"c{at // 2}", value=float(at in {0, 2, 3}), reread=float(at != 5))
        for at in range(6)
    ]
    evidence = behind(rows, by_case=True, reduce=max)
    assert evidence.mean == pytest.approx(2 / 3)
    found = extraction_miss(evidence)
    assert found.effect_points == pytest.approx(-100 / 3)


def test_misread_answers_take_the_other_score():
    rows = [
        OpinionRow(case_id="miss", value=0.0, reread=1.0),
        OpinionRow(case_id="hit", value=1.0, reread=0.0),
        OpinionRow(case_id="same", value=1.0, reread=1.0),
        OpinionRow(case_id="open", value=0.0),
    ]
    assert extraction_miss(behind(rows)).effect_points == pytest.approx(-25.0)
    assert extraction_hit(behind(rows)).effect_points == pytest.approx(25.0)


def test_unreadable_judgments_are_excluded():
    rows = [
        OpinionRow(case_id="a", value=1.0, replies=(JudgeReply("j", True),)),
        OpinionRow(case_id="b", value=0.0, replies=(JudgeReply("j", False),)),
    ]
    assert judge_unreadable(behind(rows)).effect_points == pytest.approx(-50.0)


def test_own_judgments_are_compared_with_those_of_others():
    rows = [
        OpinionRow(case_id="a", value=1.0, replies=(JudgeReply("M", True),)),
        OpinionRow(case_id="b", value=0.0, replies=(JudgeReply("j", True),)),
    ]
    assert self_judged(behind(rows)).effect_points == pytest.approx(50.0)
    assert self_judged(behind(rows[:1])) is None


def test_judgments_of_the_same_maker_are_compared_with_those_of_others():
    rows = [
        OpinionRow(case_id="a", value=1.0, replies=(JudgeReply("openai/o3-mini", True),)),
        OpinionRow(case_id="b", value=0.0, replies=(JudgeReply("claude-4", True),)),
    ]
    found = related_judge(behind(rows, model="openai/gpt-4o"))
    assert (found.rows, found.effect_points) == (1, pytest.approx(50.0))
    assert related_judge(behind(rows, model="o3-mini")) is None  # itself
    assert related_judge(behind(rows, model="acme/m")) is None
    assert related_judge(behind(rows[:1], model="openai/gpt-4o")) is None


def test_a_key_that_five_models_miss_alike_is_in_doubt():
    own = [OpinionRow(case_id="k", value=0.0, text="7."), OpinionRow(case_id="l", value=1.0)]
    peers = {str(at): [OpinionRow(case_id="k", value=0.0, text=" 7")] for at in range(4)}
    assert key_in_doubt(behind(own, peers=peers)).effect_points == pytest.approx(-50.0)
    del peers["0"]
    assert key_in_doubt(behind(own, peers=peers)) is None


def test_a_lead_is_a_tie_until_a_paired_test_decides():
    first, second = rows_of(*[1.0] * 10), rows_of(*[1.0] * 9, 0.0)
    found = tie_called_win(behind(first, peers={"next": second}))
    assert (found.rows, found.effect_points) == (1, pytest.approx(10.0))
    assert tie_called_win(behind(first, peers={"next": rows_of(*[0.0] * 10)})) is None
    assert tie_called_win(behind(second, peers={"next": first})) is None


def two_models(lost, gained, cases=130):
    """Evidence of a model, and of another that loses some of its right answers and gains others."""
    first = [1.0] * 91 + [0.0] * (cases - 91)
    second = list(first)
    second[:lost] = [0.0] * lost
    second[cases - gained :] = [1.0] * gained
    return behind(rows_of(*first), peers={"next": rows_of(*second)})


def test_error_bars_of_two_models_are_too_wide_for_a_lead_in_the_same_cases():
    found = unpaired_comparison(two_models(9, 0))
    n, p, q, lead = 130, 91 / 130, 82 / 130, 9 / 130
    apart = math.sqrt((p * (1 - p) + q * (1 - q)) / (n - 1))
    paired = math.sqrt(lead * (1 - lead) / (n - 1))
    assert found.rows == 9
    assert found.effect_points == pytest.approx(100 * 1.959964 * (apart - paired))


def test_a_comparison_with_the_same_verdict_both_ways_is_no_finding():
    assert unpaired_comparison(two_models(3, 1)) is None  # neither is significant
    assert unpaired_comparison(two_models(60, 0)) is None  # both are
    assert unpaired_comparison(behind(rows_of(1.0, 0.0))) is None


def test_models_with_other_cases_have_no_paired_comparison():
    made = two_models(9, 0)
    other = [OpinionRow(case_id="other", value=0.0), *made.peers["next"]]
    assert unpaired_comparison(behind(made.rows, peers={"next": other})) is None


def test_stated_error_bars_are_compared_if_there_are_any():
    made = two_models(9, 0)
    stated = {"acme/m": 0.1, "next": 0.1}
    found = unpaired_comparison(behind(made.rows, peers=made.peers, stderrs=stated))
    usual = unpaired_comparison(made)
    more = 100 * 1.959964 * (math.hypot(0.1, 0.1) - math.hypot(*computed_stderrs()))
    assert found.effect_points - usual.effect_points == pytest.approx(more)


def computed_stderrs():
    """The standard errors of 91 and 82 right answers of 130."""
    return [math.sqrt(p * (1 - p) / 129) for p in (91 / 130, 82 / 130)]


def asked(question, value=0.0, **fields):
    """Two rows: one with a question, and one without a date."""
    return [
        OpinionRow(case_id="dated", value=value, question=question, **fields),
        OpinionRow(case_id="other", value=1.0, question="What is 5 + 1?"),
    ]


@pytest.mark.parametrize(
    "question",
    [
        "Who is the current president of France?",
        "What is today’s date?",
        "What day of the week is it today?",
        "Who is currently the richest person?",
        "Name the incumbent mayor of Rome.",
        "Who won the cup of 2029?",
    ],
)
def test_questions_of_today_and_of_the_future_are_dated(question):
    found = dated_cases(behind(asked(question), day=date(2026, 11, 22)))
    assert (found.rows, found.effect_points) == (1, pytest.approx(-50.0))
    assert dated_cases(behind(asked(question, 1.0), day=date(2026, 11, 22))) is None


@pytest.mark.parametrize(
    "question",
    [
        "A current of 2 A flows through a resistor of 4 ohms. What is the voltage?",
        "Tom had 5 apples, ate 2 yesterday and buys 4 today. How many does he have today?",
        "Who won the cup of 2019?",
        "What is the product of 2048 and 3?",
        "Present your answer as a letter.",
    ],
)
def test_other_questions_are_not_dated(question):
    assert dated_cases(behind(asked(question), day=date(2026, 11, 22))) is None


def test_dates_of_metadata_are_compared_with_the_day_and_the_model():
    day, question = date(2026, 11, 22), "Who leads?"
    over = asked(question, groups={"valid_until": "2026-01-31"})
    assert dated_cases(behind(over, day=day)).rows == 1
    assert dated_cases(behind(over)) is None
    assert dated_cases(behind(over, day=date(2025, 1, 1))) is None
    later = asked(question, groups={"event_date": "2025-03-01"})
    assert dated_cases(behind(later, day=day)) is None
    assert dated_cases(behind(later, day=day, model="acme/m-2024-08-06")).rows == 1


@pytest.mark.parametrize(("cases", "is_found"), [(14, True), (60, True), (120, False)])
def test_too_few_cases_are_those_with_a_wide_interval(cases, is_found):
    evidence = behind(rows_of(*[float(at % 2) for at in range(cases)]))
    found = too_few_cases(evidence, our_mean(evidence))
    assert (found is not None) == is_found
    if found:
        assert found.further >= 1
        assert "further" in found.to_dict()


def test_nothing_is_found_without_rows():
    empty = behind([])
    assert [name for name, find in KINDS.items() if find(empty)] == []
    assert our_mean(empty) is None
