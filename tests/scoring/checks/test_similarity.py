"""The similarity of embeddings as a check; runs with it are in ``tests/arenas``."""

import asyncio
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import ProviderError
from benchmaker.record import EMBEDDING_FAILED
from benchmaker.scoring.checks.checks import Checks
from benchmaker.scoring.checks.similarity import Similarity, cosine
from benchmaker.spec.suites.check_spec import CheckSpec
from benchmaker.testing import Example, ScorerContract, a_case, a_trial
from tests.arenas.embedding_server import vector

VECTORS = st.lists(
    st.floats(-(2.0**90), 2.0**90, width=32).filter(lambda it: abs(it) > 2.0**-60),
    min_size=3,
    max_size=3,
)


class Asking:
    """Embeds by the rule of the local server; ``queries`` are those received."""

    def __init__(self, error=None):
        self.error = error
        self.queries = []

    async def embed(self, query):
        self.queries.append(query)
        if self.error is not None:
            raise self.error
        return tuple(vector(text[:2_000]) for text in query.texts)


class TestSimilarity(ScorerContract):
    scorer = partial(Similarity, model="openai/embed")
    ask = Asking()
    examples = (
        Example("a large town", expected="a large town", score=1.0),
        Example("town large a", expected="a large town", score=1.0),
        Example("", expected="a large town", score=None),
    )


def score(similarity, case, text="a large town", ask=None):
    return asyncio.run(similarity.score(case, a_trial(text=text), ask or Asking()))


@given(VECTORS, VECTORS)
def test_the_cosine_is_that_of_numpy(one, other):
    a, b = np.array(one), np.array(other)
    a, b = a / np.abs(a).max(), b / np.abs(b).max()
    wanted = float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))
    assert cosine(one, other) == pytest.approx(wanted, abs=1e-12)
    assert cosine(one, other) == cosine(other, one)
    assert cosine(one, one) == pytest.approx(1.0)
    assert cosine(one, [-it for it in one]) == pytest.approx(-1.0)


@given(VECTORS, st.floats(0.001, 1000.0))
def test_the_cosine_does_not_depend_on_length(one, factor):
    assert cosine(one, [factor * it for it in one]) == pytest.approx(1.0)


@pytest.mark.parametrize("other", [[1.0], [0.0, 0.0]])
def test_vectors_without_a_cosine_are_refused(other):
    with pytest.raises(ValueError, match=r"compared|direction"):
        cosine([1.0, 2.0], other)


def test_the_value_replaces_the_expected_text():
    asking = Asking()
    made = Similarity(model="m", value=("one", "two"), dimensions=3)
    score(made, a_case(expected="three"), ask=asking)
    [query] = asking.queries
    assert (query.model, query.dimensions) == ("m", 3)
    assert query.texts == ("a large town", "one", "two")


def test_a_failed_request_is_undecided():
    ask = Asking(ProviderError("the server broke."))
    made = score(Similarity(model="m", value=("one",)), a_case(), ask=ask)
    assert (made.score, made.notes, made.flags) == (
        None,
        "the server broke.",
        (EMBEDDING_FAILED,),
    )


def test_a_cosine_below_zero_scores_zero():
    class Opposite:
        async def embed(self, query):
            return ([1.0, 0.0], *([-1.0, 0.1] for _ in query.texts[1:]))

    made = score(Similarity(model="m", value=("one",)), a_case(), ask=Opposite())
    assert made.score == 0.0
    assert made.detail["cosine"] == pytest.approx(-1 / math.sqrt(1.01))


@pytest.mark.parametrize(
    ("case", "fault"),
    [
        (a_case(expected=None), "nothing to compare with"),
        (a_case(expected=""), "no embedding"),
        (a_case(expected="text"), None),
    ],
)
def test_a_case_without_a_text_is_reported(case, fault):
    found = Similarity(model="m").check(case)
    assert bool(found) == bool(fault)
    assert fault is None or fault in found[0]
    assert Similarity(model="m", value=("one",)).check(case) == []


def test_an_empty_value_is_reported():
    [objection] = Similarity(model="m", value=("one", "")).faults()
    assert objection.path == ("value", 1)


class Fixed:
    """Embeds texts as vectors in single precision at a fixed cosine to the first."""

    def __init__(self, value):
        self.vectors = np.array([[1, 0], [value, math.sqrt(1 - value**2)]], dtype=np.float32)

    async def embed(self, _):
        return tuple(tuple(map(float, one)) for one in self.vectors)


@pytest.mark.parametrize(
    ("value", "passed"), [(0.8, True), (0.8 - 1e-7, True), (0.8 - 1e-6, False), (0.79, False)]
)
def test_a_threshold_allows_for_single_precision(value, passed):
    check = CheckSpec(type="similarity", model="openai/embed", threshold=0.8)
    found = asyncio.run(
        Checks((check,)).score(a_case(expected="a"), a_trial(text="b"), Fixed(value))
    )
    assert found.detail["checks"][0]["passed"] is passed


def test_other_checks_have_no_tolerance():
    assert not hasattr(Checks((CheckSpec(type="contains", value="a"),)), "rounding")
