import json
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.scoring.json_answer import json_answer

PROSE = st.text(alphabet="abc {}[]:,.\n'", max_size=40)
SCALAR = st.one_of(st.text(max_size=20), st.integers(), st.booleans())
OTHER = st.dictionaries(st.sampled_from(["reasoning", "steps", "n"]), SCALAR, max_size=3)


@given(
    before=PROSE,
    after=PROSE,
    answer=st.text(max_size=30),
    more=OTHER,
    indent=st.sampled_from([None, 2]),
)
def test_the_answer_of_an_object_comes_back_whatever_stands_around(
    before, after, answer, more, indent
):
    reply = f"{before}\n{json.dumps({**more, 'answer': answer}, indent=indent)}\n{after}"
    assert _mendless(json_answer(reply)) == _mendless(answer)


def _mendless(text):
    """LaTeX is mended; the rest must be equal."""
    return text.replace("\f", "\\f").replace("\b", "\\b").replace("\t", "\\t").replace("\r", "\\r")


@given(
    answers=st.lists(st.integers(), min_size=1, max_size=5),
    key=st.sampled_from(["answer", "answer_key"]),
)
def test_the_last_object_counts(answers, key):
    reply = " then ".join(json.dumps({"step": "x", key: it}) for it in answers)
    assert json_answer(reply) == str(answers[-1])


@given(
    reasoning=st.text(alphabet="abc \\\n", max_size=30).map(lambda it: it.replace("\\", "")),
    number=st.integers(),
)
def test_an_object_that_was_cut_off_gives_what_it_has(reasoning, number):
    whole = json.dumps({"reasoning": reasoning, "answer": str(number), "more": "x"})
    for end in range(whole.index('"answer"') + 12 + len(str(number)), len(whole)):
        assert json_answer(whole[:end]) == str(number)


@given(st.text(alphabet='{}[]":,\\ answer_key1\n', max_size=60))
def test_any_text_is_read_without_an_error(text):
    json_answer(text)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ('{"answer": "5", "steps": [{"answer": "3"}]}', "5"),
        ('{"result": {"answer": 5}}', "5"),
        ('{"answer": null}', None),
        ('{"answer": "1"} {"answer": null}', "1"),
        ('{"answer": ""}', ""),
        ('{"answer": 1.50}', "1.50"),
        ('{"answer": true}', "true"),
        ('{"answer": ["a", null]}', "['a', None]"),
        ('{"answer": {"R": 0}}', "{'R': 0}"),
        ('{"answer": "a\nb"}', "a\nb"),
        ('{"answer": 1,234}', "1,234"),
        ('{"answer": "18",}', "18"),
        ('{"reasoning": "a "quoted" word", "answer": "18"}', "18"),
        ('{"reasoning": "no comma"\n "answer": "18"\n}', "18"),
        ('"answer": 18', "18"),
        ('{"answer": ["a", "b"', '["a", "b"'),
        ("{\"answer\": ['a', 'b']}", "['a', 'b']"),
        ('{"answer": "eighte', "eighte"),
        (r'{"answer": "\frac{1}{2}"}', r"\frac{1}{2}"),
        (r'{"answer": "\boxed{3}"}', r"\boxed{3}"),
        (r'{"answer": "\(5\)"}', r"\(5\)"),
        (r'{"reasoning": "bad "x"", "answer": "a\nb"}', "a\nb"),
        (r'{"note": "the \"answer\": 5"}', None),
        ('{"answer":', None),
        ("the answer is 5", None),
        ("{'answer': 5}", None),
    ],
)
def test_replies_as_models_give_them(reply, answer):
    assert json_answer(reply) == answer


@pytest.mark.parametrize(
    "unit",
    ["{", '"',
     '{"', '{"a":', '{"answer":', '{"answer":"', '"answer": "', '{"answer": ["', '"answer": [ ',
     '{"a":"', '\\"', "{ ", '"answer": "x", ', "\n", '"answer"   ', '{"x": [', "\\"],
)  # fmt: skip
@pytest.mark.parametrize("end", ["", ' "answer": 5', ' {"answer": '])
def test_a_hostile_megabyte_is_read_in_one_pass(unit, end):
    reply = unit * (1_000_000 // len(unit)) + end
    start = process_time()
    json_answer(reply)
    assert process_time() - start < 20  # one that begins anew at each character takes an hour
