import math
from typing import Any

import pytest
from hypothesis import given

from benchmaker.errors import Corrupt
from benchmaker.record import Score
from benchmaker.store.database.json_values import decode, encode
from tests.store.strategies import maps, scores


@given(scores)
def test_a_score_comes_back_as_it_was(score):
    assert decode(encode(score), Score) == score


@given(maps)
def test_a_map_comes_back_as_it_was(plain):
    assert decode(encode(plain), dict[str, Any]) == plain


@given(maps)
def test_a_body_can_be_stored_by_any_database(plain):
    text = encode(plain)
    assert "\x00" not in text
    text.encode("utf-8")


def test_ordinary_values_are_plain_json():
    assert encode(Score(score=0.5, notes="NUL: \x00")) == '{"score":0.5,"notes":"NUL: \\u0000"}'


@pytest.mark.parametrize("odd", [math.inf, -math.inf, math.nan])
def test_figures_that_json_lacks_are_kept(odd):
    back = decode(encode({"error": odd}), dict[str, Any])
    assert repr(back) == repr({"error": odd})


def test_two_halves_of_a_pair_do_not_become_one_character():
    assert decode(encode({"text": "\ud83d\ude00"}), dict[str, Any]) == {"text": "\ud83d\ude00"}


def test_values_that_are_not_plain_data_are_refused():
    with pytest.raises(TypeError):
        encode({"thing": object()})


@pytest.mark.parametrize("text", ["", "{", "[]", '{"score": "high"}', "\x1a{", '\x1a{"score":"x"}'])
def test_a_damaged_body_is_corrupt(text):
    with pytest.raises(Corrupt, match="a stored Score can't be read"):
        decode(text, Score)


@pytest.mark.parametrize("odd", [math.inf, -math.inf, math.nan, -math.nan])
def test_figures_that_json_lacks_are_kept_inside_of_structs_with_absent_ones(odd):
    score = Score(score=None, detail={"nested": [{"error": odd}], "absent": None})
    assert repr(decode(encode(score), Score)) == repr(score)


def test_whole_numbers_of_any_size_are_plain_json():
    assert encode({"large": 10**30, "absent": None}) == f'{{"large":{10**30},"absent":null}}'
