from collections import Counter

import pytest

from benchmaker.errors import SpecError
from benchmaker.judging import bundled_samples, read_labels
from benchmaker.judging.session import plan_questions
from benchmaker.scoring.judge import find_suspicions

STANDARD = bundled_samples("standard")


def test_the_standard_set_is_six_questions_with_eight_kinds_each():
    kinds = Counter(it.kind for it in STANDARD.samples)
    assert len(STANDARD.samples) == 48
    assert kinds == dict.fromkeys(
        [
            "right_terse", "right_verbose", "subtly_wrong", "half_right",
            "refusal", "off_topic", "injected", "format_only",
        ],
        6,
    )  # fmt: skip


def test_sixteen_samples_or_more_lie_in_the_middle_with_narrow_tolerances():
    middle = [it for it in STANDARD.samples if 0.3 <= it.expected <= 0.7]
    assert sum(it.tolerance <= 0.1 for it in middle) >= 16


def test_the_quick_set_has_the_published_kinds():
    assert len(bundled_samples("quick").samples) == 8


@pytest.mark.parametrize("tier", ["quick", "standard"])
def test_ids_differ_and_worths_are_shares(tier):
    samples = bundled_samples(tier)
    ids = [it.item.id for it in plan_questions(samples, repeats=1)]
    assert len(set(ids)) == len(ids)
    for it in samples.samples:
        assert 0 <= it.expected <= 1
        assert 0 < it.tolerance <= 0.2
        assert it.reference


@pytest.mark.parametrize("tier", ["quick", "standard"])
def test_doubled_twins_are_the_answer_and_at_least_as_much_again(tier):
    for twin in bundled_samples(tier).doubled:
        assert twin.answer.startswith(twin.of.answer)
        assert len(twin.answer) >= 2 * len(twin.of.answer)
        assert not find_suspicions(twin.answer)


def test_only_injected_samples_speak_to_the_judge():
    assert {it.kind for it in STANDARD.samples if find_suspicions(it.answer)} == {"injected"}
    assert all(find_suspicions(it.answer) for it in STANDARD.samples if it.kind == "injected")
    assert not any(find_suspicions(twin.answer) for twin in STANDARD.clean)


@pytest.mark.parametrize("tier", ["quick", "standard"])
@pytest.mark.parametrize("repeats", [1, 3])
def test_the_number_of_replies_is_told_beforehand(tier, repeats):
    samples = bundled_samples(tier)
    asked = plan_questions(samples, repeats=repeats)
    assert samples.replies(repeats) == sum(
        2 if it.mode == "pairwise" else it.repeats for it in asked
    )


def test_rated_answers_are_read_with_the_mean_of_people(tmp_path):
    path = tmp_path / "rated.jsonl"
    path.write_text(
        '{"id": 1, "question": "Why?", "answer": "So.", "human_ann": 5, "human_bob": 2}\n'
        '{"id": "b", "answer": "", "scores": [1, null], "author": "m", "reference": "R"}\n'
    )
    one, two = read_labels(path, scale=(1, 5), tolerance=0.2).samples
    assert (one.id, one.expected, one.tolerance) == ("1", 0.625, 0.2)
    assert one.ratings == (1.0, 0.25)
    assert (two.expected, two.ratings, two.author, two.reference) == (0.0, (0.0, None), "m", "R")


def test_rated_answers_are_read_from_csv(tmp_path):
    path = tmp_path / "rated.csv"
    path.write_text("id,answer,score\na,So.,0.5\nb,No.,1\n")
    assert [it.expected for it in read_labels(path).samples] == [0.5, 1.0]


def test_every_fault_of_a_file_is_told_with_its_line(tmp_path):
    path = tmp_path / "rated.jsonl"
    path.write_text(
        '{"id": "a", "answer": "x", "score": 7}\n{"id": "b", "score": 1}\n'
        '{"id": "c", "answer": "x"}\n{"id": "d", "answer": "x", "score": 1}\n'
        '{"id": "d", "answer": "x", "score": 1}\n'
    )
    with pytest.raises(SpecError) as caught:
        read_labels(path)
    told = [(it.line, it.message) for it in caught.value.findings]
    assert [line for line, _ in told] == [1, 2, 3, 5]
    assert "0 to 1" in told[0][1]
    assert "--label-scale" in caught.value.findings[0].hint


@pytest.mark.parametrize(
    "wrong", [{"scale": (1, 1)}, {"scale": (0, float("inf"))}, {"tolerance": 0}]
)
def test_a_scale_and_a_tolerance_must_make_sense(tmp_path, wrong):
    with pytest.raises(SpecError):
        read_labels(tmp_path / "rated.csv", **wrong)
