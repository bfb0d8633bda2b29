"""Which row has a key."""

from hypothesis import given
from hypothesis import strategies as st

from benchmaker.arenas.agentic.sessions.index import Index

KEYS = st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 40).map(lambda n: n << 32))
"""Keys of any kind, and some that begin at the same slot."""


@given(KEYS, KEYS)
def test_rows_are_those_of_a_dict(keys, others):
    index, plain = Index(), {}
    for key in keys:
        assert index.add(key) == plain.setdefault(key, len(plain))
    assert list(index.keys) == list(plain)
    assert [index.find(key) for key in others + keys] == [plain.get(key) for key in others + keys]
    assert len(index) == len(plain)
