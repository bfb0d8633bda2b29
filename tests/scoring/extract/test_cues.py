import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.scoring.extract import (
    anchors,
    candidates,
    discourse,
    number_words,
    options,
    phrases,
    result,
)
from benchmaker.scoring.extract.cues import Cue

CUES = [
    pytest.param(value, id=f"{module.__name__.rpartition('.')[2]}.{name}")
    for module in (anchors, candidates, discourse, number_words, options, phrases, result)
    for name, value in vars(module).items()
    if isinstance(value, Cue)
]


@pytest.mark.parametrize("cue", CUES)
@given(data=st.data())
def test_a_stem_stands_wherever_the_pattern_matches(cue, data):
    text = data.draw(st.from_regex(cue.pattern))
    assert cue.may_hold(text)
