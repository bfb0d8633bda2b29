import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import PrerequisiteError
from benchmaker.providers.recordings.answer_index import RecordedAnswerIndex
from benchmaker.providers.recordings.answer_lines import RecordedAnswer
from benchmaker.providers.recordings.failures import RecordedFailure
from benchmaker.record import Completion, FinishReason, Usage

KEYS = st.tuples(st.text(max_size=3), st.text(max_size=3), st.none() | st.text(max_size=2))
TEXTS = st.text(st.characters(), max_size=10)


def an_index(answers, **options) -> RecordedAnswerIndex:
    index = RecordedAnswerIndex(**options)
    for line, answer in enumerate(answers, 1):
        index.add(answer, line)
    index.sort()
    return index


@given(st.dictionaries(KEYS, TEXTS, max_size=20), KEYS)
def test_every_answer_is_found_and_no_other(answers, other):
    index = an_index(RecordedAnswer(*key, Completion(text=text)) for key, text in answers.items())
    for key, text in answers.items():
        assert index.find(*key) == Completion(text=text)
    if other not in answers:
        assert index.find(*other) is None
    assert list(index.duplicates()) == []
    assert len(index) == len(answers)
    index.close()


def test_a_completion_comes_back_whole():
    completion = Completion(
        text="half \ud800 and \0", finish=FinishReason.LENGTH, usage=Usage(input_tokens=3),
        latency_s=0.5, cost_usd=0.01, flags=("x",),
    )  # fmt: skip
    index = an_index([RecordedAnswer("m", "c", None, completion)])
    assert index.find("m", "c", None) == completion
    index.close()


HALF = "half \ud800"


@pytest.mark.parametrize(
    "answer",
    [
        RecordedAnswer("m", "c", "1", Completion(text=""), RecordedFailure("Timeout", HALF)),
        RecordedAnswer("m", HALF, None, Completion(text="x", usage=Usage(input_tokens=3))),
        RecordedAnswer(HALF, "c", HALF, Completion(text=HALF), RecordedFailure("Timeout", HALF)),
    ],
)
def test_half_a_surrogate_pair_comes_back_wherever_it_stands(answer):
    index = an_index([RecordedAnswer("other", "c", None, Completion(text="y")), answer])
    assert index.get(*answer[:3]) == answer
    index.close()


def test_keys_with_an_equal_hash_are_told_apart():
    answers = (RecordedAnswer("m", str(i), None, Completion(text=str(i))) for i in range(5))
    index = an_index(answers, hashed=lambda _key: 7)
    assert [index.find("m", str(i), None).text for i in range(5)] == list("01234")
    assert index.find("m", "9", None) is None
    assert list(index.duplicates()) == []
    index.close()


def test_duplicates_name_both_lines():
    again = RecordedAnswer("m", "c", "1", Completion(text="x"))
    index = an_index([again, RecordedAnswer("m", "d", "1", Completion(text="x")), again])
    assert list(index.duplicates()) == [(again, 1, 3)]
    index.close()


def test_answers_outside_a_set_of_cases_are_counted():
    index = an_index(RecordedAnswer(m, c, None, Completion(text="")) for m in "ab" for c in "xyz")
    assert index.count_outside(["x", "y"]) == 2
    assert index.count_outside([]) == 6
    assert index.count_outside("xyzw") == 0
    index.close()


def test_a_full_disk_is_told_with_what_to_do(monkeypatch):
    def full(**_options):
        return open("/dev/full", "wb", buffering=0)  # noqa: PTH123  closed by the index

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    index = RecordedAnswerIndex()
    with pytest.raises(PrerequisiteError, match=r"No space left on device.* TMPDIR"):
        index.add(RecordedAnswer("m", "c", None, Completion(text="x")), 1)
    index.close()


@given(st.lists(st.integers(0, 40_000), min_size=1, max_size=8))
def test_answers_of_any_length_are_found_wherever_they_lie_in_the_file(lengths):
    answers = [
        RecordedAnswer("m", str(at), None, Completion(text="x" * n)) for at, n in enumerate(lengths)
    ]
    index = an_index(answers)
    assert [index.find(*answer[:3]) for answer in answers] == [it.completion for it in answers]
    index.close()
