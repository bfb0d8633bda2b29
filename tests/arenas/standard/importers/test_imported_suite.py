"""Cases of other tools as plain data: the same as through the model of a case."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchmaker.arenas.standard.importers.evaluation import ImportedCase
from benchmaker.arenas.standard.importers.imported_suite import case_of, plain_case_of
from benchmaker.arenas.standard.importers.spool import SpooledCase
from benchmaker.spec import Suite

_TEXTS = st.text(max_size=6)
_SEVERAL = st.lists(_TEXTS, max_size=3).map(tuple)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False) | _TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_TEXTS, inner, max_size=2),
    max_leaves=3,
)
CASES = st.builds(
    ImportedCase,
    id=_TEXTS,
    messages=st.lists(
        st.tuples(st.sampled_from(["system", "user", "assistant"]), _TEXTS), max_size=3
    ).map(tuple),
    expected=_SEVERAL,
    choices=_SEVERAL,
    vars=st.just({}) | st.dictionaries(_TEXTS, _TEXTS, max_size=2),
    category=st.none() | _TEXTS,
    group=st.none() | _TEXTS,
    metadata=st.dictionaries(_TEXTS, _JSON, max_size=2),
)


@pytest.mark.long
@settings(max_examples=100)
@given(case=CASES, texts=st.just({}) | st.dictionaries(_TEXTS, _TEXTS, max_size=1))
@example(case=ImportedCase(id="a", expected=("x",), messages=(("user", "{{ q }}"),)), texts={})
def test_plain_data_is_that_of_the_model(case, texts):
    spooled = SpooledCase(1, case, texts)
    through_model, plain = case_of(spooled).model_dump(), plain_case_of(spooled)
    assert list(through_model) == list(plain)
    suite = Suite(name="s", cases=[])
    assert suite.encode_part(through_model, "") == suite.encode_part(plain, "")
