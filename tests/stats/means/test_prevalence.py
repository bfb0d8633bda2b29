import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.means.prevalence import rogan_gladen
from tests.draws import draws

careful = settings(deadline=None, max_examples=draws(20, 60))

LABELLED = st.tuples(*[st.integers(1, 12)] * 4)
OTHERS = st.tuples(st.integers(0, 20), st.integers(0, 20)).filter(lambda pair: sum(pair) > 0)


def rows(cells):
    """Counts of good/yes, good/no, bad/yes, bad/no to columns of labels and verdicts."""
    kinds = [(1, 1), (1, 0), (0, 1), (0, 0)]
    both = [kind for kind, times in zip(kinds, cells, strict=True) for _ in range(times)]
    return [y for y, _ in both], [f for _, f in both]


@careful
@given(LABELLED, OTHERS)
def test_agrees_with_the_formula_written_out(cells, others):
    a, b, c, d = cells
    yes, no = others
    found = rogan_gladen(*rows(cells), [1] * yes + [0] * no)
    sensitivity, specificity, apparent = a / (a + b), d / (c + d), yes / (yes + no)
    youden = sensitivity + specificity - 1
    if a * d <= b * c:
        assert found.value is None
        assert "no more often" in found.reason
        return
    value = (apparent + specificity - 1) / youden
    noise = apparent * (1 - apparent) / (yes + no)
    noise += value**2 * sensitivity * (1 - sensitivity) / (a + b)
    noise += (1 - value) ** 2 * specificity * (1 - specificity) / (c + d)
    assert found.value == pytest.approx(value, rel=1e-9, abs=1e-12)
    assert found.se == pytest.approx(math.sqrt(noise) / youden, rel=1e-9)


def test_a_perfect_judge_leaves_its_share():
    found = rogan_gladen(*rows((10, 0, 0, 10)), [1] * 30 + [0] * 70)
    assert found.value == pytest.approx(0.3)
    assert found.se == pytest.approx(math.sqrt(0.21 / 100))


def test_the_interval_covers_the_truth():
    generator, hits = np.random.Generator(np.random.PCG64(6)), 0
    tries = draws(200, 500)
    for _ in range(tries):
        truth = generator.random(900) < 0.4
        judge = np.where(truth, generator.random(900) < 0.85, generator.random(900) < 0.2)
        found = rogan_gladen(truth[:200], judge[:200], judge[200:])
        hits += found.low <= 0.4 <= found.high
    assert hits / tries == pytest.approx(0.95, abs=0.025 * math.sqrt(500 / tries))


def test_a_share_outside_stands_and_is_said():
    found = rogan_gladen(*rows((8, 2, 5, 5)), [0] * 10)
    assert found.value < 0
    assert "outside 0 to 1" in found.warnings[0]


def test_few_labels_of_a_kind_are_said():
    assert "only 3 bad labelled rows" in rogan_gladen(*rows((12, 3, 1, 2)), [1, 0]).warnings


@pytest.mark.parametrize(
    ("parts", "error", "message"),
    [
        (([1, 1], [1, 0], [1]), NotEnoughData, "2 good, 0 bad"),
        (([1, 0], [1, 0], []), NotEnoughData, "0 unlabelled"),
        (([1, 0.5], [1, 0], [1]), SpecError, "label in row 2 is 0.5"),
        (([1, 0], [1, 0], [2]), SpecError, "unlabelled value in row 1 is 2"),
    ],
)
def test_what_does_not_fit_is_named(parts, error, message):
    with pytest.raises(error, match=message):
        rogan_gladen(*parts)
