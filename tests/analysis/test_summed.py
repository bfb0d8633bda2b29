import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.analysis.summed import mean_of_sums
from benchmaker.stats.bounded import within_scale
from benchmaker.stats.means import weighted_mean

ROWS = st.lists(
    st.tuples(st.floats(0, 1), st.floats(0.1, 5), st.integers(0, 4)), min_size=1, max_size=30
)


@given(ROWS)
def test_sums_over_clusters_say_what_the_rows_say(rows):
    sums: dict[int, list[float]] = {}
    for value, weight, cluster in rows:
        own = sums.setdefault(cluster, [0.0, 0.0])
        own[0] += weight
        own[1] += weight * value
    values, weights, clusters = zip(*rows, strict=True)

    mean, ends = mean_of_sums(
        len(sums),
        weight=sum(w for w, _ in sums.values()),
        value=sum(v for _, v in sums.values()),
        weight_2=sum(w * w for w, _ in sums.values()),
        value_2=sum(v * v for _, v in sums.values()),
        both=sum(w * v for w, v in sums.values()),
    )
    made = within_scale(weighted_mean(values, weights, clusters=clusters))

    assert mean == pytest.approx(made.mean)
    if ends is not None and made.interval is not None:
        assert ends == pytest.approx(made.interval, abs=1e-5)
