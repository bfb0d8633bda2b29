from hypothesis import given
from hypothesis import strategies as st

from benchmaker.engine.trials.request_options import Manner

MANNERS = st.builds(
    Manner,
    stream=st.booleans(),
    cache=st.booleans(),
    max_cost_usd=st.none() | st.floats(0, 10),
    timeout_s=st.none() | st.floats(1, 10),
    retries=st.none() | st.integers(0, 5),
)


@given(MANNERS)
def test_what_a_run_records_is_read_back(manner):
    assert Manner.of(manner.to_dict()) == manner


def test_the_usual_manner_records_nothing():
    assert Manner().to_dict() == {}


def test_asking_failures_again_is_not_recorded():
    assert Manner(retry_failed=True).to_dict() == {}


def test_what_a_later_version_recorded_is_left_aside():
    assert Manner.of({"cache": True, "politely": True}) == Manner(cache=True)
